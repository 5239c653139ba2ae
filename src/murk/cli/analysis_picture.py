"""A decision as a picture in pixels, by matplotlib."""

import os
from typing import Any

from murk.darkchess import Colour
from murk.darkchess.analysis import Analysis
from murk.darkchess.picture import FOG
from murk.plots import new_figure, save_figure

__all__ = ["draw_analysis"]

_LIGHT, _DARK, _FOG_COLOUR, _ARROW = "#f0e6d2", "#b58e6b", "#6f7680", "#1d6fb8"
_SHAPES = dict(zip("pnbrqk", "♟♞♝♜♛♚", strict=True))


def draw_analysis(analysis: Analysis, path: str | os.PathLike[str]) -> None:
    """Draw what the agent saw, where it expects the opponent, and its moves."""
    figure = new_figure((7.5, 7))
    axes = figure.subplots()
    for square in range(64):
        _draw_square(axes, analysis, square)
    for arrow in reversed(analysis.arrows):
        _draw_arrow(axes, arrow.from_square, arrow.to_square, arrow.weight, arrow.label)
    axes.set(xlim=(-0.5, 7.5), ylim=(-0.5, 7.5), aspect="equal")
    axes.set_xticks(range(8), "abcdefgh")
    axes.set_yticks(range(8), "12345678")
    if analysis.view.colour == Colour.BLACK:
        axes.invert_xaxis()
        axes.invert_yaxis()
    decision = analysis.decision
    value = "" if decision.value is None else f", value {decision.value:+.3f}"
    size = "" if decision.belief_size is None else f", {decision.belief_size:,} positions"
    axes.set_title(f"{analysis.board.san(decision.move)}{value}{size}")
    save_figure(figure, path)


def _draw_square(axes: Any, analysis: Analysis, square: int) -> None:
    from matplotlib.patches import Rectangle
    from matplotlib.patheffects import withStroke

    file, rank = square % 8, square // 8
    corner = (file - 0.5, rank - 0.5)
    piece = analysis.view.piece_at(square)
    axes.add_patch(Rectangle(corner, 1, 1, color=_LIGHT if (file + rank) % 2 else _DARK, linewidth=0))
    if piece == FOG:
        axes.add_patch(Rectangle(corner, 1, 1, color=_FOG_COLOUR, alpha=0.8, linewidth=0))
        axes.add_patch(Rectangle(corner, 1, 1, color="#c2185b", alpha=0.75 * float(analysis.heat[square]), linewidth=0))
    elif piece is not None:
        white = piece.isupper()
        axes.text(
            file,
            rank - 0.04,
            _SHAPES[piece.lower()],
            fontsize=30,
            ha="center",
            va="center",
            color="white" if white else "black",
            fontfamily="DejaVu Sans",
            path_effects=[withStroke(linewidth=1.5, foreground="black" if white else "white")],
        )


def _draw_arrow(axes: Any, origin: int, target: int, weight: float, label: str) -> None:
    start, end = (origin % 8, origin // 8), (target % 8, target // 8)
    style = {"arrowstyle": "-|>", "color": _ARROW, "lw": 1.5 + 4 * weight, "mutation_scale": 18, "alpha": 0.85}
    axes.annotate("", xy=end, xytext=start, arrowprops=style)
    if label:
        axes.text(end[0], end[1] - 0.38, label, ha="center", va="center", fontsize=9, color="#0d3b66", weight="bold")
