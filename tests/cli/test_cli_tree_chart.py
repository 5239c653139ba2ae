"""``murk tree``, ``murk play`` and the chart of ``murk solve``."""

import math
import xml.etree.ElementTree as ElementTree
from itertools import pairwise
from pathlib import Path

import pytest

from murk.cli.chart import exploitability_chart


def test_a_tree_as_a_file_and_on_standard_output(ok, as_json) -> None:
    assert "kuhn.svg" in ok("tree", "kuhn_poker", "--out", "kuhn.svg").stdout
    picture = Path("kuhn.svg").read_text()
    ElementTree.fromstring(picture)
    assert ok("tree", "kuhn_poker").stdout.strip() == picture
    fields = as_json("tree", "figure1", "--infosets", "all", "--out", "f.svg")
    assert (fields["game"], fields["nodes"], fields["out"]) == ("figure1", 31, "f.svg")
    assert as_json("tree", "figure1")["svg"].startswith("<svg")


def test_gadgets(ok) -> None:
    maxmargin = ok("tree", "kuhn_poker", "--gadget", "maxmargin", "--infoset", "0").stdout
    resolve = ok("tree", "kuhn_poker", "--gadget", "resolve", "--infoset", "0", "--blueprint", "equilibrium").stdout
    assert maxmargin.count("<circle") + 2 == resolve.count("<circle")  # each of her infosets may exit
    assert (resolve.count(">exit<"), resolve.count(">play<")) == (2, 2)
    ok("tree", "kuhn_poker", "--gadget", "maxmargin", "--infoset", "2", "--order", "3", "--player", "min")
    ok("tree", "kuhn_poker", "--gadget", "maxmargin", "--infoset", "0pb", "--order", "inf")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["leduc_poker"], "a depth of 4 fits"),
        (["kuhn_poker", "--gadget", "resolve"], "--gadget and --infoset go together"),
        (["kuhn_poker", "--infoset", "0"], "--gadget and --infoset go together"),
        (["kuhn_poker", "--gadget", "resolve", "--infoset", "0pd"], "did you mean 0pb?"),
        (["kuhn_poker", "--gadget", "resolve", "--infoset", "0", "--order", "2"], "expected an odd number"),
        (["kuhn_poker", "--gadget", "resolve", "--infoset", "0", "--order", "x"], "expected an odd number or inf"),
        (["kuhn_poker", "--out", "tree.png"], "expected an ending of .svg"),
        (["kuhn_poker", "--out", "no/such.svg"], "cannot write no/such.svg"),
        (["khun_poker"], "did you mean kuhn_poker?"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(run, arguments: list[str], message: str) -> None:
    result = run("tree", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_play_says_what_it_cannot_play(run) -> None:
    assert "did you mean" in run("play", "kuhn_pokr").stderr
    assert "no agent" in run("play", "--tui", "--agent", "zs20").stderr


def test_a_chart_falls_as_exploitability_does() -> None:
    lines = exploitability_chart([(t / 10, 10.0 ** (-t / 10)) for t in range(31)], width=50, height=6)
    assert len(lines) == 7
    assert lines[0].strip().startswith("1e+00 ┤")
    assert "1e-03" in lines[5]
    assert lines[6].endswith("3 s")
    # The curve goes down: the first row is dotted at the left only, the last at the right only.
    dots = [[i for i, c in enumerate(line.partition("┤")[2]) if c != "\u2800"] for line in lines[:6]]
    assert dots[0][0] == 0
    assert dots[5][-1] == max(max(row) for row in dots)
    assert all(upper[0] <= lower[0] for upper, lower in pairwise(dots))


def test_a_chart_of_nothing_is_nothing() -> None:
    assert exploitability_chart([]) == []
    assert exploitability_chart([(1.0, 0.5)]) == []
    assert exploitability_chart([(0.0, math.nan), (1.0, 0.0), (2.0, -1.0)]) == []
    assert exploitability_chart([(0.0, 1.0), (1.0, 0.5)], width=12) == []
    flat = exploitability_chart([(0.0, 1.0), (0.0, 1.0), (0.0, 1.0)])
    assert len(flat) == 9
