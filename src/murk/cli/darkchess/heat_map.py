"""Heat maps of beliefs: where a side thinks the opponent's pieces may stand."""

import os
from typing import Any

from murk.darkchess.along import BeliefStep
from murk.plots import new_figure, save_figure

__all__ = ["draw_beliefs", "text_heat"]

_SIDES = ("White", "Black")
_GAP = 4


def text_heat(step: BeliefStep) -> str:
    """Return both heat maps side by side, White's and Black's, each from its own side of the board."""
    left, right = (_grid(step, side) for side in (0, 1))
    width = max(len(line) for line in left) + _GAP
    return "\n".join(f"{a.ljust(width)}{b}".rstrip() for a, b in zip(left, right, strict=True))


def _grid(step: BeliefStep, side: int) -> list[str]:
    files = range(8) if side == 0 else range(8)[::-1]
    ranks = range(8)[::-1] if side == 0 else range(8)
    lines = [f"  {_SIDES[side]} ({step.sizes[side]:,})"]
    for rank in ranks:
        cells = (_cell(step, side, 8 * rank + file) for file in files)
        lines.append(f"{rank + 1} " + " ".join(cell.rjust(3) for cell in cells))
    lines.append("  " + " ".join("abcdefgh"[file].rjust(3) for file in files))
    return lines


def _cell(step: BeliefStep, side: int, square: int) -> str:
    if step.pieces[side][square]:
        return step.pieces[side][square]
    chance = float(step.heat[side][square])
    if chance == 0:
        return "."
    return "<1" if chance < 0.005 else f"{100 * chance:.0f}"


def draw_beliefs(steps: list[BeliefStep], path: str | os.PathLike[str]) -> None:
    """Draw the sizes of both beliefs along the game, and the heat maps of the last step."""
    figure = new_figure((10, 8.5))
    top, bottom = figure.subfigures(2, 1, height_ratios=(1, 1.25))
    axes = top.subplots()
    plies = [step.ply for step in steps]
    for side, colour in ((0, "#c98a2b"), (1, "#222222")):
        axes.semilogy(
            plies, [max(s.sizes[side], 1) for s in steps], label=f"{_SIDES[side]}'s", color=colour, marker="."
        )
        sampled = [s for s in steps if not s.exact[side]]
        if sampled:
            axes.scatter(
                [s.ply for s in sampled],
                [max(s.sizes[side], 1) for s in sampled],
                marker="x",
                color=colour,
                label=f"{_SIDES[side]}'s, a sample",
            )
    axes.set(xlabel="ply", ylabel="positions held possible")
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend()
    for side, board in enumerate(bottom.subplots(1, 2)):
        _draw_heat(bottom, board, steps[-1], side)
    save_figure(figure, path)


def _draw_heat(figure: Any, axes: Any, step: BeliefStep, side: int) -> None:
    image = axes.imshow(step.heat[side].reshape(8, 8), cmap="magma_r", vmin=0, vmax=1, origin="lower")
    for square, letter in enumerate(step.pieces[side]):
        if letter:
            axes.text(square % 8, square // 8, letter, ha="center", va="center", color="#1f77b4", weight="bold")
    axes.set_xticks(range(8), "abcdefgh")
    axes.set_yticks(range(8), "12345678")
    if side == 1:
        axes.invert_xaxis()
        axes.invert_yaxis()
    axes.set_title(f"{_SIDES[side]} after ply {step.ply}: where the opponent may be")
    figure.colorbar(image, ax=axes, shrink=0.8)
