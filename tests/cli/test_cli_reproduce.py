"""``murk reproduce``: every study through the command line."""

import csv
from pathlib import Path

import pytest

from murk.cli import reproduce as module
from murk.experiments import table1


def test_table1_rows_have_what_the_documentation_says(as_json):
    rows = as_json("reproduce", "table1", "--game", "kuhn", "--game", "dark_hex")["rows"]
    assert [(row["game"], row["refinement"]) for row in rows] == [
        ("2x2 Abrupt Dark Hex", "none"),
        ("2x2 Abrupt Dark Hex", "sequential"),
        ("Kuhn poker", "none"),
        ("Kuhn poker", "sequential"),
    ]
    assert rows[0]["blueprint"] == pytest.approx(0.0683594, abs=1e-6)
    assert rows[0]["after"] == pytest.approx(0.0625)
    assert (rows[0]["paper_blueprint"], rows[0]["paper_after"], rows[0]["paper_ratio"]) == (0.0683, 0.0625, 1.093)
    assert rows[3]["after"] == pytest.approx(1 / 672)


def test_rows_come_from_the_cache_the_second_time(as_json):
    command = ("reproduce", "table1", "--game", "kuhn_bet", "--refinement", "none", "--epsilon", "0.2")
    first = as_json(*command)["rows"]
    again = as_json(*command)["rows"]
    fresh = as_json(*command, "--no-cache")["rows"]
    assert [row["cached"] for row in (*first, *again, *fresh)] == [False, True, False]
    assert first[0]["after"] == again[0]["after"] == fresh[0]["after"]
    assert first[0]["paper_after"] is None, "the paper has figures for 0.25 only"


def test_table1_kinds_and_refinements_are_repeatable(as_json):
    command = ("reproduce", "table1", "--game", "kuhn", "--kind", "resolve", "--kind", "maxmargin")
    rows = as_json(*command, "--refinement", "sequential")["rows"]
    assert [(row["kind"], row["refinement"]) for row in rows] == [
        ("resolve", "sequential"),
        ("maxmargin", "sequential"),
    ]


def test_two_jobs_give_the_same_rows(as_json):
    command = ("reproduce", "table1", "--game", "kuhn", "--game", "goofspiel_increasing", "--no-cache")
    alone, shared = as_json(*command)["rows"], as_json(*command, "--jobs", "2")["rows"]
    for one, other in zip(alone, shared, strict=True):
        assert {**one, "seconds": 0} == {**other, "seconds": 0}


def test_table2(as_json):
    rows = as_json("reproduce", "table2")["rows"]
    assert [row["nodes"] for row in rows] == [471, 26773, 1077, 58, 9457, 51181, 701]
    assert [row["infosets"] for row in rows] == [94, 3608, 162, 12, 936, 5120, 101]
    assert [row["diameter"] for row in rows] == [13, 4, 4, 3, 3, 2, 99]
    assert rows[5]["average"] == [7.0, 15.0]


def test_example(as_json):
    rows = as_json("reproduce", "example")["rows"]
    assert [row["gadget"] for row in rows] == ["common knowledge", "1-KLSS"]
    assert [row["margin"] for row in rows] == pytest.approx([0.0, 0.0], abs=1e-12)
    assert [row["heads"] for row in rows] == pytest.approx([0.5, 0.5])


def test_safety(as_json):
    rows = as_json("reproduce", "safety", "--n", "8", "--games", "4")["rows"]
    assert [row["claim"] for row in rows] == [
        "pr:ws-counterexample",
        "th:inductive-weak",
        "th:allocation-safety",
        "th:affine-safety",
        "pr:aff-eqm",
    ]
    assert (rows[0]["blueprint"], rows[0]["after"], rows[0]["updated"]) == pytest.approx((0.5, 1.0, 0.0))
    assert all(row["holds"] for row in rows[1:])


def test_epsilon(as_json):
    rows = as_json("reproduce", "epsilon", "--game", "kuhn", "--refinement", "sequential")["rows"]
    assert [row["epsilon"] for row in rows] == [0.0, 0.05, 0.1, 0.25, 0.5]
    before = [row["blueprint"] for row in rows]
    assert before == sorted(before)
    assert before[0] == 0
    assert all(row["after"] <= row["blueprint"] + 1e-9 for row in rows)


def test_orders(as_json):
    rows = as_json("reproduce", "orders", "--game", "kuhn", "--order", "1", "--order", "inf")["rows"]
    found = [(row["variant"], row["order"], row["lift"]) for row in rows]
    assert found == [
        ("klss", 1, "root"),
        ("klss", "inf", "root"),
        ("klss", "inf", "set"),
        ("kluss", 1, "root"),
        ("safe", 1, "root"),
        ("unsafe", 1, "root"),
        ("unsafe", "inf", "root"),
        ("unsafe", "inf", "set"),
    ]


@pytest.mark.parametrize(
    ("study", "shown"),
    [
        (("table1", "--game", "kuhn"), ["Kuhn poker", "after (paper)", "0.0015 (0.0015)"]),
        (("table2", "--game", "kuhn"), ["Kuhn poker", "paper", "3.50"]),
        (("example",), ["C2'", "3 or 5", "P(h | R1) = 0.5"]),
        (("safety", "--n", "4", "--games", "2"), ["pr:ws-counterexample", "th:affine-safety", "yes"]),
        (("epsilon", "--game", "kuhn", "--epsilon", "0.25"), ["Kuhn poker", "0.25"]),
        (("orders", "--game", "kuhn", "--order", "1"), ["kluss", "unsafe"]),
    ],
)
def test_tables_for_people(ok, study: tuple[str, ...], shown: list[str]):
    text = ok("reproduce", *study).stdout
    for words in shown:
        assert words in text


def test_csv_and_plot(ok):
    ok("reproduce", "table1", "--game", "kuhn", "--csv", "rows.csv", "--plot", "rows.png")
    with Path("rows.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["refinement"] for row in rows] == ["none", "sequential"]
    assert Path("rows.png").read_bytes().startswith(b"\x89PNG")


def test_ctrl_c_shows_and_keeps_the_rows_that_are_done(run, as_json, monkeypatch: pytest.MonkeyPatch):
    calls = []

    def interrupted(tasks, **options):
        for done in module_run(tasks, **options):
            calls.append(done)
            yield done
            raise KeyboardInterrupt

    module_run = module.run
    monkeypatch.setattr(module, "run", interrupted)
    command = ("reproduce", "table1", "--game", "kuhn", "--epsilon", "0.31")
    result = run(*command)
    assert result.exit_code == 130
    assert "interrupted: 1 of 2 rows are done" in result.stderr
    assert "Kuhn poker" in result.stdout
    monkeypatch.setattr(module, "run", module_run)
    assert [row["cached"] for row in as_json(*command)["rows"]] == [True, False]


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (("table1", "--game", "khun"), "there is no game 'khun' in this study"),
        (("table2", "--game", "kuhn_bet"), "there is no game 'kuhn_bet' in this study"),
        (("orders", "--order", "2"), "expected an odd number or 'inf'"),
        (("orders", "--order", "3", "--variant", "safe"), "nothing to study"),
        (("safety", "--n", "3"), "N is 3, expected 4 or more"),
        (("table1", "--epsilon", "1.5"), "1.5 is not in the range"),
        (("table1", "--jobs", "0"), "0 is not in the range"),
        (("table1", "--refinement", "some"), "'some' is not one of"),
        (("table1", "--csv", "nowhere/rows.csv"), "cannot write nowhere/rows.csv"),
        (("table1", "--plot", "rows.txt"), "cannot draw rows.txt"),
        (("table3",), "there is no command"),
    ],
)
def test_what_cannot_be_done_is_one_line(run, command: tuple[str, ...], sentence: str):
    result = run("reproduce", *command)
    assert result.exit_code == 2
    assert sentence.lower() in result.stderr.lower()
    assert len(result.stderr.splitlines()) == 1
    assert result.stdout == ""


def test_table1_covers_all_ten_rows_with_both_refinements():
    assert len(table1.tasks()) == 20
