"""Other programs' rules, and random games to compare them on."""

import random
from collections.abc import Callable, Iterator
from functools import cache
from typing import TypeVar

import chess
import pyffish
import pyspiel

from murk.darkchess import Move, Position
from murk.errors import InputError

T = TypeVar("T")

FOG_OF_WAR = """
[fogofwar:chess]
king = -
commoner = k
castlingKingPiece = k
extinctionValue = loss
extinctionPieceTypes = k
"""

STUCK = "4k3/8/8/8/p1p5/P1Pp4/PB1P4/KNB5 w - -"
"""White has no move at all."""


@cache
def _fairy() -> str:
    if "fogofwar" not in pyffish.variants():
        pyffish.load_variant_config(FOG_OF_WAR)  # before the name is used, or it crashes
    return "fogofwar"


def fairy_moves(position: Position) -> set[str]:
    """Return pyffish's legal moves; each call takes it some milliseconds."""
    return set(pyffish.legal_moves(_fairy(), f"{position.fen} 0 1", []))


def fairy_fen(position: Position, move: Move) -> str:
    """Return the first three fields of pyffish's FEN after a move: it tells of more en-passant squares than we."""
    return " ".join(pyffish.get_fen(_fairy(), f"{position.fen} 0 1", [str(move)]).split()[:3])


class PseudoBoard(chess.Board):
    """python-chess without check: every pseudo-legal move is legal, castling asks nobody."""

    def is_legal(self, move: chess.Move) -> bool:
        return self.is_pseudo_legal(move)

    def generate_legal_moves(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        return self.generate_pseudo_legal_moves(from_mask, to_mask)

    def _attacked_for_king(self, path: chess.Bitboard, occupied: chess.Bitboard) -> bool:
        return False

    def is_check(self) -> bool:
        return False

    def is_checkmate(self) -> bool:
        return False


def spiel_state(position: Position) -> "pyspiel.State":
    return pyspiel.load_game(f"dark_chess(fen={position.fen} 0 1)").new_initial_state()


def spiel_perft(state: "pyspiel.State", depth: int) -> int:
    if state.is_terminal():
        return 0
    actions = state.legal_actions()
    return len(actions) if depth == 1 else sum(spiel_perft(state.child(a), depth - 1) for a in actions)


def random_positions(seed: int, number: int, *, fen: str | None = None, longest: int = 120) -> Iterator[Position]:
    """Yield positions from random games, each of its own, in which the game is not over."""
    rng = random.Random(seed)
    while number > 0:
        position = Position() if fen is None else Position(fen)
        for _ in range(rng.randrange(longest)):
            moves = position.legal_moves
            if not moves:
                break
            position = position.play(rng.choice(moves))
        if position.winner is None:
            number -= 1
            yield position


def random_game(rng: random.Random, longest: int = 300, fen: str | None = None) -> Iterator[tuple[Position, Move]]:
    """Yield each position of a random game and the move that is played there."""
    position = Position() if fen is None else Position(fen)
    for _ in range(longest):
        moves = position.legal_moves
        if not moves:
            return
        move = rng.choice(moves)
        yield position, move
        position = position.play(move)


def tried(read: Callable[[str], T], text: str) -> tuple[T | None, str]:
    """Return what was read, or else the message of the error; anything but murk's own error is raised."""
    try:
        return read(text), ""
    except InputError as error:
        return None, str(error)
