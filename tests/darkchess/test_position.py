"""Positions and moves as values: FEN, keys, what is refused and how."""

import copy
import pickle
import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rules_oracles import STUCK, random_game, random_positions, tried

from murk.darkchess import BLACK, START_FEN, WHITE, Board, Colour, Move, Position, parse_square, square_name
from murk.errors import IllegalMoveError, InputError

START = " ".join(START_FEN.split()[:4])
CAPTURED = "4k3/8/8/8/8/8/8/8 w - -"


def test_the_start():
    position = Position()
    assert position == Position(START) == Position(START_FEN)
    assert position.fen == START
    assert position.turn is WHITE
    assert position.castling == "KQkq"
    assert position.en_passant is None
    assert position.winner is None
    assert not position.king_captured
    assert position.num_moves == len(position.legal_moves) == 20
    assert position.piece_at(parse_square("g8")) == "n"
    assert position.piece_at(parse_square("e4")) is None
    assert position.occupied == 0xFFFF_0000_0000_FFFF
    assert position.pieces(BLACK) == 0xFFFF << 48
    assert position.pieces(WHITE, "r") == 0x81


def test_values_can_be_evaluated_copied_pickled_and_hashed():
    for value in (
        Position(),
        Position(STUCK),
        Position(CAPTURED, allow_missing_king=True),
        Move.from_uci("b7a8n"),
        Move(0),
    ):
        assert eval(repr(value)) == value
        assert pickle.loads(pickle.dumps(value)) == value
        assert copy.copy(value) == value
        assert len({value, copy.deepcopy(value)}) == 1
        assert value != str(value)


def test_moves():
    move = Move.from_uci("e7e8q")
    assert (square_name(move.from_square), square_name(move.to_square), move.promotion) == ("e7", "e8", "q")
    assert Move.from_squares(52, 60, "q") == move == Move(move.bits)
    assert Move.from_uci("a2a3").promotion is None
    moves = ["b1a3", "b1c3", "a7a8n", "a7a8r", "h8h7"]
    assert [str(m) for m in sorted(map(Move.from_uci, reversed(moves)))] == moves
    assert Move.from_uci("a7a8r") > Move.from_uci("a7a8n")


def test_squares():
    assert [parse_square(square_name(square)) for square in range(64)] == list(range(64))
    for wrong in ("", "e9", "i1", "e", "e44"):
        with pytest.raises(InputError, match="bad square"):
            parse_square(wrong)
    for number in (-1, 64):
        with pytest.raises(InputError, match="squares run from 0"):
            square_name(number)


def test_fen_round_trip_and_mirror():
    for position in random_positions(1, 300):
        assert Position(position.fen) == position
        assert position.mirror().mirror() == position
        assert position.mirror() != position
        assert Position(position.mirror().fen).turn == 1 - position.turn
        flipped = {(m.from_square ^ 56, m.to_square ^ 56, m.promotion) for m in position.mirror().legal_moves}
        assert flipped == {(m.from_square, m.to_square, m.promotion) for m in position.legal_moves}


def test_an_en_passant_square_is_kept_only_if_it_can_be_used():
    assert Position("4k3/8/8/8/4P3/8/8/4K3 b - e3").fen == "4k3/8/8/8/4P3/8/8/4K3 b - -"
    assert Position("4k3/8/8/8/3pP3/8/8/4K3 b - e3").en_passant == parse_square("e3")
    opening = Board()
    opening.push("e4")
    assert opening.position.en_passant is None


def test_keys_are_equal_exactly_for_equal_positions():
    rng = random.Random(7)
    fen_of: dict[int, str] = {}
    seen = 0
    for game in range(400):
        start = (None, "4k3/8/8/8/8/8/8/R3K2R w KQ -", "4k3/pp6/8/2P5/8/8/1P6/4K3 w - -")[game % 3]
        for position, _ in random_game(rng, longest=120, fen=start):
            seen += 1
            assert fen_of.setdefault(position.key, position.fen) == position.fen
            assert Position(position.fen).key == position.key
    assert len(set(fen_of.values())) == len(fen_of) < seen


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("4k3/8/8/8/8/8/8/4K2R w K -", "4k3/8/8/8/8/8/8/4K2R w - -"),
        ("4k3/8/8/8/8/8/8/4K2R w K -", "4k3/8/8/8/8/8/8/4K2R b K -"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6", "4k3/8/8/3pP3/8/8/8/4K3 w - -"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - -", "4k3/8/8/3Pp3/8/8/8/4K3 w - -"),
    ],
)
def test_what_the_key_covers(a: str, b: str):
    assert Position(a) != Position(b)
    assert Position(a).key != Position(b).key
    assert hash(Position(a)) == hash(Position(a + " 17 40"))


def test_winners():
    assert Position(CAPTURED, allow_missing_king=True).winner is BLACK
    assert Position(CAPTURED, allow_missing_king=True).legal_moves == []
    stuck = Position(STUCK)
    assert stuck.legal_moves == []
    assert stuck.winner is BLACK
    assert stuck.mirror().winner is WHITE
    assert Position("7k/8/6Q1/8/8/8/8/K7 b - -").winner is None  # what chess calls stalemate: the king may move


def test_castling_does_not_care_for_attacks():
    attacked = Position("r3k2r/8/8/8/4R3/8/8/R3K2R b KQkq -")
    assert {"e8g8", "e8c8"} <= {str(m) for m in attacked.legal_moves}
    through = Position("4k3/8/8/8/8/3n1q2/8/R3K2R w KQ -")
    assert {"e1g1", "e1c1"} <= {str(m) for m in through.legal_moves}
    assert through.play(Move.from_uci("e1c1")).fen == "4k3/8/8/8/8/3n1q2/8/2KR3R b - -"


def test_a_captured_rook_takes_its_castling_right_along():
    position = Position("r3k2r/8/8/8/8/8/8/R3K2R w KQkq -").play(Move.from_uci("h1h8"))
    assert position.castling == "Qq"


@pytest.mark.parametrize("move", ["e2e5", "e7e5", "e1g1", "a1a1", "e2e4q"])
def test_an_illegal_move_is_refused(move: str):
    with pytest.raises(IllegalMoveError, match="illegal move") if move != "a1a1" else pytest.raises(InputError):
        Position().play(Move.from_uci(move))
    assert not Position().is_legal(Move(0))


@pytest.mark.parametrize(
    ("fen", "problem"),
    [
        ("", "0 fields, not four to six"),
        ("8/8 w", "2 fields"),
        (f"{START} 0 1 extra", "7 fields"),
        ("8/8/8/8/8/8/8 w - -", "7 ranks, not eight"),
        ("rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", '"9" on rank 6'),
        ("rnbqkbnr/pppppppp/7/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", "rank 6 has 7 squares"),
        ("rnbqkbnr/pppppppp/8p/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", "rank 6 has 9 squares"),
        ("rnbqkbnr/pppppppp/44/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", "two numbers"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPXPPP/RNBQKBNR w KQkq -", '"X" on rank 2'),
        ("8/8/8/8/8/8/8/4K3 w - -", "Black has no king"),
        ("4k3/8/8/8/8/8/8/8 w - -", "White has no king"),
        ("4k3/4k3/8/8/8/8/8/4K3 w - -", "Black has 2 kings, not one"),
        ("4k2P/8/8/8/8/8/8/4K3 w - -", "a pawn stands on h8"),
        ("4k3/8/8/8/8/8/8/p3K3 w - -", "a pawn stands on a1"),
        ("4k3/8/8/8/P7/PPPPPPPP/8/4K3 w - -", "White has 9 pawns"),
        ("4k3/8/8/8/8/N7/NNNNNNNN/NNNNKNNN w - -", "White has 17 pieces"),
        ("4k3/8/8/8/8/8/8/4K3 x - -", 'the side to move is "x"'),
        ("4k3/8/8/8/8/8/8/4K3 w K -", "the castling right K needs a king on e1 and a rook on h1"),
        ("r3k3/8/8/8/8/8/8/4K3 w qq -", 'the castling rights are "qq"'),
        ("4k3/8/8/8/8/8/8/4K3 w X -", 'the castling rights are "X"'),
        ("4k3/8/8/8/8/8/8/4K3 w - e9", 'the en-passant square is "e9"'),
        ("4k3/8/8/8/8/8/8/4K3 w - e6", "e6, which no pawn has just passed"),
        ("4k3/8/8/3pP3/8/8/8/4K3 b - d6", "which no pawn"),
        ("4k3/3n4/8/3pP3/8/8/8/4K3 w - d6", "which no pawn"),
        ("4k3/8/8/8/8/8/8/4K3 w - - x", 'the half-move clock is "x"'),
        ("4k3/8/8/8/8/8/8/4K3 w - - -1", "the half-move clock"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 99999999999", "the move number"),
    ],
)
def test_a_bad_fen_is_one_sentence(fen: str, problem: str):
    with pytest.raises(InputError) as caught:
        Position(fen)
    message = str(caught.value)
    assert message.startswith(f'bad FEN "{fen}": ')
    assert problem in message
    assert "\n" not in message


def test_unusual_but_possible():
    assert Position("4k3/8/8/8/8/BBB5/8/4K3 w - -").num_moves > 5  # three bishops
    assert Position("4k3/8/8/8/8/8/8/4K3 w - - 7").fen == "4k3/8/8/8/8/8/8/4K3 w - -"
    assert Position("\t4k3/8/8/8/8/8/8/4K3   w -  -\n").fen == "4k3/8/8/8/8/8/8/4K3 w - -"
    queens = Position("QQQQQQQQ/QQQQQQQ1/8/8/8/8/k7/7K w - -")
    assert len(queens.legal_moves) == queens.num_moves


def test_two_captured_kings_are_too_many():
    with pytest.raises(InputError, match="Black has no king"):
        Position("8/8/8/8/8/8/8/8 w - -", allow_missing_king=True)


FENLIKE = st.text(alphabet="rnbqkpRNBQKP12345678/ wb-KQkqabcdefgh0 \n", max_size=90)


@given(FENLIKE | st.text(max_size=60))
@example("\x00" * 8)
@example("8/8/8/8/8/8/8/8" * 40)
def test_any_text_is_a_position_or_one_sentence(text: str):
    position, message = tried(Position, text)
    if position is None:
        assert message.startswith("bad FEN ")
        assert message.isprintable()
        assert len(message) < 300
    else:
        assert Position(position.fen) == position


@given(st.data())
def test_a_damaged_fen_is_a_position_or_one_sentence(data: st.DataObject):
    fens = [START_FEN, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 3 9", STUCK]
    fen = list(data.draw(st.sampled_from(fens)))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(fen) - 1))
        fen[at : at + data.draw(st.integers(0, 2))] = data.draw(st.text(alphabet="pPkKqQrR18/ -wbe36", max_size=2))
    position, message = tried(Position, "".join(fen))
    if position is None:
        assert message.startswith("bad FEN ")
    else:
        assert Position(position.fen) == position
        assert position.perft(2) == sum(position.play(move).num_moves for move in position.legal_moves)


@given(st.text(max_size=8) | st.from_regex(r"[a-i][0-9][a-h][1-8][nbrqk]?", fullmatch=True))
def test_any_text_is_a_move_or_one_sentence(text: str):
    move, message = tried(Move.from_uci, text)
    assert message.startswith("bad move ") if move is None else str(move) == text


@given(st.integers(0, 2**16 - 1))
def test_any_bits_are_a_move_or_an_error(bits: int):
    from_square, to_square, promotion = bits % 64, bits // 64 % 64, bits >> 12
    if bits != 0 and (from_square == to_square or promotion > 4):
        with pytest.raises(InputError, match="not the bits of a move"):
            Move(bits)
    else:
        move = Move(bits)
        assert (move.bits, move.from_square, move.to_square) == (bits, from_square, to_square)
        assert bits == 0 or Move.from_uci(str(move)) == move


@pytest.mark.parametrize(
    "call", [lambda p: p.piece_at(64), lambda p: p.pieces(WHITE, "x"), lambda p: p.pieces(WHITE, "")]
)
def test_bad_arguments(call):
    with pytest.raises(InputError, match="bad "):
        call(Position())
    with pytest.raises(InputError, match="bad promotion"):
        Move.from_squares(52, 60, "k")


def test_colours_are_numbers():
    assert (int(WHITE), int(BLACK)) == (0, 1)
    assert Colour(1 - WHITE) is BLACK
