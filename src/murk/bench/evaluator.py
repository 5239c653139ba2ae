"""``murk bench evaluator``: the embedded evaluator beside Stockfish, how well it agrees and how fast it is.

Agreement is measured on positions of held-out games, which Stockfish labels on the spot or has labelled before
(``murk label``), together with simpler value functions. Speed is that of all moves of the same positions: CPU seconds
of this process for murk, and of the engine for Stockfish, which take turns.
"""

import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import click
import numpy as np

from murk._core import Network, decided_value, record_position
from murk.bench.measure import cpu_seconds
from murk.bench.report import Row, environment, make_row, table
from murk.cli import options
from murk.cli.output import console, print_json, print_table
from murk.darkchess import Position
from murk.darkchess.evaluators.embedded import Embedded, read_network
from murk.darkchess.evaluators.labelling import label_held_out
from murk.darkchess.evaluators.records import HELD_OUT, Records, read_shards
from murk.darkchess.evaluators.report import make_report
from murk.darkchess.evaluators.scores import Scores
from murk.darkchess.evaluators.stockfish import Stockfish
from murk.errors import InputError

__all__ = ["evaluator", "measure_agreement", "measure_speed"]

METRIC = "leaf_values_per_second"
_SPEED_POSITIONS = 400
_KINGS_EN_PRISE = 60
Say = Callable[[str], None]


@dataclass(frozen=True)
class Agreement:
    """How one value function agrees with Stockfish on one group of positions."""

    group: str
    function: str
    scores: Scores

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain data."""
        return {"group": self.group, "function": self.function, **asdict(self.scores)}


def measure_agreement(records: Records, network: Network, embedded: Embedded, engine: Stockfish) -> Iterator[Agreement]:
    """Compare value functions with Stockfish's labels, by group of positions."""
    for group, functions in make_report(records, network).scores.items():
        for name, scores in functions.items():
            yield Agreement(group, name, scores)
    source = records["flags"] & 0xFF
    for group, chosen in (("played", source == HELD_OUT), ("not played", source != HELD_OUT)):
        if chosen.any():
            yield Agreement(group, "embedded", make_report(records[chosen], network).scores["all"]["embedded"])
    positions = _kings_en_prise(records)
    ours, theirs = _open_values(embedded, positions), _open_values(engine, positions)
    yield Agreement("king en prise", "embedded", Scores.of(ours, theirs))


def measure_speed(
    positions: Sequence[Position], embedded: Embedded, engine: Stockfish, *, repeat: int, batch_seconds: float = 0.3
) -> Row:
    """Return the row of values a second on one core; the best of several turns counts for each side."""
    number = sum(position.num_moves for position in positions)
    best = {"ours": math.inf, "theirs": math.inf}
    engine.values_of(positions[:10])
    for _ in range(repeat):
        calls, spent = 0, 0.0
        while spent < batch_seconds:
            started = cpu_seconds()
            embedded.values_of(positions)
            spent, calls = spent + cpu_seconds() - started, calls + 1
        best["ours"] = min(best["ours"], spent / calls)
        before = _engine_seconds(engine)
        engine.values_of(positions)
        best["theirs"] = min(best["theirs"], _engine_seconds(engine) - before)
    return make_row(
        METRIC,
        case="held-out games",
        nodes=len(positions),
        ours=number / best["ours"],
        method="embedded",
        peer=engine.engine,
        peer_method="MultiPV, depth 1",
        peer_value=number / best["theirs"],
    )


def _engine_seconds(engine: Stockfish) -> float:
    """Return the CPU seconds that the engine's processes have taken, or the time where that is not told."""
    ticks = 0
    try:
        for pid in engine.pids:
            # Fields 14 and 15, counted from after the name, which may hold anything.
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
    except OSError:
        return time.monotonic()
    return ticks / os.sysconf("SC_CLK_TCK")


def _kings_en_prise(records: Records) -> list[Position]:
    """Return positions in which the side to move can capture the king: blunders from held-out positions."""
    found: list[Position] = []
    for record in records:
        position = record_position(record.tobytes())
        blunders = [move for move in position.legal_moves if decided_value(position, move) == -1]
        if blunders:
            found.append(position.play(blunders[len(found) % len(blunders)]))
            if len(found) == _KINGS_EN_PRISE:
                break
    return found


def _open_values(evaluator: Embedded | Stockfish, positions: list[Position]) -> Any:
    """Return the values of all moves that the rules do not decide."""
    values: list[float] = []
    for position, of_moves in zip(positions, evaluator.values_of(positions), strict=True):
        moves = zip(position.legal_moves, of_moves, strict=True)
        values.extend(float(value) for move, value in moves if decided_value(position, move) is None)
    return np.array(values)


def _held_out(data: Path | None, number: int, engine: Stockfish, seed: int, say: Say) -> Records:
    if data is None:
        say(f"labelling {number} positions of held-out games")
        return label_held_out(engine, number, seed)
    shards = sorted(data.glob("heldout-*.bin")) if data.is_dir() else [data]
    if not shards:
        raise InputError(f"there is no shard of held-out positions in {data}: expected heldout-*.bin")
    records = read_shards(shards)
    if len(records) == 0:
        raise InputError(f"the shards of {data} hold no positions")
    return np.random.default_rng(seed).permutation(records)[:number]


def _network(weights: Path | None) -> Network:
    if weights is not None:
        return read_network(weights)
    with resources.as_file(resources.files("murk.darkchess.evaluators") / "data" / "embedded.bin") as path:
        return read_network(path)


@click.command(
    short_help="The embedded evaluator beside Stockfish.",
    epilog="\b\nExample:\n  murk bench evaluator --positions 10000",
)
@click.option("--positions", type=click.IntRange(min=100), default=4000, show_default=True, metavar="N",
              help="Held-out positions to compare on.")  # fmt: skip
@click.option("--data", type=click.Path(exists=True, path_type=Path),
              help="Take them from this shard, or from a directory that `murk label` made.")  # fmt: skip
@click.option("--weights", type=click.Path(dir_okay=False, exists=True, path_type=Path),
              help="Another net than the package's own.")  # fmt: skip
@click.option("--stockfish", metavar="PATH", help="The program; found by itself if it is installed.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Another gives other games.")
@click.option("--repeat", type=click.IntRange(min=1), default=3, show_default=True, metavar="N",
              help="Turns of the speed test, of which the best counts.")  # fmt: skip
@options.common_options
@click.pass_context
def evaluator(
    context: click.Context,
    positions: int,
    data: Path | None,
    weights: Path | None,
    stockfish: str | None,
    seed: int,
    repeat: int,
) -> None:
    """Measure how well the embedded evaluator agrees with Stockfish at depth 1, and how fast both are.

    Correlation and mean absolute error are in units of value, tanh(centipawns / tau), beside the net without its
    search, material with piece-square tables and material alone. The speed is of one core, in values of moves a
    second; a ratio above 1 means that murk is ahead.
    """
    from murk.bench.cli import _progress_line  # that module imports this one

    shared: options.Settings = context.obj
    with _progress_line(shared) as say:
        engine, embedded, network = Stockfish(stockfish), Embedded(weights), _network(weights)
        records = _held_out(data, positions, engine, seed, say)
        say("comparing values")
        agreements = list(measure_agreement(records, network, embedded, engine))
        say("measuring speed")
        sample = [record_position(record.tobytes()) for record in records[:_SPEED_POSITIONS]]
        sample = [position for position in sample if position.winner is None]
        row = measure_speed(sample, embedded, engine, repeat=repeat)
    if shared.json:
        accuracy = [agreement.to_dict() for agreement in agreements]
        print_json({"accuracy": accuracy, "rows": [row.to_dict()], "environment": environment()})
    else:
        _show(agreements, row, engine)


def _show(agreements: Sequence[Agreement], row: Row, engine: Stockfish) -> None:
    rows, before = [], ""
    for agreement in agreements:
        scores = agreement.scores
        rows.append(
            [
                agreement.group if agreement.group != before else "",
                f"{scores.positions:,}" if agreement.group != before else "",
                agreement.function,
                f"{scores.correlation:.4f}",
                f"{scores.mean_absolute_error:.4f}",
            ]
        )
        before = agreement.group
    title = f"agreement with {engine.engine}, depth 1, tanh(centipawns / {engine.tau:g}), on held-out games"
    columns = ("positions", "number", "value function", "correlation", "mean error")
    print_table(title, dict.fromkeys(columns, "whole"), rows)
    console().print()
    console().print(table([row]))
