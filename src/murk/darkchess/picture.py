"""Pictures of a board: as text, and as SVG for notebooks and files.

Both take anything that can say what stands on a square, so that a view with fog is drawn like a position.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, Protocol

from murk.darkchess.pieces import PIECE_SIDE, piece_svg

__all__ = ["FOG", "Arrow", "Placement", "svg_board", "text_board"]

FOG = "?"
"""What ``piece_at`` says of a square that is not seen."""

_LIGHT, _DARK, _MARK, _FOG_COLOUR = "#f0e6d2", "#b58e6b", "#e3c64f", "#6f7680"
_ARROW = "#1d6fb8"
_SIZE, _MARGIN = 45, 18


class Placement(Protocol):
    """What can be drawn: a position, or a view of one."""

    def piece_at(self, square: int) -> str | None:
        """Return the piece on a square as FEN writes it, ``None`` if it is empty, :data:`FOG` if it is not seen."""


class Arrow(NamedTuple):
    """An arrow from square to square, the thicker the nearer ``weight`` is to 1, with a label at its end."""

    from_square: int
    to_square: int
    weight: float = 1.0
    label: str = ""


def text_board(placement: Placement, *, flipped: bool = False) -> str:
    """Return the board as eight lines with coordinates; ``.`` is an empty square and ``?`` an unseen one.

    Args:
        placement: what to draw.
        flipped: draw it from Black's side.
    """
    files = range(8)[::-1] if flipped else range(8)
    ranks = range(8) if flipped else range(8)[::-1]
    lines = [f"{rank + 1} " + " ".join(placement.piece_at(8 * rank + file) or "." for file in files) for rank in ranks]
    return "\n".join([*lines, "  " + " ".join("abcdefgh"[file] for file in files)])


def svg_board(
    placement: Placement,
    *,
    flipped: bool = False,
    highlight: Collection[int] = (),
    shade: Mapping[int, float] | None = None,
    arrows: Sequence[Arrow] = (),
) -> str:
    """Return the board as an SVG image.

    Args:
        placement: what to draw.
        flipped: draw it from Black's side.
        highlight: squares to mark, such as those of the last move.
        shade: how strongly to tint a square, from 0 to 1: a heat map.
        arrows: moves to draw over the board, the first one on top.
    """
    side = 8 * _SIZE + 2 * _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}" width="{side}" height="{side}" '
        'font-family="sans-serif" text-anchor="middle">',
        f'<rect width="{side}" height="{side}" fill="#ffffff"/>',
    ]
    for square in range(64):
        parts += _square(
            placement.piece_at(square), square, flipped, square in highlight, (shade or {}).get(square, 0.0)
        )
    for arrow in reversed(arrows):
        parts += _arrow(arrow, flipped)
    for i in range(8):
        file, rank = ("abcdefgh"[7 - i], i + 1) if flipped else ("abcdefgh"[i], 8 - i)
        middle = _MARGIN + _SIZE * i + _SIZE // 2
        parts.append(f'<text x="{middle}" y="{side - 5}" font-size="11" fill="#444444">{file}</text>')
        parts.append(f'<text x="{_MARGIN // 2}" y="{middle + 4}" font-size="11" fill="#444444">{rank}</text>')
    return "".join([*parts, "</svg>"])


def _square(piece: str | None, square: int, flipped: bool, marked: bool, shade: float) -> list[str]:
    file, rank = square % 8, square // 8
    x = _MARGIN + _SIZE * (7 - file if flipped else file)
    y = _MARGIN + _SIZE * (rank if flipped else 7 - rank)
    box = f'x="{x}" y="{y}" width="{_SIZE}" height="{_SIZE}"'
    fill = _MARK if marked else _LIGHT if (file + rank) % 2 else _DARK
    parts = [f'<rect {box} fill="{fill}"/>']
    if piece == FOG:
        parts.append(f'<rect {box} fill="{_FOG_COLOUR}" fill-opacity="0.8"/>')
    if shade > 0:
        parts.append(f'<rect {box} fill="#c2185b" fill-opacity="{min(shade, 1.0):.3f}"/>')
    if piece is not None and piece != FOG:
        place = f"translate({x} {y}) scale({_SIZE / PIECE_SIDE})"
        parts.append(f'<g data-piece="{piece}" transform="{place}">{piece_svg(piece)}</g>')
    return parts


def _arrow(arrow: Arrow, flipped: bool) -> list[str]:
    (x0, y0), (x1, y1) = _centre(arrow.from_square, flipped), _centre(arrow.to_square, flipped)
    length = math.hypot(x1 - x0, y1 - y0) or 1.0
    dx, dy = (x1 - x0) / length, (y1 - y0) / length
    width = 2 + 6 * min(max(arrow.weight, 0.0), 1.0)
    head = 6 + width
    bx, by = x1 - head * dx, y1 - head * dy
    corners = " ".join(
        f"{x:.1f},{y:.1f}"
        for x, y in (
            (x1, y1),
            (bx - 0.6 * head * dy, by + 0.6 * head * dx),
            (bx + 0.6 * head * dy, by - 0.6 * head * dx),
        )
    )
    parts = [
        f'<g stroke="{_ARROW}" fill="{_ARROW}" opacity="0.85">'
        f'<line x1="{x0:.1f}" y1="{y0:.1f}" x2="{bx:.1f}" y2="{by:.1f}" stroke-width="{width:.1f}"/>'
        f'<polygon points="{corners}" stroke="none"/></g>'
    ]
    if arrow.label:
        parts.append(
            f'<text x="{x1:.1f}" y="{y1 + 0.45 * _SIZE:.1f}" font-size="11" fill="#0d3b66" stroke="#ffffff" '
            f'stroke-width="2.5" paint-order="stroke">{arrow.label}</text>'
        )
    return parts


def _centre(square: int, flipped: bool) -> tuple[float, float]:
    file, rank = square % 8, square // 8
    column, row = (7 - file, rank) if flipped else (file, 7 - rank)
    return _MARGIN + _SIZE * (column + 0.5), _MARGIN + _SIZE * (row + 0.5)
