"""Whole random games on OpenSpiel's ``dark_chess`` in step with ours: what agrees, and the ways in which it differs."""

import random

import pyspiel
import pytest
from rules_oracles import STUCK

from murk.darkchess import BLACK, START_FEN, WHITE, Board, Outcome

STARTS = {
    START_FEN: 40,
    "4k3/8/8/8/8/8/8/4K2R w K - 0 1": 40,
    "4k3/8/8/8/8/8/8/4K3 w - - 0 1": 20,
    "4k3/8/8/8/8/8/8/4KN2 w - - 0 1": 20,
    "4k3/pppp4/8/8/8/8/4PPPP/4K3 w - - 90 60": 40,
}


def spiel_game(fen: str) -> "pyspiel.State":
    return pyspiel.load_game(f"dark_chess(fen={fen})").new_initial_state()


def spiel_returns(outcome: Outcome) -> list[float]:
    """Return what OpenSpiel pays: its player 0 is Black."""
    return {None: [0.0, 0.0], WHITE: [-1.0, 1.0], BLACK: [1.0, -1.0]}[outcome.winner]


def play(board: Board, state: "pyspiel.State", rng: random.Random) -> Outcome:
    """Play both to the end at random; they have the same moves and end together."""
    while (outcome := board.outcome()) is None:
        assert not state.is_terminal(), board.fen
        assert state.current_player() == 1 - board.turn
        theirs = {state.action_to_string(action): action for action in state.legal_actions()}
        ours = {board.san(move): move for move in board.legal_moves}
        assert theirs.keys() == ours.keys(), board.fen
        san = rng.choice(sorted(ours))
        board.push(ours[san])
        state.apply_action(theirs[san])
        assert str(state) == board.fen or board.position.king_captured
    return outcome


@pytest.mark.parametrize("fen", STARTS)
def test_random_games_in_step(fen: str):
    rng = random.Random(fen)
    for _ in range(STARTS[fen]):
        board, state = Board(fen), spiel_game(fen)
        outcome = play(board, state, rng)
        assert state.is_terminal(), board.fen
        assert state.returns() == spiel_returns(outcome)


def test_every_way_to_end_was_met():
    """But for the one in which the rules differ, which random games do not find."""
    rng = random.Random(5)
    games = ((Board(fen), spiel_game(fen)) for fen in STARTS for _ in range(20))
    reasons = {play(board, state, rng).reason for board, state in games}
    assert reasons == {"king captured", "threefold repetition", "50 moves"}


@pytest.mark.parametrize("fen", [f"{STUCK} 0 1", f"{Board(STUCK).position.mirror().fen} 0 1"])
def test_difference_no_move_at_all_is_a_draw_there_and_a_loss_here(fen: str):
    board, state = Board(fen), spiel_game(fen)
    assert state.is_terminal()
    assert state.returns() == [0.0, 0.0]
    assert board.outcome() == Outcome(WHITE if board.turn == BLACK else BLACK, "no moves")


def test_difference_a_captured_king_leaves_its_castling_rights_there():
    """Which nothing depends on: the game is over."""
    board, state = Board(), spiel_game(START_FEN)
    for san in ("e4", "f6", "Qh5", "a6", "Qxe8"):
        board.push(san)
        state.apply_action(next(a for a in state.legal_actions() if state.action_to_string(a) == san))
    assert str(state).split()[2] == "KQkq"
    assert board.fen.split()[2] == "KQ"


def test_both_tell_an_en_passant_square_only_if_it_can_be_used():
    board, state = Board(), spiel_game(START_FEN)
    for san, told in (("e4", "-"), ("a6", "-"), ("e5", "-"), ("d5", "d6")):
        board.push(san)
        state.apply_action(state.string_to_action(san))
        assert str(state) == board.fen
        assert board.fen.split()[3] == told
