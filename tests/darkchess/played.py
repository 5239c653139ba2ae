"""Random games of dark chess, reproducible by seed."""

import random

from murk.darkchess import START_FEN, Board

SHARP = (
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 20",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
)
"""Positions rich in castling, en passant, promotions and ambiguous moves."""

BARE = "8/8/3k4/8/8/8/3K4/8 w - - 90 60"
"""Two kings: most games are drawn, by the clock or by repetition."""

STARTS = (START_FEN, START_FEN, *SHARP, BARE)


def random_board(seed: int, *, plies: int = 120, fen: str = START_FEN) -> Board:
    """Return the board after random moves: up to the end of the game, or so many plies."""
    rng, board = random.Random(seed), Board(fen)
    while board.outcome() is None and len(board.moves) < plies:
        board.push(rng.choice(board.legal_moves))
    return board


def random_boards(count: int, *, plies: int = 120) -> list[Board]:
    """Return boards from all the :data:`STARTS` in turn."""
    return [random_board(seed, plies=plies, fen=STARTS[seed % len(STARTS)]) for seed in range(count)]
