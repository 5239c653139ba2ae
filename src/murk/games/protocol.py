"""What a game is: Section 2 of [ZS21] as two small protocols.

A :class:`Game` produces its root :class:`State`; a state knows who moves, what each player observes on reaching
it, and its children. Nothing else is asked of a game. What a player *knows* (her infoset) is her sequence of
observations and own actions, and is put together by the tree builder, so a game cannot get perfect recall wrong.

A game whose states already carry a player's whole information, as OpenSpiel's do, implements
:class:`HasInformation` instead of relying on observations; the builder then checks perfect recall.
"""

from collections.abc import Hashable, Sequence
from typing import Protocol, Self, runtime_checkable

from murk.tree.players import MAX, MIN, NATURE, TERMINAL, Player

__all__ = [
    "MAX",
    "MIN",
    "NATURE",
    "TERMINAL",
    "Game",
    "HasActionNames",
    "HasInformation",
    "HasTranspositions",
    "HasValue",
    "Player",
    "State",
]


class State(Protocol):
    """A node of the game. States are immutable: ``child`` returns a new one."""

    def player(self) -> int:
        """Return who moves: ``MAX``, ``MIN``, ``NATURE``, or ``TERMINAL`` if the game is over."""

    def actions(self) -> Sequence[int]:
        """Return the legal actions (any distinct integers), in a fixed order. Not called on terminal states."""

    def chance(self) -> Sequence[float]:
        """Return nature's probability of each action, in the order of ``actions``. Called on NATURE's nodes only."""

    def child(self, action: int) -> Self:
        """Return the state after ``action``."""

    def utility(self) -> float:
        """Return MAX's payoff. Called on terminal states only."""

    def observation(self, player: int) -> Hashable:
        """Return what ``player`` learns on reaching this state (her own last action need not be repeated).

        Called on non-terminal states. Must tell her whether it is her move.
        """


@runtime_checkable
class HasInformation(Protocol):
    """A state that gives a player's whole information state, not only the newest observation."""

    def information(self, player: int) -> Hashable:
        """Return everything ``player`` knows here. Perfect recall is checked, not assumed."""


@runtime_checkable
class HasTranspositions(Protocol):
    """A state that knows when two nodes have the same future for everybody (Section 2, *transpositions*)."""

    def transposition_key(self) -> Hashable:
        """Return a key equal for two states exactly if they are transpositions of each other."""


@runtime_checkable
class HasValue(Protocol):
    """A state with an approximate value function, the paper's u~."""

    def value(self) -> float:
        """Return an estimate of MAX's expected payoff from here."""


@runtime_checkable
class HasActionNames(Protocol):
    """A state that can name its actions for people."""

    def action_name(self, action: int) -> str:
        """Return a short name of ``action``."""


class Game(Protocol):
    """A two-player zero-sum game with perfect recall."""

    @property
    def name(self) -> str:
        """A short name, unique enough to print in a table."""

    def root(self) -> State:
        """Return the initial state."""
