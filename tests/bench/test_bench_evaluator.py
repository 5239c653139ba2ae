"""``murk bench evaluator``: agreement with Stockfish, and speed."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from murk.cli import main

GROUPS = ["all", "quiet", "not quiet", "in check", "hanging queen", "endgames", "played", "not played", "king en prise"]


def test_agreement_by_group_and_speed_as_json():
    result = CliRunner().invoke(main, ["bench", "evaluator", "--positions", "5000", "--repeat", "1", "--json"])
    assert result.exit_code == 0, result.stderr
    answer = json.loads(result.stdout)
    accuracy = {(row["group"], row["function"]): row for row in answer["accuracy"]}
    assert list(dict.fromkeys(row["group"] for row in answer["accuracy"])) == GROUPS
    everything = {name: accuracy["all", name] for name in ("embedded", "net only", "material + PST", "material")}
    assert all(row["positions"] >= 5000 for row in everything.values())
    errors = [row["mean_absolute_error"] for row in everything.values()]
    assert errors[0] == min(errors)
    assert everything["embedded"]["correlation"] > 0.96
    assert accuracy["king en prise", "embedded"]["positions"] > 100
    (row,) = answer["rows"]
    assert row["metric"] == "leaf_values_per_second"
    assert row["peer"].startswith("Stockfish")
    assert row["ratio"] == pytest.approx(row["ours"] / row["peer_value"])


def test_labels_from_a_directory_and_a_table(tmp_path: Path):
    runner = CliRunner()
    made = runner.invoke(main, ["label", str(tmp_path / "data"), "--labels", "0", "--held-out", "400"])
    assert made.exit_code == 0, made.stderr
    arguments = ["bench", "evaluator", "--data", str(tmp_path / "data"), "--positions", "400", "--repeat", "1"]
    result = runner.invoke(main, arguments)
    assert result.exit_code == 0, result.stderr
    for word in (*GROUPS, "material + PST", "values/s", "MultiPV"):
        assert word in result.stdout


def test_a_directory_without_labels(tmp_path: Path):
    result = CliRunner().invoke(main, ["bench", "evaluator", "--data", str(tmp_path)])
    assert result.exit_code == 2
    assert "there is no shard of held-out positions" in result.stderr
