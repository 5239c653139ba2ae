"""Rows for people: tables, CSV, plots."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from murk.errors import InputError
from murk.experiments import epsilon, example, orders, output, safety, table1, table2, trunk
from murk.experiments.games import GAMES, chosen
from murk.experiments.study import Task, run


def rows(listed: list[Task]) -> list[dict[str, Any]]:
    return [row for _, row in run(listed, cache=False)]


@pytest.fixture(scope="module")
def studies() -> dict[str, list[dict[str, Any]]]:
    small = chosen(["kuhn", "goofspiel_increasing"])
    return {
        "table1": [table1.with_paper(row) for row in rows(table1.tasks(small))],
        "table2": [table2.with_paper(row) for row in rows(table2.tasks([GAMES[0], GAMES[3]]))],
        "example": rows(example.tasks()),
        "safety": safety.merged(rows(safety.tasks(numbers=[4, 8], games=5))),
        "epsilon": [epsilon.with_paper(row) for row in rows(epsilon.tasks(small, epsilons=[0.0, 0.25]))],
        "orders": rows(orders.tasks(small, orders=["1", "3"])),
        "trunk": rows(trunk.tasks(["kuhn"], seconds=10.0)),
    }


def cells(study: str, found: list[dict[str, Any]]) -> list[dict[str, str]]:
    return [dict(zip(table.columns, line, strict=True)) for table in output.tables(study, found) for line in table.rows]


@pytest.mark.parametrize("study", output.TABLES)
def test_tables_are_rectangles_of_text_with_distinct_headings(studies, study: str):
    for table in output.tables(study, studies[study]):
        assert len(set(table.columns)) == len(table.columns)
        for line in table.rows:
            assert len(line) == len(table.columns)
            assert all(isinstance(cell, str) for cell in line)


def test_table1_stands_beside_the_papers(studies):
    found = cells("table1", studies["table1"])
    kuhn = next(c for c in found if c["game"] == "Kuhn poker" and c["refinement"] == "sequential")
    assert kuhn["blueprint (paper)"] == "0.0124 (0.0124)"
    assert kuhn["after (paper)"] == "0.0015 (0.0015)"
    assert kuhn["ratio (paper)"] == "8.333 (8.3)"
    goofspiel = next(c for c in found if c["game"].startswith("4-card"))
    assert (goofspiel["after (paper)"], goofspiel["ratio (paper)"]) == ("0.0000 (0)", "∞ (∞)")


def test_table2_has_the_papers_line_below_ours(studies):
    lines = [tuple(c.values()) for c in cells("table2", studies["table2"])]
    assert lines[0][1:] == ("murk", "471", "94", "13", "4.80", "10.89", "16.43", "19.91", "26.69")
    assert lines[1][1] == "murk, without 24 forced"
    assert lines[1][5:] == lines[2][5:] == ("5.23", "12.00", "18.17", "22.04", "29.58")
    assert lines[3][1:] == ("murk", "58", "12", "3", "2.50", "3.50", "4.00", "", "")
    assert lines[4][1:] == ("paper", "58", "12", "3", "2.50", "3.50", "4.00", "", "")


def test_a_csv_file_has_a_line_for_each_row(studies, tmp_path: Path):
    read = {}
    for study, found in studies.items():
        path = tmp_path / f"{study}.csv"
        output.write_csv(path, found)
        with path.open(newline="", encoding="utf-8") as file:
            read[study] = list(csv.DictReader(file))
        assert len(read[study]) == len(found)
    assert json.loads(read["table2"][0]["average"]) == studies["table2"][0]["average"]
    assert float(read["table1"][0]["blueprint"]) == studies["table1"][0]["blueprint"]


def test_a_csv_file_that_cannot_be_written_is_one_sentence(tmp_path: Path):
    with pytest.raises(InputError, match="cannot write"):
        output.write_csv(tmp_path / "nowhere" / "file.csv", [])


@pytest.mark.parametrize("study", output.PLOTS)
def test_plots_are_pictures(studies, study: str, tmp_path: Path):
    path = tmp_path / f"{study}.png"
    output.plot(study, studies[study], path)
    assert path.read_bytes().startswith(b"\x89PNG")
    assert path.stat().st_size > 5000
