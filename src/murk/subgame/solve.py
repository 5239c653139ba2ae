"""Solving a gadget, and choosing among its equilibria.

A gadget has many equilibria, and which one is taken changes how exploitable the whole strategy ends up.
``refinement="none"`` takes whatever vertex the simplex method ends at. ``refinement="sequential"`` makes a principled
choice that depends neither on the solver nor on the order of its columns:

1. maximise the smallest margin, as always; 2. let the opponent tremble at the root, so that each of her infosets is
entered with at least a small probability, and take the limit as
   it vanishes [Kubíček, Lisý & Sandholm 2026]: among the optima of 1, those with the largest sum of margins;
3. where ties remain, the one nearest to the blueprint (Euclidean distance of sequence forms), which is unique.

Each stage keeps to the optimal face of the one before exactly, by complementary slackness: what has a dual value is
fixed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import highspy
import numpy as np
import numpy.typing as npt
import scipy.sparse

from murk.errors import BackendError, InputError
from murk.solvers.cfr import CfrSolver
from murk.solvers.lp import Program, SequenceLp, checked_lower
from murk.solvers.response import best_response
from murk.solvers.result import Limits
from murk.subgame.gadget import Subgame
from murk.subgame.tremble import trembling
from murk.tree.players import MAX, opponent
from murk.tree.strategy import Strategy, clean

__all__ = ["Refinement", "SubgameSolution", "solve_subgame"]

Floats = npt.NDArray[np.float64]
Refinement = Literal["none", "sequential"]

_DUAL = 1e-9  # dual values below this are rounding
_TOLERANCES = (1e-10, 1e-9, 1e-8, 1e-7)
_PROBABILITY = 1e-9  # sequence probabilities below this are rounding
_TREMBLE = 1e-3  # probability of trembling in regret minimisation
_REGRET_TARGET = 1e-7  # and the exploitability it goes to: well below what trembling is worth


@dataclass(frozen=True, eq=False)
class SubgameSolution:
    """What solving a gadget gave.

    Attributes:
        subgame: the gadget.
        strategy: our strategy in it.
        value: the gadget's value: the smallest margin (maxmargin), or the mean of the negative parts of the margins
            (resolving).
        refinement: how the equilibrium was chosen.
    """

    subgame: Subgame
    strategy: Strategy
    value: float
    refinement: Refinement

    def behaviour(self) -> Floats:
        """Return the probabilities of our actions at the infoset the gadget was made for."""
        tree, p, i = self.subgame.tree, self.subgame.player, self.subgame.root_infoset
        first, count = int(tree.infoset_first(p)[i]), int(tree.infoset_actions(p)[i])
        values = self.strategy.sequences[first : first + count]
        return np.asarray(values / values.sum())


def solve_subgame(
    subgame: Subgame,
    *,
    lower: npt.ArrayLike | None = None,
    refinement: Refinement = "none",
    method: str = "lp",
    limits: Limits | None = None,
) -> SubgameSolution:
    """Find an equilibrium of a gadget from our side.

    Args:
        subgame: the gadget.
        lower: least probabilities of our actions in it (see :meth:`Subgame.translate`).
        refinement: ``"none"`` or ``"sequential"`` (see above; maxmargin and resolving gadgets, LP or regret
            minimisation).
        method: ``"lp"``, or one of the CFR family. With ``"sequential"`` the latter finds the margins of stages 1 and
            2 and stage 3 projects.
        limits: for regret minimisation.

    Raises:
        InputError: unknown names, or lower bounds that cannot be met.
        BackendError: the solver underneath failed.
    """
    if refinement not in ("none", "sequential"):
        raise InputError(f"refinement is {refinement!r}, expected 'none' or 'sequential'")
    tree, player = subgame.tree, subgame.player
    if refinement == "sequential" and subgame.kind != "unsafe":
        if method == "lp":
            sequences, value = _sequential(subgame, lower)
        elif lower is not None:
            raise InputError(f"method {method!r} takes no lower bounds, expected 'lp'")
        else:
            sequences, value = _sequential_by_regret(subgame, method, limits)
        return SubgameSolution(subgame, Strategy(tree, player, sequences), value, refinement)
    if method == "lp":
        solution = SequenceLp(tree, player, lower=lower).solve()
    else:
        if lower is not None:
            raise InputError(f"method {method!r} takes no lower bounds, expected 'lp'")
        solution = CfrSolver(tree, method).run(limits)
    strategy = Strategy(tree, player, _snapped(subgame, solution.strategy(player).sequences))
    return SubgameSolution(subgame, strategy, solution.value, refinement)


def _snapped(subgame: Subgame, sequences: Floats) -> Floats:
    """Drop probabilities that are rounding: a subgame behind one would be scaled up by it."""
    return clean(subgame.tree, subgame.player, np.where(sequences < _PROBABILITY, 0.0, sequences))


def _sequential(subgame: Subgame, lower: npt.ArrayLike | None) -> tuple[Floats, float]:
    tree, player = subgame.tree, subgame.player
    floor = checked_lower(tree, player, lower)
    program = Program(*tree.sequence_form.assemble_lp(player, floor)).in_units(tree.num_sequences(player))
    face = _Face(program, tree.name)
    value = face.maximise(program.cost)
    sign = 1.0 if player == MAX else -1.0
    face.maximise(_sum_of_margins(subgame, program))
    x = face.nearest(subgame.blueprint.sequences)
    return _snapped(subgame, x), sign * (value + program.offset) * program.unit


def _sequential_by_regret(subgame: Subgame, method: str, limits: Limits | None) -> tuple[Floats, float]:
    """Stages 1 and 2 by regret minimisation on the trembling gadget; stage 3 among what guarantees no less."""
    tree, player = subgame.tree, subgame.player
    found = CfrSolver(trembling(subgame, _TREMBLE), method).run(
        limits or Limits(target=_REGRET_TARGET, iterations=50_000)
    )
    strategy = Strategy(tree, player, found.strategy(player).sequences)
    response, sign = best_response(strategy), 1.0 if player == MAX else -1.0
    program = Program(*tree.sequence_form.assemble_lp(player, checked_lower(tree, player, None)))
    extra = np.zeros(tree.num_sequences(opponent(player)))
    for sequence, payoff in tree.extra(opponent(player)):
        extra[sequence] += payoff
    entries = np.array(_entry_rows(subgame)) + 1
    worth = float(sign * (response.sequence_values[entries] - extra[entries]).sum())
    floors = [(program.cost, sign * response.value - program.offset), (_sum_of_margins(subgame, program), worth)]
    x = _Face(program, tree.name).nearest(subgame.blueprint.sequences, floors)
    return _snapped(subgame, x), response.value


def _entry_rows(subgame: Subgame) -> range:
    """Return the rows of the opponent's ways into the gadget: the root's actions, or Play at each root infoset."""
    count = len(subgame.roots)
    return range(count) if subgame.kind == "maxmargin" else range(1, 2 * count, 2)


def _sum_of_margins(subgame: Subgame, program: Program) -> Floats:
    """Return the objective of stage 2: the rows of the opponent's ways into the gadget, without the value of choosing
    among them.

    In a maxmargin gadget they are the root's actions; in a resolving one the action Play of each root infoset, which
    pays 1/N of the margin.
    """
    count = len(subgame.roots)
    own = subgame.tree.num_sequences(subgame.player)
    choosers = {own} if subgame.kind == "maxmargin" else set(range(own, own + count))
    cost = np.zeros(program.columns)
    for row in _entry_rows(subgame):
        for k in range(program.start[row], program.start[row + 1]):
            if int(program.index[k]) not in choosers:
                cost[program.index[k]] += program.value[k]
    return cost


class _Face:
    """A linear program that shrinks to its optimal face each time it is solved."""

    def __init__(self, program: Program, name: str) -> None:
        self.program = program
        self.name = name
        self.column_lower, self.column_upper = program.column_lower.copy(), program.column_upper.copy()
        self.row_lower, self.row_upper = program.row_lower.copy(), program.row_upper.copy()
        self.highs = _loaded(program)
        self.point: Floats = np.zeros(program.columns)

    def maximise(self, cost: Floats) -> float:
        """Maximise ``cost`` over the face, shrink the face to where the maximum is reached, and return it."""
        highs, p = self.highs, self.program
        columns, rows = np.arange(p.columns, dtype=np.int32), np.arange(p.rows, dtype=np.int32)
        highs.changeColsCost(p.columns, columns, cost)
        highs.changeColsBounds(p.columns, columns, self.column_lower, self.column_upper)
        highs.changeRowsBounds(p.rows, rows, self.row_lower, self.row_upper)
        highs.changeObjectiveOffset(0.0)
        self._run()
        if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            status = highs.modelStatusToString(highs.getModelStatus())
            raise BackendError(f"HiGHS stopped on the gadget {self.name} with status {status!r}, expected 'Optimal'")
        solution = highs.getSolution()
        self.point = np.array(solution.col_value)
        _fix(self.column_lower, self.column_upper, self.point, np.array(solution.col_dual))
        _fix(self.row_lower, self.row_upper, np.array(solution.row_value), np.array(solution.row_dual))
        return float(highs.getInfo().objective_function_value)

    def _run(self) -> None:
        """Solve, and less strictly if need be: a face that was cut to rounding may be empty to the last digits."""
        for tolerance in _TOLERANCES:
            self.highs.setOptionValue("primal_feasibility_tolerance", tolerance)
            self.highs.run()
            if self.highs.getModelStatus() == highspy.HighsModelStatus.kOptimal:
                return
            self.highs.clearSolver()

    def nearest(self, target: Floats, floors: Sequence[tuple[Floats, float]] = ()) -> Floats:
        """Return the first entries of the point of the face nearest to ``target`` in them.

        ``floors`` are linear functions of the point and the least values they may have.
        """
        import clarabel

        p, n = self.program, len(target)
        is_free = self.column_lower < self.column_upper
        free = np.flatnonzero(is_free)
        if not (free < n).any():
            return self.point[:n]
        held = np.where(is_free, 0.0, self.column_lower)
        # Built entry by entry of the flat arrays: the matrices are small and there are thousands of them.
        row = np.repeat(np.arange(p.rows), np.diff(p.start))
        shift = np.bincount(row, weights=p.value * held[p.index], minlength=p.rows)
        kept = is_free[p.index]
        row, column, value = row[kept], (np.cumsum(is_free) - 1)[p.index[kept]], p.value[kept]
        used = np.bincount(row, minlength=p.rows) > 0
        equal = used & (self.row_lower == self.row_upper)
        above = used & ~equal
        bounded = np.flatnonzero(np.isfinite(self.column_lower[free]))
        equals, aboves = int(equal.sum()), int(above.sum())
        place = np.where(equal, np.cumsum(equal) - 1, equals + np.cumsum(above) - 1)
        unit = equals + aboves + np.arange(len(bounded))
        rows = equals + aboves + len(bounded) + len(floors)
        dense = np.repeat(np.arange(rows - len(floors), rows), len(free))
        constraints = _by_columns(
            np.concatenate([place[row], unit, dense]),
            np.concatenate([column, bounded, np.tile(np.arange(len(free)), len(floors))]),
            np.concatenate(
                [np.where(equal[row], value, -value), -np.ones(len(bounded)), *(-cost[free] for cost, _ in floors)]
            ),
            (rows, len(free)),
        )
        bounds = np.concatenate(
            [
                (self.row_lower - shift)[equal],
                (shift - self.row_lower)[above],
                -self.column_lower[free][bounded],
                np.array([cost @ held - floor for cost, floor in floors]),
            ]
        )
        ours = np.arange(int((free < n).sum()))
        quadratic = _by_columns(ours, ours, np.ones(len(ours)), (len(free), len(free)))
        linear = np.zeros(len(free))
        linear[ours] = -target[free[ours]]
        cones = [clarabel.ZeroConeT(equals), clarabel.NonnegativeConeT(rows - equals)]
        answer = clarabel.DefaultSolver(quadratic, linear, constraints, bounds, cones, _settings()).solve()
        if str(answer.status) not in ("Solved", "AlmostSolved"):
            return self.point[:n]
        out = held
        out[free] = answer.x
        return out[:n]


def _by_columns(
    row: npt.NDArray[np.int64], column: npt.NDArray[np.int64], value: Floats, shape: tuple[int, int]
) -> Any:
    """Return a sparse matrix of these entries as clarabel takes it."""
    order = np.lexsort((row, column))
    start = np.concatenate([[0], np.cumsum(np.bincount(column, minlength=shape[1]))])
    return scipy.sparse.csc_matrix((value[order], row[order], start), shape=shape)


def _loaded(p: Program) -> Any:
    highs = highspy.Highs()  # type: ignore[no-untyped-call]
    for option, value in (
        ("output_flag", False), ("threads", 1), ("solver", "simplex"), ("presolve", "off"),
        ("primal_feasibility_tolerance", 1e-10), ("dual_feasibility_tolerance", 1e-10),
    ):  # fmt: skip
        highs.setOptionValue(option, value)
    by_rows, maximise = int(highspy.MatrixFormat.kRowwise), int(highspy.ObjSense.kMaximize)
    highs.passModel(
        p.columns, p.rows, len(p.value), by_rows, maximise, p.offset, p.cost, p.column_lower, p.column_upper,
        p.row_lower, p.row_upper, p.start, p.index, p.value, np.zeros(p.columns, dtype=np.int32),
    )  # fmt: skip
    return highs


def _fix(lower: Floats, upper: Floats, values: Floats, duals: Floats) -> None:
    """Fix what has a dual value at the bound it is at: by complementary slackness that is the optimal face."""
    tight = np.abs(duals) > _DUAL
    at_lower = np.abs(values - lower) <= np.abs(values - upper)
    bound = np.where(at_lower, lower, upper)
    lower[tight] = upper[tight] = bound[tight]


def _settings() -> Any:
    import clarabel

    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    return settings
