"""Games written down as nested data, for figures, examples and tests.

A game of a dozen nodes is easiest to check when the code has the shape of its picture. :func:`nature`,
:func:`decision` and :func:`leaf` build an immutable tree of :class:`Node`, each of which is a
:class:`~murk.games.protocol.State`; :class:`ExplicitGame` gives it a name::

    coin = nature(
        {"heads": (0.5, decision(MAX, {"call": leaf(1), "fold": leaf(0)}, sees=("heads", ""))),
         "tails": (0.5, decision(MAX, {"call": leaf(-1), "fold": leaf(0)}, sees=("tails", "")))}
    )
    game = ExplicitGame("coin", coin)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from murk.errors import GameError
from murk.games.protocol import MAX, MIN, NATURE, TERMINAL, Player

__all__ = ["ExplicitGame", "Node", "decision", "leaf", "nature"]


@dataclass(frozen=True, slots=True)
class Node:
    """One node, with all below it. Action number i leads to ``children[i]`` and is called ``labels[i]``."""

    mover: Player
    labels: tuple[str, ...] = ()
    children: tuple["Node", ...] = ()
    probabilities: tuple[float, ...] = ()
    payoff: float = 0.0
    sees: tuple[str, str] = ("", "")
    """What MAX and MIN are told on reaching the node; ``observation`` adds a star for who is to move."""

    def player(self) -> int:
        """Return who moves."""
        return self.mover

    def actions(self) -> Sequence[int]:
        """Return 0, 1, ..., one for each child."""
        return range(len(self.children))

    def chance(self) -> Sequence[float]:
        """Return nature's probabilities."""
        return self.probabilities

    def child(self, action: int) -> "Node":
        """Return the child that ``action`` leads to."""
        return self.children[action]

    def utility(self) -> float:
        """Return MAX's payoff."""
        return self.payoff

    def observation(self, player: int) -> str:
        """Return what ``player`` is told here, with a star if it is her move."""
        return self.sees[player] + "*" if self.mover == player else self.sees[player]

    def action_name(self, action: int) -> str:
        """Return the label of ``action``."""
        return self.labels[action]


@dataclass(frozen=True, slots=True)
class ExplicitGame:
    """A name and a root node."""

    name: str
    start: Node

    def root(self) -> Node:
        """Return the root node."""
        return self.start


def leaf(payoff: float) -> Node:
    """Return a terminal node that pays MAX ``payoff``."""
    return Node(TERMINAL, payoff=float(payoff))


def decision(mover: Player, branches: Mapping[str, Node], sees: tuple[str, str] = ("", "")) -> Node:
    """Return a node at which ``mover`` chooses among the named ``branches``.

    Raises:
        GameError: if the mover is not MAX or MIN, there is nothing to choose, or ``sees`` ends with a star.
    """
    if mover not in (MAX, MIN):
        raise GameError(f"a decision belongs to MAX or MIN, not to {mover!r}")
    if not branches:
        raise GameError("a decision needs at least one action, none was given")
    return Node(mover, tuple(branches), tuple(branches.values()), sees=_checked(sees))


def nature(branches: Mapping[str, tuple[float, Node]], sees: tuple[str, str] = ("", "")) -> Node:
    """Return a node at which nature draws one of the named ``branches``, each a probability and a node.

    Raises:
        GameError: if there is nothing to draw, or ``sees`` ends with a star.
    """
    if not branches:
        raise GameError("a chance node needs at least one outcome, none was given")
    probabilities, children = zip(*branches.values(), strict=True)
    return Node(NATURE, tuple(branches), children, probabilities, sees=_checked(sees))


def _checked(sees: tuple[str, str]) -> tuple[str, str]:
    """Return ``sees``, once it is sure that the star for the player to move cannot be mistaken."""
    for seen in sees:
        if seen.endswith("*"):
            raise GameError(f"what a player sees must not end with a star, which marks her move, as {seen!r} does")
    return sees
