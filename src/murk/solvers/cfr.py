"""Counterfactual regret minimisation: CFR, CFR+, linear CFR, DCFR and PCFR+.

The iterations are native (``cpp/solve/cfr.h`` names the papers and the one deviation). Here are the variants as
presets, and the loop round them that measures exploitability, watches the limits, and can stop and go on.
"""

import math
import time
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from murk import _core
from murk.errors import InputError
from murk.solvers.result import Limits, Progress, ProgressCallback, Solution, TracePoint, solution_from
from murk.tree.players import MAX, MIN
from murk.tree.strategy import clean
from murk.tree.tree import Tree

__all__ = ["VARIANTS", "CfrSolver", "CfrState", "CfrVariant", "solve_cfr"]

DEFAULT_ITERATIONS = 1000
MAX_THREADS = 256
_BATCH_SECONDS = 0.05  # how long Ctrl-C may have to wait
_CHECK_GROWTH = 1.1  # exploitability is measured when the iterations have grown by this factor

_REGRETS = ("plain", "plus", "discounted", "predictive")
_POWER = {"uniform": 0.0, "linear": 1.0, "quadratic": 2.0, "last": 0.0}


@dataclass(frozen=True, kw_only=True)
class CfrVariant:
    """How regrets and averages are kept.

    Attributes:
        regret: ``"plain"`` (regret matching), ``"plus"`` (RM+), ``"discounted"`` (DCFR), ``"predictive"`` (PRM+).
        linear_regret: iteration t's regret weighs t (linear CFR; with ``"plain"`` only).
        alpha, beta: DCFR's exponents for positive and negative regret.
        averaging: iteration t weighs t to this power in the average: ``"uniform"`` 0, ``"linear"`` 1, ``"quadratic"``
            2; ``"last"`` answers with the last iterate instead of an average.
        alternating: players update in turn, each seeing the other's newest strategy; else at once.
    """

    regret: Literal["plain", "plus", "discounted", "predictive"]
    linear_regret: bool = False
    alpha: float = 1.5
    beta: float = 0.0
    averaging: Literal["uniform", "linear", "quadratic", "last"] = "uniform"
    alternating: bool = True

    def __post_init__(self) -> None:
        for name, known in (("regret", _REGRETS), ("averaging", tuple(_POWER))):
            if getattr(self, name) not in known:
                raise InputError(f"{name} is {getattr(self, name)!r}, expected one of {', '.join(known)}")
        for name in ("alpha", "beta"):
            if math.isnan(getattr(self, name)):
                raise InputError(f"{name} is not a number, expected an exponent")
        if self.linear_regret and self.regret != "plain":
            raise InputError(f"linear_regret goes with plain regret, got {self.regret!r}")


VARIANTS: dict[str, CfrVariant] = {
    "cfr": CfrVariant(regret="plain"),
    "cfr+": CfrVariant(regret="plus", averaging="linear"),
    "lcfr": CfrVariant(regret="plain", linear_regret=True, averaging="linear"),
    "dcfr": CfrVariant(regret="discounted", averaging="quadratic"),
    "pcfr+": CfrVariant(regret="predictive", averaging="quadratic"),
}


@dataclass(frozen=True, eq=False)
class CfrState:
    """Everything a :class:`CfrSolver` needs to go on exactly where another stopped."""

    method: str
    iteration: int
    average_weight: float
    vectors: tuple[npt.NDArray[np.float64], ...]
    trace: tuple[TracePoint, ...] = ()
    variant: CfrVariant | None = None
    seconds: float = 0.0


class CfrSolver:
    """Regret minimisation on one tree, to be run piece by piece.

    Args:
        tree: the game.
        method: a preset of :data:`VARIANTS`.
        variant: replaces the preset if given.
        threads: native threads. The answer is the same to the bit for any number.
        kernels: instruction set (``murk._core.instruction_sets()``), the best one by default. The answer is the same
            to the bit.
    """

    def __init__(
        self,
        tree: Tree,
        method: str = "pcfr+",
        *,
        variant: CfrVariant | None = None,
        threads: int = 1,
        kernels: str | None = None,
    ) -> None:
        if variant is None and method not in VARIANTS:
            raise InputError(f"method is {method!r}, expected one of {', '.join(VARIANTS)}")
        if not 1 <= threads <= MAX_THREADS:
            raise InputError(f"threads is {threads!r}, expected a number from 1 to {MAX_THREADS}")
        if kernels is not None and kernels not in _core.instruction_sets():
            raise InputError(f"kernels is {kernels!r}, expected one of {', '.join(_core.instruction_sets())}")
        self.tree = tree
        self.method = method
        self.variant = variant or VARIANTS[method]
        self._native = _core.Cfr(
            tree.sequence_form,
            regret=self.variant.regret,
            linear_regret=self.variant.linear_regret,
            alpha=self.variant.alpha,
            beta=self.variant.beta,
            average_power=_POWER[self.variant.averaging],
            alternating=self.variant.alternating,
            threads=threads,
            kernels=kernels or "",
        )
        self._trace: list[TracePoint] = []
        self._seconds = 0.0
        self._seconds_per_iteration = 0.0

    @property
    def iterations(self) -> int:
        """Iterations run so far."""
        return self._native.iterations

    def exploitability(self) -> float:
        """Return the exploitability (of both, halved) of the strategies as they now are."""
        average = self.variant.averaging != "last"
        return (self._native.best_response_value(MAX, average) - self._native.best_response_value(MIN, average)) / 2

    def iterate(self, count: int) -> None:
        """Run ``count`` iterations, in batches short enough for Ctrl-C to get through."""
        left = count
        while left > 0:
            known = self._seconds_per_iteration > 0
            batch = min(left, math.ceil(_BATCH_SECONDS / self._seconds_per_iteration) if known else 1)
            before = time.perf_counter()
            self._native.run(batch)
            self._seconds_per_iteration = max((time.perf_counter() - before) / batch, 1e-9)
            left -= batch

    def run(self, limits: Limits | None = None, *, progress: ProgressCallback | None = None) -> Solution:
        """Go on until a limit is met and return the answer.

        The iterations at which exploitability is measured depend on the iteration count alone, so a run to a target is
        reproducible. Ctrl-C ends the run like a limit: the answer so far is returned with ``stopped="interrupted"``.
        """
        limits = limits or Limits(iterations=DEFAULT_ITERATIONS)
        started = time.perf_counter()
        spent = self._seconds
        try:
            stopped = self._until(limits, started, spent, progress)
        except KeyboardInterrupt:
            stopped = "interrupted"
        self._seconds = spent + time.perf_counter() - started
        x, y = self.strategies()
        solution = solution_from(
            self.tree, self.method, x, y, started=started, iterations=self.iterations, stopped=stopped,
            trace=tuple(self._trace), state=self.state(),
        )  # fmt: skip
        return replace(solution, seconds=self._seconds)

    def _until(self, limits: Limits, started: float, spent: float, progress: ProgressCallback | None) -> str:
        first = self.iterations
        while True:
            now = spent + time.perf_counter() - started
            gap = self.exploitability()
            if not self._trace or self._trace[-1].iterations < self.iterations:
                self._trace.append(TracePoint(self.iterations, now, gap))
            if progress is not None:
                progress(Progress(self.method, self.iterations, now, gap))
            if limits.target is not None and gap <= limits.target:
                return "target"
            if limits.iterations is not None and self.iterations - first >= limits.iterations:
                return "iterations"
            if limits.seconds is not None and time.perf_counter() - started >= limits.seconds:
                return "seconds"
            step = max(1, math.ceil(self.iterations * (_CHECK_GROWTH - 1)))
            if limits.iterations is not None:
                step = min(step, first + limits.iterations - self.iterations)
            if limits.seconds is not None and self._seconds_per_iteration > 0:
                left = limits.seconds - (time.perf_counter() - started)
                step = max(1, min(step, math.ceil(left / self._seconds_per_iteration)))
            self.iterate(step)

    def strategies(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return both players' sequence forms: averages, or the last iterates if the variant says so."""
        read = self._native.current if self.variant.averaging == "last" else self._native.average
        return clean(self.tree, MAX, read(MAX)), clean(self.tree, MIN, read(MIN))

    def state(self) -> CfrState:
        """Return all that is needed to go on from here."""
        iteration, weight, vectors = self._native.save()
        return CfrState(self.method, iteration, weight, tuple(vectors), tuple(self._trace), self.variant, self._seconds)

    def restore(self, state: CfrState) -> None:
        """Go on from ``state``.

        Raises:
            InputError: it is of another method or another game.
        """
        if state.method != self.method:
            raise InputError(f"the saved state is of {state.method}, expected {self.method}")
        if state.variant not in (None, self.variant):
            raise InputError(f"the saved state is of {state.variant}, expected {self.variant}")
        expected = [self.tree.num_sequences(p) for p in (MAX, MIN) for _ in range(4)]
        if [len(v) for v in state.vectors] != expected:
            raise InputError(f"the saved state does not belong to {self.tree.name}")
        numbers = (np.asarray([state.average_weight]), *state.vectors)
        if state.iteration < 0 or not all(np.isfinite(v).all() for v in numbers):
            raise InputError("the saved state is spoilt, expected finite numbers and iterations that are not negative")
        self._native.restore(state.iteration, state.average_weight, [np.ascontiguousarray(v) for v in state.vectors])
        self._trace = list(state.trace)
        self._seconds = state.seconds


def solve_cfr(
    tree: Tree,
    method: str = "pcfr+",
    *,
    variant: CfrVariant | None = None,
    limits: Limits | None = None,
    threads: int = 1,
    resume: CfrState | None = None,
    progress: ProgressCallback | None = None,
    **options: Any,
) -> Solution:
    """Solve a game by regret minimisation; see :class:`CfrSolver`."""
    solver = CfrSolver(tree, method, variant=variant, threads=threads, **options)
    if resume is not None:
        solver.restore(resume)
    return solver.run(limits, progress=progress)
