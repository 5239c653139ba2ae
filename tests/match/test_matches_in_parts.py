"""``benchmarks/matches.py``: what parts of a match came to, and journals that are shortened and gone on from."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from murk.darkchess import BLACK, WHITE, Board
from murk.darkchess.referee import TimeControl
from murk.match import MatchConfig, load_openings, make_players, read_journal, run_match

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "benchmarks" / "matches.py"


def report(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[MatchConfig, Path]]:
    """Two parts of a match, of four games and of two."""
    made = []
    for seed, games in ((1, 4), (2, 2)):
        config = MatchConfig(
            players=make_players(["greedy(evaluator=simple)", "random"]),
            games=games,
            control=TimeControl(nodes=100),
            openings=tuple(load_openings("random(plies=3,count=2)", seed=5)),
            seed=seed,
            max_plies=30,
        )
        path = tmp_path_factory.mktemp("parts") / f"{seed}.jsonl"
        run_match(config, journal=path)
        made.append((config, path))
    return made


def test_the_games_of_all_parts_are_counted(parts: list[tuple[MatchConfig, Path]]) -> None:
    games = [game for _, path in parts for game in read_journal(path)[1]]
    found = report(*(path for _, path in parts))
    assert found.returncode == 0, found.stderr
    heads, _, row = ([cell.strip() for cell in line.split("|")[1:-1]] for line in found.stdout.splitlines())
    cells = dict(zip(heads, row, strict=True))
    points = [game.points_of(0) for game in games]
    assert [int(cells[name]) for name in ("won", "drawn", "lost")] == [points.count(p) for p in (1.0, 0.5, 0.0)]
    assert (cells["seeds"], cells["limit"], cells["forfeits"]) == ("1, 2", "100 nodes", "0 / 0")
    longest = 0.0
    for game in games:
        board, ours = Board(game.fen), WHITE if game.white == 0 else BLACK
        for ply in game.plies:
            if board.turn == ours:
                longest = max(longest, ply.seconds or 0.0)
            board.push(ply.move)
    assert cells["longest moves"].startswith(f"{longest:.3f} s / ")


def test_a_shortened_journal_is_gone_on_from(parts: list[tuple[MatchConfig, Path]], tmp_path: Path) -> None:
    config, path = parts[0]
    assert report(path, "--shorten", tmp_path).returncode == 0
    short = tmp_path / path.name
    assert short.stat().st_size < path.stat().st_size
    before = read_journal(path)[1]
    assert [(g.key, g.result, [p.move for p in g.plies]) for g in read_journal(short)[1]] == [
        (g.key, g.result, [p.move for p in g.plies]) for g in before
    ]
    ended = run_match(replace(config, games=6), journal=short, resume=True)
    assert (ended.resumed, ended.standings.games) == (4, 6)


def test_what_cannot_be_counted_is_said_in_a_sentence(parts: list[tuple[MatchConfig, Path]], tmp_path: Path) -> None:
    torn, other = tmp_path / "torn.jsonl", tmp_path / "other.jsonl"
    torn.write_text(parts[0][1].read_text().splitlines()[0][:20])
    other.write_text(json.dumps({"format": "something else"}) + "\n")
    for arguments in ([parts[0][1]] * 2, [tmp_path / "none.jsonl"], [torn], [other]):
        found = report(*arguments)
        assert found.returncode == 2
        assert len(found.stderr.splitlines()) == 1


def test_the_journals_in_the_repository_are_whole() -> None:
    journals = sorted((ROOT / "benchmarks" / "matches").glob("*.jsonl"))
    assert journals
    found = report(*journals)
    assert found.returncode == 0, found.stderr
    assert len(found.stdout.splitlines()) == 2 + len(journals)
