"""Labels that no engine of ordinary chess can give: what became of positions in games in the fog.

Two quick players hold beliefs and choose by what a net makes of a few boards of theirs (``cpp/eval/fog_outcomes.h``).
Every true position is labelled with a mixture of the net's values of the positions that followed and of the result.
A net that is trained further on such labels knows what a move, an open king or a hidden attacker is worth to players
who do not see everything.

A directory holds the shards, each made whole or not at all and with a seed of its own: a run that was interrupted goes
on with the first shard that is missing.
"""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from threading import Event

import numpy as np

from murk._core import EmbeddedEvaluator, Network, OutcomePlayer
from murk.darkchess.evaluators.labelling import LabelProgress
from murk.darkchess.evaluators.records import RECORD, Records, write_shard
from murk.errors import InputError

__all__ = ["OutcomeConfig", "play_outcomes"]

_STEP = 1_000
"""Records between two looks at whether to stop."""


@dataclass(frozen=True, kw_only=True)
class OutcomeConfig:
    """What to play.

    Attributes:
        records: positions to label; 0 plays nothing.
        shard: records in a shard.
        seed: another seed gives other games.
    """

    records: int = 6_000_000
    shard: int = 100_000
    seed: int = 1

    def __post_init__(self) -> None:
        for name, least in (("records", 0), ("shard", 1), ("seed", 0)):
            if getattr(self, name) < least:
                raise InputError(f"{name} is {getattr(self, name)!r}, expected at least {least}")


def play_outcomes(
    directory: Path,
    config: OutcomeConfig,
    network: Network,
    *,
    threads: int = 1,
    on_progress: Callable[[LabelProgress], None] | None = None,
) -> list[Path]:
    """Make all shards that ``directory`` does not have yet, with the net's evaluator, and return all of them.

    Args:
        directory: made if it is not there.
        config: what to play.
        network: of both players, and of the values that labels are made of.
        threads: games at a time.
        on_progress: told about every shard.

    Raises:
        InputError: the directory cannot be used.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot use {directory} for outcomes: {error.strerror or error}") from None
    evaluator = EmbeddedEvaluator(network, f"{network.checksum:016x}")
    sizes = [min(config.shard, config.records - first) for first in range(0, config.records, config.shard)]
    paths = [directory / f"outcome-{i:05}.bin" for i in range(len(sizes))]
    missing = [i for i, path in enumerate(paths) if not path.exists()]
    began, there, new = time.monotonic(), config.records - sum(sizes[i] for i in missing), 0
    stopped = Event()

    def make(i: int) -> int:
        player = OutcomePlayer(evaluator, (config.seed * 1_000_000 + i) % (1 << 64))
        parts: list[Records] = []
        while sum(map(len, parts)) < sizes[i]:
            if stopped.is_set():
                return 0
            parts.append(player.run(min(_STEP, sizes[i])).reshape(-1).view(RECORD))
        write_shard(paths[i], np.concatenate(parts)[: sizes[i]], labelled_by="outcomes")
        return sizes[i]

    with ThreadPoolExecutor(threads) as pool:
        try:
            for done in as_completed([pool.submit(make, i) for i in missing]):
                new += done.result()
                if on_progress is not None:
                    on_progress(LabelProgress(there + new, config.records, new, time.monotonic() - began))
        finally:  # Ctrl-C reaches this thread alone; the others look up after a step
            stopped.set()
            pool.shutdown(cancel_futures=True)
    return paths
