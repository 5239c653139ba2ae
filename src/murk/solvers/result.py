"""What a solver is asked for, and what it gives back: one type for all of them."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from murk.errors import InputError
from murk.frames import make_frame
from murk.html import curve, html_table
from murk.tree.players import MAX, MIN
from murk.tree.strategy import Profile, Strategy
from murk.tree.tree import Tree

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Limits", "Progress", "ProgressCallback", "Solution", "TracePoint"]


@dataclass(frozen=True)
class TracePoint:
    """How far a solver was at one moment."""

    iterations: int
    seconds: float
    exploitability: float


@dataclass(frozen=True)
class Progress:
    """What a running solver reports. ``exploitability`` is NaN while it is not known."""

    method: str
    iterations: int
    seconds: float
    exploitability: float = math.nan


ProgressCallback = Callable[[Progress], None]


@dataclass(frozen=True, kw_only=True)
class Limits:
    """When to stop, whichever comes first.

    Attributes:
        target: exploitability (of both, halved: see :class:`Solution`) to reach, in the game's own units.
        seconds: time to spend solving.
        iterations: iterations to run.
    """

    target: float | None = None
    seconds: float | None = None
    iterations: int | None = None

    def __post_init__(self) -> None:
        for name in ("target", "seconds", "iterations"):
            value = getattr(self, name)
            if value is not None and not value >= 0:
                raise InputError(f"{name} is {value!r}, expected a number that is not negative")
        if self.iterations is not None and not isinstance(self.iterations, Integral):
            raise InputError(f"iterations is {self.iterations!r}, expected a whole number")


@dataclass(frozen=True, kw_only=True, eq=False)
class Solution:
    """A profile and how good it is.

    Attributes:
        tree: the game solved.
        method: what solved it, e.g. ``"simplex"`` or ``"pcfr+"``.
        profile: a strategy for each player.
        value: MAX's payoff when both play the profile; for an LP its optimum.
        lower: what MAX's strategy guarantees her, u*(x).
        upper: what MIN's strategy holds MAX to, u*(y). The value of the game lies between the two.
        iterations: iterations of regret minimisation, or of the simplex or interior-point method.
        seconds: time spent solving.
        stopped: ``"optimal"``, ``"target"``, ``"iterations"``, ``"seconds"`` or ``"interrupted"``.
        trace: exploitability over time, as far as it was measured on the way.
        state: what is needed to go on from here, for the methods that can.
    """

    tree: Tree
    method: str
    profile: Profile
    value: float
    lower: float
    upper: float
    iterations: int
    seconds: float
    stopped: str
    trace: tuple[TracePoint, ...] = ()
    state: Any = field(default=None, repr=False)

    @property
    def nash_conv(self) -> float:
        """How much both players together could gain by best-responding: ``upper - lower``."""
        return self.upper - self.lower

    @property
    def exploitability(self) -> float:
        """Half of ``nash_conv``, as in OpenSpiel: what a player loses on average to a best response."""
        return self.nash_conv / 2

    def strategy(self, player: int) -> Strategy:
        """Return one player's strategy."""
        return self.profile[player]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures (not the strategies) as plain numbers and strings."""
        return {
            "game": self.tree.name,
            "method": self.method,
            "value": self.value,
            "exploitability": self.exploitability,
            "nash_conv": self.nash_conv,
            "lower": self.lower,
            "upper": self.upper,
            "iterations": self.iterations,
            "seconds": self.seconds,
            "stopped": self.stopped,
        }

    def to_frame(self) -> "pd.DataFrame":
        """Return the trace as a pandas table."""
        rows = [(p.iterations, p.seconds, p.exploitability) for p in self.trace]
        return make_frame(rows, ["iterations", "seconds", "exploitability"])

    def _repr_html_(self) -> str:
        facts = [(name.replace("_", " "), value) for name, value in self.to_dict().items() if name != "game"]
        chart = curve([(p.seconds, p.exploitability) for p in self.trace], across="seconds", upwards="exploit.")
        return html_table(f"Solution of {self.tree.name}", [], facts) + chart

    def __repr__(self) -> str:
        return (
            f"<murk.Solution of {self.tree.name!r} by {self.method}: value {self.value:.6g}, "
            f"exploitability {self.exploitability:.3g}, {self.iterations:,} iterations, {self.seconds:.3g} s "
            f"({self.stopped})>"
        )


def solution_from(
    tree: Tree,
    method: str,
    x: npt.NDArray[np.float64],
    y: npt.NDArray[np.float64],
    *,
    started: float,
    iterations: int,
    stopped: str,
    value: float | None = None,
    trace: tuple[TracePoint, ...] = (),
    state: Any = None,
) -> Solution:
    """Measure a pair of sequence forms and wrap them up. ``started`` is from ``time.perf_counter``."""
    seconds = time.perf_counter() - started
    form = tree.sequence_form
    profile = Profile(Strategy(tree, MAX, x), Strategy(tree, MIN, y))
    return Solution(
        tree=tree,
        method=method,
        profile=profile,
        value=form.expected_value(profile.max.sequences, profile.min.sequences) if value is None else value,
        lower=form.best_response_value(MIN, profile.max.sequences),
        upper=form.best_response_value(MAX, profile.min.sequences),
        iterations=iterations,
        seconds=seconds,
        stopped=stopped,
        trace=trace,
        state=state,
    )
