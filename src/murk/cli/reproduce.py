"""``murk reproduce``: the paper's tables and figures, and the studies beyond them."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click
from rich import progress as rich_progress
from rich.console import Console

from murk.cli.errors import INTERRUPTED
from murk.cli.lazy import HintingGroup
from murk.cli.native_stderr import muted_native_stderr
from murk.cli.options import Settings, common_options, complete_from
from murk.cli.output import Fit, check_writable, print_json, print_table
from murk.experiments import epsilon as epsilon_study
from murk.experiments import example as example_study
from murk.experiments import orders as orders_study
from murk.experiments import output, table1, table2
from murk.experiments import safety as safety_study
from murk.experiments import trunk as trunk_study
from murk.experiments.games import CASES, EPSILON, GAMES, chosen
from murk.experiments.refined import VARIANTS
from murk.experiments.study import Row, Task, run
from murk.plots import check_plot

__all__ = ["reproduce"]

AnyCommand = TypeVar("AnyCommand", bound=Callable[..., Any])

_FILE = click.Path(dir_okay=False, path_type=Path)
_FITS: dict[str, Fit] = {"game": "wrap", "besides": "wrap"}


@click.group(
    cls=HintingGroup,
    short_help="Compute the paper's tables and figures again.",
    epilog="\b\nExample:\n  murk reproduce table1 --jobs 2 --plot table1.png",
)
def reproduce() -> None:
    """Compute the tables and figures of the paper again, beside its own figures.

    Every row is kept on disk when it is done and taken from there the next time, until the game, the options or murk
    itself change. Ctrl-C shows the rows done so far.
    """


def study_options(command: AnyCommand) -> AnyCommand:
    """Add the options that all studies have."""
    for option in (
        click.option("--plot", type=_FILE, help="Draw the rows to this .png, .svg or .pdf file."),
        click.option("--csv", "csv_file", type=_FILE, help="Write the rows to this CSV file."),
        click.option("--cache/--no-cache", default=True, help="Take rows from disk and keep them.  [default: keep]"),
        click.option("--jobs", type=click.IntRange(min=1), metavar="N", default=1, show_default=True,
                     help="Processes to share the rows."),
        common_options,
    ):  # fmt: skip
        command = option(command)
    return command


def game_option(names: Sequence[str]) -> Callable[[AnyCommand], AnyCommand]:
    """Return the option that picks games among ``names``."""
    return click.option(
        "--game", "games", multiple=True, metavar="NAME", shell_complete=complete_from(names),
        help=f"Only this game (repeatable): {', '.join(names)}.",
    )  # fmt: skip


def choices(option: str, names: Sequence[str], default: Sequence[str], text: str) -> Callable[[AnyCommand], AnyCommand]:
    """Return a repeatable option among ``names``."""
    return click.option(
        option, option.lstrip("-") + "s", type=click.Choice(names), multiple=True, default=default, show_default=True,
        help=f"{text} (repeatable).",
    )  # fmt: skip


_EPSILON = click.option(
    "--epsilon", type=click.FloatRange(0, 1), metavar="E", default=EPSILON, show_default=True,
    help="Least probability E/m of each restricted action of the blueprint.",
)  # fmt: skip
_KIND = click.option(
    "--kind", type=click.Choice(table1.KINDS), default="maxmargin", show_default=True, help="The gadget."
)


@reproduce.command(
    "table1",
    short_help="Ten blueprints before and after nested 1-KLSS.",
    epilog="\b\nExample:\n  murk reproduce table1 --game kuhn --game leduc",
)
@game_option([case.name for case in CASES])
@choices("--refinement", table1.REFINEMENTS, table1.REFINEMENTS, "Which equilibrium of each gadget is taken")
@choices("--kind", table1.KINDS, ("maxmargin",), "The gadget")
@_EPSILON
@study_options
@click.pass_obj
def table1_command(
    settings: Settings,
    /,
    games: tuple[str, ...],
    refinements: tuple[str, ...],
    kinds: tuple[str, ...],
    epsilon: float,
    **how: Any,
) -> None:
    """Table 1: exploitability of ten blueprints before and after nested 1-KLSS."""
    with muted_native_stderr(not settings.debug):
        tasks = table1.tasks(chosen(games), epsilon=epsilon, refinements=refinements, kinds=kinds)
    _study("table1", tasks, settings, finish=lambda rows: [table1.with_paper(row) for row in rows], **how)


@reproduce.command(
    "table2",
    short_help="Sizes of the games and of their knowledge sets.",
    epilog="\b\nExample:\n  murk reproduce table2 --game kuhn",
)
@game_option([case.name for case in GAMES])
@study_options
@click.pass_obj
def table2_command(settings: Settings, /, games: tuple[str, ...], **how: Any) -> None:
    """Table 2: sizes of the games and of their order-k knowledge sets."""
    with muted_native_stderr(not settings.debug):
        tasks = table2.tasks(chosen(games, GAMES))
    _study("table2", tasks, settings, finish=lambda rows: [table2.with_paper(row) for row in rows], **how)


@reproduce.command(
    "example", short_help="The worked example, figures 1 to 3.", epilog="\b\nExample:\n  murk reproduce example --json"
)
@study_options
@click.pass_obj
def example_command(settings: Settings, /, **how: Any) -> None:
    """The worked example, figures 1 to 3: both gadgets at R1, their matrices, alternate values and solution."""
    _study("example", example_study.tasks(), settings, **how)


@reproduce.command(
    "safety",
    short_help="The counterexample over N, and the theorems on random games.",
    epilog="\b\nExample:\n  murk reproduce safety --n 4 --n 8",
)
@click.option("--n", "numbers", type=int, multiple=True, default=safety_study.NUMBERS, show_default=True,
              metavar="N", help="N of the counterexample (repeatable).")  # fmt: skip
@click.option("--games", type=click.IntRange(min=0), default=200, show_default=True, metavar="COUNT",
              help="Random games for each theorem.")  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="The first game's seed.")
@study_options
@click.pass_obj
def safety_command(settings: Settings, /, numbers: tuple[int, ...], games: int, seed: int, **how: Any) -> None:
    """The counterexample to the safety of 1-KLSS over N, and the three roads to safety on random games."""
    tasks = safety_study.tasks(numbers=numbers, games=games, seed=seed)
    _study("safety", tasks, settings, finish=safety_study.merged, **how)


@reproduce.command(
    "epsilon",
    short_help="Table 1 over other values of ε.",
    epilog="\b\nExample:\n  murk reproduce epsilon --game kuhn --epsilon 0.25",
)
@game_option([case.name for case in CASES])
@choices("--refinement", table1.REFINEMENTS, table1.REFINEMENTS, "Which equilibrium of each gadget is taken")
@click.option("--epsilon", "epsilons", type=click.FloatRange(0, 1), multiple=True, metavar="E",
              default=epsilon_study.EPSILONS, show_default=True, help="An ε (repeatable).")  # fmt: skip
@_KIND
@study_options
@click.pass_obj
def epsilon_command(
    settings: Settings,
    /,
    games: tuple[str, ...],
    refinements: tuple[str, ...],
    epsilons: tuple[float, ...],
    kind: str,
    **how: Any,
) -> None:
    """Table 1 over ε, from an exact equilibrium (0) to half of all probability spread evenly."""
    with muted_native_stderr(not settings.debug):
        tasks = epsilon_study.tasks(chosen(games), epsilons=epsilons, refinements=refinements, kind=kind)
    _study("epsilon", tasks, settings, finish=lambda rows: [epsilon_study.with_paper(row) for row in rows], **how)


@reproduce.command(
    "orders",
    short_help="Other orders k, KLUSS, Safe-1-KLSS, unsafe solving.",
    epilog="\b\nExample:\n  murk reproduce orders --game kuhn --order 1 --order inf",
)
@game_option([case.name for case in CASES])
@click.option("--order", "orders", multiple=True, metavar="K", default=orders_study.ORDERS, show_default=True,
              help="k, an odd number or inf (repeatable).")  # fmt: skip
@choices("--variant", VARIANTS, VARIANTS, "How the rest of the game is treated")
@choices("--lift", orders_study.LIFTS, orders_study.LIFTS, "Where the restriction is lifted")
@choices("--refinement", table1.REFINEMENTS, ("sequential",), "Which equilibrium of each gadget is taken")
@_EPSILON
@_KIND
@study_options
@click.pass_obj
def orders_command(
    settings: Settings,
    /,
    games: tuple[str, ...],
    orders: tuple[str, ...],
    variants: tuple[str, ...],
    lifts: tuple[str, ...],
    refinements: tuple[str, ...],
    epsilon: float,
    kind: str,
    **how: Any,
) -> None:
    """k-KLSS for k = 1, 3, 5 and ∞, KLUSS, Safe-1-KLSS, and unsafe subgame solving as a baseline.

    Without --game: the paper's seven games, with the whole strategy restricted, in about five minutes.
    """
    with muted_native_stderr(not settings.debug):
        tasks = orders_study.tasks(
            chosen(games) if games else None, epsilon=epsilon, orders=orders, variants=variants, lifts=lifts,
            refinements=refinements, kind=kind,
        )  # fmt: skip
    _study("orders", tasks, settings, **how)


@reproduce.command(
    "trunk", short_help="The trunk search as its tree grows.", epilog="\b\nExample:\n  murk reproduce trunk --seconds 5"
)
@game_option(list(trunk_study.GAMES))
@choices("--value", trunk_study.VALUES, trunk_study.VALUES, "The value function")
@click.option("--seconds", type=click.FloatRange(0, min_open=True), metavar="S", default=60.0, show_default=True,
              help="Stop a search after so long.")  # fmt: skip
@study_options
@click.pass_obj
def trunk_command(
    settings: Settings, /, games: tuple[str, ...], values: tuple[str, ...], seconds: float, **how: Any
) -> None:
    """Section 6: exploitability of the trunk search as its tree grows, with a crude value function."""
    with muted_native_stderr(not settings.debug):
        tasks = trunk_study.tasks(games, values=values, seconds=seconds)
    _study("trunk", tasks, settings, **how)


def _study(
    name: str,
    tasks: Sequence[Task],
    settings: Settings,
    *,
    plot: Path | None,
    csv_file: Path | None,
    cache: bool,
    jobs: int,
    finish: Callable[[list[Row]], list[Row]] = lambda rows: rows,
) -> None:
    """Run a study and show it; after Ctrl-C, what there is of it."""
    for path in filter(None, (plot, csv_file)):
        check_writable(path)
    if plot is not None:
        check_plot(plot)
    done: dict[int, Row] = {}
    interrupted = False
    try:
        with muted_native_stderr(not settings.debug), _progress(name, tasks, settings) as progress:
            for index, row in run(tasks, jobs=jobs, cache=cache, progress=progress):
                done[index] = row
    except KeyboardInterrupt:
        interrupted = True
    rows = finish([done[index] for index in sorted(done)])
    if csv_file is not None:
        output.write_csv(csv_file, rows)
    if plot is not None and rows:
        output.plot(name, rows, plot)
    if settings.json:
        print_json({"study": name, "rows": rows, "interrupted": interrupted})
    else:
        for table in output.tables(name, rows):
            print_table(table.title, {name: _FITS.get(name, "whole") for name in table.columns}, table.rows)
    if interrupted:
        click.echo(f"murk: interrupted: {len(done)} of {len(tasks)} rows are done", err=True)
        click.get_current_context().exit(INTERRUPTED)


@contextmanager
def _progress(name: str, tasks: Sequence[Task], settings: Settings) -> Iterator[Callable[[int, float], None]]:
    shown = not settings.quiet and sys.stderr is not None and sys.stderr.isatty()
    bar = rich_progress.Progress(
        rich_progress.TextColumn("{task.description}", markup=False),
        rich_progress.BarColumn(),
        rich_progress.TaskProgressColumn(),
        rich_progress.TimeElapsedColumn(),
        console=Console(stderr=True, highlight=False),
        transient=True,
        disable=not shown,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    parts = [0.0] * len(tasks)
    with bar:
        line = bar.add_task(name, total=len(tasks))

        def progress(index: int, part: float) -> None:
            parts[index] = max(parts[index], part)
            bar.update(line, completed=sum(parts), description=f"{name}: {tasks[index].label}")

        yield progress
