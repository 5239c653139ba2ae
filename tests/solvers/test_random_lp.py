"""Linear programs on hundreds of random games: symmetry, duality, optimality, and an independent program in scipy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import Plain
from samples import add_random_extra, examples, mirrored, payoff_range, random_tree, random_trees, without_extra

from murk.solvers import best_response_value, expected_value, nash_conv, solve_lp
from murk.tree import MAX, MIN, NATURE, TERMINAL, Tree

EXACT = 1e-9
seeds = st.integers(0, 2**32)


@examples(200)
@given(tree=random_trees())
def test_the_mirrored_game_has_the_opposite_value(tree):
    scale = payoff_range(tree)
    value = solve_lp(tree).value
    assert solve_lp(mirrored(tree)).value == pytest.approx(-value, abs=EXACT * scale)


@examples(200)
@given(tree=random_trees(), seed=st.none() | seeds)
def test_both_players_programs_and_both_algorithms_agree_and_their_answers_cannot_be_exploited(tree, seed):
    if seed is not None:
        add_random_extra(tree, seed)
    scale = payoff_range(tree)
    exact = solve_lp(tree)
    for player in (MAX, MIN):
        for algorithm in ("simplex", "ipm"):
            found = solve_lp(tree, player, algorithm=algorithm)
            assert found.stopped == "optimal"
            assert found.method == algorithm
            near = EXACT if algorithm == "simplex" else 10 * EXACT
            assert found.value == pytest.approx(exact.value, abs=near * scale)
            # The duals are the opponent's strategy: neither side can gain.
            assert -1e-12 * scale <= found.nash_conv <= 2 * near * scale
            assert found.lower == best_response_value(found.profile.max)
            assert found.upper == best_response_value(found.profile.min)
            assert expected_value(found.profile) == pytest.approx(exact.value, abs=near * scale)


LOST_DUALS = [
    (94, {"depth": 5, "max_actions": 2, "chance": 0, "stop": 0, "zeros": 0, "ties": 1.0}, MIN),
    (3822, {"depth": 6, "max_actions": 2, "merge": 0.5, "signals": 3, "stop": 0.2, "zeros": 0.3, "ties": 0}, MAX),
    (
        8006,
        {"depth": 3, "max_actions": 4, "chance": 0, "merge": 0.5, "signals": 1, "stop": 0.2, "zeros": 0, "ties": 1},
        MAX,
    ),
]


@pytest.mark.parametrize(("seed", "parameters", "player"), LOST_DUALS)
def test_games_in_which_presolving_loses_the_duals_of_an_interior_point(seed, parameters, player):
    """HiGHS 1.15 answers these with duals that are no equilibrium strategy and a status of Unknown."""
    tree = random_tree(seed, **parameters)
    assert solve_lp(tree, player, algorithm="ipm").nash_conv < 1e-8


@examples(60)
@given(tree=random_trees(depth=4), seed=st.none() | seeds)
def test_scipy_finds_the_same_value_from_an_independent_program(tree, seed):
    if seed is not None:
        add_random_extra(tree, seed)
    scale = payoff_range(tree)
    plain = Plain(tree)
    for player in (MAX, MIN):
        assert solve_lp(tree, player).value == pytest.approx(plain.lp_value(player), abs=1e-7 * scale)


@examples(60)
@given(tree=random_trees(depth=4), seed=seeds)
def test_extra_payoffs_are_worth_what_ordinary_ones_would_be(tree, seed):
    add_random_extra(tree, seed)
    emulated = without_extra(tree)
    assert not any(emulated.extra(p) for p in (MAX, MIN))
    value = solve_lp(emulated).value
    assert solve_lp(tree).value == pytest.approx(value, abs=EXACT * payoff_range(emulated))


@pytest.mark.parametrize("unit", [1e-15, 1e-9, 1e-6, 1e6, 1e9, 1e15, 1e25])
@pytest.mark.parametrize("algorithm", ["simplex", "ipm"])
def test_the_unit_of_payoffs_does_not_matter(unit, algorithm):
    """HiGHS drops entries below 1e-9 and refuses those above 1e15."""
    for seed in range(8):
        tree = add_random_extra(random_tree(seed, depth=5), seed)
        value, scale = solve_lp(tree).value, payoff_range(tree)
        for h in np.flatnonzero(tree.num_children == 0).tolist():
            tree.set_utility(h, unit * float(tree.utility[h]))
        extra = [(p, s, unit * v) for p in (MAX, MIN) for s, v in tree.extra(p)]
        for p in (MAX, MIN):
            tree.clear_extra(p)
        for p, s, v in extra:
            tree.add_extra(p, s, v)
        found = solve_lp(tree, algorithm=algorithm)
        assert found.value == pytest.approx(unit * value, abs=EXACT * unit * scale)
        assert nash_conv(found.profile) <= 2 * EXACT * unit * scale


@pytest.mark.parametrize("best", [0, 1])
def test_tiny_chances_are_not_dropped(best):
    """MIN has a choice after one coin toss, and another after 31.

    The entries of the latter are 5e-10, which HiGHS leaves out unless told not to.
    """
    tosses = 31
    parent, player, chance, utility = [-1, 0, 0], [NATURE, MIN, NATURE], [1.0, 0.5, 0.5], [0.0] * 3
    for level in range(1, tosses):
        up = len(parent) - 1
        parent += [up, up]
        player += [TERMINAL, NATURE if level < tosses - 1 else MIN]
        chance += [0.5, 0.5]
        utility += [0.0, 0.0]
    last = len(parent) - 1
    parent += [last, last, 1, 1]
    player += [TERMINAL] * 4
    chance += [1.0] * 4
    utility += [-1.0 if best == 0 else 0.0, -1.0 if best == 1 else 0.0, 1.0, 2.0]
    action = [i % 2 for i in range(len(parent))]
    labels = range(len(parent))
    tree = Tree.from_arrays(
        parent=parent, player=player, action=action, chance=chance, utility=utility, infosets=(labels, labels)
    )
    for side in (MAX, MIN):
        found = solve_lp(tree, side)
        assert found.value == pytest.approx(0.5 - 0.5**tosses, abs=1e-12)
        assert found.profile.min.sequences[1 + best] == pytest.approx(1.0, abs=1e-6)
