"""Best responses and values on random games against brute force and plain walks."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracle import Plain
from samples import add_random_extra, examples, payoff_range, random_strategy, random_tree, random_trees

from murk.errors import InputError
from murk.solvers import (
    best_response,
    best_response_value,
    expected_value,
    exploitability,
    nash_conv,
    side_exploitability,
    solve_lp,
)
from murk.tree import MAX, MIN, Profile, Strategy

BOTH = (MAX, MIN)
seeds = st.integers(0, 2**32)


@examples(150)
@given(tree=random_trees(depth=4), seed=seeds, extra=st.booleans(), responder=st.sampled_from(BOTH))
def test_a_best_response_is_the_best_of_all_pure_strategies(tree, seed, extra, responder):
    plain = Plain(add_random_extra(tree, seed) if extra else tree)
    assume(plain.num_pure_strategies(responder) <= 3000)
    strategy = random_strategy(tree, 1 - responder, seed)
    truth = pytest.approx(plain.best_response(responder, strategy.sequences), abs=1e-12 * payoff_range(tree))
    assert best_response_value(strategy) == truth
    response = best_response(strategy)
    assert response.player == responder
    assert response.value == truth
    assert response.sequence_values[0] == pytest.approx(
        response.value - plain.extra_value(1 - responder, strategy.sequences), abs=1e-12 * payoff_range(tree)
    )
    # It is pure, and earns what it says it does.
    assert set(response.strategy.sequences.tolist()) <= {0.0, 1.0}
    profile = Profile(strategy, response.strategy) if responder == MIN else Profile(response.strategy, strategy)
    assert expected_value(profile) == truth


@examples(100)
@given(tree=random_trees(depth=4), seed=seeds, extra=st.booleans(), responder=st.sampled_from(BOTH))
def test_counterfactual_values_are_those_of_the_definition(tree, seed, extra, responder):
    """u*(x | Ia) of [ZS21], Section 2: normalised by the reach of I, minimised by enumerating what follows Ia."""
    plain = Plain(add_random_extra(tree, seed) if extra else tree)
    assume(plain.num_pure_strategies(responder) <= 3000)
    strategy = random_strategy(tree, 1 - responder, seed)
    response = best_response(strategy)
    values, at_infosets = response.counterfactual(), response.counterfactual_infosets()
    pick = max if responder == MAX else min
    assert values[0] == response.value
    for infoset in range(tree.num_infosets(responder)):
        first, count = int(tree.infoset_first(responder)[infoset]), int(tree.infoset_actions(responder)[infoset])
        truth = [
            plain.counterfactual(responder, strategy.sequences, plain.key_of(responder, first + a))
            for a in range(count)
        ]
        if count == 0 or truth[0] is None:
            assert np.isnan(values[first : first + count]).all()
            assert np.isnan(at_infosets[infoset])
            continue
        # Divided by a small reach, rounding errors grow.
        near = 1e-12 * payoff_range(tree) / min(1.0, float(response.reach[infoset]))
        assert values[first : first + count] == pytest.approx(truth, abs=near)
        assert at_infosets[infoset] == pytest.approx(pick(truth), abs=near)
        assert response.infoset_values[infoset] == pytest.approx(
            pick(truth) * response.reach[infoset], abs=1e-11 * payoff_range(tree)
        )


@examples(150)
@given(tree=random_trees(), seed=seeds, extra=st.booleans())
def test_expected_values_are_those_of_a_plain_walk(tree, seed, extra):
    plain = Plain(add_random_extra(tree, seed) if extra else tree)
    profile = Profile(random_strategy(tree, MAX, seed), random_strategy(tree, MIN, seed + 1))
    x, y = profile.max.sequences, profile.min.sequences
    truth = plain.value(x, y) + plain.extra_value(MAX, x) + plain.extra_value(MIN, y)
    assert expected_value(profile) == pytest.approx(truth, abs=1e-12 * payoff_range(tree))


@examples(80)
@given(tree=random_trees(), seed=seeds)
def test_values_of_nodes_are_those_of_a_plain_walk(tree, seed):
    plain = Plain(tree)
    profile = Profile(random_strategy(tree, MAX, seed), random_strategy(tree, MIN, seed + 1))
    values = tree.node_values(profile.max.behaviour(), profile.min.behaviour())
    x, y = profile.max.sequences, profile.min.sequences
    assert values == pytest.approx([plain.value(x, y, node) for node in range(tree.num_nodes)], abs=1e-12)


@examples(80)
@given(tree=random_trees(), seed=seeds, owner=st.sampled_from(BOTH), player=st.sampled_from(BOTH))
def test_reaches_of_infosets_are_sums_over_their_nodes(tree, seed, owner, player):
    plain = Plain(tree)
    x = random_strategy(tree, player, seed).sequences
    truth = np.zeros(tree.num_infosets(owner))
    for node, infoset in enumerate(plain.infoset[owner]):
        if infoset >= 0:
            truth[infoset] += plain.reach[node] * x[plain.number(player, plain.key[player][node])]
    assert tree.infoset_reach(owner, player, x) == pytest.approx(truth, abs=1e-15)


@examples(60)
@given(tree=random_trees(), seed=seeds)
def test_three_names_for_three_numbers(tree, seed):
    profile = Profile(random_strategy(tree, MAX, seed), random_strategy(tree, MIN, seed + 1))
    value = solve_lp(tree).value
    low, high = best_response_value(profile.max), best_response_value(profile.min)
    near = pytest.approx
    assert nash_conv(profile) == near(high - low, abs=1e-13)
    assert exploitability(profile) == near((high - low) / 2, abs=1e-13)
    assert side_exploitability(profile.max, value) == near(value - low, abs=1e-13)
    assert side_exploitability(profile.min, value) == near(high - value, abs=1e-13)
    assert low <= value + 1e-9
    assert value <= high + 1e-9


def test_a_profile_must_be_one():
    tree, other = random_tree(1), random_tree(2)
    x, y = (random_strategy(tree, p, 0) for p in BOTH)
    with pytest.raises(InputError, match=r"a profile is \(MAX's strategy, MIN's strategy\), got \(MIN, MAX\)"):
        expected_value(Profile(y, x))
    with pytest.raises(InputError, match="belong to different trees"):
        nash_conv(Profile(x, random_strategy(other, MIN, 0)))


def test_a_response_to_a_strategy_of_an_outgrown_tree_is_refused():
    tree = random_tree(3)
    strategy = random_strategy(tree, MAX, 0)
    tree.add_infoset(MAX, 0, 2)
    with pytest.raises(ValueError, match="one entry for each of its player's sequences"):
        best_response(strategy)


def test_a_sequence_form_does_not_pretend_to_be_newer_than_it_is():
    tree = random_tree(3)
    form, x = tree.sequence_form, random_strategy(tree, MAX, 0)
    assert tree.sequence_form is form
    tree.add_extra(MAX, 0, 1.0)
    with pytest.raises(ValueError, match="older than the tree"):
        form.best_response(tree, MIN, x.sequences)
    assert tree.sequence_form is not form
    assert tree.sequence_form.best_response_value(MIN, x.sequences) == pytest.approx(
        form.best_response_value(MIN, x.sequences) + 1.0
    )


def test_extra_payoffs_add_up_and_can_be_taken_back():
    tree = random_tree(5)
    x = random_strategy(tree, MAX, 1)
    before = best_response_value(x)
    tree.add_extra(MAX, 0, 0.25)
    tree.add_extra(MIN, 0, 0.5)
    tree.add_extra(MIN, 0, 1.0)
    assert tree.extra(MIN) == [(0, 0.5), (0, 1.0)]
    assert best_response_value(x) == pytest.approx(before + 1.75)
    tree.clear_extra(MIN)
    assert best_response_value(x) == pytest.approx(before + 0.25)
    tree.clear_extra(MAX)
    assert best_response_value(x) == before


def test_a_best_response_to_a_lonely_player_is_nothing():
    """In a game where MIN never acts her best response is the empty sequence."""
    tree = random_tree(11, solo=1.0)
    lonely = MAX if tree.num_sequences(MIN) == 1 else MIN
    strategy = random_strategy(tree, lonely, 3)
    response = best_response(strategy)
    assert response.strategy.sequences.tolist() == [1.0]
    assert isinstance(response.strategy, Strategy)
    assert response.value == pytest.approx(
        expected_value(Profile(strategy, response.strategy) if lonely == MAX else Profile(response.strategy, strategy))
    )
