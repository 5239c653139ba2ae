"""The growing search in the middlegame: positions a second, on one thread and on two, and where the time goes.

The agent ``murk`` follows games that others have played, asked at each of its moves; a node is a position valued. On
two threads one solves and the other expands, so the wall time counts and two idle cores are needed; on one it is CPU
time.
"""

import time
from collections.abc import Iterator

from murk.bench.darkchess import Settings
from murk.bench.darkchess.games import OPENINGS
from murk.bench.measure import cpu_seconds
from murk.bench.report import Row, make_row
from murk.darkchess import BLACK, WHITE, Board, Colour
from murk.darkchess.agents import Clock, make_agent

__all__ = ["measure"]

SPEED = "search_nodes_per_second"
FULL, QUICK = 1.0, 0.1
"""Seconds a move."""
MIDDLEGAME = 6
"""Moves of each side before it begins."""


def measure(settings: Settings) -> Iterator[Row]:
    """Yield a row for each number of threads."""
    movetime = QUICK if settings.quick else FULL
    for threads in (1, 2):
        settings.progress(f"search, {threads} thread{'s' * (threads > 1)}")
        yield _row(threads, movetime)


def _row(threads: int, movetime: float) -> Row:
    nodes, seconds, parts = 0, 0.0, dict.fromkeys(("evaluating", "walking", "solving"), 0.0)
    for game in OPENINGS.values():
        for colour in (WHITE, BLACK):
            for found, took, split in _follow(game, colour, threads, movetime):
                nodes += found
                seconds += took
                for part, spent in split.items():
                    parts[part] += spent
    total = sum(parts.values())
    note = ", ".join(f"{part} {spent / total:.0%}" for part, spent in parts.items())
    case = "middlegames, one thread" if threads == 1 else f"middlegames, {threads} threads"
    method = "CPU time" if threads == 1 else "wall time"
    return make_row(SPEED, case=case, nodes=nodes, ours=nodes / seconds, method=method, note=note)


def _follow(game: str, colour: Colour, threads: int, movetime: float) -> Iterator[tuple[int, float, dict[str, float]]]:
    """Yield for each decision in the middlegame the new nodes, the seconds, and their parts."""
    agent, board = make_agent(f"murk(threads={threads})"), Board()
    agent.new_game(colour, 1)
    clock = cpu_seconds if threads == 1 else time.perf_counter
    for san in game.split():
        own = board.turn == colour
        if own and len(board.moves) >= 2 * MIDDLEGAME:
            started = clock()
            decision = agent.move(Clock(movetime=movetime))
            took = clock() - started
            if decision.nodes:
                yield decision.nodes - decision.notes["carried_nodes"], took, decision.notes["seconds"]
        move = board.push(san)
        if board.outcome() is None:
            agent.observe(board.observation(colour), move if own else None)
