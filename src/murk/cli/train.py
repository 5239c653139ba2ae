"""``murk train``: makes the embedded evaluator from nothing, or goes on where it was interrupted."""

import sys
from collections.abc import Iterator
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
from murk.darkchess.evaluators.pipeline import make_evaluator_net, plot_losses
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
    help="Stockfish processes, then training threads.",
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
    nodes: int | None,
    seed: int,
    jobs: int,
    stockfish: str | None,
    plot: Path | None,
) -> None:  # fmt: skip
    """Make the net of the embedded evaluator: generate positions, label them, train, quantise, report.

    All files go to DIRECTORY. Interrupted at any time, the same command goes on where it was. `murk evaluate
    --evaluator embedded:DIRECTORY/net.bin` uses the result.
    """
    if plot is not None:
        check_plot(plot)
    labelling = replace(LabelConfig(), labels=labels, held_out=held_out, shard=shard, seed=seed, nodes=nodes)
    training = replace(TrainConfig(), samples=samples, batch=batch, seed=seed, threads=jobs)
    with _bars(settings) as (on_labels, on_training):
        about = make_evaluator_net(
            directory, labelling, training, stockfish=stockfish, processes=jobs,
            on_labels=on_labels, on_training=on_training,
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


@contextmanager
def _bars(settings: Settings) -> Iterator[tuple[Any, Any]]:
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
        labelling, training = bars.add_task("labelling", total=None), bars.add_task("training", total=None)

        def on_labels(progress: LabelProgress) -> None:
            bars.update(labelling, completed=progress.done, total=progress.total)

        def on_training(progress: Progress) -> None:
            text = f"training, loss {progress.loss:.4f}"
            bars.update(training, completed=progress.samples, total=progress.total, description=text)

        yield on_labels, on_training
