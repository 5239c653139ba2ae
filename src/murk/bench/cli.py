"""The command line of the benchmarks: ``murk bench``."""

import json
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from murk.bench.report import Row
    from murk.bench.solvers import Settings

__all__ = ["bench"]

_INTERRUPTED = 130  # what shells report after Ctrl-C


@click.group()
def bench() -> None:
    """Measure murk beside its peers."""


@bench.command()
@click.option(
    "--case", "cases", multiple=True, metavar="NAME", help="Measure on this game only (repeatable): a case or any game."
)
@click.option("--metric", "metrics", multiple=True, metavar="NAME", help="Measure only this (repeatable).")
@click.option(
    "--quick/--full", default=False, help="Three small games in about a minute, or all of them in about ten (default)."
)
@click.option("--peers/--no-peers", default=True, help="Measure the peers too (default) or murk alone.")
@click.option("--repeat", type=int, help="Batches of each job, of which the best counts.  [default: 5, quick 3]")
@click.option("--peer-seconds", type=float, help="What a peer's operation may take.  [default: 60, quick 10]")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Append each row to FILE.jsonl as soon as it is measured.",
)
@click.option(
    "--csv", "csv_file", type=click.Path(dir_okay=False, path_type=Path), help="Write the rows to a CSV file."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
@click.option("--quiet", is_flag=True, help="Show no progress.")
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
    as_json: bool,
    quiet: bool,
) -> None:
    """Measure trees, solvers and exploitability beside OpenSpiel, LiteEFG and Gambit.

    CPU seconds of one thread, the best of several repetitions in which murk and a peer take turns. A ratio above 1 means that
    murk is ahead. Peers come with pip install 'murk[bench]'; one that is missing leaves a note. Ctrl-C prints what there is.
    """
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from murk.bench import report
    from murk.bench.solvers import CASES, case_named, run

    chosen = [case_named(name) for name in cases] or [case for case in CASES if case.quick or not quick]
    settings = _settings(metrics, quick, peers, repeat, peer_seconds)
    rows: list[Row] = []
    interrupted = False
    with ExitStack() as stack:
        file = stack.enter_context(report.open_lines(out)) if out is not None else None
        # No refreshing thread: its CPU time would be counted.
        columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
        bar = Progress(*columns, console=Console(stderr=True), auto_refresh=False, transient=True, disable=quiet)
        task = stack.enter_context(bar).add_task("starting", total=None)
        settings = _with_progress(settings, lambda text: bar.update(task, description=text, refresh=True))
        stack.callback(lambda: _print(rows, interrupted, as_json, csv_file))
        try:
            for row in run(chosen, settings):
                rows.append(row)
                if file is not None:
                    report.write_line(file, row)
        except KeyboardInterrupt:
            interrupted = True
        finally:
            bar.stop()
    if interrupted:
        context.exit(_INTERRUPTED)


def _settings(
    metrics: tuple[str, ...], quick: bool, peers: bool, repeat: int | None, peer_seconds: float | None
) -> "Settings":
    from murk.bench.solvers import Settings

    given: dict[str, Any] = (
        {"repeat": 3, "batch_seconds": 0.05, "job_seconds": 2.0, "peer_seconds": 10.0} if quick else {}
    )
    if repeat is not None:
        given["repeat"] = repeat
    if peer_seconds is not None:
        given["peer_seconds"] = peer_seconds
    if not peers:
        given |= {"cfr_peers": (), "lp_peers": ()}
    return Settings(metrics=metrics or None, **given)


def _with_progress(settings: "Settings", progress: Any) -> "Settings":
    from dataclasses import replace

    return replace(settings, progress=progress)


def _print(rows: "list[Row]", interrupted: bool, as_json: bool, csv_file: Path | None) -> None:
    from rich.console import Console

    from murk.bench import report

    if csv_file is not None:
        report.write_csv(csv_file, rows)
    if as_json:
        data = {
            "rows": [row.to_dict() for row in rows],
            "environment": report.environment(),
            "interrupted": interrupted,
        }
        click.echo(json.dumps(data, indent=2))
        return
    console = Console()
    if not console.is_terminal:
        console = Console(width=130)
    console.print(report.table(rows))
