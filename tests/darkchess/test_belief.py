"""Beliefs as objects: what they tell, what they refuse, and what happens over their memory budget."""

import _thread
import random
import threading

import numpy as np
import pytest
from belief_twin import BOTH, believed, game, native_step

from murk import _core
from murk._core import PositionSet
from murk.darkchess import (
    BLACK,
    START_FEN,
    WHITE,
    Belief,
    Board,
    IllegalMoveError,
    Move,
    Observation,
    ObservationError,
    Position,
    search_again,
)
from murk.errors import InputError

QUIET = "h2h3 g7g6 a2a3 f8g7 h3h4 d7d6 a3a4 b8d7 h1h2 g8f6 h2h1 e8g8 h1h2 b7b6"
"""White sees little of what Black does."""


def quiet_board(plies: int) -> Board:
    board = Board()
    for move in QUIET.split()[:plies]:
        board.push(move)
    return board


def quiet(plies: int, **options) -> Belief:
    board, belief = Board(), Belief(WHITE, **options)
    for move in QUIET.split()[:plies]:
        board.push(move)
        belief.observe(board.observation(WHITE))
    return belief


def test_a_new_belief_knows_the_start():
    belief = Belief(BLACK)
    assert (len(belief), belief.exact, belief.colour, belief.turn, belief.winner) == (1, True, BLACK, WHITE, None)
    assert list(belief) == [Position()]
    assert belief.observation == Position().observation(BLACK)
    assert repr(belief) == "<Belief of BLACK: 1 positions, all there are>"
    assert Position() in belief
    assert Position("4k3/8/8/8/8/8/8/4K3 w - -") not in belief
    assert START_FEN not in belief


def test_the_move_need_not_be_told():
    told, untold = Belief(WHITE), Belief(WHITE)
    for before, move, _ in game(random.Random(1), longest=30):
        seen = before.observation_after(move, WHITE)
        told.observe(seen, move=move if before.turn == WHITE else None)
        untold.observe(before.play(move).observation(WHITE))  # nor where a piece was taken
        assert told == untold


def test_wrong_moves_leave_the_belief_as_it_was():
    belief = Belief(WHITE)
    board = Board()
    board.push("e2e4")
    seen = board.observation(WHITE)
    for move, error, complaint in (
        ("e2e5", IllegalMoveError, "is not legal"),
        ("d2d4", ObservationError, "are not those after d2d4"),
    ):
        with pytest.raises(error, match=complaint):
            belief.observe(seen, move=Move.from_uci(move))
        assert belief == Belief(WHITE)
    belief.observe(seen)
    with pytest.raises(IllegalMoveError, match="it was the opponent's turn"):
        belief.observe(seen, move=Move.from_uci("e7e5"))


def test_wrong_observations_leave_the_belief_as_it_was():
    belief = quiet(9)
    twin = belief.copy()
    far = Board()
    far.push("e2e4")
    for seen, complaint in (
        (Position().observation(BLACK), "it is Black's, the belief is White's"),
        (Position().observation(WHITE), "her own pieces have changed by more than a capture"),
        (belief.observation, "it is Black to move in it, as before"),
        (far.observation(WHITE), "it is Black to move in it, as before"),
    ):
        with pytest.raises(ObservationError, match=complaint):
            belief.observe(seen)
        assert belief == twin
    board = quiet_board(9)
    board.push("g8f6")
    seen = board.observation(WHITE)
    with pytest.raises(ObservationError, match="castling rights have changed"):
        belief.observe(Observation(seen.text.replace(" Q ", " - ")))
    assert belief == twin


def test_an_impossible_sight_is_refused():
    board = Board("4k3/8/8/8/8/8/8/R3K3 w - -")
    belief = Belief(WHITE, board.fen)
    board.push("a1a2")
    belief.observe(board.observation(WHITE))
    seen = Position("4k3/n7/8/8/8/8/R7/4K3 w - -").observation(WHITE)
    with pytest.raises(ObservationError, match=r"no position explains observation .* among all 1 positions"):
        belief.observe(seen)
    assert len(belief) == 1


def test_a_game_that_is_over_goes_no_further():
    board = Board("4k3/8/8/8/8/8/4q3/4K3 b - -")
    belief = Belief(BLACK, board.fen)
    board.push("e2e1")
    belief.observe(board.observation(BLACK))
    assert belief.winner is BLACK
    assert list(belief) == [board.position]
    with pytest.raises(ObservationError, match="the game is over"):
        belief.observe(board.position.observation(BLACK))


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"colour": 2}, "colour is 2, expected WHITE or BLACK"),
        ({"colour": WHITE, "memory": 63}, "memory is 63"),
        ({"colour": WHITE, "threads": 0}, "threads is 0"),
        ({"colour": WHITE, "fen": "x"}, "bad FEN"),
        ({"colour": WHITE, "fen": "8/8/8/8/8/8/8/K7 w - -"}, "Black has no king"),
    ],
)
def test_bad_arguments(arguments, complaint):
    with pytest.raises(InputError, match=complaint):
        Belief(**arguments)


def test_samples_are_different_positions_of_the_set():
    belief = quiet(7)
    everything = set(belief)
    sample = belief.sample(50, seed=3)
    assert len(set(sample)) == len(sample) == 50
    assert set(sample) <= everything
    assert belief.sample(50, seed=3) == sample
    assert belief.sample(50, seed=4) != sample
    assert set(belief.sample(10**9)) == everything
    assert belief.sample(0) == []
    with pytest.raises(InputError, match="count is -1"):
        belief.sample(-1)


def test_samples_are_uniform():
    belief = quiet(3)
    positions = list(belief)
    assert len(positions) > 15
    rounds, size = 3000, 5
    counts = dict.fromkeys(positions, 0)
    for seed in range(rounds):
        for position in belief.sample(size, seed):
            counts[position] += 1
    expected = rounds * size / len(positions)
    chi_square = sum((n - expected) ** 2 / expected for n in counts.values())
    assert chi_square < 2.5 * len(positions)
    firsts = {belief.sample(size, seed)[0] for seed in range(rounds)}
    assert firsts == set(positions)  # the order is random too


@pytest.mark.parametrize("colour", BOTH)
def test_probabilities_count_positions(colour):
    plies = list(game(random.Random(2), longest=6))
    belief = believed(colour, plies)
    expected = np.zeros((64, 13))
    for position in belief:
        for square in range(64):
            letter = position.piece_at(square)
            expected[square, 0 if letter is None else 1 + "PNBRQKpnbrqk".index(letter)] += 1
    probabilities = belief.probabilities()
    np.testing.assert_allclose(probabilities, expected / len(belief), rtol=1e-15)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    squares = belief.to_numpy()
    assert squares.shape == (len(belief), 64)
    np.testing.assert_array_equal((squares[:, :, None] == np.arange(13)).sum(axis=0), expected)
    np.testing.assert_array_equal(belief.to_numpy(2, 5), squares[2:5])
    np.testing.assert_array_equal(belief.to_numpy(-3), squares[-3:])
    assert belief.to_numpy(5, 2).shape == (0, 64)


def test_all_positions_look_the_same():
    belief = quiet(7)
    assert {position.observation(WHITE) for position in belief} == {belief.observation}
    assert "fill-opacity" in belief._repr_svg_()


def test_sixteen_bytes_a_position():
    positions = quiet(9).positions
    assert positions.packed().nbytes == 16 * len(positions)
    assert positions.nbytes <= 16 * len(positions) + 4096


@pytest.mark.parametrize("instructions", _core.chess_instruction_sets())
def test_every_instruction_set_gives_the_same_bits(instructions):
    rng = random.Random("instructions")
    for _ in range(12):
        plies = list(game(rng, longest=40))
        for colour in BOTH:
            best = other = PositionSet(plies[0][0], colour)
            for ply in plies:
                best = native_step(best, colour, ply)
                other = native_step(other, colour, ply, instructions=instructions)
                assert best == other
                if len(best) > 5000:
                    break


@pytest.mark.threads
def test_threads_give_the_same_bits():
    one, two = quiet(13), quiet(13, threads=2)
    assert len(one) > 100_000
    assert one == two
    assert one.positions.packed().tobytes() == two.positions.packed().tobytes()
    board = quiet_board(14)
    seen = board.observation(WHITE)
    limit = 60_000
    sampled = [one.positions.after_opponent_move(seen, threads=n, limit=limit, seed=5) for n in (1, 2, 3)]
    assert not sampled[0].complete
    assert 0.7 * limit < len(sampled[0]) <= limit
    assert sampled[0] == sampled[1] == sampled[2]
    assert sampled[0] != one.positions.after_opponent_move(seen, limit=limit, seed=6)


def test_over_the_budget_a_belief_is_a_sample_and_says_so():
    exact = quiet(14)
    sample = quiet(14, memory=64 * 2000, seed=1)
    assert not sample.exact
    assert repr(sample).endswith("a sample>")
    assert 0 < len(sample) <= sample.capacity == 2000
    assert all(position in exact for position in sample)
    assert quiet(14, memory=64 * 2000, seed=1) == sample
    assert quiet(14, memory=64 * 2000, seed=2) != sample
    assert quiet(14, memory=64 * 2000, seed=1, threads=2) == sample
    assert sample != exact


def test_the_first_sample_is_uniform():
    """How often each position is kept, over many seeds, when a set of 1,796 must fit in 1,000."""
    belief, board = quiet(5), quiet_board(6)
    seen = board.observation(WHITE)
    everything = belief.positions.after_opponent_move(seen)
    numbers = {position: i for i, position in enumerate(everything.positions(list(range(len(everything)))))}
    counts = np.zeros(len(everything))
    seeds = 200
    for seed in range(seeds):
        kept = belief.positions.after_opponent_move(seen, limit=1000, seed=seed * 7919)
        counts[[numbers[position] for position in kept.positions(list(range(len(kept))))]] += 1
    share = counts.mean() / seeds
    assert 0.4 < share < 0.56
    spread = counts.var() / (seeds * share * (1 - share))
    assert 0.8 < spread < 1.2
    assert counts.min() > 0


def test_the_limit_holds_after_an_own_move_that_takes_nothing_too():
    belief, board = quiet(10), quiet_board(11)
    seen, move = board.observation(WHITE), board.moves[-1]
    everything = belief.positions.after_own_move(move, seen)
    limit = len(everything) // 3
    for threads in (1, 2):
        kept = belief.positions.after_own_move(move, seen, limit=limit, seed=3, threads=threads)
        assert len(kept) == limit
        assert everything.complete
        assert not kept.complete
        wanted = set(kept.positions(list(range(limit))))
        assert wanted <= set(everything.positions(list(range(len(everything)))))
        assert kept == PositionSet.unite([kept])  # still in order
    assert kept != belief.positions.after_own_move(move, seen, limit=limit, seed=4)
    assert belief.positions.after_own_move(move, seen, limit=len(everything)).complete


def test_a_sample_that_runs_dry_is_searched_again():
    """With room for a handful of positions, some observation soon finds none of them, and others are searched for."""
    rng = random.Random("dry")
    searched = 0
    for _ in range(12):
        plies = list(game(rng, longest=24))
        for colour in BOTH:
            belief = Belief(colour, memory=64 * 20, seed=rng.randrange(1000))
            exact = PositionSet(plies[0][0], colour)
            for ply in plies:
                seen = ply[0].observation_after(ply[1], colour)
                before = belief.positions
                belief.observe(seen)
                exact = native_step(exact, colour, ply)
                assert 0 < len(belief) <= 20
                assert all(position in exact for position in belief)
                searched += len(native_step(before, colour, ply)) == 0
                if len(exact) > 30_000:
                    break
    assert searched > 10


def test_a_search_may_end_without_an_answer(monkeypatch):
    fen = "4k3/8/8/8/8/8/8/R3K3 b - -"
    belief = Belief(WHITE, fen, memory=64 * 2)
    board = Board(fen)
    for move in ("e8d7", "a1a2", "d7c6", "a2a3"):
        board.push(move)
        belief.observe(board.observation(WHITE))
    assert not belief.exact
    before = belief.copy()
    seen = Position("8/8/8/8/k7/R7/8/4K3 w - -").observation(WHITE)
    with pytest.raises(ObservationError, match="among all that follows from"):
        belief.observe(seen)
    assert belief == before
    monkeypatch.setattr(search_again, "PATIENCE", 2)
    with pytest.raises(ObservationError, match="positions searched"):
        belief.observe(seen)
    assert belief == before


def _update_for_ever(belief: Belief, seen: Observation) -> None:
    while True:
        belief.copy().observe(seen)


def test_interrupted_updates_leave_the_belief_as_it_was():
    belief = quiet(13)
    before = belief.copy()
    seen = quiet_board(14).observation(WHITE)
    thread = threading.Timer(0.06, _thread.interrupt_main)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        _update_for_ever(belief, seen)
    thread.join()
    assert belief == before
    belief.observe(seen)
    assert len(belief) > len(before)
