"""Timing, on a clock that only the jobs move."""

import pytest

from murk.bench import measure
from murk.bench.measure import Pace, Timing, best_of


class Clock:
    """CPU time that passes only when a job says so."""

    def __init__(self) -> None:
        self.now = 0.0
        self.log: list[str] = []

    def job(self, name: str, costs: list[float]):
        """Return a job whose n-th batch takes the n-th cost a call, the last one from then on."""
        left = list(costs)

        def run(calls: int) -> None:
            self.log.append(name)
            self.now += calls * (left.pop(0) if len(left) > 1 else left[0])

        return run


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(measure, "cpu_seconds", lambda: clock.now)
    return clock


def test_the_best_batch_counts(clock: Clock):
    (timing,) = best_of(clock.job("a", [3.0, 1.0, 2.0]), repeat=3, batch_seconds=1.0)
    assert timing == Timing(1.0, 1, 3)


def test_jobs_take_turns(clock: Clock):
    best_of(clock.job("a", [1.0]), clock.job("b", [2.0]), repeat=3, batch_seconds=1.0)
    assert "".join(clock.log) == "ababab"


def test_a_short_call_is_made_often_enough_to_be_measured(clock: Clock):
    (timing,) = best_of(clock.job("a", [1e-6]), repeat=2, batch_seconds=0.1)
    assert timing.calls >= 1e5
    assert timing.seconds == pytest.approx(1e-6)


def test_a_lucky_batch_that_is_too_short_does_not_count(clock: Clock):
    # The first batch of one call is free; only batches of full length, at 1e-3 a call, are to be believed.
    (timing,) = best_of(clock.job("a", [0.0, 1e-3]), repeat=2, batch_seconds=0.1)
    assert timing.seconds == pytest.approx(1e-3)


def test_a_slow_job_is_not_repeated_beyond_its_budget(clock: Clock):
    slow, fast = best_of(clock.job("slow", [10.0]), clock.job("fast", [1.0]), repeat=5, batch_seconds=0.5, budget=4.0)
    assert (slow.batches, fast.batches) == (1, 4)


def test_pace_goes_by_the_worst_it_has_seen():
    pace = Pace(10.0)
    assert pace.foresee("peer", "build", 1_000_000, 1e-5) == pytest.approx(10.0)
    pace.learn("peer", "build", 10_000, 1.0)
    pace.learn("peer", "build", 10_000, 0.5)
    assert pace.foresee("peer", "build", 1_000_000, 1e-5) == pytest.approx(100.0)
    assert pace.foresee("peer", "start", 1_000_000, 1e-5) == pytest.approx(10.0)


def test_pace_learns_nothing_from_tiny_trees():
    pace = Pace(10.0)
    pace.learn("peer", "build", 58, 1.0)
    assert pace.foresee("peer", "build", 100, 1e-5) == pytest.approx(1e-3)
