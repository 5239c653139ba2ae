"""The games [ZS21] defines itself, and the table of all built-in games.

* :class:`MatchingPennies`: *N*-matching pennies, the running example. Deviation: the paper's text and its
  figure disagree; this is the figure's game (see ``docs/errata.md``).
* :class:`Counterexample`: the game in the proof of Proposition ``pr:ws-counterexample``.
* :class:`Figure1`: the game of figure ``fi:example``, on which the paper works an example by hand.
* :func:`dark_chess_endgame`: its section 6 in the small.

:func:`builtin_game` makes any of them, or a random game, from a string such as ``"matching_pennies(n=100)"``.
"""

import importlib
import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from murk.errors import InputError
from murk.games.explicit import Node, decision, leaf, nature
from murk.games.protocol import MAX, MIN, NATURE, TERMINAL, Game, Player
from murk.games.random import RandomGame

__all__ = [
    "BUILTIN",
    "HEADS",
    "TAILS",
    "Counterexample",
    "Figure1",
    "MatchingPennies",
    "PenniesState",
    "builtin_game",
    "dark_chess_endgame",
]

HEADS = 0
TAILS = 1

LARGEST_N = 1_000_000
"""Seven nodes a number: beyond this nobody means it."""


class _Pennies(ABC):
    """Nature draws 1..n uniformly and gives hints; MAX chooses a side, then MIN does, not having seen it."""

    def __init__(self, n: int) -> None:
        if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= LARGEST_N:
            raise InputError(f"n must be an integer from 1 to {LARGEST_N:,}, not {n!r}")
        self.n = n

    @property
    @abstractmethod
    def name(self) -> str:
        """The name, with the parameter, as :func:`builtin_game` reads it."""

    @abstractmethod
    def hint(self, player: int, number: int) -> str:
        """Return what ``player`` is told when nature has drawn ``number``."""

    @abstractmethod
    def payoff(self, number: int, max_side: int, min_side: int) -> float:
        """Return MAX's payoff."""

    def root(self) -> "PenniesState":
        """Return the state before nature's draw."""
        return PenniesState(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n={self.n})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Pennies) and (type(self), self.n) == (type(other), other.n)

    def __hash__(self) -> int:
        return hash((type(self), self.n))


@dataclass(frozen=True, slots=True)
class PenniesState:
    """A state of a pennies game: what has been chosen so far, by nature, MAX and MIN in this order."""

    game: _Pennies
    choices: tuple[int, ...] = ()

    def player(self) -> Player:
        """Return who moves."""
        return (NATURE, MAX, MIN, TERMINAL)[len(self.choices)]

    def actions(self) -> Sequence[int]:
        """Return nature's numbers 1..n, or the two sides of the penny."""
        return (HEADS, TAILS) if self.choices else range(1, self.game.n + 1)

    def chance(self) -> Sequence[float]:
        """Return the uniform distribution."""
        return (1 / self.game.n,) * self.game.n

    def child(self, action: int) -> "PenniesState":
        """Return the state after ``action``."""
        return PenniesState(self.game, (*self.choices, action))

    def utility(self) -> float:
        """Return MAX's payoff."""
        number, max_side, min_side = self.choices
        return self.game.payoff(number, max_side, min_side)

    def observation(self, player: int) -> str:
        """Return the hint just after the draw, else nothing; with a star if it is the player's move."""
        hint = self.game.hint(player, self.choices[0]) if len(self.choices) == 1 else ""
        return hint + "*" if self.player() == player else hint

    def action_name(self, action: int) -> str:
        """Return ``heads`` or ``tails``, or the number drawn."""
        return ("heads", "tails")[action] if self.choices else f"n={action}"


class MatchingPennies(_Pennies):
    """N-matching pennies: no common knowledge at all, yet everybody knows nearly everything.

    Nature draws n from 1..N. MAX is told floor((n+1)/2), MIN floor(n/2). Both choose a side, unseen by the
    other. Two heads pay MAX n, two tails N+1-n, different sides nothing.
    """

    def __init__(self, n: int = 100) -> None:
        super().__init__(n)

    @property
    def name(self) -> str:
        """The name, with the parameter, as :func:`builtin_game` reads it."""
        return f"matching_pennies(n={self.n})"

    def hint(self, player: int, number: int) -> str:
        """Return floor((n+1)/2) for MAX, floor(n/2) for MIN."""
        return str((number + 1) // 2 if player == MAX else number // 2)

    def payoff(self, number: int, max_side: int, min_side: int) -> float:
        """Return n for two heads, N+1-n for two tails, else 0."""
        if max_side != min_side:
            return 0.0
        return float(number if max_side == HEADS else self.n + 1 - number)


class Counterexample(_Pennies):
    """The game on which 1-KLSS at every infoset is unsafe (Proposition ``pr:ws-counterexample``).

    Nature draws n from 1..N and tells MAX only. Then MAX and MIN play matching pennies for 1, and MIN wins if
    they match. The number is worth nothing, so the value is 0 and any strategy of MAX that plays heads half
    of the time *on average over n* is in equilibrium; :attr:`blueprint_heads` is the proof's strategy that
    nearly does.
    """

    def __init__(self, n: int) -> None:
        super().__init__(n)

    @property
    def name(self) -> str:
        """The name, with the parameter, as :func:`builtin_game` reads it."""
        return f"counterexample(n={self.n})"

    @property
    def blueprint_heads(self) -> float:
        """The probability of heads, 1/2 + 2/N, in the proof's blueprint, the same at every infoset of MAX.

        Its exploitability is 4/N. Applying maxmargin 1-KLSS at every infoset turns it into "always tails", of
        exploitability 1.

        Raises:
            InputError: if N is under 4, where 1/2 + 2/N is no probability.
        """
        if self.n < 4:
            raise InputError(f"the blueprint's 1/2 + 2/n is a probability only for n >= 4, not for n = {self.n}")
        return 0.5 + 2 / self.n

    def hint(self, player: int, number: int) -> str:
        """Return n for MAX, nothing for MIN."""
        return str(number) if player == MAX else ""

    def payoff(self, number: int, max_side: int, min_side: int) -> float:
        """Return -1 if the sides match, else 1."""
        return -1.0 if max_side == min_side else 1.0


@dataclass(frozen=True, slots=True)
class Figure1:
    """The paper's figure ``fi:example``: 4-matching pennies with a fifth move of nature, ``e``.

    The nodes 1 and 2 are MAX's infoset R1, 3 and 4 are R3; after MAX's choice MIN is at C0 (node 1), C2
    (nodes 2 and 3) or C4 (node 4), and she knows which of the three already before it (C0', C2', C4'). The
    figure leaves out the subgame at ``e``, where MAX moves and which nobody confuses with another node: here
    it is one forced move of hers, after which the game ends with payoff 0.
    """

    @property
    def name(self) -> str:
        """The name, as :func:`builtin_game` reads it."""
        return "figure1"

    def root(self) -> Node:
        """Return the root, where nature draws 1, 2, 3, 4 or e with equal probability."""
        after_e = decision(MAX, {"end": leaf(0)}, sees=("E", "E'"))
        dealt = {
            "1": _figure1_node("R1", "C0", heads=1, tails=4),
            "2": _figure1_node("R1", "C2", heads=2, tails=3),
            "3": _figure1_node("R3", "C2", heads=3, tails=2),
            "4": _figure1_node("R3", "C4", heads=4, tails=1),
            "e": after_e,
        }
        return nature({label: (1 / len(dealt), node) for label, node in dealt.items()})


def _figure1_node(max_infoset: str, min_infoset: str, *, heads: float, tails: float) -> Node:
    """Return the subtree at one of the nodes 1 to 4; ``heads`` and ``tails`` are paid for matching sides."""
    after_heads = decision(MIN, {"h": leaf(heads), "t": leaf(0)}, sees=("", min_infoset))
    after_tails = decision(MIN, {"h": leaf(0), "t": leaf(tails)}, sees=("", min_infoset))
    return decision(MAX, {"h": after_heads, "t": after_tails}, sees=(max_infoset, min_infoset + "'"))


def dark_chess_endgame(
    fen: str = "7r/8/3k4/8/1p6/1P6/1P6/K7 b - -", max_plies: int = 3, horizon: str = "draw", draws: bool = True
) -> Game:
    """Fog of War chess from a position, for so many plies.

    See :class:`murk.darkchess.adapters.game.DarkChess`. By default Black's rook and White's king play matching pennies.
    """
    # The layer above, and the only thing this one knows of it: a name to load on demand.
    module = importlib.import_module("murk.darkchess.adapters.game")
    game: Game = module.DarkChess(fen, max_plies=max_plies, horizon=horizon, draws=draws)
    return game


BUILTIN: dict[str, Callable[..., Game]] = {
    "counterexample": Counterexample,
    "dark_chess_endgame": dark_chess_endgame,
    "figure1": Figure1,
    "matching_pennies": MatchingPennies,
    "random": RandomGame,
}
"""Every built-in game by name. What it can be called with are the parameters of its constructor."""


def builtin_game(text: str) -> Game:
    """Return the built-in game that ``text`` names, such as ``figure1`` or ``matching_pennies(n=100)``.

    Parameters are written as in OpenSpiel, ``name(key=value,...)``, and have the type the constructor
    declares.

    Raises:
        InputError: if the text is malformed, names an unknown game or parameter, or a value does not fit.
    """
    name, given = _split(text)
    if name not in BUILTIN:
        raise InputError(f"there is no built-in game {name!r}; there are {', '.join(sorted(BUILTIN))}")
    make = BUILTIN[name]
    declared = inspect.signature(make).parameters
    for key in given:
        if key not in declared:
            known = ", ".join(declared) or "none"
            raise InputError(f"{name} has no parameter {key!r}; its parameters: {known}")
    missing = [key for key, p in declared.items() if p.default is inspect.Parameter.empty and key not in given]
    if missing:
        raise InputError(f"{name} needs a value for {', '.join(missing)}, as in {name}({missing[0]}=10)")
    return make(**{key: _convert(name, key, value, declared[key].annotation) for key, value in given.items()})


def _split(text: str) -> tuple[str, dict[str, str]]:
    """Split ``name(key=value,...)`` into the name and its parameters as text."""
    match = re.fullmatch(r"\s*(\w+)\s*(?:\(([^()]*)\))?\s*", text)
    if match is None:
        raise InputError(f"cannot read the game {text!r}: expected name or name(key=value,...)")
    parameters: dict[str, str] = {}
    inside = match[2] or ""
    for item in inside.split(",") if inside.strip() else ():
        key, equals, value = (part.strip() for part in item.partition("="))
        if not (key and equals and value):
            raise InputError(f"cannot read {item.strip()!r} in the game {text!r}: expected key=value")
        if key in parameters:
            raise InputError(f"parameter {key!r} is given twice in the game {text!r}")
        parameters[key] = value
    return match[1], parameters


def _convert(game: str, key: str, value: str, kind: type) -> int | float | bool | str:
    """Return ``value`` as the declared ``kind`` of parameter ``key``."""
    try:
        if kind is bool:
            return {"true": True, "false": False}[value.lower()]
        if kind is int:
            return int(value)
        if kind is float:
            return float(value)
    except (KeyError, ValueError):
        expected = {bool: "True or False", int: "an integer", float: "a number"}[kind]
        raise InputError(f"parameter {key!r} of {game} must be {expected}, not {value!r}") from None
    return value
