"""One move as people and programs write it.

Taken are SAN (``Nbxd2+``, ``exd8=Q#``, ``O-O``), its sloppy forms (``0-0``, ``e8Q``, ``e8=q``, ``ed5``, ``exd``,
``Ng1-f3``, ``exd6e.p.``, figurines, no sign of capture or too many of check) and long algebraic moves as in UCI
(``e2e4``, ``e7e8q``, castling also as the king's capture of his own rook). A pawn that reaches the last rank without
more ado becomes a queen.
"""

import re
from collections.abc import Iterable

from murk._core import Move, Position
from murk.errors import IllegalMoveError, InputError

__all__ = ["parse_move"]

_FIGURINES = str.maketrans("♔♕♖♗♘♙♚♛♜♝♞♟", "KQRBNPKQRBNP", "\ufe0e\ufe0f")
_SUFFIX = re.compile(r"(?:e\.?p\.?)?[+#!?†‡]*$")
_CASTLING = re.compile(r"[O0o]-?[O0o](-?[O0o])?")
_SQUARES = re.compile(
    r"(?P<kind>[KQRBNPkqrn])?(?P<file>[a-h])?(?P<rank>[1-8])?[-x:×]?"
    r"(?P<to>[a-h][1-8])(?:[=/]?\(?(?P<promotion>[QRBNqrbn])\)?)?"
)
_FILES = re.compile(r"(?P<file>[a-h])[x:×]?(?P<to>[a-h])")
_LONGEST = 20
_SHOWN_MOVES = 6


def parse_move(position: Position, text: str) -> Move:
    """Return the legal move of ``position`` that ``text`` means.

    Raises:
        IllegalMoveError: it means none, or more than one.
    """
    try:
        return position.parse_san(text)
    except InputError:
        pass
    found = [move for move in position.legal_moves if _means(position, _bare(text), move)]
    if len(found) == 1:
        return found[0]
    shown = repr(text if len(text) <= 40 else text[:37] + "...")
    if found:
        raise IllegalMoveError(f"the move {shown} is ambiguous, expected one of {_some(position, found)}")
    if position.winner is not None:
        raise IllegalMoveError(f"the move {shown} comes after the end of the game")
    raise IllegalMoveError(f"the move {shown} is not legal, expected one of {_some(position, position.legal_moves)}")


def _bare(text: str) -> str:
    """Return ``text`` without figurines and signs of check, nothing if it is too long to be a move."""
    return _SUFFIX.sub("", text.strip().translate(_FIGURINES)) if len(text) <= _LONGEST else ""


def _means(position: Position, text: str, move: Move) -> bool:
    if castling := _CASTLING.fullmatch(text):
        return position.san(move) == ("O-O-O" if castling[1] else "O-O")
    uci = str(move)
    if files := _FILES.fullmatch(text):
        pawn = _kind(position, move) == "P" and files["file"] != files["to"]
        return pawn and (uci[0], uci[2]) == (files["file"], files["to"]) and uci[4:] in ("", "q")
    parts = _SQUARES.fullmatch(text)
    if parts is None:
        return False
    whole_origin = parts["file"] is not None and parts["rank"] is not None
    kind = (parts["kind"] or ("" if whole_origin else "P")).upper()
    if _is_castling(position, move):
        # UCI's king to g1, or Chess960's king takes rook; never the king's "Kg1", which names a single step.
        rook = uci[:2] + ("h" if uci[2] == "g" else "a") + uci[3]
        return whole_origin and text.lstrip("K").replace("-", "") in (uci, rook)
    return (
        kind in ("", _kind(position, move))
        and parts["file"] in (None, uci[0])
        and parts["rank"] in (None, uci[1])
        and parts["to"] == uci[2:4]
        and (parts["promotion"] or "q").lower() == (uci[4:] or (parts["promotion"] and "-") or "q")
    )


def _kind(position: Position, move: Move) -> str:
    piece = position.piece_at(move.from_square)
    assert piece is not None, "a legal move begins on a piece"
    return piece.upper()


def _is_castling(position: Position, move: Move) -> bool:
    return _kind(position, move) == "K" and abs(move.from_square - move.to_square) == 2


def _some(position: Position, moves: Iterable[Move]) -> str:
    names = [position.san(move) for move in moves]
    return ", ".join(names[:_SHOWN_MOVES]) + (", ..." if len(names) > _SHOWN_MOVES else "")
