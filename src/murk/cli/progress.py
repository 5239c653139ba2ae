"""Progress on a terminal: nodes while a tree is built, exploitability while a game is solved.

Shown on standard error and only if that is a terminal; it leaves nothing behind.
"""

import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich import progress as rich_progress
from rich.console import Console

from murk.cli.options import Settings
from murk.solvers import Progress, ProgressCallback

__all__ = ["build_line", "solve_line", "text_line"]


@contextmanager
def build_line(name: str, settings: Settings) -> Iterator[Callable[[int], None]]:
    """Show the number of nodes built; yields the callback for :func:`murk.build`."""
    with text_line(f"loading {name}", settings) as show:
        yield lambda nodes: show(f"building {name}: {nodes:,} nodes")


@contextmanager
def solve_line(name: str, settings: Settings) -> Iterator[ProgressCallback]:
    """Show iterations and exploitability; yields the callback for :func:`murk.solve`."""
    with text_line(f"solving {name}", settings) as show:
        yield lambda progress: show(describe(name, progress))


def describe(name: str, progress: Progress) -> str:
    """Return how far a solver is, in one line."""
    parts = [f"{name} by {progress.method}"]
    if progress.iterations:
        parts.append(f"{progress.iterations:,} iterations")
    if not math.isnan(progress.exploitability):
        parts.append(f"exploitability {progress.exploitability:.2e}")
    return ", ".join(parts)


@contextmanager
def text_line(first: str, settings: Settings) -> Iterator[Callable[[str], None]]:
    """Show a line of text, ``first`` to begin with; yields the function that changes it."""
    shown = not settings.quiet and sys.stderr is not None and sys.stderr.isatty()
    line = rich_progress.Progress(
        rich_progress.SpinnerColumn(),
        rich_progress.TextColumn("{task.description}", markup=False),
        rich_progress.TimeElapsedColumn(),
        console=Console(stderr=True, highlight=False),
        transient=True,
        disable=not shown,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    with line:
        task = line.add_task(first, total=None)
        yield lambda text: line.update(task, description=text)
