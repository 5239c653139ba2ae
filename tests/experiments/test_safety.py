"""The statements about safety: the counterexample exactly, the theorems on random games."""

import pytest

from murk.errors import InputError
from murk.experiments import safety
from murk.experiments.study import run


@pytest.mark.parametrize("n", [4, 5, 8, 33, 64])
def test_pr_ws_counterexample(n: int):
    row = safety.counterexample_row(n=n, report=lambda part: None)
    assert row["blueprint"] == pytest.approx(4 / n, abs=1e-12)
    assert row["after"] == pytest.approx(1.0, abs=1e-12)
    assert row["updated"] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("theorem", safety.THEOREMS)
def test_theorems_hold_on_random_games(theorem: str):
    row = safety.theorem_row(theorem=theorem, first=0, count=40, report=lambda part: None)
    assert row["games"] >= 30
    assert row["checks"] >= row["games"]
    assert row["worst"] < 1e-7
    assert row["holds"]
    if theorem in ("th:inductive-weak", "th:allocation-safety"):
        assert row["noted"] > 0, "nothing was ever improved: there was nothing to check"
        assert row["plain_worst"] > 1e-2, "plain 1-KLSS was safe too: the games are too easy"


def test_what_fails_is_seen(monkeypatch: pytest.MonkeyPatch):
    """Plain 1-KLSS in place of the allocation must be caught on some game."""

    def plain(blueprint, allocation, options):
        return safety.refine_everywhere(blueprint, options)

    monkeypatch.setattr(safety, "expected_strategy", plain)
    row = safety.theorem_row(theorem="th:allocation-safety", first=0, count=40, report=lambda part: None)
    assert not row["holds"]
    assert row["worst"] > 1e-3


def test_rows_of_one_theorem_are_put_together():
    listed = safety.tasks(numbers=[4], games=60, theorems=["pr:aff-eqm"])
    assert len(listed) == 4
    example, merged = safety.merged([row for _, row in run(listed, cache=False)])
    assert example["n"] == 4
    assert merged["claim"] == "pr:aff-eqm"
    assert 40 <= merged["games"] <= 60
    assert merged["holds"]


def test_arguments_are_checked():
    with pytest.raises(InputError, match="N is 3"):
        safety.tasks(numbers=[3])
    with pytest.raises(InputError, match="games is -1"):
        safety.tasks(games=-1)
