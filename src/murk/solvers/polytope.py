"""The polytope of equilibrium strategies, exactly: which constraints of the sequence form hold in *every* equilibrium.

In a zero-sum game the equilibrium strategies of a player are the optimal solutions of her linear program, a
face of what is feasible [Koller, Megiddo & von Stengel 1994], and a face is known by the inequalities that are
tight on all of it. They come in pairs: a sequence's probability is not negative, and the opponent's values
allow no gain by that sequence. Of each pair exactly one is tight on the whole of its face [Goldman & Tucker
1956]. :class:`NashPolytope` finds a pair of strategies that leave as many inequalities slack as can be, by one
linear program over both players at once [Mehrotra & Ye 1993], and that theorem checks the answer.
"""

from dataclasses import dataclass
from typing import NamedTuple

import highspy
import numpy as np
import numpy.typing as npt
import scipy.sparse

from murk.errors import BackendError, InputError
from murk.solvers.lp import Program
from murk.tree.players import MAX, MIN, Player, opponent, player_of
from murk.tree.strategy import Strategy, clean
from murk.tree.tree import Tree

__all__ = ["Face", "NashPolytope"]

Floats = npt.NDArray[np.float64]
Marks = npt.NDArray[np.bool_]

_NO_BOUNDS: Floats = np.empty(0)
_TOLERANCES = (1e-10, 1e-9, 1e-8)  # HiGHS gives up on some degenerate programs at the first
_SCALES = (1e4, 1e5, 1e3)  # how far a slack may be stretched, see _Pair.most_slack; the theorem tells which was right
_SLACK = 1e-3  # a stretched slack below this is rounding
_ROUNDING = 1e-13  # payoffs (as parts of the largest) that are sums which should have cancelled


@dataclass(frozen=True, eq=False)
class Face:
    """The equilibrium strategies of one player, as a face of her linear program.

    Its points are pairs (x, v): a sequence form, and a value for each infoset at which the opponent acts.

    Attributes:
        tree: the game.
        player: whose.
        played: for each of her sequences, whether some equilibrium strategy plays it; all of them give the others
            probability 0.
        binding: for each of the opponent's sequences, whether it is a best response, at its infoset, to all
            equilibrium strategies: whether its row of ``matrix`` is an equation on the face.
        interior: an equilibrium strategy that plays all of ``played``.
        matrix: the rows of the program: for each of the opponent's sequences but the empty one, then for each
            of her own infosets.
        bound: their lower bounds; the rows of her own infosets are equations.
    """

    tree: Tree
    player: Player
    played: Marks
    binding: Marks
    interior: Strategy
    matrix: "scipy.sparse.csr_array"
    bound: Floats

    def equations(self) -> tuple["scipy.sparse.csr_array", Floats]:
        """Return (M, b): the affine hull of the face is where M z = b for z = (x, v)."""
        columns = self.matrix.shape[1]
        fixed = np.concatenate([[0], np.flatnonzero(~self.played)])
        unit = scipy.sparse.csr_array((np.ones(len(fixed)), (np.arange(len(fixed)), fixed)), (len(fixed), columns))
        rows = np.ones(len(self.bound), dtype=np.bool_)
        rows[: len(self.binding) - 1] = self.binding[1:]
        value = np.zeros(len(fixed))
        value[0] = 1.0
        matrix = scipy.sparse.vstack([unit, self.matrix[np.flatnonzero(rows)]], format="csr")
        return matrix, np.concatenate([value, self.bound[rows]])

    def extreme(self, payoff: npt.ArrayLike, *, largest: bool) -> float:
        """Return the largest, or else the smallest, value of ``payoff`` @ x over the equilibrium strategies x.

        Raises:
            InputError: there is not one payoff for each of the player's sequences.
            BackendError: the solver underneath failed.
        """
        given, own = np.asarray(payoff, dtype=np.float64), len(self.played)
        if given.shape != (own,):
            raise InputError(f"payoffs have shape {given.shape}, expected one for each of {own} sequences")
        columns = self.matrix.shape[1]
        lower, upper = np.full(columns, -np.inf), np.full(columns, np.inf)
        lower[:own] = 0.0
        upper[:own][~self.played] = 0.0
        lower[0] = upper[0] = 1.0
        above = self.bound.copy()
        above[: len(self.binding) - 1][~self.binding[1:]] = np.inf
        cost = np.concatenate([given if largest else -given, np.zeros(columns - own)])
        best = cost @ _maximised(self.tree, self.matrix, cost, (lower, upper), (self.bound, above))
        return float(best if largest else -best)


class NashPolytope:
    """The equilibrium strategies of both players of a game.

    Args:
        tree: the game, with its extra payoffs B if it has any.

    Attributes:
        value: the value of the game.

    Raises:
        BackendError: the equilibria could not be told from what is nearly one, as where payoffs differ by rounding.
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        pair = _Pair(tree)
        found = pair.slack()
        self._faces = tuple(pair.face(p, found[p]) for p in (MAX, MIN))
        both = [face.interior.sequences for face in self._faces]
        self.value = tree.sequence_form.expected_value(both[MAX], both[MIN])

    def face(self, player: int) -> Face:
        """Return one player's equilibrium strategies."""
        return self._faces[player_of(player)]

    def values_against(self, strategy: Strategy) -> tuple[float, float]:
        """Return MAX's least and greatest payoff when the opponent answers ``strategy`` with an equilibrium strategy.

        Raises:
            InputError: the strategy is of another game.
        """
        if strategy.tree is not self.tree:
            raise InputError(f"the strategy is of {strategy.tree.name}, expected one of {self.tree.name}")
        face = self.face(opponent(strategy.player))
        payoff, constant = _payoffs(strategy)
        return face.extreme(payoff, largest=False) + constant, face.extreme(payoff, largest=True) + constant


class _Slack(NamedTuple):
    """What is slack on a player's face: her sequences, and the opponent's rows (both without the empty sequence)."""

    sequences: Marks
    rows: Marks
    point: Floats


class _Pair:
    """Both players' programs, side by side."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.own = [tree.num_sequences(p) for p in (MAX, MIN)]
        raw = [Program(*tree.sequence_form.assemble_lp(p, _NO_BOUNDS)) for p in (MAX, MIN)]
        unit = max(raw[p].in_units(self.own[p]).unit for p in (MAX, MIN))
        self.programs = [raw[p].in_units(self.own[p], unit) for p in (MAX, MIN)]
        self.matrices = [_matrix(p) for p in self.programs]

    def face(self, player: int, slack: _Slack) -> Face:
        tree, played = self.tree, np.concatenate([[True], slack.sequences])
        interior = Strategy(tree, Player(player), clean(tree, player, np.where(played, slack.point, 0.0)))
        binding = np.concatenate([[True], ~slack.rows])
        bound = self.programs[player].row_lower
        return Face(tree, Player(player), played, binding, interior, self.matrices[player], bound)

    def slack(self) -> list[_Slack]:
        """Find what is slack on each face, certified by the theorem: exactly one of each complementary pair."""
        for scale in _SCALES:
            try:
                found = self.most_slack(scale)
            except BackendError:
                continue
            if all(np.array_equal(found[p].sequences, ~found[1 - p].rows) for p in (MAX, MIN)):
                return found
        raise BackendError(
            f"the equilibria of {self.tree.name} were not told from near ones, as where payoffs differ by rounding"
        )

    def most_slack(self, scale: float) -> list[_Slack]:
        """Find a point of both faces at which every inequality that can be slack is.

        Everything is multiplied by a variable t from [1, scale], which takes the place of the probability 1 of each
        player's empty sequence, so that a slack of 1/scale can be stretched to 1. The players' guaranteed payoffs
        must add up to 0, which makes both optimal. The sum of all slacks, each counted up to 1, is maximised.
        """
        parts = [self._part(p) for p in (MAX, MIN)]
        inequalities = scipy.sparse.block_diag([part.inequalities for part in parts])
        equations = scipy.sparse.block_diag([part.equations for part in parts])
        (count, width), second = inequalities.shape, self.programs[MAX].columns
        both = np.zeros((2, width))
        both[0] = np.concatenate([part.payoff for part in parts])
        both[1, [0, second]] = 1.0, -1.0
        matrix = scipy.sparse.block_array(
            [[inequalities, -scipy.sparse.eye_array(count)], [equations, None], [scipy.sparse.csr_array(both), None]],
            format="csr",
        )
        lower = np.concatenate([part.lower for part in parts] + [np.zeros(count)])
        upper = np.full(width + count, np.inf)
        upper[[0, second]], upper[width:] = scale, 1.0
        above = np.concatenate([np.full(count, np.inf), np.zeros(matrix.shape[0] - count)])
        cost = np.concatenate([np.zeros(width), np.ones(count)])
        solution = _maximised(self.tree, matrix, cost, (lower, upper), (np.zeros(len(above)), above))
        out, at = [], width
        for p, start in zip((MAX, MIN), (0, second), strict=True):
            sequences, rows = self.own[p] - 1, self.programs[p].opponent_rows
            marks = solution[at : at + sequences + rows] > _SLACK
            point = solution[start : start + self.own[p]]
            out.append(_Slack(marks[:sequences], marks[sequences:], point / point[0]))
            at += sequences + rows
        return out

    def _part(self, player: int) -> "_Part":
        """Return one player's program with the probability of her empty sequence, and so all constants, left open."""
        program, own = self.programs[player], self.own[player]
        constants = np.where(np.isfinite(program.row_lower), program.row_lower, 0.0)
        rows = self.matrices[player] - _first_column(constants, program.columns)
        opposing, flow = rows[: program.opponent_rows], rows[program.opponent_rows :]
        stretched = scipy.sparse.diags_array(_row_scale(opposing, own)) @ opposing
        probabilities = scipy.sparse.eye_array(own - 1, program.columns, k=1)
        lower = np.full(program.columns, -np.inf)
        lower[:own] = 0.0
        lower[0] = 1.0
        payoff = program.cost.copy()
        payoff[0] += program.offset
        return _Part(scipy.sparse.vstack([probabilities, stretched], format="csr"), flow, payoff, lower)


class _Part(NamedTuple):
    """One player's homogeneous program: inequalities (>= 0), equations (= 0), her guaranteed payoff, column bounds."""

    inequalities: "scipy.sparse.csr_array"
    equations: "scipy.sparse.csr_array"
    payoff: Floats
    lower: Floats


def _matrix(program: Program) -> "scipy.sparse.csr_array":
    value = np.where(np.abs(program.value) < _ROUNDING, 0.0, program.value)
    out = scipy.sparse.csr_array((value, program.index, program.start), (program.rows, program.columns))
    out.eliminate_zeros()
    return out


def _first_column(values: Floats, width: int) -> "scipy.sparse.csr_array":
    at = np.flatnonzero(values)
    return scipy.sparse.csr_array((values[at], (at, np.zeros(len(at), dtype=np.int64))), (len(values), width))


def _row_scale(rows: "scipy.sparse.csr_array", own: int) -> Floats:
    """Return what makes the largest payoff of each row 1: payoffs shrink with the chance of coming to them."""
    if rows.shape[0] == 0:
        return np.ones(0)
    largest = np.asarray(abs(rows[:, :own]).max(axis=1).todense(), dtype=np.float64).ravel()
    return np.asarray(1.0 / np.where(largest > 0, largest, 1.0))


def _payoffs(strategy: Strategy) -> tuple[Floats, float]:
    """Return MAX's payoff for each of the opponent's sequences against ``strategy``, and in any case."""
    tree, we, they = strategy.tree, strategy.player, opponent(strategy.player)
    start, column, value = tree.sequence_form.matrix()
    payoff = scipy.sparse.csr_array((value, column, start), (tree.num_sequences(MAX), tree.num_sequences(MIN)))
    out = np.array(payoff.T @ strategy.sequences if we == MAX else payoff @ strategy.sequences)
    for sequence, extra in tree.extra(they):
        out[sequence] += extra
    return out, sum(extra * float(strategy.sequences[s]) for s, extra in tree.extra(we))


def _maximised(
    tree: Tree,
    matrix: "scipy.sparse.csr_array",
    cost: Floats,
    column_bounds: tuple[Floats, Floats],
    row_bounds: tuple[Floats, Floats],
) -> Floats:
    """Return a point within the bounds that maximises ``cost``."""
    highs = highspy.Highs()  # type: ignore[no-untyped-call]
    for option, value in (
        ("output_flag", False), ("threads", 1), ("solver", "simplex"), ("small_matrix_value", 1e-12),
    ):  # fmt: skip
        highs.setOptionValue(option, value)
    rows, columns = matrix.shape
    start, index = matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32)
    by_rows, minimise = int(highspy.MatrixFormat.kRowwise), int(highspy.ObjSense.kMinimize)
    highs.passModel(
        columns, rows, len(matrix.data), by_rows, minimise, 0.0, -cost, *column_bounds, *row_bounds,
        start, index, matrix.data, np.zeros(columns, dtype=np.int32),
    )  # fmt: skip
    for tolerance in _TOLERANCES:
        highs.setOptionValue("primal_feasibility_tolerance", tolerance)
        highs.setOptionValue("dual_feasibility_tolerance", tolerance)
        highs.run()
        status = highs.getModelStatus()
        if status == highspy.HighsModelStatus.kOptimal:
            return np.array(highs.getSolution().col_value)
        highs.clearSolver()
    text = highs.modelStatusToString(status)
    raise BackendError(f"HiGHS stopped on the equilibria of {tree.name} with status {text!r}, expected 'Optimal'")
