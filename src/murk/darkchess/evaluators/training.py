"""Trains the embedded evaluator's net on labelled positions.

The labels are scores of a search, not of a position as it stands, and the net is used inside a quiescence search. So
what is fitted to a label is not the labelled position itself but the quiet one that our own quiescence search, with
the net as it is then, comes down to (see :func:`murk._core.resolve`). Each shard is resolved again every few epochs,
as the net gets better.

A run lives in a directory: ``checkpoint.npz`` to go on from after an interruption, ``log.jsonl`` with one line a
shard, ``net.bin`` with the quantised weights of the last checkpoint.
"""

import itertools
import json
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murk._core import Network, QuiescenceLimits, Trainer, predict, resolve
from murk.darkchess.evaluators.embedded import weights_file
from murk.darkchess.evaluators.records import HELD_OUT, RECORD, Records, as_rows, read_shard
from murk.darkchess.evaluators.scores import Scores
from murk.errors import FormatError, InputError
from murk.tree.files import write_atomically

__all__ = ["Progress", "TrainConfig", "read_log", "score", "split", "train"]


VALIDATION = 100_000
"""At most so many positions are kept for validation."""
WARM_UP = 1_000_000
"""Positions over which the learning rate rises."""
PIECE = 1_000
"""Outcomes that are mixed in together."""


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """How to train.

    Attributes:
        samples: positions shown to the trainer in the whole run, each as often as the data are short of it.
        rate: the first learning rate of Adam; it falls along a half cosine to ``last_rate``.
        power: the loss is the mean of ``|tanh(net) - tanh(label / 420)| ** power``.
        batch: positions to a step.
        resolve_every: a shard is resolved anew every so many epochs.
        outcomes: part of the positions that come from shards of outcomes, if there are any.
    """

    samples: int = 400_000_000
    rate: float = 1.5e-3
    last_rate: float = 1e-5
    power: float = 2.0
    batch: int = 8_192
    resolve_every: int = 3
    outcomes: float = 0.0
    seed: int = 1
    threads: int = 1

    def __post_init__(self) -> None:
        if not 0 <= self.outcomes < 1:
            raise InputError(f"outcomes is {self.outcomes}, expected a share from 0 up to, but not, 1")


@dataclass(frozen=True)
class Progress:
    """Where a run stands after a shard; ``static`` and ``full`` are on the validation set, if it was due."""

    samples: int
    total: int
    rate: float
    loss: float
    seconds: float
    static: Scores | None = None
    full: Scores | None = None


def split(records: Records) -> tuple[Records, Records]:
    """Return the records for training and those for validation; whole games go to one or the other."""
    usable = (records["flags"] & 0xFF) < HELD_OUT
    validation = records["game"] % 64 == 63
    return records[usable & ~validation], records[usable & validation]


def score(network: Network, records: Records, *, threads: int = 1) -> tuple[Scores, Scores]:
    """Return how the net alone, and the net with the quiescence search, agree with the labels."""
    targets, static, full, _, _ = predict(as_rows(records), network, QuiescenceLimits(), threads)
    return Scores.of(static, targets), Scores.of(full, targets)


def train(
    shards: Callable[[], list[Path]],
    run: Path,
    config: TrainConfig,
    *,
    start: Network | None = None,
    outcomes: Callable[[], list[Path]] = lambda: [],
    validate_every: int = 8,
    on_progress: Callable[[Progress], None] | None = None,
) -> Network:
    """Train, going on from ``run/checkpoint.npz`` if it is there, and return the quantised net.

    Args:
        shards: tells which shards there are. Asked again at the beginning of each epoch, so that labelling may go on.
        run: the run's directory; made if it is not there.
        config: how to train. On resuming, it must be what the run was begun with.
        start: a net to take the weights from, rather than to begin with random ones.
        outcomes: tells which shards of outcomes there are.
        validate_every: shards from one validation (and checkpoint) to the next.
        on_progress: told about every shard.

    Raises:
        InputError: there are no data, or the run was begun with another configuration.
    """
    run.mkdir(parents=True, exist_ok=True)
    trainer = Trainer(config.seed, config.threads)
    seen, seconds = 0, 0.0
    checkpoint = run / "checkpoint.npz"
    if checkpoint.exists():
        seen, seconds = _restore(trainer, checkpoint, config)
    elif start is not None:
        trainer.begin_from(start)
    write_atomically(run / "config.json", [json.dumps(asdict(config)).encode()])
    began = time.monotonic() - seconds
    chunks = 0
    for chunk, validation in _chunks(shards, outcomes, config, seen, trainer.network):
        if seen >= config.samples:
            break
        rate = _rate(config, seen)
        loss = trainer.train(as_rows(chunk), config.batch, rate, config.power)
        seen, chunks = seen + len(chunk), chunks + 1
        now = Progress(seen, config.samples, rate, loss, time.monotonic() - began)
        if chunks % validate_every == 0 or seen >= config.samples:
            network = trainer.network()
            static, full = score(network, validation)
            now = replace(now, static=static, full=full)
            _save(trainer, checkpoint, config, now)
            write_atomically(run / "net.bin", [weights_file(network)])
        with (run / "log.jsonl").open("a") as log:
            log.write(json.dumps(asdict(now)) + "\n")
        if on_progress is not None:
            on_progress(now)
    return trainer.network()


def read_log(run: Path) -> list[dict[str, Any]]:
    """Return the lines of a run's log, without what an interrupted run did after its last checkpoint."""
    path = run / "log.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    kept: list[dict[str, Any]] = []
    for line in lines:
        while kept and kept[-1]["samples"] >= line["samples"]:
            kept.pop()
        kept.append(line)
    return kept


def _rate(config: TrainConfig, seen: int) -> float:
    # A short rise first: Adam's second moments are still being learnt.
    warm = min(1.0, (seen + WARM_UP / 3) / WARM_UP)
    phase = min(1.0, seen / config.samples)
    return warm * (config.last_rate + (config.rate - config.last_rate) * 0.5 * (1 + math.cos(math.pi * phase)))


def _chunks(
    shards: Callable[[], list[Path]],
    outcomes: Callable[[], list[Path]],
    config: TrainConfig,
    seen: int,
    network: Callable[[], Network],
) -> Iterator[tuple[Records, Records]]:
    """Yield shards for ever, resolved and shuffled, each with the validation set."""
    played = _positions_of(outcomes, config, seen, network) if config.outcomes > 0 else None
    for chunk, validation in _labelled(shards, config, seen, network):
        if played is None:
            yield chunk, validation
            continue
        number = round(len(chunk) * config.outcomes / (1 - config.outcomes))
        mixed = np.concatenate([chunk, *_take(played, number)])
        yield np.random.default_rng([config.seed, seen, len(mixed)]).permutation(mixed), validation


def _labelled(
    shards: Callable[[], list[Path]], config: TrainConfig, seen: int, network: Callable[[], Network]
) -> Iterator[tuple[Records, Records]]:
    quiet: dict[Path, Records] = {}
    for epoch in itertools.count():
        random = np.random.default_rng([config.seed, seen, epoch])
        if not (paths := sorted(shards())):
            raise InputError("there are no training data: no shard was found")
        validation = np.concatenate([split(read_shard(path))[1] for path in paths])
        validation = np.random.default_rng(0).permutation(validation)[:VALIDATION]
        for i in random.permutation(len(paths)):
            path = paths[i]
            if path not in quiet or epoch % config.resolve_every == 0:
                quiet[path] = _resolved(path, network(), config)
            yield random.permutation(quiet[path]), validation


def _positions_of(
    outcomes: Callable[[], list[Path]], config: TrainConfig, seen: int, network: Callable[[], Network]
) -> Iterator[Records]:
    """Yield pieces of shards of outcomes for ever, resolved by the net of then."""
    for epoch in itertools.count():
        if not (paths := sorted(outcomes())):
            raise InputError("there are no outcomes to train on: no shard was found")
        random = np.random.default_rng([config.seed, seen, epoch, 1])
        for i in random.permutation(len(paths)):
            quiet = random.permutation(_resolved(paths[i], network(), config))
            yield from (quiet[first : first + PIECE] for first in range(0, len(quiet), PIECE))


def _take(source: Iterator[Records], number: int) -> Iterator[Records]:
    """Yield pieces until there are so many records."""
    while number > 0:
        piece = next(source)
        yield piece
        number -= max(1, len(piece))


def _resolved(path: Path, network: Network, config: TrainConfig) -> Records:
    rows = as_rows(split(read_shard(path))[0])
    return resolve(rows, network, QuiescenceLimits(), config.threads).reshape(-1).view(RECORD)


def _save(trainer: Trainer, path: Path, config: TrainConfig, progress: Progress) -> None:
    about = {"config": asdict(config), "samples": progress.samples, "seconds": progress.seconds}
    partial = path.with_suffix(".partial.npz")
    np.savez(partial, state=trainer.state(), about=np.array(json.dumps(about)))
    partial.replace(path)


def _load(path: Path) -> dict[str, NDArray[Any]]:
    try:
        with np.load(path) as file:
            return {"state": file["state"], "about": file["about"]}
    except (OSError, ValueError, KeyError) as error:
        raise FormatError(f"{path} is not a checkpoint of a training run: {error}") from None


def _restore(trainer: Trainer, path: Path, config: TrainConfig) -> tuple[int, float]:
    loaded = _load(path)
    about = json.loads(str(loaded["about"]))
    # Threads and the length of the run may change; what the weights depend on may not.
    free = {"threads", "samples"}
    for name, value in asdict(config).items():
        if name not in free and about["config"].get(name) != value:
            given = about["config"].get(name)
            raise InputError(f"the run in {path.parent} was begun with {name} {given}, not {value}")
    trainer.restore(loaded["state"])
    return int(about["samples"]), float(about["seconds"])
