"""Progress on a terminal: nodes while a tree is built, exploitability and its chart while a game is solved.

Shown on standard error and only if that is a terminal; it leaves nothing behind.
"""

import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich import progress as rich_progress
from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from murk.cli.chart import exploitability_chart
from murk.cli.options import Settings
from murk.solvers import Progress, ProgressCallback

__all__ = ["build_line", "solve_line", "text_line"]

_CHART_WIDTH = 72


@contextmanager
def build_line(name: str, settings: Settings) -> Iterator[Callable[[int], None]]:
    """Show the number of nodes built; yields the callback for :func:`murk.build`."""
    with text_line(f"loading {name}", settings) as show:
        yield lambda nodes: show(f"building {name}: {nodes:,} nodes")


@contextmanager
def solve_line(name: str, settings: Settings) -> Iterator[ProgressCallback]:
    """Show iterations and exploitability, with a chart beneath; yields the callback for :func:`murk.solve`."""
    console = Console(stderr=True, highlight=False)
    points: list[tuple[float, float]] = []
    with _spinner(f"solving {name}", settings, console) as (line, task), _beneath(line, console, settings) as chart:

        def show(progress: Progress) -> None:
            line.update(task, description=describe(name, progress))
            if not math.isnan(progress.exploitability):
                points.append((progress.seconds, progress.exploitability))
                chart(exploitability_chart(points, width=min(console.width, _CHART_WIDTH)))

        yield show


@contextmanager
def _beneath(
    line: rich_progress.Progress, console: Console, settings: Settings
) -> Iterator[Callable[[list[str]], None]]:
    """Show lines beneath a line of progress; yields the function that changes them."""
    if not _shown(settings):
        yield lambda lines: None
        return
    line.stop()  # it is drawn as a part of the whole from here on
    with Live(line, console=console, transient=True, refresh_per_second=8) as live:
        yield lambda lines: live.update(Group(line, Text("\n".join(lines))))


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
    with _spinner(first, settings, Console(stderr=True, highlight=False)) as (line, task):
        yield lambda text: line.update(task, description=text)


@contextmanager
def _spinner(
    first: str, settings: Settings, console: Console
) -> Iterator[tuple[rich_progress.Progress, rich_progress.TaskID]]:
    line = rich_progress.Progress(
        rich_progress.SpinnerColumn(),
        rich_progress.TextColumn("{task.description}", markup=False),
        rich_progress.TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not _shown(settings),
        redirect_stdout=False,
        redirect_stderr=False,
    )
    with line:
        yield line, line.add_task(first, total=None)


def _shown(settings: Settings) -> bool:
    return not settings.quiet and sys.stderr is not None and sys.stderr.isatty()
