"""Positions from pieces on squares: for those who have to imagine what stands in the fog."""

from collections.abc import Collection, Mapping
from itertools import groupby

from murk._core import Observation, Position
from murk.errors import InputError

__all__ = ["PAWN_SQUARES", "position_like"]

PAWN_SQUARES = range(8, 56)
"""Where pawns can stand."""
_HOMES = {
    "K": ((4, "K"), (7, "R")),
    "Q": ((4, "K"), (0, "R")),
    "k": ((60, "k"), (63, "r")),
    "q": ((60, "k"), (56, "r")),
}
"""Where king and rook of a castling right stand."""


def position_like(view: Observation, pieces: Mapping[int, str], rights: Collection[str]) -> Position | None:
    """Return the position with these pieces if it looks exactly like the view, else ``None``.

    Args:
        view: what the player sees; the side to move, her castling rights and the en-passant square are its.
        pieces: what stands on each square that is not empty, as FEN writes it.
        rights: the opponent's castling rights, which count where king and rook are at home.
    """
    fields = view.fog_fen.split()
    own = view.castling.strip("-")
    castling = [r for r in "KQkq" if (r in own or r in rights) and all(pieces.get(s) == p for s, p in _HOMES[r])]
    try:
        made = Position(f"{_placement(pieces)} {fields[1]} {''.join(castling) or '-'} {fields[3]}")
    except InputError:
        return None
    return made if made.observation(view.colour).fog_fen == view.fog_fen else None


def _placement(pieces: Mapping[int, str]) -> str:
    """Return the first field of a FEN."""
    ranks = []
    for rank in reversed(range(8)):
        letters = [pieces.get(8 * rank + file, "") for file in range(8)]
        runs = groupby(letters, key=bool)
        ranks.append("".join("".join(run) if filled else str(len(list(run))) for filled, run in runs))
    return "/".join(ranks)
