"""Exact equilibria by linear programming [Koller, Megiddo & von Stengel 1994].

The program is assembled natively (its rows and columns are written out in ``cpp/solve/lp_assembly.h``) and solved by
HiGHS. The dual values of the opponent's rows are the opponent's strategy, so one program gives both sides.

Lower bounds on action probabilities make the blueprints of Section 7 of [ZS21]: the least exploitable strategy among
those that play every action (or one kind of action) at least so often.
"""

import contextlib
import math
import queue
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import highspy
import numpy as np
import numpy.typing as npt

from murk.errors import BackendError, InputError
from murk.solvers.result import Limits, Progress, ProgressCallback, Solution, solution_from
from murk.tree.players import MAX, Player, player_of
from murk.tree.strategy import clean
from murk.tree.tree import Tree

__all__ = ["Algorithm", "Program", "SequenceLp", "action_floor", "checked_lower", "epsilon_uniform", "solve_lp"]

Algorithm = Literal["simplex", "ipm"]
Floats = npt.NDArray[np.float64]

_TOLERANCE = 1e-10
_SMALLEST_ENTRY = 1e-12  # HiGHS drops what is not larger; this is the least it can be told
_WRONG = 1e-6  # error of an interior point's duals that is not mere rounding
_POLL_SECONDS = 0.05
_SMALL = 4000  # entries below which a program is solved before anybody could interrupt it


def epsilon_uniform(tree: Tree, player: int, epsilon: float) -> Floats:
    """Return lower bounds of ``epsilon / m`` on each of the m actions of every infoset of ``player``."""
    player = player_of(player)
    if not 0 <= epsilon <= 1:
        raise InputError(f"epsilon is {epsilon!r}, expected a number from 0 to 1")
    floor = np.zeros(tree.num_sequences(player))
    floor[1:] = epsilon / tree.infoset_actions(player)[tree.sequence_infoset(player)[1:]]
    return floor


def action_floor(tree: Tree, player: int, floors: Mapping[str | int, float]) -> Floats:
    """Return lower bounds on single actions, given by name or label, wherever they are legal."""
    player = player_of(player)
    out = np.zeros(tree.num_sequences(player))
    labels = tree.sequence_actions(player)
    used = set()
    for infoset in tree.acting_infosets(player).tolist():
        first = int(tree.infoset_first(player)[infoset])
        for i, name in enumerate(tree.action_names(player, infoset)):
            for key in (name, int(labels[first + i])):
                if key in floors:
                    out[first + i] = floors[key]
                    used.add(key)
    unused = [key for key in floors if key not in used]
    if unused:
        raise InputError(f"{player.name} has no action {unused[0]!r} anywhere in {tree.name}")
    return out


@dataclass(frozen=True)
class Program:
    """A linear program as ``cpp/solve/lp_assembly.h`` writes it out: rows of the opponent's sequences first."""

    columns: int
    rows: int
    opponent_rows: int
    offset: float
    cost: Floats
    column_lower: Floats
    column_upper: Floats
    row_lower: Floats
    row_upper: Floats
    start: npt.NDArray[np.int32]
    index: npt.NDArray[np.int32]
    value: Floats
    unit: float = 1.0

    def in_units(self, own: int, unit: float | None = None) -> "Program":
        """Return the same program with payoffs, and the opponent's values, counted in multiples of ``unit``.

        HiGHS drops entries below an absolute size and has absolute tolerances, so a game in cents and the same game in
        millions would get different answers. By default the unit is the power of two just above the largest payoff
        entry, so that nothing is rounded. The first ``own`` columns are the player's plan.
        """
        end = int(self.start[self.opponent_rows])
        payoffs = np.flatnonzero(self.index[:end] < own)
        if unit is None:
            entries = (self.value[payoffs], self.cost[1:own], self.row_lower[: self.opponent_rows])
            unit = 2.0 ** math.frexp(max(float(np.abs(e).max(initial=0.0)) for e in entries) or 1.0)[1]
        cost, row_lower, value = self.cost.copy(), self.row_lower.copy(), self.value.copy()
        cost[:own] /= unit
        row_lower[: self.opponent_rows] /= unit
        value[payoffs] /= unit
        return replace(self, offset=self.offset / unit, cost=cost, row_lower=row_lower, value=value, unit=unit)


class SequenceLp:
    """One player's linear program, kept loaded so that it can be changed and solved again from where it was.

    Args:
        tree: the game, with its extra payoffs B if it has any.
        player: whose side. The program maximises her guaranteed payoff.
        lower: least probability of each action, one entry a sequence (entry 0 unused); see :func:`epsilon_uniform`.
        algorithm: ``"simplex"`` (a vertex, exact to rounding) or ``"ipm"`` (interior point without crossover, for
            large games).

    Raises:
        InputError: the lower bounds are not numbers between 0 and 1 or add up to more than 1 at an infoset.
    """

    def __init__(
        self,
        tree: Tree,
        player: int = MAX,
        *,
        lower: npt.ArrayLike | None = None,
        algorithm: Algorithm = "simplex",
    ) -> None:
        if algorithm not in ("simplex", "ipm"):
            raise InputError(f"algorithm is {algorithm!r}, expected 'simplex' or 'ipm'")
        self.tree = tree
        self.player: Player = player_of(player)
        self.algorithm = algorithm
        self._lower = checked_lower(tree, self.player, lower)
        self._program = self._assemble()
        self._stop: list[bool] = []
        self._highs = self._load()

    def refresh(self) -> None:
        """Take over changed extra payoffs of the tree, keeping the basis of the last solution as a warm start.

        Raises:
            InputError: the tree has grown or its utilities have changed since, which needs a new program.
        """
        old, new = self._program, self._assemble(self._program.unit)
        if not all(np.array_equal(getattr(old, name), getattr(new, name)) for name in ("start", "index", "value")):
            raise InputError(
                f"{self.tree.name} has changed in more than its extra payoffs since this program was made, "
                "expected a new SequenceLp"
            )
        columns = np.arange(new.columns, dtype=np.int32)
        rows = np.arange(new.rows, dtype=np.int32)
        self._highs.changeColsCost(new.columns, columns, -new.cost)
        self._highs.changeRowsBounds(new.rows, rows, new.row_lower, new.row_upper)
        self._highs.changeObjectiveOffset(-new.offset)
        self._program = new

    @property
    def basis(self) -> Any:
        """HiGHS's basis of the last solution; assign one of a program of the same shape for a warm start."""
        return self._highs.getBasis()

    @basis.setter
    def basis(self, basis: Any) -> None:
        if self._highs.setBasis(basis) == highspy.HighsStatus.kError:
            raise InputError("the basis does not fit this program, expected one of a program of the same shape")

    def solve(self, *, limits: Limits | None = None, progress: ProgressCallback | None = None) -> Solution:
        """Solve the program as it now is, starting from the last basis if there is one.

        Raises:
            InputError: the tree has changed since the program was made or refreshed.
            BackendError: HiGHS failed.
            KeyboardInterrupt: on Ctrl-C, after HiGHS has stopped.
        """
        if self._revision != self.tree.revision:
            raise InputError(f"{self.tree.name} has changed since this program was made, expected refresh() first")
        limits = limits or Limits()
        highs, program = self._highs, self._program
        highs.setOptionValue(
            "time_limit", float("inf") if limits.seconds is None else highs.getRunTime() + limits.seconds
        )
        highs.setOptionValue("simplex_iteration_limit", _iteration_limit(limits))
        highs.setOptionValue("ipm_iteration_limit", _iteration_limit(limits))
        started = time.perf_counter()
        self._run(started, progress)
        if self._wrong_duals():
            highs.setOptionValue("presolve", "off")
            highs.clearSolver()
            self._run(started, progress)
            highs.setOptionValue("presolve", "choose")
        stopped = self._verdict()
        info = highs.getInfo()
        solution = highs.getSolution()
        own_count = self.tree.num_sequences(self.player)
        own = np.array(solution.col_value[:own_count] or np.zeros(own_count))
        other = np.ones(program.opponent_rows + 1)
        if solution.dual_valid or len(solution.row_dual):
            other[1:] = solution.row_dual[: program.opponent_rows]
        x, y = clean(self.tree, self.player, own), clean(self.tree, 1 - self.player, other)
        sign = -1.0 if self.player == MAX else 1.0  # the program given to HiGHS is a minimisation
        iterations = info.simplex_iteration_count if self.algorithm == "simplex" else info.ipm_iteration_count
        return solution_from(
            self.tree,
            self.algorithm,
            *((x, y) if self.player == MAX else (y, x)),
            started=started,
            iterations=max(int(iterations), 0),
            stopped=stopped,
            value=sign * info.objective_function_value * program.unit + 0.0 if stopped == "optimal" else None,
        )

    def _assemble(self, unit: float | None = None) -> Program:
        self._revision = self.tree.revision
        program = Program(*self.tree.sequence_form.assemble_lp(self.player, self._lower))
        return program.in_units(self.tree.num_sequences(self.player), unit)

    def _load(self) -> Any:
        highs = highspy.Highs()  # type: ignore[no-untyped-call]
        highs.setOptionValue("output_flag", False)
        highs.setOptionValue("threads", 1)
        highs.setOptionValue("solver", self.algorithm)
        highs.setOptionValue("small_matrix_value", _SMALLEST_ENTRY)
        if self.algorithm == "ipm":
            highs.setOptionValue("run_crossover", "off")
            highs.setOptionValue("ipm_optimality_tolerance", _TOLERANCE)
        else:
            highs.setOptionValue("primal_feasibility_tolerance", _TOLERANCE)
            highs.setOptionValue("dual_feasibility_tolerance", _TOLERANCE)
        p = self._program
        # As a minimisation: after presolving, HiGHS mixes up the signs of an interior point's duals in a maximisation.
        by_rows, minimise = int(highspy.MatrixFormat.kRowwise), int(highspy.ObjSense.kMinimize)
        continuous = np.zeros(p.columns, dtype=np.int32)
        highs.passModel(
            p.columns, p.rows, len(p.value), by_rows, minimise, -p.offset, -p.cost, p.column_lower, p.column_upper,
            p.row_lower, p.row_upper, p.start, p.index, p.value, continuous,
        )  # fmt: skip
        # Not highspy's own way to stop (startSolve, cancelSolve): its locks are shared by all programs of the process.
        stop = self._stop

        def poll(event: Any) -> None:
            event.interrupt(bool(stop))

        if len(p.value) >= _SMALL:
            highs.cbSimplexInterrupt += poll
            highs.cbIpmInterrupt += poll
        return highs

    def _run(self, started: float, progress: ProgressCallback | None) -> None:
        highs = self._highs
        if len(self._program.value) < _SMALL:
            highs.run()
            return
        # Ctrl-C may come at any moment, and inside a lock of the threading module it would leave that locked: the
        # thread says that it has ended through a queue, to wake us, and in a list, for good.
        news: queue.SimpleQueue[None] = queue.SimpleQueue()
        ended: list[bool] = []

        def work() -> None:
            try:
                highs.run()
            finally:
                ended.append(True)
                news.put(None)

        self._stop.clear()
        thread = threading.Thread(target=work, name="murk-lp", daemon=True)
        try:
            thread.start()
            while not ended:
                with contextlib.suppress(queue.Empty):
                    news.get(timeout=_POLL_SECONDS)
                if progress is not None:
                    progress(Progress(self.algorithm, 0, time.perf_counter() - started))
        except BaseException:
            self._stop.append(True)
            while thread.ident is not None and not ended:
                with contextlib.suppress(KeyboardInterrupt):
                    time.sleep(_POLL_SECONDS)
            raise

    def _wrong_duals(self) -> bool:
        """Tell whether HiGHS, going back from the presolved program, has lost the duals of an interior point."""
        if self._highs.getModelStatus() != highspy.HighsModelStatus.kUnknown:
            return False
        info = self._highs.getInfo()
        errors = (info.primal_dual_objective_error, info.max_dual_infeasibility, info.max_dual_residual_error)
        return not max(errors) <= _WRONG

    def _verdict(self) -> str:
        status = self._highs.getModelStatus()
        model = highspy.HighsModelStatus
        reasons = {
            model.kOptimal: "optimal",
            model.kTimeLimit: "seconds",
            model.kIterationLimit: "iterations",
            model.kInterrupt: "interrupted",
        }
        if status in reasons:
            return reasons[status]
        if status == model.kUnknown and self.algorithm == "ipm" and not self._wrong_duals():
            return "optimal"  # near enough for HiGHS to stop; the measured exploitability says how near
        raise BackendError(
            f"HiGHS stopped on {self.tree.name} with status {self._highs.modelStatusToString(status)!r}, "
            "expected 'Optimal'"
        )


def solve_lp(
    tree: Tree,
    player: int = MAX,
    *,
    lower: npt.ArrayLike | None = None,
    algorithm: Algorithm = "simplex",
    limits: Limits | None = None,
    progress: ProgressCallback | None = None,
) -> Solution:
    """Solve a game exactly from one player's side; the arguments are those of :class:`SequenceLp`."""
    started = time.perf_counter()
    solution = SequenceLp(tree, player, lower=lower, algorithm=algorithm).solve(limits=limits, progress=progress)
    object.__setattr__(solution, "seconds", time.perf_counter() - started)
    return solution


def _iteration_limit(limits: Limits) -> int:
    return 2**31 - 1 if limits.iterations is None else min(limits.iterations, 2**31 - 1)


def checked_lower(tree: Tree, player: Player, lower: npt.ArrayLike | None) -> Floats:
    """Return ``lower`` as an array, empty if there is none, having checked that a strategy can meet it."""
    if lower is None:
        return np.empty(0)
    floor = np.array(lower, dtype=np.float64)
    if floor.shape != (tree.num_sequences(player),):
        raise InputError(
            f"lower bounds have shape {floor.shape}, "
            f"expected one entry for each of {tree.num_sequences(player)} sequences"
        )
    floor[0] = 0.0
    if not (np.isfinite(floor).all() and floor.min() >= 0):
        raise InputError("lower bounds on probabilities must be finite numbers that are not negative")
    sums = np.bincount(tree.sequence_infoset(player)[1:], weights=floor[1:], minlength=tree.num_infosets(player))
    worst = int(sums.argmax()) if len(sums) else 0
    if len(sums) and sums[worst] > 1 + 1e-12:
        name = tree.infoset_name(player, worst)
        raise InputError(
            f"infeasible lower bounds: they add up to {sums[worst]:.6g} at infoset {name!r}, expected at most 1"
        )
    return floor
