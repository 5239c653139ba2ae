"""The linear program of a growing trunk, solved again and again by HiGHS.

The program is kept natively and only ever gets longer (``cpp/search/program.h``); each solve begins with the basis of
the last, at new infosets with the action that looks best. HiGHS stores a program by columns, so that adding rows and
filling in entries costs it as much as being given the whole again: the whole is what it is given, with the basis.
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

__all__ = ["Gadget", "GrowingProgram", "TrunkSolution"]

Floats = npt.NDArray[np.float64]
Gadget = Literal["plain", "maxmargin", "resolve"]

_FEASIBILITY = 1e-9
_SMALLEST_ENTRY = 1e-12
_OUT_OF_TIME = (highspy.HighsModelStatus.kTimeLimit, highspy.HighsModelStatus.kInterrupt)
_STATUS = (
    highspy.HighsBasisStatus.kLower,
    highspy.HighsBasisStatus.kBasic,
    highspy.HighsBasisStatus.kUpper,
    highspy.HighsBasisStatus.kZero,
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
        self._highs = _solver()
        self._columns: list[Any] = []
        self._rows: list[Any] = []
        self._nodes = 0
        self._x = self._y = np.ones(1)
        self._stop: Callable[[], bool] | None = None
        self.build_seconds = 0.0

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
        program, highs = self.native, self._highs
        self._stop = stop
        program.update()
        offset, cost, column_lower, column_upper, row_lower, row_upper, start, index, value = program.arrays(
            gadget, self.unit, self.tremble
        )
        columns, rows = program.num_columns, program.num_rows
        highs.clearModel()
        highs.passModel(
            columns, rows, len(value), int(highspy.MatrixFormat.kRowwise), int(highspy.ObjSense.kMinimize), -offset,
            -cost, column_lower, column_upper, row_lower, row_upper, start, index, value,
            np.zeros(columns, dtype=np.int32),
        )  # fmt: skip
        if self.warm_start:
            self._set_basis()
        spent = time.perf_counter() - started
        self.build_seconds += spent
        self._run(None if seconds is None else seconds - spent)
        status = highs.getModelStatus()
        if status in _OUT_OF_TIME:
            self._forget()
            return None
        if status != highspy.HighsModelStatus.kOptimal:
            status = self._again(seconds, started)
            if status is None:
                return None
        solution, info = highs.getSolution(), highs.getInfo()
        basis = highs.getBasis()
        self._columns, self._rows = basis.col_status, basis.row_status
        primal, dual = np.asarray(solution.col_value), np.asarray(solution.row_dual)
        x, y = program.strategies(primal, dual, gadget, self.tolerance, self.tremble)
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

    def _set_basis(self) -> None:
        columns, rows = self.native.new_basis(len(self._columns), len(self._rows), self._nodes, self._x, self._y)
        basis = highspy.HighsBasis()
        basis.col_status = self._columns + [_STATUS[s] for s in columns.tolist()]
        basis.row_status = self._rows + [_STATUS[s] for s in rows.tolist()]
        basis.valid = True
        basis.alien = True  # let HiGHS check it: other bounds may have taken away what a status refers to
        if self._highs.setBasis(basis) == highspy.HighsStatus.kError:
            self._highs.clearSolver()

    def _forget(self) -> None:
        self._columns, self._rows = [], []
        self._nodes = 0

    def _run(self, seconds: float | None) -> None:
        """Let HiGHS run for so long; its limit counts from when it was made."""
        limit = math.inf if seconds is None else self._highs.getRunTime() + max(seconds, 0.001)
        self._highs.setOptionValue("time_limit", limit)
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

    def _again(self, seconds: float | None, started: float) -> Any:
        """Solve from nothing after a failure; return the status, ``None`` if time ran out."""
        highs = self._highs
        highs.clearSolver()
        self._run(None if seconds is None else seconds - (time.perf_counter() - started))
        status = highs.getModelStatus()
        if status in _OUT_OF_TIME:
            self._forget()
            return None
        if status != highspy.HighsModelStatus.kOptimal:
            raise BackendError(
                f"HiGHS stopped on a trunk of {self.trunk.num_nodes} nodes with status "
                f"{highs.modelStatusToString(status)!r}, expected 'Optimal'"
            )
        return status


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
