"""``murk bench subgames``: nested solving beside the naive loop."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from murk.bench import subgames as module
from murk.bench.subgames import measure
from murk.cli import main
from murk.errors import BackendError
from murk.experiments.games import chosen


def test_rows_for_each_case_each_loop_and_all_together():
    result = CliRunner().invoke(main, ["bench", "subgames", "--case", "kuhn", "--case", "dark_hex", "--json"])
    assert result.exit_code == 0, result.stderr
    rows = json.loads(result.stdout)["rows"]
    assert [row["case"] for row in rows] == [*["dark_hex"] * 2, *["kuhn"] * 2, *["2 rows of Table 1"] * 2]
    for row in rows:
        assert row["metric"] == "nested_klss_seconds"
        assert row["unit"] == "s"
        assert row["ratio"] == pytest.approx(row["peer_value"] / row["ours"])
    assert rows[4]["ours"] == pytest.approx(rows[0]["ours"] + rows[2]["ours"])
    assert rows[4]["peer_value"] == pytest.approx(rows[0]["peer_value"] + rows[2]["peer_value"])


def test_without_the_source_tree_there_is_a_note(tmp_path: Path):
    (row,) = measure(chosen(["kuhn"]), script=tmp_path / "naive_table1.py", repeat=1)
    assert row.ratio is None
    assert row.note is not None
    assert "source tree" in row.note


def test_a_loop_that_computes_something_else_is_found_out(monkeypatch: pytest.MonkeyPatch):
    loaded = module._loaded

    def wrong(path: Path):
        loop = loaded(path)
        solve = loop.solve
        loop.solve = lambda *arguments: (solve(*arguments)[0] + 0.01, solve(*arguments)[1])
        return loop

    monkeypatch.setattr(module, "_loaded", wrong)
    with pytest.raises(BackendError, match="disagree on kuhn_poker"):
        list(measure(chosen(["kuhn"]), repeat=1))
