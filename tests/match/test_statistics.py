"""Statistics against closed forms, scipy and simulation."""

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from murk.errors import InputError
from murk.match.sprt import PAIR_SCORES, Sprt, log_likelihood_ratio
from murk.match.statistics import Tally, elo_of, score_interval, score_of

counts = st.integers(min_value=0, max_value=500)


@given(counts, counts)
def test_without_draws_the_interval_is_wilsons(wins: int, losses: int) -> None:
    if wins + losses == 0:
        assert Tally().interval == (0.0, 1.0)
        return
    wilson = stats.binomtest(wins, wins + losses).proportion_ci(0.95, method="wilson")
    assert Tally(wins, 0, losses).interval == pytest.approx((wilson.low, wilson.high), abs=1e-12)


@given(counts, counts, counts)
def test_intervals_hold_the_score_and_mirror(wins: int, draws: int, losses: int) -> None:
    tally = Tally(wins, draws, losses)
    low, high = tally.interval
    assert 0 <= low < high <= 1
    if tally.games:
        assert low <= tally.score + 1e-12
        assert high >= tally.score - 1e-12
    mirrored_low, mirrored_high = tally.reversed().interval
    assert (mirrored_low, mirrored_high) == pytest.approx((1 - high, 1 - low))


def test_all_wins_and_all_draws_leave_doubt() -> None:
    z2 = stats.norm.ppf(0.975) ** 2
    assert Tally(wins=100).interval == pytest.approx((100 / (100 + z2), 1.0))
    low, high = Tally(draws=100).interval
    assert 0.45 < low < 0.5 < high < 0.55


def test_the_interval_covers_the_truth() -> None:
    source = np.random.default_rng(1)
    for win, draw in ((0.5, 0.0), (0.45, 0.3), (0.8, 0.1), (0.1, 0.6)):
        truth = win + draw / 2
        covered = 0
        for w, d, loss in source.multinomial(100, [win, draw, 1 - win - draw], size=2000):
            low, high = Tally(int(w), int(d), int(loss)).interval
            covered += low <= truth <= high
        assert 0.93 <= covered / 2000 <= 0.99


@given(st.floats(min_value=0.001, max_value=0.999))
def test_elo_and_score_are_inverse(score: float) -> None:
    assert score_of(elo_of(score)) == pytest.approx(score)


def test_elo_in_closed_form() -> None:
    assert elo_of(0.5) == 0
    assert elo_of(10 / 11) == pytest.approx(400)
    assert elo_of(1.0) == math.inf
    assert elo_of(0.0) == -math.inf
    assert math.isnan(Tally().elo)
    assert Tally(59, 1, 40).elo == pytest.approx(-400 * math.log10(1 / 0.595 - 1))


@given(counts, counts, counts)
def test_likelihood_of_superiority(wins: int, draws: int, losses: int) -> None:
    tally = Tally(wins, draws, losses)
    assert tally.los + tally.reversed().los == pytest.approx(1)
    if wins + losses:
        assert tally.los == pytest.approx(stats.norm.cdf((wins - losses) / math.sqrt(wins + losses)))
    # The exact posterior under a uniform prior is near.
    assert tally.los == pytest.approx(stats.beta.sf(0.5, wins + 1, losses + 1), abs=0.1)


def test_tallies_add() -> None:
    assert Tally(1, 2, 3) + Tally(4, 5, 6) == Tally(5, 7, 9)
    assert Tally(1, 2, 3).points == 2


def test_intervals_at_other_confidences_are_nested() -> None:
    tally = Tally(30, 20, 10)
    narrow, wide = score_interval(tally, 0.5), score_interval(tally, 0.99)
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


pair_counts = st.lists(st.integers(min_value=1, max_value=200), min_size=5, max_size=5)


@given(pair_counts, st.floats(min_value=-50, max_value=20), st.floats(min_value=1, max_value=80))
def test_llr_is_that_of_the_likeliest_distributions(pairs: list[int], elo0: float, width: float) -> None:
    def log_likelihood(mean: float) -> float:
        # Over distributions on the five scores with this mean; the dual problem, solved by scipy.
        shares = np.array(pairs) / sum(pairs)
        distance = np.array(PAIR_SCORES) - mean
        dual = optimize.brentq(
            lambda t: float(np.sum(shares * distance / (1 + t * distance))),
            -1 / distance[-1] + 1e-9,
            -1 / distance[0] - 1e-9,
        )
        probabilities = shares / (1 + dual * distance)
        assert probabilities.sum() == pytest.approx(1)
        assert probabilities @ np.array(PAIR_SCORES) == pytest.approx(mean)
        return float(np.array(pairs) @ np.log(probabilities))

    s0, s1 = score_of(elo0), score_of(elo0 + width)
    assert log_likelihood_ratio(pairs, s0, s1) == pytest.approx(log_likelihood(s1) - log_likelihood(s0), abs=1e-5)


def test_llr_of_decisive_pairs_is_walds() -> None:
    # Only the scores 0 and 1 occur: a coin, whose ratio is known.
    pairs = [40, 0, 0, 0, 60]
    s0, s1 = score_of(0), score_of(20)
    coin = 60 * math.log(s1 / s0) + 40 * math.log((1 - s1) / (1 - s0))
    assert log_likelihood_ratio(pairs, s0, s1) == pytest.approx(coin, abs=1e-3)
    assert log_likelihood_ratio([0] * 5, s0, s1) == 0


def test_sprt_errs_as_rarely_as_it_says() -> None:
    source, test = random.Random(1), Sprt(0, 60, alpha=0.1, beta=0.1)
    low, high = test.bounds
    assert (low, high) == pytest.approx((math.log(0.1 / 0.9), math.log(0.9 / 0.1)))
    for elo, wrong in ((0.0, "H1"), (60.0, "H0")):
        win = score_of(elo)
        accepted = [_decide(test, win, source) for _ in range(120)]
        assert accepted.count(wrong) / len(accepted) <= 0.17


def _decide(test: Sprt, win: float, source: random.Random) -> str:
    pairs = [0] * 5
    while True:
        for _ in range(5):
            pairs[2 * ((source.random() < win) + (source.random() < win))] += 1
        state = test.state(pairs)
        if state.accepted is not None:
            return state.accepted


def test_sprt_from_text() -> None:
    assert Sprt.parse("elo0=-5, elo1=5") == Sprt(-5, 5)
    assert Sprt.parse("elo1=30 alpha=0.01") == Sprt(0, 30, 0.01)
    for text in ("elo1", "elo2=3", "elo1=x", "elo1=1,elo1=2", "elo0=5,elo1=5", "elo1=10,alpha=0.7"):
        with pytest.raises(InputError):
            Sprt.parse(text)
