"""What both players can believe along a game, ply by ply.

The moves are known, the players are not asked: each belief is shown only what its player would have seen.
"""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from murk._core import Colour, Move
from murk.darkchess.belief import Belief
from murk.darkchess.board import START_FEN, Board

__all__ = ["BeliefStep", "beliefs_along"]

_EMPTY, _FIRST_BLACK = 0, 7


@dataclass(frozen=True)
class BeliefStep:
    """Both beliefs after so many plies; of each pair the first is White's.

    Attributes:
        ply: how many moves were made.
        move: the last of them in SAN, None at the start.
        sizes: how many positions each player holds possible.
        exact: whether that is all of them, or a sample because of the memory budget.
        heat: for each player the probability that a piece of the opponent's stands on a square, from a1 to h8.
        pieces: what each player sees of her own: the letters of her pieces, empty elsewhere.
        seconds: how long the beliefs took for this ply.
    """

    ply: int
    move: str | None
    sizes: tuple[int, int]
    exact: tuple[bool, bool]
    heat: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]
    pieces: tuple[tuple[str, ...], tuple[str, ...]]
    seconds: float


def beliefs_along(moves: Iterable[Move], *, fen: str = START_FEN, **options: Any) -> Iterator[BeliefStep]:
    """Yield both players' beliefs at the start of a game and after each of its moves.

    Args:
        moves: the game.
        fen: where it begins; both players know it.
        options: for both beliefs, such as ``memory`` and ``threads``.

    Raises:
        IllegalMoveError: a move is not legal.
    """
    board = Board(fen)
    started = time.perf_counter()
    beliefs = (Belief(Colour.WHITE, fen, **options), Belief(Colour.BLACK, fen, **options))
    yield _step(board, None, beliefs, time.perf_counter() - started)
    for move in moves:
        name, mover = board.san(move), board.turn
        board.push(move)
        started = time.perf_counter()
        for colour, belief in zip((Colour.WHITE, Colour.BLACK), beliefs, strict=True):
            belief.observe(board.observation(colour), move=move if colour == mover else None)
        yield _step(board, name, beliefs, time.perf_counter() - started)


def _step(board: Board, move: str | None, beliefs: tuple[Belief, Belief], seconds: float) -> BeliefStep:
    white, black = beliefs
    return BeliefStep(
        ply=len(board.moves),
        move=move,
        sizes=(len(white), len(black)),
        exact=(white.exact, black.exact),
        heat=(_heat(white, Colour.WHITE), _heat(black, Colour.BLACK)),
        pieces=(_own(board, Colour.WHITE), _own(board, Colour.BLACK)),
        seconds=seconds,
    )


def _heat(belief: Belief, colour: Colour) -> npt.NDArray[np.float64]:
    probabilities = belief.probabilities()
    enemy = slice(_FIRST_BLACK, None) if colour == Colour.WHITE else slice(_EMPTY + 1, _FIRST_BLACK)
    return np.asarray(probabilities[:, enemy].sum(axis=1), dtype=np.float64)


def _own(board: Board, colour: Colour) -> tuple[str, ...]:
    letters = (board.position.piece_at(square) or "" for square in range(64))
    return tuple(letter if letter.isupper() == (colour == Colour.WHITE) else "" for letter in letters)
