"""The linear program of a growing trunk, solved again and again by HiGHS.

The program is kept natively and only ever gets longer (``cpp/search/program.h``). One HiGHS lives as long as the trunk
and is told of new columns and rows only; each solve begins with the basis of the last, at new infosets with the action
that looks best. If nothing but the gadget has changed, HiGHS goes on from its factorisation.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import highspy
import numpy as np
import numpy.typing as npt

from murk import _core
from murk.errors import BackendError
from murk.tree.players import MAX, MIN

__all__ = ["Gadget", "GrowingProgram", "TrunkSolution", "smaller_side"]

Floats = npt.NDArray[np.float64]
Gadget = Literal["plain", "maxmargin", "resolve"]

_FEASIBILITY = 1e-9
_SMALLEST_ENTRY = 1e-12
_OUT_OF_TIME = (highspy.HighsModelStatus.kTimeLimit, highspy.HighsModelStatus.kInterrupt)
_LOWER, _BASIC, _UPPER, _ZERO = range(4)  # as cpp/search/program.h has them
_STATUS = np.array(
    [
        highspy.HighsBasisStatus.kLower,
        highspy.HighsBasisStatus.kBasic,
        highspy.HighsBasisStatus.kUpper,
        highspy.HighsBasisStatus.kZero,
    ]
)


@dataclass(frozen=True, eq=False)
class TrunkSolution:
    """An equilibrium of a trunk.

    Attributes:
        x: our strategy in sequence form.
        y: the opponent's.
        value: of the game, or of the gadget (the trembling one, with the information term), to us.
        gadget: the root it was solved below.
        margins: of each root of the gadget.
        seconds: how long the solver took.
        iterations: steps of the simplex method.
    """

    x: Floats
    y: Floats
    value: float
    gadget: Gadget
    margins: Floats
    seconds: float
    iterations: int


class GrowingProgram:
    """The linear program of one trunk.

    Args:
        trunk: may grow between solves.
        player: whose program, MAX (ours) or MIN.
        warm_start: begin with the basis of the last solution.
        tolerance: probabilities below this are rounding.
        tremble: the opponent enters each of N roots of a gadget with probability ``tremble / N`` at least, which
            chooses among the many optima.
    """

    def __init__(
        self,
        trunk: _core.Trunk,
        player: int,
        *,
        warm_start: bool = True,
        tolerance: float = 1e-9,
        tremble: float = 0.0,
    ) -> None:
        self.trunk = trunk
        self.player = player
        self.warm_start = warm_start
        self.tolerance = tolerance
        self.tremble = tremble
        self.native = _core.SearchProgram(trunk, player)
        self.unit = 2.0 ** math.frexp(self.native.largest_payoff or 1.0)[1]
        self.build_seconds = 0.0
        self._highs = _solver()
        self._handed: tuple[int, int, int] = (0, 0, 0)
        self._vectors: list[Floats] = [np.empty(0) for _ in range(5)]
        self._columns = self._rows = np.empty(0, dtype=np.int8)  # the basis of the last solution
        self._nodes = 0
        self._x = self._y = np.ones(1)
        self._stop: Callable[[], bool] | None = None

    def solve(
        self, gadget: Gadget, *, seconds: float | None = None, stop: Callable[[], bool] | None = None
    ) -> TrunkSolution | None:
        """Return an equilibrium of the trunk as it now is, ``None`` if it was not found in time.

        Args:
            gadget: the root.
            seconds: how long to try.
            stop: asked all the time; true is the end of time.

        Raises:
            BackendError: HiGHS failed, even when told to begin anew.
        """
        started = time.perf_counter()
        self._stop = stop
        self.native.update()
        old = self._handed
        self._hand_over(gadget)
        if not self.warm_start:
            self._highs.clearSolver()
        elif self._handed != old:
            self._set_basis(old)
        self.build_seconds += time.perf_counter() - started
        if not self._run(None if seconds is None else started + seconds):
            return None
        return self._solution(gadget, started)

    def _solution(self, gadget: Gadget, started: float) -> TrunkSolution:
        found, info = self._highs.getSolution(), self._highs.getInfo()
        primal, dual = np.asarray(found.col_value), np.asarray(found.row_dual)
        self._keep_basis(primal)
        x, y = self.native.strategies(primal, dual, gadget, self.tolerance, self.tremble)
        self._nodes, self._x, self._y = self.trunk.num_nodes, x, y
        sign = -1.0 if self.player == MAX else 1.0  # HiGHS minimises; the program is from its player's side
        return TrunkSolution(
            x=x,
            y=y,
            value=sign * info.objective_function_value * self.unit + 0.0,
            gadget=gadget,
            margins=self.trunk.margins(x) if self.trunk.has_gadget else np.empty(0),
            seconds=time.perf_counter() - started,
            iterations=int(info.simplex_iteration_count),
        )

    def _hand_over(self, gadget: Gadget) -> None:
        """Tell HiGHS what has changed and what is new."""
        program, highs = self.native, self._highs
        offset, cost, *bounds = program.vectors(gadget, self.unit, self.tremble)
        vectors = [-cost, *bounds]
        columns, rows, _ = self._handed
        self._change_old(vectors, columns, rows)
        highs.changeObjectiveOffset(-offset)
        if program.mark != self._handed:
            start, index, value, row_start, row_index, row_value, *changed = program.growth(self._handed, self.unit)
            cost, lower, upper = (vector[columns:] for vector in vectors[:3])
            highs.addCols(len(cost), cost, lower, upper, len(value), start[:-1], index, value)
            lower, upper = (vector[rows:] for vector in vectors[3:])
            highs.addRows(len(lower), lower, upper, len(row_value), row_start[:-1], row_index, row_value)
            for (row, column), entry in zip(*changed, strict=True):
                highs.changeCoeff(row, column, entry)
        self._handed, self._vectors = program.mark, vectors

    def _change_old(self, vectors: list[Floats], columns: int, rows: int) -> None:
        """Tell HiGHS which costs and bounds of old columns and rows have changed."""
        highs = self._highs
        cost, lower, upper = (vector[:columns] for vector in vectors[:3])
        row_lower, row_upper = (vector[:rows] for vector in vectors[3:])
        old = self._vectors
        at = np.flatnonzero(cost != old[0]).astype(np.int32)
        if len(at):
            highs.changeColsCost(len(at), at, cost[at])
        at = np.flatnonzero((lower != old[1]) | (upper != old[2])).astype(np.int32)
        if len(at):
            highs.changeColsBounds(len(at), at, lower[at], upper[at])
        at = np.flatnonzero((row_lower != old[3]) | (row_upper != old[4])).astype(np.int32)
        if len(at):
            highs.changeRowsBounds(len(at), at, row_lower[at], row_upper[at])

    def _set_basis(self, old: tuple[int, int, int]) -> None:
        """Hand over the last basis, completed: at new infosets by the action that looks best."""
        begun = len(self._columns) > 0
        since = (old[0], old[1], self._nodes) if begun else (0, 0, 0)
        columns, rows = self.native.new_basis(*since, self._x, self._y)
        basis = highspy.HighsBasis()
        basis.col_status = _STATUS[np.concatenate([self._columns, columns])].tolist()
        basis.row_status = _STATUS[np.concatenate([self._rows, rows])].tolist()
        basis.valid = True
        basis.alien = not begun  # then HiGHS checks it: a bound that a status refers to may be infinite
        if self._highs.setBasis(basis) == highspy.HighsStatus.kError:
            self._highs.clearSolver()

    def _keep_basis(self, primal: Floats) -> None:
        """Note the basis of the solution; HiGHS' own lists of it are slow to read."""
        status, basic = self._highs.getBasicVariables()
        if status != highspy.HighsStatus.kOk:
            self._columns = self._rows = np.empty(0, dtype=np.int8)
            return
        _, lower, upper, row_lower, _ = self._vectors
        self._columns = np.where(np.isfinite(lower), _LOWER, _ZERO).astype(np.int8)
        self._columns[np.isfinite(upper) & ~(primal - lower <= upper - primal)] = _UPPER
        self._rows = np.full(len(row_lower), _LOWER, dtype=np.int8)  # every row has a lower bound
        self._columns[basic[basic >= 0]] = _BASIC
        self._rows[-1 - basic[basic < 0]] = _BASIC

    def _run(self, deadline: float | None) -> bool:
        """Let HiGHS solve it, from nothing if the basis is of no use; tell whether there was time."""
        highs = self._highs
        for again in (False, True):
            if again:
                highs.clearSolver()
            left = math.inf if deadline is None else max(deadline - time.perf_counter(), 0.001)
            highs.setOptionValue("time_limit", highs.getRunTime() + left)  # it counts from when HiGHS was made
            self._run_highs()
            status = highs.getModelStatus()
            if status == highspy.HighsModelStatus.kOptimal:
                return True
            # HiGHS may run out of time before it has any status at all.
            if status in _OUT_OF_TIME or (deadline is not None and time.perf_counter() >= deadline):
                return False
        raise BackendError(
            f"HiGHS stopped on a trunk of {self.trunk.num_nodes} nodes with status "
            f"{highs.modelStatusToString(status)!r}, expected 'Optimal'"
        )

    def _run_highs(self) -> None:
        if self._stop is None:
            self._highs.run()
            return
        interrupts = self._highs.cbSimplexInterrupt
        interrupts.subscribe(self._on_iteration)
        try:
            self._highs.run()
        finally:
            interrupts.unsubscribe(self._on_iteration)

    def _on_iteration(self, event: Any) -> None:
        if self._stop is not None and self._stop():
            event.interrupt()


def smaller_side(trunk: _core.Trunk) -> int:
    """Return the player whose program has fewer rows: the other's sequences and her own infosets."""
    tree = trunk.tree
    ours, theirs = trunk.num_infosets
    rows = {MAX: tree.num_sequences(MIN) + ours, MIN: tree.num_sequences(MAX) + theirs}
    return int(min(rows, key=lambda player: rows[player]))


def _solver() -> Any:
    highs = highspy.Highs()  # type: ignore[no-untyped-call]
    for option, value in (
        ("output_flag", False), ("threads", 1), ("solver", "simplex"), ("presolve", "off"),
        ("small_matrix_value", _SMALLEST_ENTRY),
        ("primal_feasibility_tolerance", _FEASIBILITY), ("dual_feasibility_tolerance", _FEASIBILITY),
    ):  # fmt: skip
        highs.setOptionValue(option, value)
    return highs
