"""Rows: which way a ratio points, and the forms they are shown in."""

import csv
import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from murk.bench.report import METRICS, environment, lines, make_row, table, write_csv
from murk.bench.solvers import SOLVER_METRICS
from murk.errors import InputError

ROOT = Path(__file__).parents[2]
CASE = {"case": "kuhn_poker", "nodes": 58}


@pytest.mark.parametrize(
    ("metric", "ours", "theirs"),
    [
        ("build_nodes_per_second", 300_000.0, 100_000.0),
        ("bytes_per_node", 50.0, 150.0),
        ("cfr_iterations_per_second", 300.0, 100.0),
        ("exploitability_seconds", 0.1, 0.3),
        ("lp_seconds", 1.0, 3.0),
        ("seconds_to_exploitability", 1.0, 3.0),
    ],
)
def test_a_ratio_above_one_means_that_we_are_ahead(metric: str, ours: float, theirs: float):
    ahead = make_row(metric, ours=ours, peer_value=theirs, peer="peer", **CASE)
    behind = make_row(metric, ours=theirs, peer_value=ours, peer="peer", **CASE)
    assert ahead.ratio == pytest.approx(3.0)
    assert behind.ratio == pytest.approx(1 / 3)
    assert ahead.unit == METRICS[metric].unit


def test_without_a_peer_there_is_no_ratio():
    row = make_row("lp_seconds", ours=1.0, **CASE)
    assert (row.peer, row.peer_value, row.ratio, row.ratio_at_least) == (None, None, None, None)


def test_a_peer_that_was_stopped_gives_a_lower_bound():
    row = make_row("lp_seconds", ours=0.5, stopped_at=60.0, peer="peer", **CASE)
    assert (row.peer_value, row.ratio, row.ratio_at_least) == (None, None, 120.0)


def test_the_environment_says_what_figures_depend_on():
    found = environment()
    assert found["instruction_set"] in ("portable", "avx2", "avx512")
    assert found["versions"]["murk"]
    assert {"cpu", "cores", "python", "load_average"} <= set(found)
    json.dumps(found)


def test_lines_are_there_as_soon_as_they_are_written(tmp_path: Path):
    path = tmp_path / "rows.jsonl"
    row = make_row("lp_seconds", ours=1.0, peer_value=2.0, peer="peer", **CASE)
    with lines(path) as keep:
        keep(row)
        first, second = path.read_text().splitlines()
    assert list(json.loads(first)) == ["environment"]
    assert json.loads(second) == row.to_dict()
    with lines(path) as keep:
        keep(row)
    assert len(path.read_text().splitlines()) == 4


def test_what_cannot_be_written_is_an_error_in_one_sentence(tmp_path: Path):
    with pytest.raises(InputError, match="cannot write"), lines(tmp_path / "no" / "rows.jsonl"):
        pass
    with pytest.raises(InputError, match="cannot write"):
        write_csv(tmp_path / "no" / "rows.csv", [])


def test_csv_has_a_column_for_every_field(tmp_path: Path):
    row = make_row("lp_seconds", ours=1.0, stopped_at=2.0, peer="peer", note="a, b", **CASE)
    write_csv(tmp_path / "rows.csv", [row])
    with (tmp_path / "rows.csv").open(newline="") as file:
        (read,) = csv.DictReader(file)
    assert set(read) == set(row.to_dict())
    assert (read["ours"], read["peer_value"], read["ratio_at_least"], read["note"]) == ("1.0", "", "2.0", "a, b")


def test_the_table_shows_every_row_with_its_note_below():
    rows = [
        make_row("lp_seconds", ours=0.002, peer_value=1.0, peer="Ecos", **CASE),
        make_row("lp_seconds", ours=0.002, stopped_at=60.0, peer="Gambit", note="did not finish in 60 s", **CASE),
        make_row("cfr_iterations_per_second", ours=3e6, peer="Lite", note="not installed", **CASE),
    ]
    text = io.StringIO()
    Console(file=text, width=150).print(table(rows))
    shown = text.getvalue()
    for part in (
        "2 ms",
        "500",
        "> 30,000",
        "3,000,000 iterations/s",
        "Gambit (1)",
        "(1) did not finish in 60 s",
        "Lite (2)",
    ):
        assert part in shown


def test_the_documentation_names_every_metric_and_field():
    page = (ROOT / "docs" / "benchmarks.md").read_text()
    fields = make_row("lp_seconds", ours=1.0, **CASE).to_dict()
    for name in [*SOLVER_METRICS, *fields]:
        assert f"`{name}`" in page, name
