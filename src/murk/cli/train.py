"""``murk train``: makes the embedded evaluator from nothing, or goes on where it was interrupted."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from rich import progress as rich_progress
from rich.console import Console

from murk.cli.options import Settings, common_options
from murk.cli.output import Fit, print_json, print_table
from murk.darkchess.evaluators.labelling import LabelConfig, LabelProgress
from murk.darkchess.evaluators.outcomes import OutcomeConfig
from murk.darkchess.evaluators.pipeline import TUNING, make_evaluator_net, plot_losses
from murk.darkchess.evaluators.training import Progress, TrainConfig
from murk.plots import check_plot

__all__ = ["print_report", "train"]


@click.command(
    short_help="Make the embedded evaluator from nothing.",
    epilog="\b\nExample:\n  murk train nets/mine --labels 2000000 --samples 20000000 --plot loss.png",
)
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--labels",
    type=click.IntRange(min=1),
    metavar="N",
    default=LabelConfig().labels,
    show_default=True,
    help="Positions to label for training.",
)
@click.option(
    "--held-out",
    type=click.IntRange(min=1),
    metavar="N",
    default=LabelConfig().held_out,
    show_default=True,
    help="Positions of other games to label for the report.",
)
@click.option(
    "--shard",
    type=click.IntRange(min=1),
    metavar="N",
    default=LabelConfig().shard,
    show_default=True,
    help="Positions in a file of labels.",
)
@click.option(
    "--samples",
    type=click.IntRange(min=1),
    metavar="N",
    default=TrainConfig().samples,
    show_default=True,
    help="Positions to train on, each as often as it takes.",
)
@click.option(
    "--batch",
    type=click.IntRange(min=1),
    metavar="N",
    default=TrainConfig().batch,
    show_default=True,
    help="Positions to a training step.",
)
@click.option(
    "--outcomes",
    type=click.IntRange(min=0),
    metavar="N",
    default=OutcomeConfig().records,
    show_default=True,
    help="Positions of games in the fog, played by the net, to train it on with; 0 leaves that out.",
)
@click.option(
    "--tuning",
    type=click.IntRange(min=1),
    metavar="N",
    default=TUNING.samples,
    show_default=True,
    help="Positions of that training, half of them outcomes.",
)
@click.option(
    "--nodes",
    type=click.IntRange(min=1),
    metavar="N",
    help="Label with a search of so many nodes of each parent instead of depth 1.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    metavar="N",
    default=1,
    show_default=True,
    help="Of the games and of the first weights.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    default=1,
    show_default=True,
    help="Stockfish processes, then threads that play and train.",
)
@click.option("--stockfish", metavar="PATH", help="The program that labels.  [default: the one on PATH]")
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), help="Draw the losses to this file.")
@common_options
@click.pass_obj
def train(
    settings: Settings,
    directory: Path,
    labels: int,
    held_out: int,
    shard: int,
    samples: int,
    batch: int,
    outcomes: int,
    tuning: int,
    nodes: int | None,
    seed: int,
    jobs: int,
    stockfish: str | None,
    plot: Path | None,
) -> None:  # fmt: skip
    """Make the net of the embedded evaluator: label positions, train, play in the fog, train on, quantise, report.

    All files go to DIRECTORY. Interrupted at any time, the same command goes on where it was. `murk evaluate
    --evaluator embedded:DIRECTORY/net.bin` uses the result.
    """
    if plot is not None:
        check_plot(plot)
    labelling = replace(LabelConfig(), labels=labels, held_out=held_out, shard=shard, seed=seed, nodes=nodes)
    training = replace(TrainConfig(), samples=samples, batch=batch, seed=seed, threads=jobs)
    playing = replace(OutcomeConfig(), records=outcomes, shard=min(OutcomeConfig().shard, shard), seed=seed)
    with _bars(settings) as bars:
        about = make_evaluator_net(
            directory, labelling, training, playing,
            replace(TUNING, samples=tuning, batch=batch, seed=seed, threads=jobs),
            stockfish=stockfish, processes=jobs, on_labels=bars.counted("labelling"),
            on_training=bars.trained("training"), on_outcomes=bars.counted("playing in the fog"),
            on_tuning=bars.trained("training on"),
        )  # fmt: skip
    if plot is not None:
        plot_losses(directory / "run", plot)
    if settings.json:
        print_json(about)
    else:
        print_report(about["report"], f"{directory / 'net.bin'} on held-out positions")


def print_report(report: dict[str, Any], title: str) -> None:
    """Write a report's correlations and mean absolute errors as a table."""
    functions = list(report["scores"]["all"])
    rows = [
        [group, f"{next(iter(scores.values()))['positions']:,}"]
        + [f"{scores[name]['correlation']:.3f} {scores[name]['mean_absolute_error']:.3f}" for name in functions]
        for group, scores in report["scores"].items()
    ]
    columns: dict[str, Fit] = {"kind of position": "whole", "number": "whole", **dict.fromkeys(functions, "whole")}
    print_table(f"{title}: correlation and mean absolute error in tanh units", columns, rows)


class _Bars:
    """A bar for each step, from when it begins."""

    def __init__(self, bars: rich_progress.Progress) -> None:
        self._bars = bars
        self._tasks: dict[str, rich_progress.TaskID] = {}

    def counted(self, name: str) -> Callable[[LabelProgress], None]:
        """Return what is told about positions that are made."""
        return lambda progress: self._show(name, name, progress.done, progress.total)

    def trained(self, name: str) -> Callable[[Progress], None]:
        """Return what is told about positions that are learnt from."""
        return lambda progress: self._show(name, f"{name}, loss {progress.loss:.4f}", progress.samples, progress.total)

    def _show(self, name: str, text: str, done: int, total: int) -> None:
        if name not in self._tasks:
            self._tasks[name] = self._bars.add_task(name, total=None)
        self._bars.update(self._tasks[name], completed=done, total=total, description=text)


@contextmanager
def _bars(settings: Settings) -> Iterator[_Bars]:
    shown = not settings.quiet and sys.stderr is not None and sys.stderr.isatty()
    bars = rich_progress.Progress(
        rich_progress.TextColumn("{task.description}", markup=False),
        rich_progress.BarColumn(),
        rich_progress.TaskProgressColumn(),
        rich_progress.TimeElapsedColumn(),
        rich_progress.TimeRemainingColumn(),
        console=Console(stderr=True, highlight=False),
        transient=True,
        disable=not shown,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    with bars:
        yield _Bars(bars)
