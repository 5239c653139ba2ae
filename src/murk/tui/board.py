"""Boards in the terminal: what a side sees with the fog shaded, and how likely somebody is where."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from rich.text import Text

from murk._core import Colour
from murk.darkchess.picture import FOG, Placement

__all__ = ["board_text", "heat_text"]

_SHAPES = dict(zip("pnbrqk", "♟♞♝♜♛♚", strict=True))
_LIGHT, _DARK, _FOG_LIGHT, _FOG_DARK, _MARK = "#b59c76", "#8c6a4c", "#5b626c", "#4c525b", "#b89a2c"
_WHITE, _BLACK = "#ffffff", "#101010"


def board_text(view: Placement, *, flipped: bool = False, marked: tuple[int, ...] = (), colour: bool = True) -> Text:
    """Return a board, one rank a line; without colour it is letters, ``.`` and ``?``.

    Args:
        view: what to show; a position, or an observation with fog.
        flipped: from Black's side.
        marked: squares to mark.
        colour: whether the terminal has colours.
    """
    return _grid(
        lambda square: _square(view.piece_at(square), square, square in marked, colour),
        width=3 if colour else 2,
        indent=1 if colour else 0,
        flipped=flipped,
    )


def _grid(drawn: Callable[[int], Text], *, width: int, indent: int, flipped: bool) -> Text:
    """Return a board of squares that are ``width`` characters wide, with coordinates, the files' after ``indent``."""
    text = Text()
    files = range(8)[::-1] if flipped else range(8)
    for rank in range(8) if flipped else range(8)[::-1]:
        text.append(f" {rank + 1} ", style="dim")
        for file in files:
            text.append_text(drawn(8 * rank + file))
        text.append("\n")
    names = "".join(" " * indent + "abcdefgh"[file] + " " * (width - indent - 1) for file in files)
    return text.append("   " + names.rstrip(), style="dim")


def _square(piece: str | None, square: int, marked: bool, colour: bool) -> Text:
    if not colour:
        letter = "?" if piece == FOG else piece or "."
        return Text(f"{letter} ")
    light = (square // 8 + square) % 2 == 1
    if piece == FOG:
        return Text("   ", style=f"on {_FOG_LIGHT if light else _FOG_DARK}")
    ground = _MARK if marked else _LIGHT if light else _DARK
    if piece is None:
        return Text("   ", style=f"on {ground}")
    ink = _WHITE if piece.isupper() else _BLACK
    return Text(f" {_SHAPES[piece.lower()]} ", style=f"bold {ink} on {ground}")


def heat_text(probabilities: npt.NDArray[np.float64], view: Placement, colour: Colour) -> Text:
    """Return how likely, in per cent, a piece of the opponent's stands on each square that a player does not see.

    Args:
        probabilities: as :meth:`murk.darkchess.Belief.probabilities` has them.
        view: what the player sees.
        colour: the player.
    """
    enemy = slice(7, None) if colour == Colour.WHITE else slice(1, 7)
    heat = probabilities[:, enemy].sum(axis=1)
    return _grid(
        lambda square: _heat(view.piece_at(square), float(heat[square])),
        width=4,
        indent=3,
        flipped=colour == Colour.BLACK,
    )


def _heat(piece: str | None, chance: float) -> Text:
    if piece != FOG:
        return Text(f"{piece or '.':>4}")
    shown = "-" if chance == 0 else "<1" if chance < 0.005 else f"{100 * chance:.0f}"
    return Text(f"{shown:>4}", style=f"rgb({80 + round(175 * chance)},{120 - round(90 * chance)},120)")
