"""The hyper-parameters of Algorithm 4 of [ZS21] by name, and how long a search may take."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from murk.errors import InputError

__all__ = ["Budget", "Deadline", "SearchOptions"]

GadgetChoice = Literal["hybrid", "maxmargin", "resolve"]
ExpansionRule = Literal["text", "pseudocode"]
Side = Literal["auto", "ours", "theirs"]

_CHOICES = {
    "gadget": ("hybrid", "maxmargin", "resolve"),
    "expansion": ("text", "pseudocode"),
    "side": ("auto", "ours", "theirs"),
}


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """How Algorithm 4 searches. The defaults are the paper's: what it does not name is off, or has no bound.

    Attributes:
        particles: L: keep at least this many states of our infoset, if there are so many.
        max_particles: and no more than this many of those that the old tree has; ``None`` keeps all.
        information: M: the information term of an action is ``(1 - 2^-H) |I| / M``.
        reach: give back the opponent's gifts (Reach).
        root_gifts: count the opponent's choice at the old gadget's root among the gifts, as Algorithm 1 does if it is
            read by the letter. That choice is the gadget's and not a move of hers (``docs/searching.md``).
        merge_transpositions: of transpositions in our infoset keep one.
        gadget: ``"hybrid"`` (maxmargin while all margins are positive, else resolve), or always one of the two.
        expansion: ``"text"`` (children that both players reach, and the most interesting of the others) or
            ``"pseudocode"`` (all children of nodes that both reach).
        depth_cap: in round d expand no deeper than d, except where both players go, so that new roots catch up.
        side: whose linear program is solved; ``"auto"`` takes the one with fewer rows.
        tremble: the opponent enters each of N roots with probability ``tremble / N`` at least: of the many optima of
            the gadget take one that does well at every root, not only at the worst; 0 takes any, as the paper does.
        warm_start: begin each program with the basis of the last.
        growth: in one round add at most so many times the nodes there are, or ``growth_floor`` if that is more;
            ``None`` for no bound.
        growth_floor: see ``growth``.
        max_nodes: the largest tree: memory has a bound.
        max_carried: nodes of the old tree to take over at most; what is below them is forgotten.
        tolerance: probabilities of a solution below this are rounding.
    """

    particles: int = 200
    max_particles: int | None = None
    information: float = 1e7
    reach: bool = True
    root_gifts: bool = True
    merge_transpositions: bool = True
    gadget: GadgetChoice = "hybrid"
    expansion: ExpansionRule = "text"
    depth_cap: bool = True
    side: Side = "auto"
    tremble: float = 0.0
    warm_start: bool = True
    growth: float | None = None
    growth_floor: int = 20_000
    max_nodes: int = 4_000_000
    max_carried: int = 1_000_000
    tolerance: float = 1e-9

    def __post_init__(self) -> None:
        for name, allowed in _CHOICES.items():
            if getattr(self, name) not in allowed:
                raise InputError(f"{name} is {getattr(self, name)!r}, expected one of {', '.join(map(repr, allowed))}")
        for name in ("particles", "max_particles", "information", "growth"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise InputError(f"{name} is {value!r}, expected a positive number")
        if not 0 <= self.tremble < 1:
            raise InputError(f"tremble is {self.tremble!r}, expected a number from 0 to 1")
        if self.max_nodes < 10_000:
            raise InputError(f"max_nodes is {self.max_nodes!r}, expected at least 10,000")


@dataclass(frozen=True, kw_only=True)
class Budget:
    """When a search has to stop; whichever limit comes first. Without a limit it stops when nothing is left to expand.

    Attributes:
        seconds: of wall-clock time.
        nodes: nodes of the tree: with a seed and without a limit of time, a search is deterministic.
        iterations: rounds of solving and expanding.
        stop: asked every few milliseconds; true ends the search.
    """

    seconds: float | None = None
    nodes: int | None = None
    iterations: int | None = None
    stop: Callable[[], bool] | None = field(default=None, compare=False, repr=False)

    def start(self) -> "Deadline":
        """Return the running clock of this budget."""
        return Deadline(self, time.perf_counter())


@dataclass(frozen=True)
class Deadline:
    """A budget and when it began."""

    budget: Budget
    started: float

    def elapsed(self) -> float:
        """Return the seconds used."""
        return time.perf_counter() - self.started

    def left(self) -> float | None:
        """Return the seconds left, ``None`` without a limit."""
        return None if self.budget.seconds is None else self.budget.seconds - self.elapsed()

    def stopped(self) -> bool:
        """Return whether the search was asked to stop."""
        return self.budget.stop is not None and self.budget.stop()
