"""The OpenSpiel game, and histories of OpenSpiel's own ``dark_chess``."""

import random

import numpy as np
import pyspiel
import pytest
from played import STARTS, random_board

import murk
from murk._core import Observation
from murk.darkchess import Board, Colour, Move
from murk.darkchess.adapters.actions import NUM_ACTIONS, action_of, move_of
from murk.darkchess.adapters.game import DarkChess
from murk.darkchess.adapters.open_spiel import SHORT_NAME, from_openspiel, register, to_openspiel
from murk.darkchess.adapters.planes import PLANES, observation_planes
from murk.darkchess.pgn import GameRecord
from murk.errors import IllegalMoveError, InputError

ENDGAME = "8/4P3/8/3k4/8/8/8/K7 w - -"


@pytest.fixture(autouse=True, scope="module")
def registered() -> None:
    assert register() == register() == SHORT_NAME
    assert SHORT_NAME in pyspiel.registered_names()


@pytest.mark.parametrize("fen", [STARTS[0], *STARTS[2:]])
def test_openspiels_own_simulations(fen: str):
    game = pyspiel.load_game(SHORT_NAME, {"fen": fen, "max_plies": 40})
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


def test_a_whole_game_without_a_limit():
    game = pyspiel.load_game(SHORT_NAME)
    pyspiel.random_sim_test(game, num_sims=1, serialize=False, verbose=False)
    assert game.max_game_length() == 12_700


def test_the_tree_is_that_of_the_game_protocol():
    ours = murk.build(DarkChess(ENDGAME, max_plies=4))
    theirs = murk.build(f"{SHORT_NAME}(fen={ENDGAME},max_plies=4)", cache=False)
    assert theirs.num_nodes == ours.num_nodes
    for player in (murk.MAX, murk.MIN):
        assert len(theirs.acting_infosets(player)) == len(ours.acting_infosets(player))
    assert murk.solve(theirs).value == pytest.approx(murk.solve(ours).value, abs=1e-9)


def test_strings_tell_what_the_player_knows_and_no_more():
    """Two games that look the same to Black have the same strings for Black, and different ones for White."""
    one, other = (pyspiel.load_game(SHORT_NAME).new_initial_state() for _ in range(2))
    for state, moves in ((one, ["a2a3", "d7d5"]), (other, ["h2h4", "d7d5"])):
        for move in moves:
            state.apply_action(action_of(Move.from_uci(move), state.current_player()))
    assert one.information_state_string(1) == other.information_state_string(1)
    assert one.information_state_string(0) != other.information_state_string(0)
    assert one.observation_string(1) == other.observation_string(1)
    assert one.observation_tensor(1) == other.observation_tensor(1)
    assert one.information_state_string(0).startswith(Board().observation(Colour.WHITE).text + " | a2a3 ")
    assert "d7d5" not in one.information_state_string(0)
    assert Observation(one.observation_string(0)).colour == Colour.WHITE


def test_results_and_names():
    game = pyspiel.load_game(SHORT_NAME, {"fen": "4k3/8/8/8/8/8/8/4R1K1 w - - 0 1"})
    state = game.new_initial_state()
    action = action_of(Move.from_uci("e1e8"), 0)
    assert state.action_to_string(action) == "Rxe8"
    state.apply_action(action)
    assert state.is_terminal()
    assert state.returns() == [1.0, -1.0]
    assert state.observation_string(1) == state.observation_string(0) == "end 1-0"
    stuck = pyspiel.load_game(SHORT_NAME, {"fen": "KBN1k3/PPPpP3/1P1P4/8/8/8/8/8 w - - 0 1"}).new_initial_state()
    assert stuck.is_terminal()
    assert stuck.returns() == [-1.0, 1.0]


def test_bad_parameters():
    with pytest.raises(InputError, match="8/8"):
        pyspiel.load_game(SHORT_NAME, {"fen": "8/8 w - -"})
    with pytest.raises(InputError, match="max_plies is -1"):
        pyspiel.load_game(SHORT_NAME, {"max_plies": -1})


def test_histories_of_openspiels_dark_chess():
    """Same moves, same results; a player without a move, who draws there and loses here, is a test of its own."""
    reasons = set()
    for seed in range(40):
        fen = STARTS[seed % len(STARTS)]
        state = pyspiel.load_game("dark_chess", {"fen": fen}).new_initial_state()
        rng = random.Random(seed)
        while not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
        moves = from_openspiel(state)
        assert from_openspiel(state.history(), fen=fen) == moves
        assert to_openspiel(moves, fen=fen) == state.history()
        outcome = GameRecord.from_moves(moves, fen=fen).board().outcome()
        assert outcome is not None
        # Its player 0 is Black.
        assert state.returns() == {"1-0": [-1.0, 1.0], "0-1": [1.0, -1.0], "1/2-1/2": [0.0, 0.0]}[outcome.result]
        reasons.add(outcome.reason)
    assert reasons >= {"king captured", "50 moves"}


def test_legal_moves_are_openspiels_legal_actions():
    for seed in range(40):
        fen = STARTS[seed % len(STARTS)]
        board = random_board(seed, fen=fen, plies=4 + seed)
        if board.outcome() is not None:
            continue
        state = pyspiel.load_game("dark_chess", {"fen": fen}).new_initial_state()
        for action in to_openspiel(board.moves, fen=fen):
            state.apply_action(action)
        assert state.current_player() == 1 - int(board.turn)
        ours = {to_openspiel([move], fen=board.fen)[0] for move in board.legal_moves}
        assert ours == set(state.legal_actions())


def test_no_move_at_all_is_a_draw_there_and_a_loss_here():
    fen = "KBN1k3/PPPpP3/1P1P4/8/8/8/8/8 w - - 0 1"
    state = pyspiel.load_game("dark_chess", {"fen": fen}).new_initial_state()
    assert state.is_terminal()
    assert state.returns() == [0.0, 0.0]
    outcome = Board(fen).outcome()
    assert outcome is not None
    assert outcome.result == "0-1"


@pytest.mark.parametrize("action", [-1, 0, 4674, 10**9])
def test_actions_that_are_none(action: int):
    with pytest.raises(IllegalMoveError):
        from_openspiel([action])


def test_every_move_has_one_action():
    assert NUM_ACTIONS == 1880  # 1,456 of a queen and 336 of a knight, 22 pairs of squares times 4 promotions
    for colour in (Colour.WHITE, Colour.BLACK):
        moves = [move_of(action, colour) for action in range(NUM_ACTIONS)]
        assert len(set(moves)) == NUM_ACTIONS
        assert [action_of(move, colour) for move in moves] == list(range(NUM_ACTIONS))
    for seed in range(30):
        board = random_board(seed, fen=STARTS[seed % len(STARTS)], plies=30)
        mirror = board.position.mirror()
        ours = {action_of(move, board.turn) for move in board.legal_moves}
        assert len(ours) == len(board.legal_moves)
        assert ours == {action_of(move, mirror.turn) for move in mirror.legal_moves}
    with pytest.raises(InputError, match="expected 0 to 1879"):
        move_of(1880, Colour.WHITE)
    with pytest.raises(InputError, match="no piece of White"):
        action_of(Move.from_uci("a2a1q"), Colour.WHITE)


def test_planes():
    for seed in range(40):
        board = random_board(seed, fen=STARTS[seed % len(STARTS)], plies=25)
        for colour in (Colour.WHITE, Colour.BLACK):
            view = board.observation(colour)
            planes = observation_planes(view)
            assert planes.shape == (len(PLANES), 8, 8)
            assert planes.dtype == np.float32
            named = dict(zip(PLANES, planes, strict=True))
            for square in range(64):
                row = square // 8 if colour == Colour.WHITE else 7 - square // 8
                at = {name: plane[row, square % 8] for name, plane in named.items()}
                seen = bool(view.visible >> square & 1)
                letter = board.position.piece_at(square) if seen else None
                pieces = [name for name in PLANES[:12] if at[name]]
                assert pieces == ([plane_of(letter, colour)] if letter else [])
                assert at["visible"] == seen
                assert at["own pawn that is blocked"] == (view.blocked >> square & 1)
                assert at["own move"] == (board.turn == colour)
                assert at["playing White"] == (colour == Colour.WHITE)


def plane_of(letter: str, colour: Colour) -> str:
    kinds = dict(zip("pnbrqk", ("pawn", "knight", "bishop", "rook", "queen", "king"), strict=True))
    return ("own " if letter.isupper() == (colour == Colour.WHITE) else "enemy ") + kinds[letter.lower()]


def test_planes_are_the_same_for_both_sides():
    for seed in range(30):
        position = random_board(seed, fen=STARTS[seed % len(STARTS)], plies=25).position
        white = observation_planes(position.observation(Colour.WHITE))
        black = observation_planes(position.mirror().observation(Colour.BLACK))
        assert np.array_equal(white[:-1], black[:-1])
        assert white[-1].all()
        assert not black[-1].any()
