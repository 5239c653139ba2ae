"""The variant of python-chess, and PGN across the two libraries."""

import io
import random

import chess
import chess.pgn
import chess.variant
import pytest
from played import SHARP, STARTS, random_boards

from murk.darkchess import START_FEN, Board, pgn
from murk.darkchess.adapters.python_chess import DarkChessBoard, register

PERFT = {
    START_FEN: (20, 400, 8902),
    SHARP[0]: (48, 2049),
    SHARP[1]: (16, 278, 4840),
    SHARP[2]: (44, 1552),
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1": (26, 613),
}


@pytest.fixture(autouse=True, scope="module")
def registered():
    """python-chess knows the variant while these tests run, and not before or after."""
    with pytest.raises(ValueError, match="unsupported variant"):
        chess.variant.find_variant("Fog of War")
    assert register() is DarkChessBoard
    assert register() is DarkChessBoard
    assert chess.variant.VARIANTS.count(DarkChessBoard) == 1
    yield
    chess.variant.VARIANTS.remove(DarkChessBoard)


def perft(board: chess.Board, depth: int) -> int:
    if depth == 1:
        return board.legal_moves.count()
    count = 0
    for move in board.legal_moves:
        board.push(move)
        count += perft(board, depth - 1)
        board.pop()
    return count


@pytest.mark.parametrize("fen", PERFT)
def test_perft(fen: str):
    assert tuple(perft(DarkChessBoard(fen), depth) for depth in range(1, len(PERFT[fen]) + 1)) == PERFT[fen]


@pytest.mark.parametrize("name", ["Fog of War", "fog of war", "Fogofwar", "fogofwar", "Dark Chess"])
def test_it_is_found_by_its_names(name: str):
    assert chess.variant.find_variant(name) is DarkChessBoard


def test_both_boards_agree_on_whole_games():
    endings = set()
    for seed in range(64):
        rng = random.Random(seed)
        fen = STARTS[seed % len(STARTS)]
        ours, theirs = Board(fen), DarkChessBoard(fen)
        while True:
            assert theirs.fen() == ours.fen
            outcome, expected = theirs.outcome(), ours.outcome()
            assert (outcome is None) == (expected is None), ours.fen
            assert {move.uci() for move in theirs.legal_moves} == {str(move) for move in ours.legal_moves}
            if outcome is not None and expected is not None:
                assert outcome.result() == expected.result == theirs.result()
                assert theirs.is_game_over()
                endings.add(expected.reason)
                break
            move = rng.choice(ours.legal_moves)
            name = ours.san(move)
            assert theirs.parse_san(name).uci() == str(move)
            assert theirs.san(theirs.parse_san(name)).rstrip("#") == name
            ours.push(move)
            theirs.push_uci(str(move))
    assert endings >= {"king captured", "50 moves"}


def test_a_captured_king_ends_the_game():
    board = DarkChessBoard("4k3/8/8/8/8/8/8/4R1K1 w - - 0 1")
    assert not board.is_check()
    assert board.san(chess.Move.from_uci("e1e8")) == "Rxe8#"
    board.push_san("Rxe8")
    assert board.outcome() == chess.Outcome(chess.Termination.VARIANT_LOSS, chess.WHITE)
    assert list(board.legal_moves) == []
    assert board.is_valid()
    won = DarkChessBoard("8/8/8/8/8/8/8/4R1K1 w - - 0 1")
    assert won.outcome() == chess.Outcome(chess.Termination.VARIANT_WIN, chess.WHITE)


def test_no_move_at_all_loses():
    fen = "KBN1k3/PPPpP3/1P1P4/8/8/8/8/8 w - - 0 1"
    board = DarkChessBoard(fen)
    assert list(board.legal_moves) == []
    assert board.outcome() == chess.Outcome(chess.Termination.VARIANT_LOSS, chess.BLACK)
    expected = Board(fen).outcome()
    assert expected is not None
    assert (expected.result, expected.reason) == (board.result(), "no moves")


def test_the_third_occurrence_draws():
    board = DarkChessBoard()
    for move in ["Nf3", "Nf6", "Ng1", "Ng8"] * 2:
        assert board.outcome() is None
        board.push_san(move)
    assert board.outcome() == chess.Outcome(chess.Termination.THREEFOLD_REPETITION, None)


def test_fifty_moves_draw_and_bare_kings_do_not():
    board = DarkChessBoard("4k3/8/8/8/8/8/8/4R1K1 w - - 99 80")
    assert board.outcome() is None
    board.push_san("Ra1")
    assert board.outcome() == chess.Outcome(chess.Termination.FIFTY_MOVES, None)
    assert not DarkChessBoard("4k3/8/8/8/8/8/8/6K1 w - - 0 1").is_game_over()


def test_what_we_write_python_chess_reads():
    for board in random_boards(28):
        text = pgn.format_game(pgn.GameRecord.from_board(board))
        game = chess.pgn.read_game(io.StringIO(text))
        assert game is not None
        assert game.errors == []
        assert isinstance(game.board(), DarkChessBoard)
        assert [move.uci() for move in game.mainline_moves()] == [str(move) for move in board.moves]
        end = game.end().board()
        assert end.fen() == board.fen
        outcome = board.outcome()
        assert game.headers["Result"] == (outcome.result if outcome else "*")


def test_what_python_chess_writes_we_read():
    for seed, board in enumerate(random_boards(28)):
        theirs = DarkChessBoard(Board(STARTS[seed % len(STARTS)]).fen)
        for move in board.moves:
            theirs.push_uci(str(move))
        game = chess.pgn.Game.from_board(theirs)
        node: chess.pgn.GameNode = game
        for i, child in enumerate(list(game.mainline())):
            if i % 3 == 0:
                child.comment = f"note {i}"
                child.set_clock(600 - i)
                child.nags.add(1 + i % 6)
            other = next((m for m in node.board().legal_moves if m != child.move), None)
            if i % 10 == 0 and other is not None:
                node.add_variation(other, comment="(a { variation")
            node = child
        ours = pgn.parse_game(str(game))
        assert ours.moves == tuple(board.moves)
        assert ours.result == theirs.result()
        assert ours.board().fen == board.fen
        for i in range(0, len(board.moves), 3):
            assert (ours.plies[i].clock, ours.plies[i].comment) == (600 - i, f"note {i}")
            assert ours.plies[i].nags == (1 + i % 6,)
