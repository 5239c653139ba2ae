"""Games that begin from a view: a FEN with ``*`` for squares that are not seen.

A view alone says little about what is in the fog, so a player who is given one and nothing else has to assume what the
opponent has, and where. What is assumed:

- **Her pieces.** ``mirror``: as many of each kind as the player's own, which is fair on average in an even game;
  ``full``: the sixteen of the start; or her pieces spelt out, as in ``kqrrbnppppp``. More pieces of a kind in sight
  than that are promoted pawns, one pawn less for each. There is always her king.
- **Where they are.** Each piece that is not in sight stands at home (on a square it has at the start of a game) with
  probability one half, if such a square is in the fog and free, and else on any square that is, each as likely as the
  others. Pawns do not stand on the first and last ranks. Squares that must hold something, because a pawn is blocked
  there, hold something; squares that cannot hold an enemy, because a pawn would see him, hold none.
- **What she may do.** Castle, where king and rook stand at home.

Positions drawn like that are kept if they look exactly like the view, so all of them do. Up to :data:`WANTED` different
ones are drawn. The belief that begins with them is a sample and says so.
"""

import random
from collections import Counter

from murk._core import Colour, Observation, Position
from murk.darkchess.arrange import PAWN_SQUARES, position_like
from murk.darkchess.picture import FOG
from murk.errors import InputError

__all__ = ["WANTED", "first_view", "guess_positions", "is_fog_fen", "opponents_pieces"]

WANTED = 1024
"""Positions to draw."""
_DRAWS_EACH = 8
"""Draws for each position that is wanted, before being content with fewer."""
_AT_HOME = 0.5
_FOG_LETTER = "*"
_START = Counter("pppppppprrnnbbqk")
_BACK_RANK = "rnbqkbnr"
_LETTERS = frozenset("pnbrqk")


def is_fog_fen(fen: str) -> bool:
    """Return whether ``fen`` shows a view with fog rather than a position."""
    return _FOG_LETTER in fen.partition(" ")[0]


def first_view(fen: str, colour: Colour) -> Observation:
    """Return what a player sees at the start of a game from a FEN, with fog or without.

    Raises:
        InputError: the FEN is malformed, or shows a view that no player of this colour can have.
    """
    if not is_fog_fen(fen):
        return Position(fen).observation(colour)
    fields = fen.split()
    if not 4 <= len(fields) <= 6:
        raise InputError(f"the fog FEN {fen!r} has {len(fields)} fields, expected four to six")
    return Observation(f"{' '.join(fields[:4])} {'w' if colour == Colour.WHITE else 'b'} - -")


def guess_positions(
    view: Observation, *, assumed: str = "mirror", wanted: int = WANTED, seed: int = 0
) -> list[Position]:
    """Return different positions that look like a view, as described above, in a fixed order.

    Args:
        view: what the player sees.
        assumed: the opponent's pieces: ``mirror``, ``full``, or their letters.
        wanted: positions at most.
        seed: of the draws.

    Raises:
        InputError: the pieces are none, or no position was found.
    """
    unseen = _unseen(view, assumed)
    draws = _Draws(view, unseen, random.Random(seed))
    found: set[Position] = set()
    for _ in range(wanted * _DRAWS_EACH):
        position = draws.draw()
        if position is not None:
            found.add(position)
        if len(found) >= wanted:
            break
    if not found:
        pieces = "".join(sorted(unseen.elements()))
        raise InputError(f"no position with {pieces!r} in the fog was found that looks like {view.fog_fen!r}")
    return sorted(found, key=lambda position: position.key)


def _unseen(view: Observation, assumed: str) -> Counter[str]:
    """Return the opponent's pieces that are not in sight, in lower case."""
    letters = [p for s in range(64) if (p := view.piece_at(s)) is not None and p != FOG]
    own = Counter(p.lower() for p in letters if p.isupper() == (view.colour == Colour.WHITE))
    seen = Counter(p.lower() for p in letters if p.isupper() != (view.colour == Colour.WHITE))
    left = opponents_pieces(assumed, own)
    for kind, count in seen.items():
        promoted = max(0, count - left[kind])
        left[kind] -= count - promoted
        if kind != "p":
            left["p"] -= promoted
    left["k"] = 1 - seen["k"]
    return +left


def opponents_pieces(text: str, own: Counter[str] = _START) -> Counter[str]:
    """Return the pieces that the opponent is assumed to have, in lower case, given the player's own.

    Raises:
        InputError: the text is neither ``mirror`` nor ``full`` nor the letters of pieces.
    """
    if text == "mirror":
        return Counter(own)
    if text == "full":
        return Counter(_START)
    pieces = Counter(text.lower())
    if not pieces or not _LETTERS.issuperset(pieces) or pieces.total() > 16 or pieces["k"] > 1 or pieces["p"] > 8:
        raise InputError(
            f"the opponent's pieces are {text!r}, expected mirror, full, or up to 16 letters of kqrbnp, one of them k"
        )
    return pieces


class _Draws:
    """Draws positions that look like a view, or nearly."""

    def __init__(self, view: Observation, unseen: Counter[str], source: random.Random) -> None:
        self._view, self._source = view, source
        contents = {square: view.piece_at(square) for square in range(64)}
        self._seen = {square: piece for square, piece in contents.items() if piece is not None and piece != FOG}
        free = [s for s, piece in contents.items() if piece == FOG and not view.known_empty >> s & 1]
        self._must = [s for s in free if view.known_enemy >> s & 1]
        self._may = [s for s in free if not view.known_enemy >> s & 1]
        self._pieces = sorted(unseen.elements())
        self._white = view.colour == Colour.BLACK
        self._homes = _homes(self._white)

    def draw(self) -> Position | None:
        """Return a position, ``None`` if what was drawn is none or does not look like the view."""
        source, board = self._source, dict(self._seen)
        pieces, free = self._pieces.copy(), set(self._may)
        source.shuffle(pieces)
        for square in self._must:
            at = next((i for i, piece in enumerate(pieces) if piece != "p" or square in PAWN_SQUARES), None)
            if at is None:
                return None
            self._put(board, square, pieces.pop(at))
        for piece in pieces:
            place = self._place(piece, free)
            if place is None:
                return None
            free.discard(place)
            self._put(board, place, piece)
        return position_like(self._view, board, "KQ" if self._white else "kq")

    def _put(self, board: dict[int, str], square: int, piece: str) -> None:
        board[square] = piece.upper() if self._white else piece

    def _place(self, piece: str, free: set[int]) -> int | None:
        """Choose a square for a piece: at home half of the time, if that can be."""
        if self._source.random() < _AT_HOME:
            at_home = [square for square in self._homes[piece] if square in free]
            if at_home:
                return self._source.choice(at_home)
        fitting = [s for s in self._may if s in free and (piece != "p" or s in PAWN_SQUARES)]
        return self._source.choice(fitting) if fitting else None


def _homes(white: bool) -> dict[str, list[int]]:
    back = 0 if white else 56
    homes = {kind: [back + file for file, letter in enumerate(_BACK_RANK) if letter == kind] for kind in "rnbqk"}
    homes["p"] = list(range(8, 16) if white else range(48, 56))
    return homes
