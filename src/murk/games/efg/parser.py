"""Read Gambit's extensive-form files, version 2 of the format.

The format is described in Gambit's manual, chapter "Game representation formats". A file is a prologue
(``EFG 2 R "title" { "player 1" "player 2" } "comment"``) and the nodes in preorder: ``c`` for chance, ``p``
for a player, ``t`` for a terminal node. What the manual leaves open is read as Gambit reads it, and more
freely where OpenSpiel writes something else:

- an information set or outcome is described where it is first mentioned and may be repeated later; repeated
  probabilities, payoffs and numbers of actions must agree, a repeated name need not, and an action label
  may be another one but not one that stands at another place in the list;
- the outcome of a node that is not terminal counts too: payoffs are added up along the path;
- chance probabilities written as integers or rationals must sum to one exactly; decimal ones may be off by
  1e-6, as thirds are bound to be: they are divided by their sum if that makes short fractions of them, and
  otherwise the largest of them makes up for the difference.

The parser keeps its own stack, so depth is no danger, and its work is linear in the length of the text.
"""

from fractions import Fraction
from pathlib import Path
from typing import NoReturn

from murk.errors import FormatError, GameError, InputError, TooLargeError
from murk.games.efg.game import EfgGame, EfgInfoset, EfgNodes, EfgOutcome
from murk.games.efg.lexer import CLOSE, COMMA, END, MAX_BITS, OPEN, TEXT, WORD, Lexer
from murk.games.protocol import MAX, MIN, NATURE, TERMINAL

__all__ = ["parse_efg", "read_efg"]

_TOLERANCE = Fraction(1, 10**6)
_SHORTEST_NODE = 4  # characters of ``t""0``
_LONGEST_DENOMINATOR = 10**7
_ZERO = Fraction(0)


def read_efg(source: str | Path, *, max_nodes: int | None = None) -> EfgGame:
    """Read the game in an `.efg` file.

    Args:
        source: path of the file.
        max_nodes: the largest tree to accept; ``None`` for no limit.

    Raises:
        InputError: there is no such file, or it cannot be read.
        FormatError: the file is malformed; the message names the line and column.
        GameError: the game is not a two-player zero-sum game.
        TooLargeError: it has more than ``max_nodes`` nodes.

    """
    path = Path(source)
    data = _read_bytes(path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        place = f"{path.name}, line {line}, column {column}"
        raise FormatError(f"{place}: found byte 0x{data[error.start]:02x}, expected UTF-8 text.") from None
    return parse_efg(text, name=path.name, max_nodes=max_nodes)


def _read_bytes(path: Path) -> bytes:
    try:
        if path.is_file() or not path.exists():
            return path.read_bytes()
        reason = "it is not a regular file"
    except (OSError, ValueError) as error:  # a path with a null byte is a ValueError
        reason = getattr(error, "strerror", None) or str(error)
    raise InputError(f"cannot read {str(path)!r}: {reason}.")


def parse_efg(text: str, *, name: str | None = None, max_nodes: int | None = None) -> EfgGame:
    """Read the game in the text of an `.efg` file.

    Args:
        text: the content of the file.
        name: the name of the game, also shown in error messages; the game's title if ``None``.
        max_nodes: the largest tree to accept; ``None`` for no limit.

    Raises:
        FormatError: the text is malformed; the message names the line and column.
        GameError: the game is not a two-player zero-sum game.
        TooLargeError: it has more than ``max_nodes`` nodes.

    """
    return _Parser(text, name, max_nodes).parse()


class _Parser:
    """One run over one text."""

    def __init__(self, text: str, name: str | None, max_nodes: int | None) -> None:
        self._source = name or "efg text"
        self._name = name
        self._lexer = Lexer(text, self._source)
        self._max_nodes = max_nodes
        self._nodes = EfgNodes([], [], [], [], [], [], [], [], [])
        self._infosets: tuple[list[EfgInfoset], list[EfgInfoset], list[EfgInfoset]] = ([], [], [])
        self._infoset_index: dict[tuple[int, int], int] = {}
        self._outcomes: list[EfgOutcome] = []
        self._outcome_sums: list[Fraction] = []
        self._outcome_index: dict[int, int] = {}
        # What both players' payoffs add up to at each node: zero at the terminal nodes of a zero-sum game.
        self._sums: list[Fraction] = []

    def parse(self) -> EfgGame:
        title, players, comment = self._prologue()
        self._tree()
        self._check_zero_sum()
        return EfgGame(
            name=self._name or title or "untitled",
            title=title,
            comment=comment,
            players=players,
            nodes=self._nodes,
            infosets=self._infosets,
            outcomes=self._outcomes,
        )

    def _prologue(self) -> tuple[str, tuple[str, str], str]:
        lexer = self._lexer
        for words, expected in (
            (("EFG",), "'EFG', the first word of the format"),
            (("2",), "'2', the version of the format"),
            (("R", "D"), "'R' or 'D', the type of numbers"),
        ):
            if lexer.kind != WORD or lexer.value not in words:
                raise lexer.error(expected)
            lexer.advance()
        title = lexer.expect(TEXT, "the title in quotes")
        lexer.expect(OPEN, "'{' before the players")
        players = []
        while (player := lexer.optional_text()) is not None:
            players.append(player)
        lexer.expect(CLOSE, "a player's name in quotes or '}'")
        if len(players) != 2:
            count = f"{len(players)} player" + ("" if len(players) == 1 else "s")
            raise GameError(f"{self._source} has {count}, expected a game of two players.")
        return title, (players[0], players[1]), lexer.optional_text() or ""

    def _tree(self) -> None:
        """Read the nodes, listed in preorder. Children get their numbers when their parent is read."""
        lexer, nodes = self._lexer, self._nodes
        self._add_children(-1, 1)
        missing = [0]
        while missing:
            node = missing.pop()
            kind = lexer.value if lexer.kind == WORD else ""
            if kind not in ("c", "p", "t"):
                raise lexer.error(f"'c', 'p' or 't' and a node ({len(missing) + 1} missing)")
            lexer.advance()
            nodes.label[node] = lexer.expect(TEXT, "the node's name in quotes")
            if kind != "t":
                start = lexer.start
                player = int(NATURE) if kind == "c" else lexer.integer("player 1 or 2", least=1, most=2) - 1
                index = self._infoset(player)
                nodes.player[node], nodes.infoset[node] = player, index
                count = len(self._infosets[player][index].actions)
                if len(missing) + count > (len(lexer.text) - start) // _SHORTEST_NODE:
                    raise lexer.error(
                        f"{len(missing) + count} more nodes",
                        found="a file that is too short for its tree",
                        at=start,
                    )
                first = nodes.first_child[node] = self._add_children(node, count)
                missing.extend(range(first + count - 1, first - 1, -1))
            self._outcome(node)
        if lexer.kind != END:
            raise lexer.error("the end of the file, because the tree is complete")

    def _add_children(self, parent: int, count: int) -> int:
        """Make room for the children of ``parent``, as terminal nodes for now, and return the first."""
        nodes = self._nodes
        first = len(nodes.parent)
        if self._max_nodes is not None and first + count > self._max_nodes:
            raise TooLargeError(f"{self._source} has more than {self._max_nodes} nodes, the largest number allowed.")
        nodes.parent.extend([parent] * count)
        nodes.first_child.extend([-1] * count)
        nodes.num_children.extend([0] * count)
        nodes.player.extend([int(TERMINAL)] * count)
        nodes.action.extend(range(count) if parent >= 0 else [-1])
        nodes.infoset.extend([-1] * count)
        nodes.outcome.extend([-1] * count)
        nodes.payoff.extend([_ZERO] * count)
        nodes.label.extend([""] * count)
        self._sums.extend([_ZERO] * count)
        if parent >= 0:
            nodes.num_children[parent] = count
        return first

    def _infoset(self, player: int) -> int:
        """Read an infoset of ``player`` or of nature, whole or by its number only; return its index."""
        lexer = self._lexer
        start = lexer.start
        number = lexer.integer("the number of an information set, 1 or more", least=1)
        name = lexer.optional_text() or ""
        index = self._infoset_index.get((player, number))
        if lexer.kind != OPEN:
            if index is None:
                raise lexer.error(f"'{{' and the actions of information set {number}, which is new")
            return index
        listed = lexer.start
        labels, probabilities = self._actions(player)
        infosets = self._infosets[player]
        if index is None:
            index = self._infoset_index[player, number] = len(infosets)
            infosets.append(EfgInfoset(number, name, labels, probabilities))
        else:
            self._check_repetition(infosets[index], labels, probabilities, start, listed)
        return index

    def _actions(self, player: int) -> tuple[tuple[str, ...], tuple[Fraction, ...]]:
        """Read a list of actions, and of their probabilities at a chance node."""
        lexer = self._lexer
        start = lexer.start
        lexer.advance()
        labels: list[str] = []
        probabilities: list[Fraction] = []
        total, rounded = _ZERO, False
        while not (labels and lexer.kind == CLOSE):
            labels.append(lexer.expect(TEXT, "an action in quotes" + (" or '}'" if labels else "")))
            if player == NATURE:
                at = lexer.start
                probability, decimal = lexer.number("a probability")
                if not 0 <= probability <= 1:
                    raise lexer.error("a probability from 0 to 1", found=_show(probability), at=at)
                probabilities.append(probability)
                total, rounded = total + probability, rounded or decimal
                if total.denominator.bit_length() > MAX_BITS:
                    raise lexer.error("probabilities whose sum has fewer digits", found="these", at=start)
        lexer.advance()
        if player == NATURE and total != 1:
            if not rounded or abs(total - 1) > _TOLERANCE:
                raise lexer.error(
                    "probabilities that sum to 1", found=f"probabilities that sum to {_show(total)}", at=start
                )
            probabilities = _sum_to_one(probabilities, total)
        return tuple(labels), tuple(probabilities)

    def _check_repetition(
        self,
        infoset: EfgInfoset,
        labels: tuple[str, ...],
        probabilities: tuple[Fraction, ...],
        start: int,
        listed: int,
    ) -> None:
        """Check a second description of an information set against the first."""
        if labels == infoset.actions and probabilities == infoset.probabilities:
            return
        count, known = len(labels), len(infoset.actions)
        if count != known:
            raise self._lexer.error(
                f"{known} as before",
                found=f"information set {infoset.number} with {count} action{'s' if count > 1 else ''}",
                at=start,
            )
        if probabilities != infoset.probabilities:
            raise self._lexer.error(
                "the same as before", found=f"other probabilities for chance set {infoset.number}", at=listed
            )
        place = {label: position for position, label in reversed(list(enumerate(infoset.actions)))}
        for position, label in enumerate(labels):
            if label != infoset.actions[position] and label in place:
                raise self._lexer.error(
                    "the same order as before", found=f"action {_shorten(label)} at another place", at=listed
                )

    def _outcome(self, node: int) -> None:
        """Read the outcome at ``node`` and add it to the payoffs on the way there."""
        lexer, nodes = self._lexer, self._nodes
        start = lexer.start
        number = lexer.integer("the number of an outcome, 0 for none", least=0)
        described = lexer.kind in (TEXT, OPEN)
        if described and number == 0:
            raise lexer.error("nothing after outcome 0, which means no outcome")
        name = lexer.optional_text() or ""
        index = self._outcome_index.get(number, -1)
        if described:
            payoffs = self._payoffs()
            if index < 0:
                index = self._outcome_index[number] = len(self._outcomes)
                self._outcomes.append(EfgOutcome(number, name, payoffs))
                self._outcome_sums.append(payoffs[MAX] + payoffs[MIN])
            elif self._outcomes[index].payoffs != payoffs:
                raise lexer.error("the same as before", found=f"other payoffs for outcome {number}", at=start)
        elif number and index < 0:
            raise lexer.error(f"the name and payoffs of outcome {number}, which is new")
        if index >= 0:
            nodes.outcome[node] = index
        self._add_up(node, index, start)

    def _payoffs(self) -> tuple[Fraction, Fraction]:
        lexer = self._lexer
        lexer.expect(OPEN, "'{' before the payoffs")
        first, _ = lexer.number("player 1's payoff, a number")
        lexer.accept(COMMA)
        second, _ = lexer.number("player 2's payoff, a number")
        lexer.accept(COMMA)
        lexer.expect(CLOSE, "'}' after two payoffs")
        return first, second

    def _add_up(self, node: int, outcome: int, start: int) -> None:
        """Set the payoffs at ``node``: those above it and its own outcome's."""
        nodes, above = self._nodes, self._nodes.parent[node]
        before, before_sum = (nodes.payoff[above], self._sums[above]) if above >= 0 else (_ZERO, _ZERO)
        if outcome < 0:
            nodes.payoff[node], self._sums[node] = before, before_sum
            return
        payoff, payoff_sum = self._outcomes[outcome].payoffs[MAX], self._outcome_sums[outcome]
        if before or before_sum:
            payoff, payoff_sum = before + payoff, before_sum + payoff_sum
            if not (_is_usable(payoff) and _is_usable(payoff_sum)):
                raise self._lexer.error(
                    "payoffs that a double can hold",
                    found="an outcome whose payoffs, added to those above, are too long or too large",
                    at=start,
                )
        nodes.payoff[node], self._sums[node] = payoff, payoff_sum

    def _check_zero_sum(self) -> None:
        sums = {self._sums[node] for node, player in enumerate(self._nodes.player) if player == TERMINAL}
        if sums != {_ZERO}:
            self._refuse_sums(sums)

    def _refuse_sums(self, sums: set[Fraction]) -> NoReturn:
        low, high = _show(min(sums)), _show(max(sums))
        if len(sums) == 1:
            raise GameError(
                f"{self._source} is constant-sum but not zero-sum: the payoffs always add up to {low}, "
                f"expected 0 (take {low} off one player's payoffs)."
            )
        raise GameError(
            f"{self._source} is general-sum: the payoffs add up to {low} at one terminal node and to {high} "
            f"at another, expected 0 at all."
        )


def _sum_to_one(probabilities: list[Fraction], total: Fraction) -> list[Fraction]:
    """Divide by the sum if that gives short fractions, such as thirds; else let the largest differ.

    The second keeps the others as they are written, and all of them finite decimals.
    """
    scaled = [probability / total for probability in probabilities]
    if max(probability.denominator for probability in scaled) <= _LONGEST_DENOMINATOR:
        return scaled
    largest = max(range(len(probabilities)), key=probabilities.__getitem__)
    return [p + 1 - total if place == largest else p for place, p in enumerate(probabilities)]


def _fits(number: Fraction) -> bool:
    try:
        float(number)
    except OverflowError:
        return False
    return True


def _is_usable(number: Fraction) -> bool:
    longest = max(number.numerator.bit_length(), number.denominator.bit_length())
    return longest <= MAX_BITS and _fits(number)


def _shorten(label: str) -> str:
    return repr(label if len(label) <= 40 else label[:37] + "...")


def _show(number: Fraction) -> str:
    text = str(number)
    if len(text) <= 40:
        return text
    return f"about {float(number):g}" if _fits(number) else "more than a double can hold"
