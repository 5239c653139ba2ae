"""Plots. They need matplotlib, which is imported on first use and is not a dependency of anything else."""

import io
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from murk.errors import InputError, MissingDependencyError
from murk.solvers.result import Solution
from murk.tree.files import write_atomically

__all__ = ["check_plot", "new_figure", "plot_exploitability", "save_figure"]

ENDINGS = (".pdf", ".png", ".svg")
FLOOR = 1e-10
"""Exploitability below this is exact for all purposes and drawn as this: a logarithmic axis has no zero."""


def check_plot(path: str | os.PathLike[str]) -> None:
    """Make sure that a plot can be drawn to ``path``, before the work that it would show.

    Raises:
        MissingDependencyError: matplotlib is not installed.
        InputError: the ending is not that of a picture.
    """
    _figure_class()
    if Path(path).suffix.lower() not in ENDINGS:
        raise InputError(f"cannot draw {path}: expected an ending of {', '.join(ENDINGS)}")


def plot_exploitability(solutions: Mapping[str, Solution], path: str | os.PathLike[str], *, title: str = "") -> None:
    """Draw the exploitability of each solution over the time it took, both on logarithmic axes.

    A method that was not measured on the way, such as a linear program, is one point.
    """
    check_plot(path)
    figure = new_figure((7, 4.5))
    axes = figure.subplots()
    for label, solution in solutions.items():
        points = [(p.seconds, p.exploitability) for p in solution.trace if p.iterations > 0]
        points = points or [(solution.seconds, solution.exploitability)]
        times, gaps = zip(*points, strict=True)
        marker = "o" if len(points) == 1 else None
        exact = " (exact)" if gaps[-1] <= FLOOR else ""
        axes.loglog(times, [max(gap, FLOOR) for gap in gaps], label=label + exact, marker=marker)
    axes.set(title=title, xlabel="seconds", ylabel="exploitability")
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend()
    save_figure(figure, path)


def new_figure(size: tuple[float, float]) -> Any:
    """Return an empty figure of matplotlib's, ``size`` inches wide and high."""
    return _figure_class()(figsize=size, layout="constrained")


def save_figure(figure: Any, path: str | os.PathLike[str]) -> None:
    """Write a figure as the kind of picture that the ending of ``path`` names, whole or not at all."""
    data = io.BytesIO()
    figure.savefig(data, format=Path(path).suffix.lower().lstrip("."), dpi=150)
    write_atomically(path, [data.getvalue()])


def _figure_class() -> Any:
    """Return matplotlib's ``Figure``, which needs no display and leaves the user's backend alone."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingDependencyError(
            "plots need matplotlib, which is not installed: pip install 'murk[plot]'"
        ) from None
    return Figure
