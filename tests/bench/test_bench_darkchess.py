"""``murk bench darkchess``: perft beside other programs."""

import json
import sys

import pytest
from click.testing import CliRunner

from murk.bench.darkchess import Settings
from murk.bench.darkchess import perft as module
from murk.bench.darkchess.perft import measure
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
