"""With nodes and a seed games replay exactly: a fingerprint of all decisions that must not change by accident.

If a change of an agent, the referee, the schedule or the simple evaluator is meant to change games, put in the new
fingerprint and say so in the changelog.
"""

import hashlib
import json
from importlib.metadata import version
from pathlib import Path

import pytest

from murk.darkchess.referee import TimeControl
from murk.match import LocalExecutor, MatchConfig, load_openings, make_players, read_journal, run_match

SIGNATURES = {
    "simple": "08282eac9dfa5698",
    "zs21": "a322281bc79b4fbc",
    "murk": "dbef5b1508db9392",
}
AGENTS = {
    "simple": ["pimc(evaluator=simple)", "greedy(evaluator=simple)", "cheat(evaluator=simple)"],
    "zs21": ["zs21(particles=30)", "baseline(particles=30)"],
    "murk": ["murk(positions=30)", "greedy"],
}
HIGHS = "1.15.1"
"""The linear programs of ``zs21`` and ``baseline`` have many optima: which one is found depends on the version."""


def fingerprint(path: Path) -> str:
    """Return a hash of the moves, of how much the players searched and of how many positions they held possible."""
    digest = hashlib.sha256()
    for game in sorted(read_journal(path)[1], key=lambda game: game.key):
        told = [(str(ply.move), ply.decision.get("belief_size"), ply.decision.get("nodes")) for ply in game.plies]
        digest.update(json.dumps([game.key, game.result, game.reason, told]).encode())
    return digest.hexdigest()[:16]


@pytest.mark.parametrize("kind", AGENTS)
def test_games_replay_exactly(kind: str, tmp_path: Path) -> None:
    config = MatchConfig(
        players=make_players(AGENTS[kind]),
        games=2,
        control=TimeControl(nodes=400),
        openings=tuple(load_openings("random(plies=3,count=2)", seed=5)),
        seed=11,
        max_plies=40,
    )
    for number, concurrency in enumerate((1, 2)):
        run_match(config, executor=LocalExecutor(concurrency), journal=tmp_path / f"{number}.jsonl")
    found = fingerprint(tmp_path / "0.jsonl")
    assert found == fingerprint(tmp_path / "1.jsonl")
    if kind != "zs21" or version("highspy") == HIGHS:
        assert found == SIGNATURES[kind]
