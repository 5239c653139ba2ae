"""The worked example (Section 5 and the appendix): figures 1 to 3, with the corrections of docs/errata.md."""

import numpy as np
import pytest

from murk.experiments.example import GADGETS, example_gadget, example_row, matrices
from murk.subgame import solve_subgame
from murk.tree import MAX, Strategy

COMMON, KLSS = GADGETS

A_COMMON = [
    #  ∅  c0' C0h C0t c2' C2h C2t c4' C4h C4t
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0],  # ∅
    [0, 0, 1, 0, 0, 1, 0, 0, 0, 0],  # R1h
    [0, 0, 0, 4, 0, 0, 3 / 2, 0, 0, 0],  # R1t
    [0, 0, 0, 0, 0, 3 / 2, 0, 0, 4, 0],  # R3h
    [0, 0, 0, 0, 0, 0, 1, 0, 0, 1],  # R3t
]
A_KLSS = [
    [0, 0, 0, 0, 0, 0, 0],
    [0, 0, 1, 0, 0, 2, 0],
    [0, 0, 0, 4, 0, 0, 3],
]


@pytest.mark.parametrize(
    ("name", "a", "top"),
    [
        (COMMON, A_COMMON, [0, -1 / 2, 0, 0, -5 / 4, 0, 0, -1 / 2, 0, 0]),
        (KLSS, A_KLSS, [0, -1 / 2, 0, 0, -5 / 2, 3 / 2, 1]),
    ],
)
def test_example_matrices(name: str, a: list[list[float]], top: list[float]):
    ours, theirs, payoff, extra = matrices(example_gadget(name))
    assert ours == ["∅", "R1h", "R1t", "R3h", "R3t"][: len(a)]
    assert theirs == ["∅", "c0'", "C0h", "C0t", "c2'", "C2h", "C2t", "c4'", "C4h", "C4t"][: len(top)]
    assert payoff == pytest.approx(np.array(a), abs=1e-12)
    assert extra[0] == pytest.approx(np.array(top), abs=1e-12)
    assert not extra[1:].any()


def test_example_alternate_values():
    assert example_gadget(COMMON).alternate.tolist() == pytest.approx([1 / 2, 5 / 4, 1 / 2])
    assert example_gadget(KLSS).alternate.tolist() == pytest.approx([1 / 2, 5 / 2])
    # The reach D of what is kept: one node of probability 1/5 is half of C2'.
    assert example_gadget(COMMON).reach.tolist() == pytest.approx([1 / 5, 2 / 5, 1 / 5])
    assert example_gadget(KLSS).reach.tolist() == pytest.approx([1 / 5, 1 / 5])


@pytest.mark.parametrize("name", GADGETS)
@pytest.mark.parametrize("kind", ["maxmargin", "resolve"])
@pytest.mark.parametrize("refinement", ["none", "sequential"])
def test_example_answer(name: str, kind: str, refinement: str):
    gadget = example_gadget(name)
    solution = solve_subgame(gadget if kind == "maxmargin" else gadget.to_resolve(), refinement=refinement)
    assert solution.value == pytest.approx(0.0, abs=1e-9)
    assert solution.behaviour().tolist() == pytest.approx([1 / 2, 1 / 2])


def test_example_margins_by_hand():
    """What the matrices say: MIN takes the smaller column of h and t at C0 and at C2."""
    gadget = example_gadget(KLSS)
    for heads in np.linspace(0, 1, 9):
        margins = gadget.margins(Strategy(gadget.tree, MAX, np.array([1.0, heads, 1 - heads])))
        assert margins[0] == pytest.approx(min(heads, 4 * (1 - heads)) - 1 / 2)
        assert margins[1] == pytest.approx(min(2 * heads + 3 / 2, 3 * (1 - heads) + 1) - 5 / 2)


def test_example_row_shows_the_papers_values_beside_ours():
    row = example_row(gadget=KLSS, report=lambda part: None)
    assert row["alternate"] == pytest.approx({"C0'": 0.5, "C2'": 2.5})
    assert row["paper_alternate"]["C2'"] == [3.0, 5.0]
    assert row["paper_B"][0] == [0, -0.5, 0, 0, -5, 1.5, 1]
    middle = row["curve"]["heads"].index(0.5)
    assert [margins[middle] for margins in row["curve"]["margins"].values()] == pytest.approx([0.0, 0.0])
