"""The game in an `.efg` file, with exact payoffs and probabilities.

The file gives each player's information sets at her own nodes only. Where she does not act, her information
is derived (see :func:`murk.games.efg.information.information_of`).
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from murk.errors import InputError
from murk.games.efg.information import Information, information_of
from murk.games.protocol import MAX, MIN, NATURE, TERMINAL, Player

__all__ = ["EfgGame", "EfgInfoset", "EfgNodes", "EfgOutcome", "EfgState"]


@dataclass(frozen=True, slots=True)
class EfgInfoset:
    """An information set of a player, or of nature, as the file gives it.

    ``probabilities`` is as long as ``actions`` for nature's and empty for a player's. They sum to one
    exactly.
    """

    number: int
    name: str
    actions: tuple[str, ...]
    probabilities: tuple[Fraction, ...] = ()


@dataclass(frozen=True, slots=True)
class EfgOutcome:
    """An outcome as the file gives it: what reaching a node adds to the payoffs of players 1 and 2."""

    number: int
    name: str
    payoffs: tuple[Fraction, Fraction]


@dataclass(frozen=True, slots=True)
class EfgNodes:
    """The tree as lists indexed by node. Parents come before their children, siblings stand side by side.

    - ``parent``: -1 at the root;
    - ``first_child``: -1 at a terminal node; child ``i`` of node ``h`` is ``first_child[h] + i``;
    - ``num_children``: 0 at a terminal node;
    - ``player``: a :class:`~murk.games.protocol.Player` value;
    - ``action``: which child of its parent the node is; -1 at the root;
    - ``infoset``: index into ``EfgGame.infosets[player]``; -1 at a terminal node;
    - ``outcome``: index into ``EfgGame.outcomes``; -1 where the file attaches none;
    - ``payoff``: player 1's exact payoffs summed from the root to the node; at a terminal node, her utility;
    - ``label``: the node's name in the file, often empty.
    """

    parent: list[int]
    first_child: list[int]
    num_children: list[int]
    player: list[int]
    action: list[int]
    infoset: list[int]
    outcome: list[int]
    payoff: list[Fraction]
    label: list[str]


class EfgGame:
    """A two-player zero-sum game read from an `.efg` file. The file's player 1 is MAX, player 2 is MIN.

    Attributes:
        title: the file's title.
        comment: the file's comment, empty if it has none.
        players: the names of players 1 and 2.
        nodes: the tree.
        infosets: the information sets of MAX, of MIN and of nature, in the order of the file.
        outcomes: the outcomes, in the order of the file.

    """

    def __init__(
        self,
        *,
        name: str,
        title: str,
        comment: str,
        players: tuple[str, str],
        nodes: EfgNodes,
        infosets: tuple[list[EfgInfoset], list[EfgInfoset], list[EfgInfoset]],
        outcomes: list[EfgOutcome],
    ) -> None:
        self._name = name
        self.title = title
        self.comment = comment
        self.players = players
        self.nodes = nodes
        self.infosets = infosets
        self.outcomes = outcomes

    def __repr__(self) -> str:
        return f"<EfgGame {self._name!r}: {self.num_nodes} nodes>"

    @property
    def name(self) -> str:
        """The file's name, or the title of a game that was not read from a file."""
        return self._name

    @property
    def num_nodes(self) -> int:
        """The number of nodes, terminal ones included."""
        return len(self.nodes.parent)

    def root(self) -> "EfgState":
        """Return the initial state."""
        return EfgState(self, 0)

    def exact_utility(self, node: int) -> Fraction:
        """Return MAX's exact payoff at a terminal node: the sum of the outcomes on the way to it."""
        if self.nodes.player[node] != TERMINAL:
            raise InputError(f"node {node} of {self._name} is not terminal, expected a terminal node.")
        return self.nodes.payoff[node]

    def exact_chance(self, node: int) -> tuple[Fraction, ...]:
        """Return the exact probabilities of nature's actions at one of her nodes."""
        if self.nodes.player[node] != NATURE:
            raise InputError(f"node {node} of {self._name} is not a chance node, expected a chance node.")
        return self.infosets[NATURE][self.nodes.infoset[node]].probabilities

    def information(self, player: int) -> Information:
        """Return ``player``'s information at every node, as flat ids and a name for each."""
        if player == MAX:
            return self._information_of_max
        if player == MIN:
            return self._information_of_min
        raise InputError(f"player {player} has no information, expected MAX (0) or MIN (1).")

    @cached_property
    def _information_of_max(self) -> Information:
        return information_of(MAX, self.nodes, self.infosets[MAX])

    @cached_property
    def _information_of_min(self) -> Information:
        return information_of(MIN, self.nodes, self.infosets[MIN])

    @cached_property
    def _float_chance(self) -> list[tuple[float, ...]]:
        return [tuple(map(float, infoset.probabilities)) for infoset in self.infosets[NATURE]]


@dataclass(frozen=True, slots=True)
class EfgState:
    """A node of an :class:`EfgGame`. An action is its position in the file's list of actions."""

    game: EfgGame
    node: int

    def player(self) -> Player:
        """Return who moves."""
        return Player(self.game.nodes.player[self.node])

    def actions(self) -> Sequence[int]:
        """Return 0, 1, ... for the actions in the order of the file."""
        return range(self.game.nodes.num_children[self.node])

    def chance(self) -> Sequence[float]:
        """Return nature's probabilities, each rounded to the nearest float."""
        if self.player() != NATURE:
            raise InputError(f"node {self.node} of {self.game.name} is not a chance node, expected a chance node.")
        return self.game._float_chance[self.game.nodes.infoset[self.node]]

    def child(self, action: int) -> "EfgState":
        """Return the state after ``action``."""
        count = self.game.nodes.num_children[self.node]
        if not 0 <= action < count:
            raise InputError(f"action {action} at node {self.node} of {self.game.name} is not one of its {count}.")
        return EfgState(self.game, self.game.nodes.first_child[self.node] + action)

    def utility(self) -> float:
        """Return MAX's payoff, rounded to the nearest float."""
        return float(self.game.exact_utility(self.node))

    def observation(self, player: int) -> Hashable:
        """Return ``information(player)``: the file says what a player knows, not when she learned it."""
        return self.information(player)

    def information(self, player: int) -> Hashable:
        """Return the name of what ``player`` knows here, distinct for distinct information."""
        information = self.game.information(player)
        index = information.ids[self.node]
        if index < 0:
            raise InputError(f"node {self.node} of {self.game.name} is terminal, expected a decision or chance node.")
        return information.names[index]

    def action_name(self, action: int) -> str:
        """Return the label of ``action`` in the file."""
        who = self.player()
        if who == TERMINAL or not 0 <= action < self.game.nodes.num_children[self.node]:
            raise InputError(f"action {action} at node {self.node} of {self.game.name} does not exist.")
        return self.game.infosets[who][self.game.nodes.infoset[self.node]].actions[action]
