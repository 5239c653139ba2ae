"""Regret minimisation converges to what the linear program says, on random games of every kind."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import add_random_extra, examples, mirrored, payoff_range, random_tree, random_trees, without_extra

from murk.errors import InputError
from murk.solvers import VARIANTS, CfrSolver, CfrVariant, Limits, exploitability, solve_cfr, solve_lp
from murk.tree import MAX, MIN

seeds = st.integers(0, 2**32)


@examples(150)
@given(tree=random_trees(), seed=st.none() | seeds, method=st.sampled_from(list(VARIANTS)), alternating=st.booleans())
def test_every_method_converges_to_the_value(tree, seed, method, alternating):
    if seed is not None:
        add_random_extra(tree, seed)
    scale = payoff_range(tree)
    exact = solve_lp(tree)
    variant = replace(VARIANTS[method], alternating=alternating)
    # Simultaneous regret matching is no faster than its guarantee, the square root of the iterations.
    near = 3e-3 * scale if alternating else 1e-2 * scale
    found = solve_cfr(tree, method, variant=variant, limits=Limits(target=near, iterations=30_000))
    assert found.stopped == "target"
    assert found.lower - 1e-9 * scale <= exact.value <= found.upper + 1e-9 * scale
    assert found.value == pytest.approx(exact.value, abs=2 * near)
    # What the solver measures on the way is what anybody measures afterwards.
    assert found.exploitability == pytest.approx(exploitability(found.profile), abs=1e-12 * scale)
    assert found.trace[-1].exploitability == pytest.approx(found.exploitability, abs=1e-9 * scale)


@examples(40)
@given(tree=random_trees(depth=5), seed=seeds)
def test_extra_payoffs_steer_like_ordinary_ones(tree, seed):
    add_random_extra(tree, seed)
    emulated = without_extra(tree)
    scale = payoff_range(emulated)
    limits = Limits(target=1e-3 * scale, iterations=30_000)
    with_extra, without = (solve_cfr(t, "dcfr", limits=limits) for t in (tree, emulated))
    assert with_extra.stopped == without.stopped == "target"
    assert with_extra.value == pytest.approx(without.value, abs=4e-3 * scale)


@examples(40)
@given(tree=random_trees(), method=st.sampled_from(list(VARIANTS)))
def test_in_the_mirrored_game_simultaneous_players_change_places(tree, method):
    variant = replace(VARIANTS[method], alternating=False)
    here, there = CfrSolver(tree, variant=variant), CfrSolver(mirrored(tree), variant=variant)
    for solver in (here, there):
        solver.iterate(25)
    for p in (MAX, MIN):
        assert here._native.average(p) == pytest.approx(there._native.average(1 - p), abs=1e-9)


def test_before_the_first_iteration_both_play_evenly():
    tree = random_tree(7, depth=6)
    for method in VARIANTS:
        found = solve_cfr(tree, method, limits=Limits(iterations=0))
        assert (found.iterations, found.stopped) == (0, "iterations")
        for strategy in found.profile:
            first = tree.infoset_actions(strategy.player)[tree.sequence_infoset(strategy.player)[1:]]
            assert strategy.behaviour()[1:] == pytest.approx(1 / first)


def test_utilities_in_other_units_make_the_same_strategies():
    """Regret matching does not know the unit; a power of two changes no bit."""
    tree = random_tree(7, depth=6)
    solvers = {}
    for unit in (1.0, 2.0**40):
        for h in np.flatnonzero(tree.num_children == 0).tolist():
            tree.set_utility(h, unit * float(tree.utility[h]))
        solvers[unit] = CfrSolver(tree)
        solvers[unit].iterate(50)
    a, b = solvers.values()
    assert all(np.array_equal(a._native.average(p), b._native.average(p)) for p in (MAX, MIN))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "mccfr"}, r"method is 'mccfr', expected one of cfr, cfr\+, lcfr, dcfr, pcfr\+"),
        ({"threads": 0}, "threads is 0, expected a number from 1 to 256"),
        ({"threads": 100_000}, "threads is 100000, expected a number from 1 to 256"),
        ({"kernels": "neon"}, "kernels is 'neon', expected one of portable"),
    ],
)
def test_bad_arguments_are_refused_in_one_sentence(arguments, message):
    with pytest.raises(InputError, match=message):
        CfrSolver(random_tree(7), **arguments)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"regret": "external"}, "regret is 'external', expected one of plain, plus, discounted, predictive"),
        ({"regret": "plus", "averaging": "cubic"}, "averaging is 'cubic', expected one of uniform"),
        ({"regret": "discounted", "alpha": float("nan")}, "alpha is not a number"),
        ({"regret": "plus", "linear_regret": True}, "linear_regret goes with plain regret, got 'plus'"),
    ],
)
def test_bad_variants_are_refused_in_one_sentence(fields, message):
    with pytest.raises(InputError, match=message):
        CfrVariant(**fields)
