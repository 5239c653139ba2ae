"""Makes the training data of the embedded evaluator: plays games and has Stockfish label positions of them.

Two mixtures of games, with no player in common (``cpp/eval/labeller.h``):

- *training*: games of weak players, random games, games whose moves Stockfish's own scores choose with open eyes or
  over a few boards of a player's belief, endgames, checks and absurd material set up at random;
- *held-out*: games in the fog, in which each player imagines one board that agrees with what it sees and plays what
  Stockfish likes there. They are the test of what was learnt from the others, and are made first, so that no position
  of theirs is ever among the training data.

A directory holds the shards (``records.py`` says in which format), ``recipe.json`` with how they were made and
``labels.jsonl`` with a line for each. A shard is written whole or not at all, and each has a seed of its own: a run
that was interrupted goes on with the first shard that is missing.
"""

import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from murk._core import Labeller, record_keys
from murk.darkchess.evaluators.records import RECORD, Records, as_rows, read_shard, write_shard
from murk.darkchess.evaluators.stockfish import Stockfish
from murk.errors import FormatError, InputError
from murk.tree.files import write_atomically

__all__ = ["SOURCES", "LabelConfig", "LabelProgress", "label", "label_held_out"]

SOURCES = {
    1: "random play",
    2: "semi-random play",
    3: "endgame",
    4: "in check",
    5: "absurd material",
    6: "self-play",
    7: "fog play",
    8: "fog outcomes",
    64: "held-out, played",
    65: "held-out, not played",
}
"""Where a record comes from: the low byte of its ``flags``."""

_STEP = 20_000
_KINDS = (("held-out", "heldout"), ("training", "train"))


@dataclass(frozen=True, kw_only=True)
class LabelConfig:
    """What to label.

    Attributes:
        labels: records for training.
        held_out: records of held-out games; half of them positions that were played, half other children.
        shard: records in a shard.
        seed: another seed gives other positions.
        nodes: nodes of Stockfish's search of the parent, or ``None`` for depth 1.
    """

    labels: int = 60_000_000
    held_out: int = 150_000
    shard: int = 500_000
    seed: int = 1
    nodes: int | None = None

    def __post_init__(self) -> None:
        for name, least in (("labels", 0), ("held_out", 0), ("shard", 1), ("seed", 0)):
            if getattr(self, name) < least:
                raise InputError(f"{name} is {getattr(self, name)!r}, expected at least {least}")


@dataclass(frozen=True)
class LabelProgress:
    """How far a run is: ``done`` of ``total`` records, ``new`` of them in this run's ``seconds``."""

    done: int
    total: int
    new: int
    seconds: float


@dataclass(frozen=True)
class _Shard:
    path: Path
    mixture: str
    seed: int
    records: int


def label(
    directory: Path,
    config: LabelConfig,
    *,
    stockfish: str | os.PathLike[str] | None = None,
    processes: int = 1,
    on_progress: Callable[[LabelProgress], None] | None = None,
) -> None:
    """Make all shards that ``directory`` does not have yet.

    Raises:
        InputError: the directory cannot be used, or its shards were made by another recipe.
        MissingDependencyError: Stockfish is not installed.
    """
    _check_recipe(directory, config)
    shards = list(_shards(directory, config))
    total = sum(shard.records for shard in shards)
    missing = [shard for shard in shards if not shard.path.exists()]
    there = total - sum(shard.records for shard in missing)
    if not missing:
        return
    began, new = time.monotonic(), 0

    def tell(made: int) -> None:
        if on_progress is not None:
            on_progress(LabelProgress(there + new + made, total, new + made, time.monotonic() - began))

    with_engine = Stockfish(stockfish, processes=processes, nodes=config.nodes)
    for shard in missing:
        _make(shard, with_engine, _held_out_keys(directory), directory / "labels.jsonl", tell)
        new += shard.records


def label_held_out(engine: Stockfish, number: int, seed: int = 0) -> Records:
    """Return at least ``number`` records of held-out games, made on the spot."""
    labeller = Labeller(engine, "held-out", _seed("held-out", seed + 1_000, 0), np.empty(0, np.uint64))
    return _as_records(labeller.run(number))


def _check_recipe(directory: Path, config: LabelConfig) -> None:
    path = directory / "recipe.json"
    # There may be more labels later; all else would make other shards.
    recipe = {key: value for key, value in asdict(config).items() if key != "labels"}
    try:
        directory.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            write_atomically(path, [json.dumps(recipe).encode()])
        before = json.loads(path.read_text())
    except OSError as error:
        raise InputError(f"cannot use {directory} for labels: {error.strerror or error}") from None
    except ValueError:
        raise FormatError(f"{path} is not the recipe of a directory of labels") from None
    if before != recipe:
        name = next((k for k in recipe if before.get(k) != recipe[k]), "recipe")
        raise InputError(f"the labels in {directory} were made with {name} {before.get(name)}, not {recipe.get(name)}")


def _shards(directory: Path, config: LabelConfig) -> Iterator[_Shard]:
    for (mixture, name), number in zip(_KINDS, (config.held_out, config.labels), strict=True):
        for i in range(-(-number // config.shard)):
            records = min(config.shard, number - i * config.shard)
            yield _Shard(directory / f"{name}-{i:05}.bin", mixture, _seed(mixture, config.seed, i), records)


def _seed(mixture: str, seed: int, shard: int) -> int:
    return (seed * (1 if mixture == "training" else 1_000_003) * 1_000_000 + shard) % (1 << 64)


def _held_out_keys(directory: Path) -> NDArray[np.uint64]:
    shards = [read_shard(path) for path in sorted(directory.glob("heldout-*.bin"))]
    return record_keys(as_rows(np.concatenate([np.empty(0, RECORD), *shards])))


def _make(
    shard: _Shard, engine: Stockfish, excluded: NDArray[np.uint64], log: Path, tell: Callable[[int], None]
) -> None:
    began = time.monotonic()
    labeller = Labeller(engine, shard.mixture, shard.seed, excluded if shard.mixture == "training" else excluded[:0])
    parts: list[Records] = []
    made = 0
    while made < shard.records:
        parts.append(_as_records(labeller.run(min(_STEP, shard.records - made))))
        made += len(parts[-1])
        tell(min(made, shard.records))
    records = np.concatenate(parts)[: shard.records]
    write_shard(shard.path, records, labelled_by=engine.engine)
    seconds = time.monotonic() - began
    sources = Counter((records["flags"] & 0xFF).tolist())
    line = {
        "shard": shard.path.name,
        "seed": shard.seed,
        "records": len(records),
        "positions_asked": labeller.positions,
        "sources": {SOURCES.get(source, str(source)): count for source, count in sorted(sources.items())},
        "engine": engine.engine,
        "parameters": engine.parameters,
        "restarts": engine.restarts,
        "seconds": round(seconds, 1),
    }
    with log.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def _as_records(rows: NDArray[np.uint8]) -> Records:
    return rows.reshape(-1).view(RECORD)
