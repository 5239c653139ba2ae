"""``murk label``: makes training data for the embedded evaluator."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from rich import progress as rich_progress
from rich.console import Console

from murk.cli.options import Settings, common_options
from murk.cli.output import count, print_facts, print_json
from murk.darkchess.evaluators.labelling import LabelConfig, LabelProgress
from murk.darkchess.evaluators.labelling import label as make_labels

__all__ = ["label"]


@click.command(
    short_help="Make training data: positions labelled by Stockfish.",
    epilog="\b\nExample:\n  murk label data --labels 1000000",
)
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
@click.option("--labels", type=click.IntRange(min=0), default=LabelConfig().labels, show_default=True, metavar="N",
              help="Labelled positions for training.")  # fmt: skip
@click.option("--held-out", type=click.IntRange(min=0), default=LabelConfig().held_out, show_default=True, metavar="N",
              help="Labelled positions of another kind of game, never trained on.")  # fmt: skip
@click.option("--shard", type=click.IntRange(min=1), default=LabelConfig().shard, show_default=True, metavar="N",
              help="Positions in a file.")  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Another gives other games.")
@click.option("--nodes", type=click.IntRange(min=1), metavar="N", help="Nodes of a search, instead of depth 1.")
@click.option("--processes", type=click.IntRange(min=1), default=1, show_default=True, metavar="N",
              help="How many engines run, each on a core.")  # fmt: skip
@click.option("--stockfish", metavar="PATH", help="The program; found by itself if it is installed.")
@common_options
@click.pass_obj
def label(
    settings: Settings,
    directory: Path,
    labels: int,
    held_out: int,
    shard: int,
    seed: int,
    nodes: int | None,
    processes: int,
    stockfish: str | None,
) -> None:
    """Play dark chess games and let Stockfish label positions of them, into files of DIRECTORY.

    The held-out games come first, so that none of their positions is trained on. Ctrl-C loses no more than the file
    that is being made; the same command goes on after it.
    """
    config = LabelConfig(labels=labels, held_out=held_out, shard=shard, seed=seed, nodes=nodes)
    last: list[LabelProgress] = []
    with _bar(settings) as show:

        def tell(progress: LabelProgress) -> None:
            last[:] = [progress]
            show(progress)

        make_labels(directory, config, stockfish=stockfish, processes=processes, on_progress=tell)
    new, seconds = (last[0].new, last[0].seconds) if last else (0, 0.0)
    total = labels + held_out
    if settings.json:
        print_json({"directory": directory, "records": total, "new": new, "seconds": seconds})
    else:
        facts = [("records", count(total)), ("  new", count(new))]
        if new:
            facts.append(("speed", f"{count(new / max(seconds, 1e-9))} a second"))
        print_facts(str(directory), facts)


@contextmanager
def _bar(settings: Settings) -> Iterator[Callable[[LabelProgress], None]]:
    shown = not settings.quiet and sys.stderr is not None and sys.stderr.isatty()
    bar = rich_progress.Progress(
        rich_progress.TextColumn("labelling"),
        rich_progress.BarColumn(),
        rich_progress.MofNCompleteColumn(),
        rich_progress.TextColumn("{task.fields[speed]}", markup=False),
        rich_progress.TimeRemainingColumn(),
        console=Console(stderr=True, highlight=False),
        transient=True,
        disable=not shown,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    with bar:
        task = bar.add_task("labelling", total=None, speed="")

        def show(progress: LabelProgress) -> None:
            speed = f"{count(progress.new / max(progress.seconds, 1e-9))}/s"
            bar.update(task, total=progress.total, completed=progress.done, speed=speed)

        yield show
