"""Games from a view with fog: what is assumed, and that all of it looks like the view."""

import random
from collections import Counter

import pytest

from murk.darkchess import BLACK, WHITE, Board, Observation, Position
from murk.darkchess.agents import Clock, make_agent
from murk.darkchess.fog_start import first_view, guess_positions, is_fog_fen
from murk.darkchess.tracking import Tracker
from murk.errors import InputError


def views(seed: int, plies: int) -> list[Observation]:
    board, source, found = Board(), random.Random(seed), []
    for _ in range(plies):
        board.push(source.choice(board.legal_moves))
        if board.outcome() is not None:
            break
        found.append(board.observation(board.turn))
    return found


def material(position: Position, white: bool) -> Counter[str]:
    letters = (position.piece_at(square) for square in range(64))
    return Counter(p.lower() for p in letters if p is not None and p.isupper() == white)


@pytest.mark.parametrize("seed", range(4))
def test_every_guess_looks_like_the_view(seed: int) -> None:
    for view in views(seed, 60)[::3]:
        found = guess_positions(view, wanted=40, seed=seed)
        assert len(set(found)) == len(found)
        for position in found:
            assert position.observation(view.colour).fog_fen == view.fog_fen
            assert material(position, view.colour == BLACK)["k"] == 1
            assert material(position, view.colour == BLACK).total() <= 16


def test_a_fog_fen_reads_back_as_the_view() -> None:
    for view in views(9, 40):
        again = first_view(f"{view.fog_fen} 5 21", view.colour)
        assert again.fog_fen == view.fog_fen
        assert again.legal_moves == view.legal_moves
        assert is_fog_fen(view.fog_fen)
    assert not is_fog_fen("4k3/8/8/8/8/8/8/4K3 w - -")


def test_what_the_opponent_is_assumed_to_have() -> None:
    view = Position("4k3/8/8/8/8/8/3PP3/3RK3 w - -").observation(WHITE)
    for assumed, pieces in (("mirror", "kppr"), ("full", "ppppppppnnbbrrqk"), ("KQN", "kqn"), ("qq", "kqq")):
        for position in guess_positions(view, assumed=assumed, wanted=20):
            assert material(position, white=False) == Counter(pieces)
    # Two queens are in sight, and the player has none: both were pawns, of which he has two himself.
    queens = Position("4k3/8/8/8/8/q6q/3PP3/3RK2R w - -").observation(WHITE)
    assert queens.piece_at(23) == "q"
    seen = sum(queens.piece_at(square) == "q" for square in range(64))
    for position in guess_positions(queens, wanted=20):
        assert material(position, white=False)["p"] == 2 - seen
    for wrong in ("kk", "x", "pppppppppk", "", "rrrrrrrrrrrrrrrrk"):
        with pytest.raises(InputError, match="expected mirror, full"):
            guess_positions(view, assumed=wrong)


def test_a_blocked_pawn_has_something_before_it() -> None:
    view = Position("4k3/8/8/8/8/4n3/4P3/4K3 w - -").observation(WHITE)
    assert view.piece_at(20) == "?"
    for position in guess_positions(view, assumed="kn", wanted=20):
        assert position.piece_at(20) in ("n", "k")


def test_half_of_the_pieces_are_at_home() -> None:
    view = Position().observation(WHITE)
    found = guess_positions(view, wanted=300, seed=1)
    share = sum(position.piece_at(60) == "k" for position in found) / len(found)
    assert 0.4 < share < 0.65


def test_a_tracker_goes_on_from_a_view() -> None:
    board = Board()
    for move in ("e2e4", "e7e5", "g1f3", "b8c6"):
        board.push(move)
    view = board.observation(WHITE)
    tracker = Tracker(WHITE, view.fog_fen, limit=500, seed=1)
    assert (len(tracker), tracker.exact) == (500, False)
    move = board.push("f1c4")
    tracker.observe(board.observation(WHITE), move)
    board.push("a7a6")
    tracker.observe(board.observation(WHITE))
    assert len(tracker) > 0
    assert all(p.observation(WHITE).fog_fen == board.observation(WHITE).fog_fen for p in tracker.sample(50))


@pytest.mark.parametrize("agent", ["murk", "zs21", "baseline", "pimc", "greedy", "random"])
def test_agents_play_on_from_a_view(agent: str) -> None:
    board = Board()
    for move in ("e2e4", "d7d5", "e4d5"):
        board.push(move)
    with make_agent(agent) as player:
        player.new_game(BLACK, 1, board.observation(BLACK).fog_fen)
        for reply in ("g1f3", "b1c3", "d2d4"):
            decision = player.move(Clock(nodes=300))
            board.push(decision.move)
            player.observe(board.observation(BLACK), decision.move)
            board.push(reply)
            player.observe(board.observation(BLACK))
    with make_agent("cheat") as player, pytest.raises(InputError):
        player.new_game(BLACK, 1, board.observation(BLACK).fog_fen)


@pytest.mark.parametrize(
    ("fen", "problem"),
    [
        ("*" * 8 + " w - -", "observation"),
        ("****k***/8/8/8/8/8/8/4K3 w - - 0 1 2", "7 fields"),
        ("********/8/8/8/8/8/8/8 w - -", "observation"),
    ],
)
def test_bad_fog_fens_are_refused(fen: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        first_view(fen, WHITE)
