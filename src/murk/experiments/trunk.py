"""Soundness of the trunk search (Section 6 of [ZS21]): exploitability over the tree's size, on games with an answer.

The value function is crude on purpose: nothing (0 everywhere), or noise that has nothing to do with the game. It
decides where the search looks, and the exploitability on the way; in the end the strategies are an equilibrium.
"""

import hashlib
import time
from collections.abc import Sequence
from typing import Any

from murk.errors import InputError
from murk.experiments.study import Report, Row, Task, tree_of
from murk.games.load import load
from murk.games.openspiel import OpenSpielGame
from murk.search import Budget, SearchOptions, TrunkSearch, current_profile, solve_trunk
from murk.solvers.response import exploitability

__all__ = ["GAMES", "VALUES", "tasks", "trunk_row"]

GAMES = {
    "kuhn": "kuhn_poker",
    "leduc": "leduc_poker",
    "liars_dice": "liars_dice(dice_sides=4)",
    "goofspiel": "goofspiel(imp_info=True,num_cards=4,points_order=random,players=2)",
}
VALUES = ("nothing", "noise")


def tasks(games: Sequence[str] = (), *, values: Sequence[str] = VALUES, seconds: float = 60.0) -> list[Task]:
    """Return the rows: each game with each value function."""
    unknown = [name for name in games if name not in GAMES]
    if unknown:
        raise InputError(f"there is no game {unknown[0]!r} in this study, expected one of {', '.join(GAMES)}")
    return [
        Task(trunk_row, {"name": name, "value": value, "seconds": seconds}, f"{name}, {value}", GAMES[name])
        for name in games or GAMES
        for value in values
    ]


def trunk_row(*, name: str, value: str, seconds: float, report: Report) -> Row:
    """Search one game and measure after each solve."""
    spec = GAMES[name]
    tree, game = tree_of(spec), load(spec)
    assert isinstance(game, OpenSpielGame)
    low, high = float(tree.utility.min()), float(tree.utility.max())
    scale = 2.0 / (high - low)
    nodes: list[int] = []
    measured: list[float] = []
    used: list[float] = []
    started, away = time.perf_counter(), 0.0

    def observe(search: TrunkSearch) -> None:
        nonlocal away
        now = time.perf_counter()
        nodes.append(search.trunk.num_nodes)
        measured.append(scale * exploitability(current_profile(search, tree)))
        used.append(now - started - away)
        report(min(0.99, search.trunk.num_nodes / tree.num_nodes))
        away += time.perf_counter() - now

    found = solve_trunk(
        game, value=_VALUES[value], options=SearchOptions(growth=2.0, growth_floor=1_000),
        budget=Budget(seconds=seconds), observer=observe,
    )  # fmt: skip
    return {
        "game": spec, "name": name, "value_function": value, "whole": tree.num_nodes, "finished": found.result.finished,
        "iterations": found.result.iterations, "nodes": nodes, "exploitability": measured, "seconds": used,
        "value": found.result.value,
    }  # fmt: skip


def _noise(state: Any) -> float:
    """Return a number that depends on the state and on nothing else, between -1 and 1."""
    digest = hashlib.blake2b(str(state.state).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**63 - 1.0


_VALUES = {"nothing": lambda state: 0.0, "noise": _noise}
