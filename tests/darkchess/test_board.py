"""The referee's board: clocks, repetition, outcomes, taking back."""

import random

import chess
import pytest
from rules_oracles import STUCK, PseudoBoard

from murk.darkchess import BLACK, START_FEN, WHITE, Board, Move, Outcome, Position
from murk.errors import IllegalMoveError, InputError

SHUFFLE = ["Nf3", "Nf6", "Ng1", "Ng8"]


def played(*moves: str, fen: str = START_FEN) -> Board:
    board = Board(fen)
    for move in moves:
        board.push(move)
    return board


def test_a_new_board():
    board = Board()
    assert board.fen == START_FEN
    assert board.position == Position()
    assert board.moves == []
    assert board.outcome() is None
    assert board.turn is WHITE
    assert board.legal_moves == Position().legal_moves


def test_moves_are_taken_in_every_form_and_returned():
    board = Board()
    assert str(board.push("e4")) == "e2e4"
    assert str(board.push("e7e5")) == "e7e5"
    assert board.push(Move.from_uci("g1f3")) == Move.from_uci("g1f3")
    assert [str(move) for move in board.moves] == ["e2e4", "e7e5", "g1f3"]
    assert board.san(board.parse("Nc6")) == "Nc6"


def test_clocks_are_those_of_python_chess():
    rng = random.Random(1)
    for start in (START_FEN, "4k3/pp6/8/8/8/8/PP6/R3K2R b KQ - 31 57"):
        for _ in range(10):
            board, theirs = Board(start), PseudoBoard(start)
            while board.outcome() is None:
                move = board.push(rng.choice(board.legal_moves))
                theirs.push(chess.Move.from_uci(str(move)))
                assert board.fen.split()[4:] == theirs.fen().split()[4:]
                assert board.fen.split()[:3] == theirs.fen(en_passant="fen").split()[:3]
                assert board.position.fen.split()[3] == theirs.fen(en_passant="legal").split()[3]


def test_taking_back_restores_everything():
    rng = random.Random(2)
    for _ in range(20):
        board = Board()
        states = []
        while board.outcome() is None:
            states.append((board.fen, board.repetitions, board.outcome(), board.moves, board.copy()))
            board.push(rng.choice(board.legal_moves))
        while states:
            popped = board.pop()
            fen, repetitions, outcome, moves, copy = states.pop()
            assert (board.fen, board.repetitions, board.outcome(), board.moves) == (fen, repetitions, outcome, moves)
            assert board == copy
            copy.push(popped)
            assert board != copy
    with pytest.raises(InputError, match="none was played"):
        board.pop()


def test_an_illegal_move_changes_nothing():
    board = played("e4")
    before = board.copy()
    for move in ("e5e4", "Ke3", "nonsense"):
        with pytest.raises(InputError):
            board.push(move)
    with pytest.raises(IllegalMoveError):
        board.push(Move.from_uci("e2e4"))
    assert board == before


def test_the_king_is_captured():
    board = played("e4", "f6", "Qh5", "a6", "Qxe8")
    assert board.outcome() == Outcome(WHITE, "king captured")
    assert board.outcome().result == "1-0"
    assert board.legal_moves == []
    board = played("f3", "e5", "g4", "Qh4", "a3", "Qxe1")
    assert board.outcome() == Outcome(BLACK, "king captured")
    assert board.outcome().result == "0-1"


def test_a_side_without_a_move_loses():
    assert Board(STUCK).outcome() == Outcome(BLACK, "no moves")
    before = STUCK.replace("4k3", "3k4").replace(" w ", " b ")
    assert played("Ke8", fen=before).outcome() == Outcome(BLACK, "no moves")


def test_the_third_occurrence_of_a_position_draws():
    board = played(*SHUFFLE, *SHUFFLE)
    assert board.repetitions == 3
    assert board.outcome() == Outcome(None, "threefold repetition")
    assert board.outcome().result == "1/2-1/2"
    board.pop()
    assert board.outcome() is None


def test_castling_rights_make_another_position():
    board = played("Ke2", "Kd7", "Ke1", "Ke8", "Ke2", "Kd7", "Ke1", "Ke8", fen="4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    assert board.repetitions == 2
    assert played("Ke2", "Kd7", "Ke1", "Ke8", fen="4k3/8/8/8/8/8/8/4K2R w - - 0 1").repetitions == 2


def test_an_en_passant_square_nobody_can_use_makes_no_other_position():
    board = played("e4", *["Nf6", "Nf3", "Ng8", "Ng1"] * 2)
    assert board.outcome() == Outcome(None, "threefold repetition")


def test_fifty_moves_draw():
    fen = "4k3/8/8/8/8/8/P7/4K2R w - - 98 80"
    assert played("Rh2", fen=fen).outcome() is None
    board = played("Rh2", "Kd7", fen=fen)
    assert board.halfmove_clock == 100
    assert board.outcome() == Outcome(None, "50 moves")
    assert played("a3", "Kd7", fen=fen).halfmove_clock == 1
    assert played("Rh8", "Kd7", fen=fen).outcome() == Outcome(None, "50 moves")
    assert played("Rh8", "Kd7", fen=fen.replace("4k3", "4k2n")).halfmove_clock == 1


def test_a_captured_king_goes_before_a_draw():
    assert played("Rxe8", fen="4k3/8/8/8/4R3/8/8/4K3 w - - 99 80").outcome() == Outcome(WHITE, "king captured")


def test_bare_kings_play_on():
    assert Board("4k3/8/8/8/8/8/8/4K3 w - - 0 1").outcome() is None


@pytest.mark.parametrize(
    ("fen", "expected"), [("4k3/8/8/8/8/8/8/4K3 b - -", "0 1"), ("4k3/8/8/8/8/8/8/4K3 b - - 5 0", "5 1")]
)
def test_missing_clocks_are_filled_in(fen: str, expected: str):
    assert Board(fen).fen == f"4k3/8/8/8/8/8/8/4K3 b - - {expected}"
    assert played("Kd7", fen=fen).fullmove_number == 2


def test_how_a_board_shows_itself():
    board = played("e4")
    assert str(board) == str(board.position)
    assert "1 moves" in repr(board)
    assert board._repr_svg_().count("#e3c64f") == 2
