"""``murk bench darkchess``: dark chess beside other programs, one module for each part of it."""

import importlib
import importlib.util
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, cast

import click

from murk.bench import report
from murk.cli import options
from murk.cli.output import check_writable

__all__ = ["PARTS", "Part", "Settings", "darkchess", "measure"]

PARTS = {
    "perft": "murk.bench.darkchess.perft",
    "belief": "murk.bench.darkchess.belief",
    "search": "murk.bench.darkchess.search",
    "agents": "murk.bench.darkchess.agents",
}
"""Each part and its module, whose ``measure`` yields the rows. They are imported when they are needed."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How to measure.

    Attributes:
        quick: smaller cases.
        peers: whether to measure other programs too.
        repeat: batches of each job, the best of which counts.
        progress: called with what is being done.
    """

    quick: bool = False
    peers: bool = True
    repeat: int = 5
    progress: Callable[[str], None] = field(default=lambda text: None)


class Part(Protocol):
    """A module of :data:`PARTS`."""

    def measure(self, settings: Settings) -> Iterator[report.Row]:
        """Yield each row as soon as it is there."""


def measure(names: tuple[str, ...], settings: Settings) -> Iterator[report.Row]:
    """Yield the rows of the parts with these names, of all if there are none."""
    for name, module in PARTS.items():
        if (name in names or not names) and importlib.util.find_spec(module) is not None:
            yield from cast(Part, importlib.import_module(module)).measure(settings)


_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command(
    short_help="Dark chess beside python-chess, pyffish and OpenSpiel.",
    epilog="\b\nExample:\n  murk bench darkchess --quick",
)
@click.option("--part", "parts", multiple=True, type=click.Choice(list(PARTS)), help="Only this part (repeatable).")
@click.option("--quick/--full", default=False, help="Smaller cases, or all of them (default).")
@click.option("--peers/--no-peers", default=True, help="Measure the peers too (default), or murk alone.")
@click.option("--repeat", type=click.IntRange(min=1), metavar="N",
              help="Batches, of which the best counts.  [default: 5, quick 3]")  # fmt: skip
@click.option("--out", type=_FILE, help="Append each row to this file, as a line of JSON, when it is measured.")
@click.option("--csv", "csv_file", type=_FILE, help="Write the rows to this CSV file.")
@options.common_options
@click.pass_context
def darkchess(
    context: click.Context,
    parts: tuple[str, ...],
    quick: bool,
    peers: bool,
    repeat: int | None,
    out: Path | None,
    csv_file: Path | None,
) -> None:
    """Measure dark chess beside python-chess, pyffish and OpenSpiel.

    CPU seconds of one thread, the best of several repetitions. A ratio above 1 means that murk is ahead. Peers come
    with pip install 'murk[bench]'; one that is missing leaves a note. Ctrl-C shows what was measured so far.
    """
    from murk.bench.cli import _INTERRUPTED, _progress_line, _show  # that module imports this one

    shared: options.Settings = context.obj
    if csv_file is not None:
        check_writable(csv_file)
    rows: list[report.Row] = []
    interrupted = False
    try:
        with _progress_line(shared) as progress, report.lines(out) as keep:
            repeat = repeat or (3 if quick else 5)
            for row in measure(parts, Settings(quick=quick, peers=peers, repeat=repeat, progress=progress)):
                rows.append(row)
                keep(row)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        if rows or interrupted:
            _show(rows, interrupted, shared, csv_file)
    if interrupted:
        context.exit(_INTERRUPTED)
