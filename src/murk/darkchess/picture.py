"""Pictures of a board: as text, and as SVG for notebooks and files.

Both take anything that can say what stands on a square, so that a view with fog is drawn like a position.
"""

from collections.abc import Collection, Mapping
from typing import Protocol

__all__ = ["FOG", "Placement", "svg_board", "text_board"]

FOG = "?"
"""What ``piece_at`` says of a square that is not seen."""

_LIGHT, _DARK, _MARK, _FOG_COLOUR = "#f0e6d2", "#b58e6b", "#e3c64f", "#6f7680"
_SIZE, _MARGIN = 45, 18
_SHAPES = dict(zip("pnbrqk", "♟♞♝♜♛♚", strict=True))  # the filled forms; the colour tells the side
_INK = {"white": ("#ffffff", "#1a1a1a"), "black": ("#1a1a1a", "#f5f5f5")}


class Placement(Protocol):
    """What can be drawn: a position, or a view of one."""

    def piece_at(self, square: int) -> str | None:
        """Return the piece on a square as FEN writes it, ``None`` if it is empty, :data:`FOG` if it is not seen."""


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
) -> str:
    """Return the board as an SVG image.

    Args:
        placement: what to draw.
        flipped: draw it from Black's side.
        highlight: squares to mark, such as those of the last move.
        shade: how strongly to tint a square, from 0 to 1: a heat map.
    """
    side = 8 * _SIZE + 2 * _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}" width="{side}" height="{side}" '
        'font-family="DejaVu Sans, Segoe UI Symbol, Noto Sans Symbols2, sans-serif" text-anchor="middle">',
        f'<rect width="{side}" height="{side}" fill="#ffffff"/>',
    ]
    for square in range(64):
        parts += _square(
            placement.piece_at(square), square, flipped, square in highlight, (shade or {}).get(square, 0.0)
        )
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
        ink, edge = _INK["white" if piece.isupper() else "black"]
        parts.append(
            f'<text x="{x + _SIZE / 2}" y="{y + 0.8 * _SIZE}" font-size="{0.82 * _SIZE:.1f}" fill="{ink}" '
            f'stroke="{edge}" stroke-width="0.8">{_SHAPES[piece.lower()]}</text>'
        )
    return parts
