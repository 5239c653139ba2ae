"""Table 2: all seven rows, to the digit."""

import pytest

from murk.experiments import table2
from murk.experiments.games import GAMES, Case, Published


def row(case: Case):
    return table2.table2_row(name=case.name, report=lambda part: None)


def shown(values: list[float], printed: int) -> list[float]:
    """Return what the table shows of the averages for k = 1, 2, ...: four, and the last as that of infinity."""
    return values if printed < 5 else [*values[:4], values[-1]]


@pytest.mark.parametrize("case", GAMES, ids=lambda case: case.name)
def test_table2_every_row_is_the_papers(case: Case):
    found, paper = row(case), case.statistics
    assert paper is not None
    assert (found["nodes"], found["infosets"], found["diameter"]) == (paper.nodes, paper.infosets, paper.diameter)
    assert len(found["average"]) == found["diameter"]
    averages = shown(found["average_unforced"], len(paper.average))
    assert [f"{value:.2f}" for value in averages] == [figure.text for figure in paper.average]


@pytest.mark.parametrize("case", GAMES, ids=lambda case: case.name)
def test_table2_only_dark_hex_leaves_nodes_out(case: Case):
    found = row(case)
    assert found["forced_nodes"] == (24 if case.name == "dark_hex" else 0)
    if case.name != "dark_hex":
        assert found["average"] == found["average_unforced"]


def test_table2_dark_hex_with_all_its_nodes():
    averages = shown(row(GAMES[0])["average"], 5)
    assert [f"{value:.2f}" for value in averages] == ["4.80", "10.89", "16.43", "19.91", "26.69"]


def test_the_papers_figures_are_beside_ours():
    full = table2.with_paper(row(GAMES[0]))
    assert full["paper_average"] == [5.23, 12.0, 18.17, 22.04, 29.58]
    assert (full["paper_nodes"], full["paper_infosets"], full["paper_diameter"]) == (471, 94, 13)


def test_a_printed_figure_may_be_rounded_or_cut():
    figure = Published(".0683")
    assert figure.agrees(0.06834)
    assert figure.agrees(0.06836)
    assert not figure.agrees(0.06841)
    assert not figure.agrees(0.06825 - 1e-6)
