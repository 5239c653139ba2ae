"""With nodes and a seed games replay exactly: a fingerprint of all decisions that must not change by accident.

If a change of an agent, the referee, the schedule or the simple evaluator is meant to change games, put in the new
fingerprint and say so in the changelog.
"""

import hashlib
import json
from pathlib import Path

from murk.darkchess.referee import TimeControl
from murk.match import LocalExecutor, MatchConfig, load_openings, make_players, read_journal, run_match

SIGNATURE = "08282eac9dfa5698"


def fingerprint(path: Path) -> str:
    """Return a hash of the moves, of how much the players searched and of how many positions they held possible."""
    digest = hashlib.sha256()
    for game in sorted(read_journal(path)[1], key=lambda game: game.key):
        told = [(str(ply.move), ply.decision.get("belief_size"), ply.decision.get("nodes")) for ply in game.plies]
        digest.update(json.dumps([game.key, game.result, game.reason, told]).encode())
    return digest.hexdigest()[:16]


def test_games_replay_exactly(tmp_path: Path) -> None:
    agents = ["pimc(evaluator=simple)", "greedy(evaluator=simple)", "cheat(evaluator=simple)"]
    config = MatchConfig(
        players=make_players(agents),
        games=2,
        control=TimeControl(nodes=400),
        openings=tuple(load_openings("random(plies=3,count=2)", seed=5)),
        seed=11,
        max_plies=40,
    )
    for number, concurrency in enumerate((1, 2)):
        run_match(config, executor=LocalExecutor(concurrency), journal=tmp_path / f"{number}.jsonl")
    assert fingerprint(tmp_path / "0.jsonl") == fingerprint(tmp_path / "1.jsonl") == SIGNATURE
