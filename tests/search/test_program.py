"""The linear program that HiGHS is told of piece by piece, against one that is built from nothing."""

from typing import Any

import highspy
import numpy as np
import numpy.typing as npt
import pytest
from scipy import sparse
from trunks import whole_trunk

import murk
from murk import _core
from murk.darkchess import Board, Colour, Move
from murk.darkchess.evaluators import make_evaluator
from murk.darkchess.tracking import Tracker
from murk.errors import BackendError
from murk.search import Budget, SearchOptions, TrunkSearch, solve_trunk
from murk.search.lp import GrowingProgram

GAMES = ["kuhn_poker", "leduc_poker", "liars_dice(dice_sides=3)"]
MOVES = ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "g8f6", "d2d3", "f8c5", "b1c3", "d7d6"]


def matrix_of(program: _core.SearchProgram, unit: float) -> sparse.csr_matrix:
    start, index, value = program.growth((0, 0, 0), unit)[3:6]
    return sparse.csr_matrix((value, index, start), shape=(program.num_rows, program.num_columns))


def in_order(program: _core.SearchProgram, gadget: str, unit: float) -> tuple[npt.NDArray[np.float64], ...]:
    """Return the matrix, costs and bounds in the game's own order, nodes' own columns and rows put back in."""
    matrix = matrix_of(program, unit).tolil()
    column_of_sequence, row_of_sequence, column_of_infoset, row_of_infoset = program.places
    rows = np.concatenate([row_of_sequence[1:], row_of_infoset[row_of_infoset >= 0]])
    columns = np.concatenate([column_of_sequence, column_of_infoset[column_of_infoset >= 0]])
    others = set(range(program.num_columns)) - set(columns.tolist())
    for row in sorted(set(range(program.num_rows)) - set(rows.tolist())):
        own = next(column for column in matrix.rows[row] if column in others)
        others.remove(own)
        if matrix[row, own] < 0:  # a value: v <= what is in the row, and v counts in another
            (counts,) = (r for r in matrix[:, own].nonzero()[0] if r != row)
            assert matrix[counts, own] == 1
            matrix[counts, :] += matrix[row, :]
        else:  # a copy of another column
            (column,) = (c for c in matrix.rows[row] if c != own)
            assert (matrix[row, own], matrix[row, column]) == (1, -1)
            matrix[:, column] += matrix[:, own]
    # What is left are the gadget's: two for each root, which are told apart by their order.
    order = row_of_sequence.tolist()
    others_in_order = sorted(others, key=lambda c: (order.index(matrix[:, c].nonzero()[0][0]), c))
    columns = np.concatenate([columns, np.array(others_in_order, dtype=columns.dtype)])
    offset, cost, lower, upper, row_lower, row_upper = program.vectors(gadget, unit, 0.0)
    dense = np.asarray(matrix.tocsr()[rows][:, columns].todense())
    return dense, np.array([offset]), cost[columns], lower[columns], upper[columns], row_lower[rows], row_upper[rows]


class Twin:
    """Looks at a search after each solve."""

    def __init__(self) -> None:
        self.solves = 0
        self.own = 0

    def __call__(self, search: TrunkSearch) -> None:
        assert search._program is not None
        assert search.solution is not None
        told, gadget = search._program, search.solution.gadget
        fresh = _core.SearchProgram(search.trunk, told.player)
        self.solves += 1
        self.own += told.native.num_rows - fresh.num_rows
        for ours, theirs in zip(
            in_order(told.native, gadget, told.unit), in_order(fresh, gadget, told.unit), strict=True
        ):
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)
        self._compare_with_highs(told, gadget)
        solution = GrowingProgram(search.trunk, told.player, tremble=told.tremble).solve(gadget)
        assert solution is not None
        assert search.solution.value == pytest.approx(solution.value, abs=1e-7)

    def _compare_with_highs(self, told: GrowingProgram, gadget: Any) -> None:
        """Assert that HiGHS has the program as we have it, and that the basis kept is its basis."""
        lp = told._highs.getLp()
        assert lp.a_matrix_.format_ == highspy.MatrixFormat.kColwise
        shape = (lp.num_row_, lp.num_col_)
        has = sparse.csc_matrix((lp.a_matrix_.value_, lp.a_matrix_.index_, lp.a_matrix_.start_), shape=shape)
        difference = abs(has - matrix_of(told.native, told.unit)).toarray()
        assert difference.max(initial=0.0) < 1e-12
        offset, cost, *bounds = told.native.vectors(gadget, told.unit, told.tremble)
        assert lp.offset_ == -offset
        for ours, theirs in zip(
            (-cost, *bounds), (lp.col_cost_, lp.col_lower_, lp.col_upper_, lp.row_lower_, lp.row_upper_), strict=True
        ):
            np.testing.assert_array_equal(ours, theirs)
        basis = told._highs.getBasis()
        for kept, status, lower, upper in (
            (told._columns, basis.col_status, bounds[0], bounds[1]),
            (told._rows, basis.row_status, bounds[2], bounds[3]),
        ):
            free = lower < upper  # where both bounds are one, there is one place to be
            np.testing.assert_array_equal(kept[free], np.array([int(s) for s in status])[free])


@pytest.fixture(autouse=True)
def _never_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any) -> None:
        raise AssertionError("HiGHS was given a whole model")

    monkeypatch.setattr(highspy.Highs, "passModel", refuse)


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize("side", ["ours", "theirs"])
def test_the_program_of_a_game_grows_into_itself(spec: str, side: Any) -> None:
    twin = Twin()
    options = SearchOptions(side=side, growth=0.5, growth_floor=40)
    solve_trunk(murk.load(spec), value=lambda state: 0.25, options=options, observer=twin, budget=Budget(nodes=1200))
    assert twin.solves > 3


@pytest.mark.parametrize("side", ["ours", "theirs"])
def test_the_program_of_a_gadget_grows_into_itself(side: Any) -> None:
    board, belief = Board(), Tracker(Colour.WHITE, limit=1000)
    for text in MOVES:
        move, mover = Move.from_uci(text), board.turn
        board.push(move)
        belief.observe(board.observation(Colour.WHITE), move if mover == Colour.WHITE else None)
    game = _core.ChessGame(Colour.WHITE, make_evaluator("simple"))
    seeds = game.add_positions(belief.sample(12, 1), 7)
    trunk = _core.Trunk(game, seeds, [seed.value for seed in seeds], 100_000)
    twin = Twin()
    options = SearchOptions(side=side, growth=0.4, growth_floor=300)
    TrunkSearch(trunk, options, infoset_size=len(belief), observer=twin).run(Budget(nodes=3000))
    assert twin.solves > 3
    assert twin.own > 0, "no node was expanded whose infosets both were old"


def test_without_time_highs_may_have_no_status_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    _, trunk = whole_trunk(murk.load("kuhn_poker"), murk.MAX)
    program = GrowingProgram(trunk, murk.MAX)
    monkeypatch.setattr(program, "_run_highs", lambda: None)
    assert program.solve("plain", seconds=0.0) is None
    with pytest.raises(BackendError, match="with status 'Not Set', expected 'Optimal'"):
        program.solve("plain")
