"""What a player is told is a function of what she sees, and is true."""

import random

import pytest

from murk.darkchess import BLACK, WHITE, Board, Colour, Move
from murk.darkchess.sheet import Sheet, own_san, view_fields

GAMES = 60
PLIES = 80


def random_game(seed: int) -> Board:
    source, board = random.Random(seed), Board()
    while board.outcome() is None and len(board.moves) < PLIES:
        board.push(source.choice(board.legal_moves))
    return board


def sheets_along(moves: list[Move]) -> tuple[Board, dict[Colour, Sheet]]:
    board = Board()
    sheets = {colour: Sheet(board.observation(colour)) for colour in (WHITE, BLACK)}
    for move in moves:
        mover = board.turn
        board.push(move)
        for colour, sheet in sheets.items():
            sheet.add(board.observation(colour), move if colour == mover else None)
    return board, sheets


@pytest.mark.parametrize("seed", range(8))
def test_own_moves_are_written_as_the_board_writes_them(seed: int):
    board = Board()
    for move in random_game(seed).moves:
        assert own_san(board.observation(board.turn), move) == board.san(move)
        board.push(move)


def test_what_is_said_of_the_opponents_moves_is_true():
    named = 0
    for seed in range(GAMES):
        moves = random_game(seed).moves
        _, sheets = sheets_along(moves)
        board = Board()
        for ply, move in enumerate(moves):
            mover, san = board.turn, board.san(move)
            line = sheets[BLACK if mover == WHITE else WHITE].lines[ply]
            board.push(move)
            text = line["text"]
            if text.startswith("O-O"):
                assert text == san
            elif not text.startswith("?"):
                named += 1
                assert text[-2:] == str(move)[2:4]
                assert ("x" in text) == ("x" in san)
                piece = board.position.piece_at(move.to_square)
                assert text[0] == piece.upper() or piece in "pP"
            elif text != "?":
                captured = board.observation(BLACK if mover == WHITE else WHITE).captured
                assert captured is not None
                assert "x" in san
    assert named > 100


def test_what_was_taken_and_lost_is_counted():
    for seed in range(GAMES):
        board, sheets = sheets_along(random_game(seed).moves)
        left = [piece for square in range(64) if (piece := board.position.piece_at(square)) is not None]
        white = [piece for piece in left if piece.isupper()]
        for sheet in sheets.values():
            taken = {by: [line["took"] for line in sheet.lines if line["by"] == by and line["took"]] for by in "wb"}
            assert len(taken["b"]) == 16 - len(white)
            assert len(taken["w"]) == 16 - (len(left) - len(white))
            assert all(piece.islower() for piece in taken["w"])
            assert all(piece.isupper() for piece in taken["b"])
        assert [line["took"] for line in sheets[WHITE].lines] == [line["took"] for line in sheets[BLACK].lines]


def test_a_view_says_no_more_than_the_observation():
    """Positions that a player cannot tell apart give equal fields."""
    fields: dict[object, object] = {}
    for seed in range(GAMES):
        board = Board()
        for move in random_game(seed).moves[:12]:
            board.push(move)
            for colour in (WHITE, BLACK):
                view = board.observation(colour)
                assert fields.setdefault(view, view_fields(view)) == view_fields(view)


def test_blocked_pawns_and_en_passant_are_told():
    board = Board("4k3/3p4/8/4P3/8/4p3/4P3/4K3 b - - 0 1")
    board.push("d7d5")
    assert view_fields(board.observation(WHITE))["passing"] == "d6"
    assert view_fields(board.observation(WHITE))["stopped"] == ["e2"]
    board = Board("4k3/8/4n3/4P3/8/8/8/4K3 w - - 0 1")
    told = view_fields(board.observation(WHITE))
    assert told["stopped"] == ["e5"]
    assert told["felt"] == ["e6"]
    assert "n" not in told["fen"]
