"""The pipeline that makes the embedded evaluator: label, train, play with it in the fog, train on, quantise, report.

A directory holds everything: ``labels/`` with the shards, ``run/`` with the training run, ``outcomes/`` with what
became of games in the fog, ``tuned/`` with the run that goes on with them, and at the end ``net.bin`` with the
quantised weights and ``net.json`` with what they are, how they were made and how well they do. Each step leaves behind
what it has done, so that the same call goes on after an interruption.
"""

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from murk._core import Network, record_keys
from murk.darkchess.evaluators.embedded import read_network, weights_file
from murk.darkchess.evaluators.labelling import SOURCES, LabelConfig, LabelProgress, label
from murk.darkchess.evaluators.outcomes import OutcomeConfig, play_outcomes
from murk.darkchess.evaluators.records import TAU, as_rows, read_shard, read_shards
from murk.darkchess.evaluators.report import Report, make_report
from murk.darkchess.evaluators.training import Progress, TrainConfig, read_log, train
from murk.errors import InputError
from murk.plots import new_figure, save_figure
from murk.tree.files import write_atomically

__all__ = ["TUNING", "describe", "make_evaluator_net", "plot_losses"]

TUNING = TrainConfig(samples=22_000_000, rate=3e-4, outcomes=0.5)
"""How a net is trained on with outcomes. Longer, it learns them by heart."""


def make_evaluator_net(
    directory: Path,
    labels: LabelConfig,
    training: TrainConfig,
    outcomes: OutcomeConfig,
    tuning: TrainConfig,
    *,
    stockfish: str | os.PathLike[str] | None = None,
    processes: int = 1,
    on_labels: Callable[[LabelProgress], None] | None = None,
    on_training: Callable[[Progress], None] | None = None,
    on_outcomes: Callable[[LabelProgress], None] | None = None,
    on_tuning: Callable[[Progress], None] | None = None,
) -> dict[str, Any]:
    """Make a net from nothing, and return what ``net.json`` says about it.

    Args:
        directory: of everything.
        labels: what Stockfish labels.
        training: on these.
        outcomes: what is played in the fog with the net that comes of it; with no records that net is the last word.
        tuning: how it is trained on.
        stockfish: the program that labels.
        processes: how many of it.
        on_labels, on_training, on_outcomes, on_tuning: told how far the steps are.

    Raises:
        InputError: the directory cannot be used or was begun with other settings.
        MissingDependencyError: labels are missing, and so is Stockfish.
    """
    shards = directory / "labels"
    label(shards, labels, stockfish=stockfish, processes=processes, on_progress=on_labels)

    def labelled() -> list[Path]:
        return sorted(shards.glob("train-*.bin"))

    runs = [directory / "run"]
    train(labelled, runs[0], training, on_progress=on_training)
    if outcomes.records > 0:
        first = read_network(runs[0] / "net.bin")
        played = play_outcomes(directory / "outcomes", outcomes, first, threads=tuning.threads, on_progress=on_outcomes)
        runs.append(directory / "tuned")
        train(labelled, runs[1], tuning, start=first, outcomes=lambda: played, on_progress=on_tuning)
    network = read_network(runs[-1] / "net.bin")
    about = describe(directory, runs, network)
    write_atomically(directory / "net.bin", [weights_file(network)])
    write_atomically(directory / "net.json", [(json.dumps(about, indent=1) + "\n").encode()])
    return about


def describe(directory: Path, runs: Sequence[Path], network: Network) -> dict[str, Any]:
    """Return what a net is, what it was trained on and how, and how well it does on the held-out positions."""
    labels = directory / "labels"
    shards = [*sorted(labels.glob("train-*.bin")), *sorted((directory / "outcomes").glob("outcome-*.bin"))]
    sources = np.zeros(256, np.int64)
    for path in shards:  # not all at once: they may be gigabytes
        sources += np.bincount(read_shard(path)["flags"] & 0xFF, minlength=len(sources))
    training = []
    for run in runs:
        if not (log := read_log(run)):
            raise InputError(f"there is no training run in {run}")
        training.append({**read_config(run), "seconds": round(log[-1]["seconds"]), "validation": log[-1]["full"]})
    return {
        "licence": "MIT",
        "net": {"bytes": len(weights_file(network)), "checksum": f"{network.checksum:016x}"},
        "data": {
            "engine": "Stockfish 15.1, depth 1 of the parent, MultiPV",
            "tau": TAU,
            "records": int(sources.sum()),
            "shards": len(shards),
            "sources": {SOURCES.get(i, str(i)): count for i, count in enumerate(sources.tolist()) if count},
        },
        "training": training,
        "report": held_out_report(labels, network).to_json(),
    }


def held_out_report(labels: Path, network: Network) -> Report:
    """Compare a net with the labels of the held-out positions in a directory of labels.

    The labeller leaves held-out positions out of the training data; should some be there all the same, they are not
    counted here.
    """
    records = read_shards(sorted(labels.glob("heldout-*.bin")))
    keys = record_keys(as_rows(records))
    for path in labels.glob("train-*.bin"):
        new = ~np.isin(keys, record_keys(as_rows(read_shard(path))))
        records, keys = records[new], keys[new]
    if len(records) == 0:
        raise InputError(f"there are no held-out positions in {labels}")
    return make_report(records, network)


def read_config(run: Path) -> dict[str, Any]:
    """Return the configuration that a training run was begun with."""
    config: dict[str, Any] = json.loads((run / "config.json").read_text())
    return config


def plot_losses(run: Path, path: Path) -> None:
    """Draw the loss of a training run, and the errors on its validation set, over the positions seen."""
    log = read_log(run)
    figure = new_figure((7, 4.5))
    axes = figure.subplots()
    axes.plot([line["samples"] / 1e6 for line in log], [line["loss"] for line in log], label="training", alpha=0.6)
    checked = [line for line in log if line["full"] is not None]
    for name, text in (("full", "validation, with quiescence"), ("static", "validation, net only")):
        points = [(line["samples"] / 1e6, line[name]["mean_squared_error"]) for line in checked]
        axes.plot(*zip(*points, strict=True) if points else ([], []), label=text, marker="o", markersize=3)
    axes.set(xlabel="million positions", ylabel="mean squared error", yscale="log")
    axes.grid(visible=True, which="both", alpha=0.3)
    axes.legend()
    save_figure(figure, path)
