"""The command line of the benchmarks: ``murk bench``."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

import murk
from murk.bench import report
from murk.bench.darkchess import darkchess
from murk.bench.evaluator import evaluator
from murk.bench.solvers import CASES, Case, Settings, case_named, run
from murk.bench.subgames import subgames
from murk.cli import options
from murk.cli.lazy import HintingGroup
from murk.cli.native_stderr import muted_native_stderr
from murk.cli.output import check_writable, console, print_json
from murk.errors import InputError

__all__ = ["bench"]

_FILE = click.Path(dir_okay=False, path_type=Path)
_INTERRUPTED = 130


@click.group(cls=HintingGroup, epilog="\b\nExample:\n  murk bench solvers --quick")
def bench() -> None:
    """Measure murk beside its peers."""


@bench.command(
    short_help="Trees and solvers beside OpenSpiel, LiteEFG and Gambit.",
    epilog="\b\nExample:\n  murk bench solvers --quick --out speed.jsonl",
)
@click.option("--case", "cases", multiple=True, metavar="NAME", shell_complete=options.complete_game,
              help="Only this case, or any game (repeatable).")  # fmt: skip
@click.option("--metric", "metrics", multiple=True, metavar="NAME", help="Only this metric (repeatable).")
@click.option("--quick/--full", default=False, help="Three games in about a minute, or all in about ten (default).")
@click.option("--peers/--no-peers", default=True, help="Measure the peers too (default), or murk alone.")
@click.option("--repeat", type=int, metavar="N", help="Batches, of which the best counts.  [default: 5, quick 3]")
@click.option("--peer-seconds", type=float, metavar="S", help="What a peer may take.  [default: 60, quick 10]")
@click.option("--out", type=_FILE, help="Append each row to this file, as a line of JSON, when it is measured.")
@click.option("--csv", "csv_file", type=_FILE, help="Write the rows to this CSV file.")
@options.common_options
@click.pass_context
def solvers(
    context: click.Context,
    cases: tuple[str, ...],
    metrics: tuple[str, ...],
    quick: bool,
    peers: bool,
    repeat: int | None,
    peer_seconds: float | None,
    out: Path | None,
    csv_file: Path | None,
) -> None:
    """Measure trees, solvers and exploitability beside OpenSpiel, LiteEFG and Gambit.

    CPU seconds of one thread, the best of several repetitions in which murk and a peer take turns. A ratio above 1
    means that murk is ahead. Peers come with pip install 'murk[bench]'; one that is missing leaves a note. Ctrl-C
    shows what was measured so far.
    """
    shared: options.Settings = context.obj
    chosen = [_checked_case(name) for name in cases] or [case for case in CASES if case.quick or not quick]
    if csv_file is not None:
        check_writable(csv_file)
    rows: list[report.Row] = []
    interrupted = False
    try:
        with _progress_line(shared) as progress, report.lines(out) as keep:
            settings = _settings(metrics, quick, peers, repeat, peer_seconds, progress)
            for row in run(chosen, settings):
                rows.append(row)
                keep(row)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        # Also after an error: what was measured before it may have taken minutes.
        if rows or interrupted:
            _show(rows, interrupted, shared, csv_file)
    if interrupted:
        context.exit(_INTERRUPTED)


def _checked_case(name: str) -> Case:
    case = case_named(name)
    if case not in CASES:
        try:
            with muted_native_stderr():
                murk.load(case.spec)
        except InputError as error:
            names = ", ".join(known.name for known in CASES)
            raise InputError(f"case is {name!r}, expected a game or one of {names} ({error})") from None
    return case


def _settings(
    metrics: tuple[str, ...],
    quick: bool,
    peers: bool,
    repeat: int | None,
    peer_seconds: float | None,
    progress: Callable[[str], None],
) -> Settings:
    given: dict[str, object] = {"metrics": metrics or None, "progress": progress}
    if quick:
        given |= {"repeat": 3, "batch_seconds": 0.05, "job_seconds": 2.0, "peer_seconds": 10.0}
    if not peers:
        given |= {"cfr_peers": (), "lp_peers": ()}
    given |= {k: v for k, v in (("repeat", repeat), ("peer_seconds", peer_seconds)) if v is not None}
    return Settings(**given)  # type: ignore[arg-type]


@contextmanager
def _progress_line(shared: options.Settings) -> Iterator[Callable[[str], None]]:
    shown = not shared.quiet and sys.stderr is not None and sys.stderr.isatty()
    line = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        TimeElapsedColumn(),
        console=Console(stderr=True, highlight=False),
        auto_refresh=False,  # a thread that draws would be counted with what is measured
        transient=True,
        disable=not shown,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    with line:
        task = line.add_task("starting", total=None)
        yield lambda text: line.update(task, description=text, refresh=True)


def _show(rows: list[report.Row], interrupted: bool, shared: options.Settings, csv_file: Path | None) -> None:
    if csv_file is not None:
        report.write_csv(csv_file, rows)
    if shared.json:
        listed = [row.to_dict() for row in rows]
        print_json({"rows": listed, "environment": report.environment(), "interrupted": interrupted})
    else:
        console().print(report.table(rows))


bench.add_command(subgames)
bench.add_command(darkchess)
bench.add_command(evaluator)
