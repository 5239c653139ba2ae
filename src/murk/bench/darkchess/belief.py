"""The belief step: speed beside a straightforward native one, scaling, the curve over sizes, and memory.

A step takes the set of positions before a move of the opponent's to the set after it. What counts is the number of
opponent's moves considered, legal moves in all positions together, whether refused at a glance or made. The peer makes
each child, computes its view, compares it and looks it up (``cpp/chess/naive_advance.cpp``); that both find the same is
checked. When the opponent's move is not seen, most of what is considered is kept and must be told apart; when it is,
nearly all is refused.
"""

import json
import math
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

from murk._core import PositionSet
from murk.bench.darkchess import Settings
from murk.bench.darkchess.games import OPENINGS, QUIET, Update, opponent_moves
from murk.bench.measure import best_of, cpu_seconds
from murk.bench.report import Row, make_row
from murk.darkchess import BLACK, WHITE
from murk.errors import BackendError

__all__ = ["measure"]

SPEED = "belief_moves_per_second"
TIME = "belief_ns_per_position"
SCALING = "belief_two_threads"
SIZE = "belief_bytes_per_position"
PEAK = "belief_peak_memory"
PEER = "naive native step"
METHOD = "make child, compute view, compare"
BOTH = (WHITE, BLACK)


def measure(settings: Settings) -> Iterator[Row]:
    """Yield all rows.

    Raises:
        BackendError: the two steps disagree.
    """
    largest = 100_000 if settings.quick else 300_000
    settings.progress("belief, openings")
    games = [
        update
        for game in OPENINGS.values()
        for colour in BOTH
        for update in opponent_moves(game, colour, smallest=1000, largest=largest)
    ]
    yield _speed("five openings, both sides", games, settings)
    seen = [update for update in games if len(_step(update)) <= len(update.before)]
    yield _speed("of these, where the move is seen", seen, settings)
    unseen = [update for update in games if update not in seen]
    yield _speed("of these, where it is not", unseen, settings)
    curve = list(opponent_moves(QUIET, WHITE, smallest=1000, largest=400_000 if settings.quick else 6_000_000))
    yield from _curve(curve, settings)
    yield from _scaling(curve[-1], settings)
    positions = curve[-1].before
    yield make_row(SIZE, case="stored", nodes=len(positions), ours=positions.nbytes / len(positions))
    yield from _peak(settings)


def _step(update: Update, threads: int = 1) -> PositionSet:
    return update.before.after_opponent_move(update.seen, threads=threads)


def _speed(case: str, updates: Sequence[Update], settings: Settings) -> Row:
    moves = sum(update.before.count_moves() for update in updates)
    size = sum(len(update.before) for update in updates)

    def ours(count: int) -> None:
        for _ in range(count):
            for update in updates:
                _step(update)

    def theirs(count: int) -> None:
        for _ in range(count):
            for update in updates:
                update.before.after_opponent_move_naive(update.seen)

    settings.progress(f"belief, {case}")
    if not settings.peers:
        (timing,) = best_of(ours, repeat=settings.repeat)
        return make_row(SPEED, case=case, nodes=size, ours=moves / timing.seconds, method="one thread")
    for update in updates:
        if _step(update) != update.before.after_opponent_move_naive(update.seen):
            raise BackendError(f"the belief step and the naive one disagree after {update.seen.text!r}")
    mine, naive = best_of(ours, theirs, repeat=settings.repeat)
    return make_row(
        SPEED,
        case=case,
        nodes=size,
        ours=moves / mine.seconds,
        method="one thread",
        peer=PEER,
        peer_method=METHOD,
        peer_value=moves / naive.seconds,
    )


def _curve(updates: Sequence[Update], settings: Settings) -> Iterator[Row]:
    """Yield the time a position along one game in which nothing is seen: flat if the cost is linear in the set."""
    for update in updates:
        size = len(update.before)
        settings.progress(f"belief, {size:,} positions")

        def job(count: int, update: Update = update) -> None:
            for _ in range(count):
                _step(update)

        (timing,) = best_of(job, repeat=settings.repeat if size < 1_000_000 else min(settings.repeat, 2))
        after = len(_step(update))
        yield make_row(
            TIME, case=f"{size:,} positions, move unseen", nodes=size, ours=1e9 * timing.seconds / size,
            note=f"{after:,} after the move",
        )  # fmt: skip


def _scaling(update: Update, settings: Settings) -> Iterator[Row]:
    """Yield how much sooner two threads are done than one: the best of alternating runs.

    By the clock on the wall, which needs two idle cores; and by the CPU time of both threads together, which tells what
    two idle cores would give, their work being shared evenly.
    """
    settings.progress("belief, two threads")
    wall, cpu = {1: math.inf, 2: math.inf}, {1: math.inf, 2: math.inf}
    for _ in range(max(8, settings.repeat)):
        for threads in (1, 2):
            started = time.perf_counter(), cpu_seconds()
            _step(update, threads)
            wall[threads] = min(wall[threads], time.perf_counter() - started[0])
            cpu[threads] = min(cpu[threads], cpu_seconds() - started[1])
    size = len(update.before)
    same: dict[str, Any] = {"case": f"{size:,} positions", "nodes": size}
    yield make_row(SCALING, **same, ours=wall[1] / wall[2], method="wall time", note="needs two idle cores")
    yield make_row(SCALING, **same, ours=2 * cpu[1] / cpu[2], method="CPU time")


def _peak(settings: Settings) -> Iterator[Row]:
    size = 1_000_000 if settings.quick else 10_000_000
    settings.progress(f"belief, memory of {size:,} positions")
    done = subprocess.run(
        [sys.executable, "-m", "murk.bench.darkchess.belief_memory", str(size)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise BackendError(f"measuring the memory of {size:,} positions failed: {last}")
    for row in json.loads(done.stdout):
        yield make_row(
            PEAK,
            case=f"{row['before']:,} positions, {row['case']}",
            nodes=row["before"],
            ours=row["peak"],
            method="whole process",
            note=f"{row['after']:,} after the move",
        )
