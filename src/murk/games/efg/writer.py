"""Write Gambit's extensive-form files.

What is written loads in Gambit and in OpenSpiel. Their readers ask for more than the format does, and
differently:

- Gambit (16.7 and 17) takes labels of printable ASCII only, without leading, trailing or double spaces, and
  doubles backslashes when reading them; node labels, and the infoset labels of a player, must not repeat; no
  player may be called "Chance"; probabilities must sum to exactly one;
- OpenSpiel (2.0) knows no escapes in strings and no tab, wants the list of actions and the payoffs repeated
  at every node, infosets numbered 1, 2, ... for each player, parts of rationals below 2^31, and no payoffs at
  nodes that are not terminal; two actions with one label at one node are the same action to it.

So labels are respelt (``"`` as ``'``, ``\\`` as ``/``, what is not ASCII as in ``&#9824;``), repeated labels
get a number, infosets and outcomes are numbered in the order of the file, and payoffs are written at terminal
nodes, as the exact sums along the path.
"""

import math
from collections.abc import Hashable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Protocol

from murk.errors import GameError
from murk.games.efg.game import EfgGame
from murk.games.efg.labels import Namespace, portable_label, portable_text
from murk.games.efg.rationals import exact_float, exact_probabilities, number_text
from murk.games.protocol import MAX, MIN, NATURE, TERMINAL
from murk.tree.files import write_atomically
from murk.tree.tree import Tree

__all__ = ["write_efg"]


def write_efg(tree: Tree | EfgGame, path: str | Path | None = None, *, title: str | None = None) -> str:
    """Write a game as an `.efg` file, to ``path`` if one is given, and return the text.

    An :class:`EfgGame` is written exactly: every payoff and probability is the rational it was read as. Of
    a tree, each payoff is written as a short fraction that converts back to the same float, or else as its
    decimal, and nature's probabilities as fractions that sum to exactly one, 1/3 for 0.333... The file
    appears whole or not at all.

    Args:
        tree: the game.
        path: where to write it.
        title: the title; the game's own if ``None``.

    Raises:
        GameError: probabilities do not sum to one, or the tree has extra payoffs B, for which `.efg` has no place.
        InputError: the file cannot be written.

    """
    source = _GameSource(tree) if isinstance(tree, EfgGame) else _TreeSource(tree)
    text = _Writer(source).write(source.title if title is None else title)
    if path is not None:
        write_atomically(path, [text.encode()])
    return text


class _Source(Protocol):
    """A game as the writer sees it. Labels and names come as they are; the writer respells them."""

    title: str
    comment: str
    players: tuple[str, str]
    first_child: list[int]
    num_children: list[int]
    player: list[int]

    def infoset(self, node: int) -> Hashable:
        """Return what identifies the infoset of the player at ``node``, or of nature."""

    def name(self, node: int) -> str:
        """Return the name of that infoset."""

    def actions(self, node: int) -> Sequence[str]:
        """Return the labels of the actions at ``node``."""

    def chance(self, node: int) -> Sequence[Fraction]:
        """Return the probabilities at one of nature's nodes."""

    def payoff(self, node: int) -> tuple[str, Fraction]:
        """Return the name of the outcome at a terminal node, and MAX's payoff."""

    def label(self, node: int) -> str:
        """Return the name of ``node``."""


class _GameSource:
    """An :class:`EfgGame`."""

    def __init__(self, game: EfgGame) -> None:
        self._game = game
        self.title = game.title
        self.comment = game.comment
        self.players = game.players
        self.first_child = game.nodes.first_child
        self.num_children = game.nodes.num_children
        self.player = game.nodes.player

    def infoset(self, node: int) -> Hashable:
        return self._game.nodes.infoset[node]

    def name(self, node: int) -> str:
        return self._game.infosets[self.player[node]][self._game.nodes.infoset[node]].name

    def actions(self, node: int) -> Sequence[str]:
        return self._game.infosets[self.player[node]][self._game.nodes.infoset[node]].actions

    def chance(self, node: int) -> Sequence[Fraction]:
        return self._game.exact_chance(node)

    def payoff(self, node: int) -> tuple[str, Fraction]:
        total = self._game.nodes.payoff[node]
        index = self._game.nodes.outcome[node]
        outcome = self._game.outcomes[index] if index >= 0 else None
        # An outcome keeps its name if it is the whole payoff, and nothing on the way there was added to it.
        return outcome.name if outcome is not None and outcome.payoffs == (total, -total) else "", total

    def label(self, node: int) -> str:
        return self._game.nodes.label[node]


class _TreeSource:
    """A tree."""

    comment = ""
    players = ("MAX", "MIN")

    def __init__(self, tree: Tree) -> None:
        if tree.extra(MAX) or tree.extra(MIN):
            raise GameError(f"{tree.name} has extra payoffs, for which an .efg file has no place")
        self.title = tree.name
        self.first_child: list[int] = tree.first_child.tolist()
        self.num_children: list[int] = tree.num_children.tolist()
        self._tree = tree
        self.player: list[int] = tree.player.tolist()
        self._action: list[int] = tree.action.tolist()
        self._reach: list[float] = tree.chance_reach.tolist()
        self._utility: list[float] = tree.utility.tolist()
        self._infoset: list[list[int]] = [tree.infoset(player).tolist() for player in (0, 1)]
        self._names = [tree.infoset_names(player) for player in (0, 1)]
        self._exact: dict[float, Fraction] = {}

    def _children(self, node: int) -> range:
        first = self.first_child[node]
        return range(first, first + self.num_children[node])

    def infoset(self, node: int) -> Hashable:
        player = self.player[node]
        return node if player == NATURE else self._infoset[player][node]

    def name(self, node: int) -> str:
        player = self.player[node]
        return "" if player == NATURE else self._names[player][self._infoset[player][node]]

    def actions(self, node: int) -> Sequence[str]:
        player = self.player[node]
        if player == NATURE:
            return [str(self._action[child]) for child in self._children(node)]
        return self._tree.action_names(player, self._infoset[player][node])

    def chance(self, node: int) -> Sequence[Fraction]:
        children, reach = self._children(node), self._reach[node]
        if reach == 0:  # nature never comes here, so that any probabilities will do
            return [Fraction(1, len(children))] * len(children)
        try:
            return exact_probabilities([self._reach[child] / reach for child in children])
        except GameError as error:
            raise GameError(f"node {node} of {self.title}: {error}") from None

    def payoff(self, node: int) -> tuple[str, Fraction]:
        utility = self._utility[node]
        if not math.isfinite(utility):
            raise GameError(f"the utility at node {node} of {self.title} is {utility}, expected a finite number.")
        if utility not in self._exact:
            self._exact[utility] = exact_float(utility)
        return "", self._exact[utility]

    def label(self, node: int) -> str:
        return ""


class _Writer:
    """One run over one game."""

    def __init__(self, source: _Source) -> None:
        self._source = source
        self._heads: dict[tuple[int, Hashable], str] = {}
        self._tails: dict[tuple[str, Fraction], str] = {}
        self._counts = [0, 0, 0]
        self._infoset_names = [Namespace(), Namespace(), Namespace()]
        self._node_names = Namespace()

    def write(self, title: str) -> str:
        source = self._source
        lines = [
            f'EFG 2 R "{portable_text(title)}" {{ {_player_labels(source.players)} }}',
            f'"{portable_text(source.comment)}"',
            "",
        ]
        stack = [0]
        while stack:
            node = stack.pop()
            label = self._node_names.claim(portable_label(source.label(node)))
            if source.player[node] == TERMINAL:
                lines.append(f't "{label}" {self._tail(node)}')
                continue
            kind = "c" if source.player[node] == NATURE else "p"
            lines.append(f'{kind} "{label}" {self._head(node)} 0')
            first = source.first_child[node]
            stack.extend(range(first + source.num_children[node] - 1, first - 1, -1))
        return "\n".join(lines) + "\n"

    def _head(self, node: int) -> str:
        """Return player, number, name and actions of the infoset at ``node``."""
        key = (self._source.player[node], self._source.infoset(node))
        head = self._heads.get(key)
        if head is None:
            head = self._heads[key] = self._new_head(node)
        return head

    def _new_head(self, node: int) -> str:
        source, player = self._source, self._source.player[node]
        self._counts[player] += 1
        number = self._counts[player]
        name = self._infoset_names[player].claim(portable_label(source.name(node)))
        actions = Namespace()
        items = [
            f'"{actions.claim(portable_label(label) or str(place))}"'
            for place, label in enumerate(source.actions(node), start=1)
        ]
        if player == NATURE:
            chance = map(number_text, source.chance(node))
            return f'{number} "{name}" {{ {" ".join(map(" ".join, zip(items, chance, strict=True)))} }}'
        return f'{player + 1} {number} "{name}" {{ {" ".join(items)} }}'

    def _tail(self, node: int) -> str:
        """Return number, name and payoffs of the outcome at a terminal node."""
        key = self._source.payoff(node)
        tail = self._tails.get(key)
        if tail is None:
            name, payoff = key
            first, second = number_text(payoff), number_text(-payoff)
            label = portable_label(name) or first
            tail = self._tails[key] = f'{len(self._tails) + 1} "{label}" {{ {first}, {second} }}'
        return tail


def _player_labels(players: tuple[str, str]) -> str:
    """Return the players' names in quotes; "Chance" is Gambit's name for nature."""
    names = Namespace()
    names.claim("Chance")
    return " ".join(f'"{names.claim(portable_label(name) or "Player")}"' for name in players)
