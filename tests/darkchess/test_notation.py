"""SAN and UCI: round trips, python-chess's and OpenSpiel's notation, what is refused."""

import random

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rules_oracles import PseudoBoard, random_positions, spiel_state, tried

from murk.darkchess import Move, Position
from murk.errors import IllegalMoveError, InputError

CROWDED = "4k3/1P2P3/8/2N1N3/8/2N1N1r1/Q6Q/Q3K2R w K -"


def crowds(seed: int, number: int) -> list[Position]:
    """Positions with many pieces of a kind, where moves must be told apart."""
    return list(random_positions(seed, number, fen=CROWDED, longest=12))


def test_equals_python_chess():
    for position in [*random_positions(1, 150), *crowds(1, 60)]:
        board = PseudoBoard(f"{position.fen} 0 1")
        assert {str(move) for move in position.legal_moves} == {move.uci() for move in board.legal_moves}
        for move in position.legal_moves:
            assert position.san(move) == board.san(chess.Move.from_uci(str(move))), (position.fen, move)


def test_equals_openspiel():
    for position in random_positions(2, 150):
        state = spiel_state(position)
        theirs = {state.action_to_string(action) for action in state.legal_actions()}
        assert theirs == {position.san(move) for move in position.legal_moves}, position.fen


def test_round_trip():
    for position in [*random_positions(3, 200), *crowds(3, 60)]:
        names = {move: position.san(move) for move in position.legal_moves}
        assert len(set(names.values())) == len(names)
        for move, san in names.items():
            assert position.parse_san(san) == move
            assert position.parse_san(san + "+!?") == move
            assert position.parse_move(san) == position.parse_move(str(move)) == move


@pytest.mark.parametrize(
    ("fen", "move", "san"),
    [
        (CROWDED, "a1b2", "Q1b2"),
        ("4k3/8/8/8/8/8/Q6Q/Q3K3 w - -", "a2e2", "Qae2"),
        ("4k3/8/8/8/8/8/Q6Q/Q3K3 w - -", "a2d2", "Qad2"),
        ("4k3/8/Q7/8/8/8/Q6Q/4K3 w - -", "a2e2", "Qa2e2"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6", "e5d6", "exd6"),
        ("3qk3/4P3/8/8/8/8/8/4K3 w - -", "e7d8n", "exd8=N"),
        ("r3k2r/8/8/8/8/8/8/4K3 b kq -", "e8c8", "O-O-O"),
        ("4k3/4Q3/8/8/8/8/8/4K3 w - -", "e7e8", "Qxe8"),
    ],
)
def test_examples(fen: str, move: str, san: str):
    position = Position(fen)
    assert position.san(Move.from_uci(move)) == san
    assert str(position.parse_san(san)) == move


@pytest.mark.parametrize(
    ("fen", "text", "move"),
    [
        ("r3k2r/8/8/8/8/8/8/4K3 b kq -", "0-0", "e8g8"),
        ("4k3/4P3/8/8/8/8/8/4K3 w - -", "Kd2", "e1d2"),
        ("3qk3/4P3/8/8/8/8/8/4K3 w - -", "exd8Q#", "e7d8q"),
        ("3qk3/4P3/8/8/8/8/8/4K3 w - -", "e7xd8=q", "e7d8q"),
        ("4k3/8/8/8/8/8/8/1N2K3 w - -", "Nb1-c3", "b1c3"),
    ],
)
def test_lenient_reading(fen: str, text: str, move: str):
    assert str(Position(fen).parse_san(text)) == move


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("Nd2", IllegalMoveError, 'illegal move "Nd2"'),
        ("O-O", IllegalMoveError, "illegal move"),
        ("exd3", IllegalMoveError, "illegal move"),
        ("e2e5", IllegalMoveError, "illegal move"),
        ("Zf3", InputError, "bad move"),
        ("", InputError, "bad move"),
        ("e9", InputError, "bad move"),
        ("N", InputError, "bad move"),
        ("x" * 500, InputError, "bad move"),
    ],
)
def test_what_is_no_move_is_one_sentence(text: str, error: type[InputError], message: str):
    with pytest.raises(error, match=message) as caught:
        Position().parse_move(text)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 300


def test_an_ambiguous_move_names_both():
    with pytest.raises(IllegalMoveError, match=r'ambiguous move "Rd1".*: a1d1 or h1d1'):
        Position("4k3/8/8/8/8/8/4K3/R6R w - -").parse_san("Rd1")


def test_a_pawn_takes_only_with_its_file_named():
    with pytest.raises(IllegalMoveError):
        Position("4k3/8/8/3p4/4P3/8/8/4K3 w - -").parse_san("d5")


def test_san_of_an_illegal_move_is_refused():
    with pytest.raises(IllegalMoveError, match="illegal move e2e5"):
        Position().san(Move.from_uci("e2e5"))


@given(st.text(alphabet="NBRQKabcdefgh12345678x-=+#O0q ", max_size=9) | st.text(max_size=12), st.integers(0, 40))
def test_any_text_is_a_legal_move_or_one_sentence(text: str, seed: int):
    position = random.Random(seed).choice(POSITIONS)
    move, message = tried(position.parse_move, text)
    assert message.isprintable() if move is None else move in position.legal_moves


POSITIONS = [*random_positions(5, 20), *crowds(5, 20)]
