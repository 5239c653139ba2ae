"""What a player sees, as arrays: twenty 8x8 planes from her own side of the board.

Row 0 is the player's own first rank and column 0 the file a, for both sides. Everything comes from the observation, so
there is nothing in the planes that she does not know.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from murk._core import Colour, Observation

__all__ = ["PLANES", "observation_planes"]

PLANES = (
    *(f"own {kind}" for kind in ("pawn", "knight", "bishop", "rook", "queen", "king")),
    *(f"enemy {kind}" for kind in ("pawn", "knight", "bishop", "rook", "queen", "king")),
    "visible",
    "own pawn that is blocked",
    "en-passant square",
    "own piece was taken here",
    "own right to castle short",
    "own right to castle long",
    "own move",
    "playing White",
)
"""What each plane says; the last four are all ones or all zeros."""

_KINDS = "pnbrqk"
_VISIBLE, _BLOCKED, _EN_PASSANT, _CAPTURED, _SHORT, _LONG, _TURN, _WHITE = range(12, 20)
_FULL = (1 << 64) - 1


def observation_planes(observation: Observation, dtype: npt.DTypeLike = np.float32) -> npt.NDArray[Any]:
    """Return the planes as an array of shape (20, 8, 8) of zeros and ones."""
    white = observation.colour == Colour.WHITE
    masks = [0] * len(PLANES)
    for square, letter in _pieces(observation.fog_fen):
        own = letter.isupper() == white
        masks[_KINDS.index(letter.lower()) + (0 if own else 6)] |= 1 << square
    masks[_VISIBLE] = observation.visible
    masks[_BLOCKED] = observation.blocked
    masks[_EN_PASSANT] = _bit(observation.en_passant)
    masks[_CAPTURED] = _bit(observation.captured)
    rights = observation.castling.upper()
    masks[_SHORT] = _FULL * ("K" in rights)
    masks[_LONG] = _FULL * ("Q" in rights)
    masks[_TURN] = _FULL * (observation.turn == observation.colour)
    masks[_WHITE] = _FULL * white
    packed = np.array(masks, dtype="<u8").view(np.uint8).reshape(len(PLANES), 8)
    planes = np.unpackbits(packed, axis=1, bitorder="little").reshape(len(PLANES), 8, 8)
    return np.ascontiguousarray(planes if white else planes[:, ::-1]).astype(dtype)


def _bit(square: int | None) -> int:
    return 0 if square is None else 1 << square


def _pieces(fog_fen: str) -> list[tuple[int, str]]:
    """Return the squares and letters of the pieces of a FEN."""
    found, square = [], 56
    for letter in fog_fen.split(maxsplit=1)[0]:
        if letter == "/":
            square -= 16
        elif letter.isdigit():
            square += int(letter)
        else:
            if letter.isalpha():
                found.append((square, letter))
            square += 1
    return found
