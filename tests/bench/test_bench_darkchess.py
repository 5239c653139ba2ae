"""``murk bench darkchess``: perft beside other programs."""

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from murk.bench.darkchess import Settings, belief, games
from murk.bench.darkchess import perft as module
from murk.bench.darkchess.perft import measure
from murk.bench.report import Row
from murk.cli import main
from murk.errors import BackendError


@pytest.fixture(autouse=True)
def short_cases(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "CASES", (module.Case("rooks", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq -", 4, 4),))
    monkeypatch.setattr(module.PythonChess, "depth", 2)


def test_a_row_for_each_peer():
    result = CliRunner().invoke(main, ["bench", "darkchess", "--part", "perft", "--quick", "--repeat", "1", "--json"])
    assert result.exit_code == 0, result.stderr
    rows = json.loads(result.stdout)["rows"]
    assert [row["peer"] for row in rows] == ["python-chess", "pyffish", "OpenSpiel"]
    for row in rows:
        assert row["metric"] == "perft_nodes_per_second"
        assert (row["case"], row["unit"]) == ("rooks", "nodes/s")
        assert row["ratio"] == pytest.approx(row["ours"] / row["peer_value"])
        assert row["ratio"] > 0


def test_without_peers_there_is_one_row():
    (row,) = measure(Settings(peers=False, repeat=1))
    assert row.peer is None
    assert row.ours > 0


def test_a_peer_that_is_not_installed_leaves_a_note(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "pyffish", None)
    rows = {row.peer: row for row in measure(Settings(repeat=1))}
    assert rows["pyffish"].ratio is None
    assert rows["pyffish"].note is not None
    assert "pyffish is not installed" in rows["pyffish"].note
    assert rows["OpenSpiel"].ratio is not None


def test_a_peer_that_counts_something_else_is_found_out(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module.PythonChess, "prepare", lambda self, fen: lambda depth: 1)
    with pytest.raises(BackendError, match="murk and python-chess disagree about perft 2"):
        list(measure(Settings(repeat=1)))


@pytest.fixture
def short_game(monkeypatch: pytest.MonkeyPatch):
    game = games.OPENINGS["London"]
    monkeypatch.setattr(belief, "OPENINGS", {"London": " ".join(game.split()[:16])})
    monkeypatch.setattr(belief, "QUIET", " ".join(games.QUIET.split()[:10]))


def test_beliefs(monkeypatch: pytest.MonkeyPatch, short_game):
    monkeypatch.setattr(belief, "_peak", lambda settings: iter(()))
    rows = list(belief.measure(Settings(quick=True, repeat=1)))
    by_metric: dict[str, list[Row]] = {}
    for row in rows:
        by_metric.setdefault(row.metric, []).append(row)
    assert [row.peer for row in by_metric["belief_moves_per_second"]] == ["naive native step"] * 3
    assert all(row.ratio is not None and row.ratio > 0 for row in by_metric["belief_moves_per_second"])
    assert [row.nodes for row in by_metric["belief_ns_per_position"]] == [1333, 9263]
    assert [row.method for row in by_metric["belief_two_threads"]] == ["wall time", "CPU time"]
    assert by_metric["belief_bytes_per_position"][0].ours < 24


def test_beliefs_without_the_naive_step(monkeypatch: pytest.MonkeyPatch, short_game):
    monkeypatch.setattr(belief, "_peak", lambda settings: iter(()))
    rows = [row for row in belief.measure(Settings(quick=True, repeat=1, peers=False)) if row.metric == belief.SPEED]
    assert {row.peer for row in rows} == {None}


def test_memory_is_measured_in_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch):
    done = subprocess.run(
        [sys.executable, "-m", "murk.bench.darkchess.belief_memory", "30000"],
        capture_output=True,
        text=True,
        check=True,
    )
    (row,) = json.loads(done.stdout)
    assert row["before"] >= 30_000
    assert row["after"] > 0
    assert row["peak"] > 16 * (row["before"] + row["after"])
    monkeypatch.setattr(belief.sys, "executable", "/bin/false")
    with pytest.raises(BackendError, match="memory of 1,000,000 positions failed"):
        list(belief._peak(Settings(quick=True)))
