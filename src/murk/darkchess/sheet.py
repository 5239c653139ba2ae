"""What a player knows of her game: a function of her observations and her own moves alone.

A :class:`Sheet` never sees a board. Whatever is told to a player before the end of the game about the game itself, in
the browser and in the terminal, is made here, so that nothing else can slip through: what she sees, her moves, what
was taken on either side, and of the opponent's moves what her two observations around it show, ``?`` otherwise.
"""

from typing import Any

from murk._core import Colour, Move, Observation, square_name
from murk.darkchess.picture import FOG, Placement

__all__ = ["Sheet", "own_san", "squares", "taken_piece", "view_fields"]

UNSEEN = "?"
_CASTLED_ROOKS = {"d1", "f1", "d8", "f8"}


def squares(mask: int) -> list[str]:
    """Return the names of the squares of a mask."""
    return [square_name(square) for square in range(64) if mask >> square & 1]


def view_fields(view: Observation) -> dict[str, Any]:
    """Return an observation as the browser draws it.

    ``fen`` has ``*`` for fog, ``stopped`` are pawns with something in front of them, ``felt`` the unseen squares that
    must hold a piece of the opponent's, ``passing`` where she can capture en passant.
    """
    return {
        "fen": view.fog_fen.split()[0],
        "turn": "w" if view.turn == Colour.WHITE else "b",
        "stopped": squares(view.blocked),
        "felt": squares(view.known_enemy & ~view.visible),
        "passing": None if view.en_passant is None else square_name(view.en_passant),
        "captured": None if view.captured is None else square_name(view.captured),
        "moves": [str(move) for move in view.legal_moves],
    }


class Sheet:
    """One player's record of a game.

    A line of it says who moved (``by``), what is known of the move (``text``), which squares to mark (``squares``) and
    which piece it took, if any (``took``).

    Args:
        view: what she sees at the start.
    """

    def __init__(self, view: Observation) -> None:
        self.colour = view.colour
        self.view = view
        self.views = [view]
        self.lines: list[dict[str, Any]] = []

    def add(self, view: Observation, move: Move | None) -> dict[str, Any]:
        """Take in what is seen after a ply, with the move if it was her own; return the new line of the record."""
        before, self.view = self.view, view
        self.views.append(view)
        line = self._own(before, move) if move is not None else self._opponents(before, view)
        self.lines.append(line)
        return line

    def _own(self, before: Observation, move: Move) -> dict[str, Any]:
        return {
            "by": _letter(self.colour),
            "text": own_san(before, move),
            "squares": [square_name(move.from_square), square_name(move.to_square)],
            "took": taken_piece(before, move),
        }

    def _opponents(self, before: Observation, after: Observation) -> dict[str, Any]:
        text, marked = _seen_move(before, after)
        took = "" if after.captured is None else str(before.piece_at(after.captured))
        return {"by": "b" if self.colour == Colour.WHITE else "w", "text": text, "squares": marked, "took": took}

    def fields(self) -> dict[str, Any]:
        """Return all of it."""
        return {"lines": self.lines, "views": [view_fields(view) for view in self.views]}


def taken_piece(before: Placement, move: Move) -> str:
    """Return the piece that a move takes, as FEN writes it, from what its player sees before it; else ``""``."""
    target = before.piece_at(move.to_square)
    if target not in (None, FOG):
        return str(target)
    piece = before.piece_at(move.from_square)
    passing = piece in ("P", "p") and move.from_square % 8 != move.to_square % 8
    return {"P": "p", "p": "P"}[str(piece)] if passing else ""


def own_san(before: Observation, move: Move) -> str:
    """Return a player's own move in standard algebraic notation, from what she sees before it."""
    piece = str(before.piece_at(move.from_square)).upper()
    files = move.to_square % 8 - move.from_square % 8
    if piece == "K" and abs(files) == 2:
        return "O-O" if files > 0 else "O-O-O"
    takes = "x" if before.piece_at(move.to_square) not in (None, FOG) or (piece == "P" and files) else ""
    target = square_name(move.to_square)
    origin = square_name(move.from_square)
    if piece == "P":
        promotion = f"={str(move)[4].upper()}" if len(str(move)) == 5 else ""
        return f"{origin[0] + takes if takes else ''}{target}{promotion}"
    rivals = [
        square_name(other.from_square)
        for other in before.legal_moves
        if other.to_square == move.to_square
        and other.from_square != move.from_square
        and before.piece_at(other.from_square) == before.piece_at(move.from_square)
    ]
    if not rivals:
        apart = ""
    elif all(rival[0] != origin[0] for rival in rivals):
        apart = origin[0]
    else:
        apart = origin[1] if all(rival[1] != origin[1] for rival in rivals) else origin
    return f"{piece}{apart}{takes}{target}"


def _seen_move(before: Observation, after: Observation) -> tuple[str, list[str]]:
    """Return the opponent's move as far as it was seen, and the squares to mark.

    A piece has moved for certain to a square that was seen before and after and holds it only now.
    """
    arrived = [s for s in range(64) if after.seen >> s & 1 and _newly(before, after, s)]
    captured = None if after.captured is None else square_name(after.captured)
    kings = [s for s in arrived if str(after.piece_at(s)).lower() == "k"]
    if len(arrived) == 2 and kings:  # castling is the only move of two pieces
        return ("O-O" if kings[0] % 8 == 6 else "O-O-O"), [square_name(s) for s in arrived]
    if len(arrived) == 1:
        name, piece = square_name(arrived[0]), str(after.piece_at(arrived[0])).upper()
        if piece == "R" and name in _CASTLED_ROOKS and captured is None:
            return UNSEEN, [name]  # perhaps a king castled in the fog
        letter = "" if piece == "P" else piece
        return f"{letter}{'x' if captured else ''}{name}", [name] if captured in (None, name) else [name, captured]
    return (f"{UNSEEN}x{captured}", [captured]) if captured else (UNSEEN, [])


def _newly(before: Observation, after: Observation, square: int) -> bool:
    mine = after.captured == square
    return mine or (bool(before.visible >> square & 1) and before.piece_at(square) != after.piece_at(square))


def _letter(colour: Colour) -> str:
    return "w" if colour == Colour.WHITE else "b"
