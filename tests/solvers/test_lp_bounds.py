"""Lower bounds on action probabilities, and programs that are changed and solved again."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import Plain
from samples import KUHN, add_random_extra, examples, named_tree, payoff_range, random_tree, random_trees

from murk.errors import InputError
from murk.solvers import Limits, SequenceLp, action_floor, best_response_value, epsilon_uniform, solve_lp
from murk.tree import MAX, MIN, Strategy, uniform

BOTH = (MAX, MIN)
seeds = st.integers(0, 2**32)


def slack(strategy: Strategy, lower: np.ndarray) -> float:
    """Return by how much the strategy clears its lower bounds where it clears them least."""
    tree, p = strategy.tree, strategy.player
    parent = tree.infoset_parent(p)[tree.sequence_infoset(p)[1:]]
    x = strategy.sequences
    return float((x[1:] - lower[1:] * x[parent]).min(initial=np.inf))


def random_bounds(tree, player, seed):
    """Return bounds on some actions that are feasible, at some infosets only just."""
    rng = np.random.default_rng(seed)
    infoset = tree.sequence_infoset(player)[1:]
    bounds = np.zeros(tree.num_sequences(player))
    bounds[1:] = rng.random(len(infoset)) * (rng.random(len(infoset)) < 0.5)
    sums = np.bincount(infoset, weights=bounds[1:], minlength=tree.num_infosets(player))
    room = np.where(rng.random(len(sums)) < 0.2, 1.0, rng.random(len(sums)))
    bounds[1:] *= np.minimum(1.0, room[infoset] / np.maximum(sums[infoset], 1e-12))
    return bounds


@examples(80)
@given(
    tree=random_trees(depth=5), seed=seeds, player=st.sampled_from(BOTH), algorithm=st.sampled_from(["simplex", "ipm"])
)
def test_the_best_strategy_within_bounds_is_as_good_as_scipys(tree, seed, player, algorithm):
    if seed % 2:
        add_random_extra(tree, seed)
    scale = payoff_range(tree)
    lower = random_bounds(tree, player, seed)
    found = solve_lp(tree, player, lower=lower, algorithm=algorithm)
    assert found.value == pytest.approx(Plain(tree).lp_value(player, lower), abs=1e-7 * scale)
    strategy = found.strategy(player)
    assert slack(strategy, lower) >= -1e-9
    assert best_response_value(strategy) == pytest.approx(found.value, abs=1e-8 * scale)


@examples(60)
@given(tree=random_trees(), player=st.sampled_from(BOTH), epsilon=st.sampled_from([0.0, 0.1, 0.25, 0.9, 1.0]))
def test_epsilon_uniform_runs_from_optimal_to_uniform(tree, player, epsilon):
    scale = payoff_range(tree)
    free, tied = solve_lp(tree, player), solve_lp(tree, player, lower=epsilon_uniform(tree, player, epsilon))
    sign = 1 if player == MAX else -1
    assert sign * tied.value <= sign * free.value + 1e-9 * scale
    assert slack(tied.strategy(player), epsilon_uniform(tree, player, epsilon)) >= -1e-9
    if epsilon == 0:
        assert tied.value == pytest.approx(free.value, abs=1e-9 * scale)
    if epsilon == 1:
        assert tied.value == pytest.approx(best_response_value(uniform(tree, player)), abs=1e-9 * scale)
        assert tied.strategy(player).sequences == pytest.approx(uniform(tree, player).sequences, abs=1e-9)


def test_epsilon_uniform_is_epsilon_over_the_number_of_actions():
    tree = random_tree(4, depth=5)
    bounds = epsilon_uniform(tree, MIN, 0.3)
    assert bounds[0] == 0
    for infoset in tree.acting_infosets(MIN):
        first, count = int(tree.infoset_first(MIN)[infoset]), int(tree.infoset_actions(MIN)[infoset])
        assert bounds[first : first + count].tolist() == [0.3 / count] * count


def test_a_floor_on_one_action_of_kuhn_poker():
    """A player who must bet at least half of the time at every infoset loses more than 1/18."""
    tree = named_tree(KUHN)
    by_name, by_label = (action_floor(tree, MAX, {key: 0.5}) for key in ("Bet", 1))
    assert np.array_equal(by_name, by_label)
    assert sorted(set(by_name.tolist())) == [0.0, 0.5]
    assert by_name.sum() == 0.5 * len(tree.acting_infosets(MAX))
    assert (tree.sequence_actions(MAX)[by_name > 0] == 1).all()
    found = solve_lp(tree, MAX, lower=by_name)
    assert found.value == pytest.approx(Plain(tree).lp_value(MAX, by_name), abs=1e-9)
    assert found.value < -1 / 18 - 0.01
    assert slack(found.profile.max, by_name) >= -1e-12


@examples(60)
@given(tree=random_trees(), seed=seeds, algorithm=st.sampled_from(["simplex", "ipm"]), bounded=st.booleans())
def test_a_refreshed_program_answers_like_a_new_one(tree, seed, algorithm, bounded):
    lower = random_bounds(tree, MIN, seed) if bounded else None
    program = SequenceLp(tree, MIN, lower=lower, algorithm=algorithm)
    program.solve()
    for step in range(4):
        for p in BOTH:
            tree.clear_extra(p)
        if step < 3:
            add_random_extra(tree, seed + step, count=3)
        program.refresh()
        again, fresh = program.solve(), solve_lp(tree, MIN, lower=lower, algorithm=algorithm)
        near = 1e-8 * payoff_range(tree)
        assert again.value == pytest.approx(fresh.value, abs=near)
        assert again.upper == pytest.approx(again.value, abs=near)
        if not bounded:
            assert again.nash_conv <= 2 * near


def test_a_warm_start_takes_no_steps_and_a_basis_can_be_handed_over():
    tree = random_tree(8, depth=7, stop=0.0)
    first = SequenceLp(tree)
    cold = first.solve()
    assert cold.iterations > 0
    assert first.solve().iterations == 0
    second = SequenceLp(tree)
    second.basis = first.basis
    warm = second.solve()
    assert warm.iterations == 0
    assert warm.value == pytest.approx(cold.value, abs=1e-12)
    other = SequenceLp(random_tree(9, depth=3))
    with pytest.raises(InputError, match="the basis does not fit this program"):
        other.basis = first.basis


def test_a_program_notices_that_its_tree_has_changed():
    tree = random_tree(8)
    program = SequenceLp(tree)
    tree.add_extra(MAX, 0, 1.0)
    with pytest.raises(InputError, match=r"has changed since this program was made, expected refresh\(\) first"):
        program.solve()
    program.refresh()
    value = program.solve().value
    leaf = int(np.flatnonzero(tree.num_children == 0)[-1])
    tree.set_utility(leaf, float(tree.utility[leaf]) + 1.0)
    with pytest.raises(InputError, match="changed in more than its extra payoffs"):
        program.refresh()
    tree.set_utility(leaf, float(tree.utility[leaf]) - 1.0)
    program.refresh()
    assert program.solve().value == pytest.approx(value)
    tree.add_infoset(MAX, 0, 2)
    with pytest.raises(InputError, match="expected a new SequenceLp"):
        program.refresh()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda x: x[:-1], r"lower bounds have shape \(12,\), expected one entry for each of 13 sequences"),
        (lambda x: x * np.nan, "must be finite numbers that are not negative"),
        (lambda x: x - 0.1, "must be finite numbers that are not negative"),
        (lambda x: x + np.inf, "must be finite numbers that are not negative"),
        (lambda x: x + 0.51, r"infeasible lower bounds: they add up to 1\.02 at infoset '\w+', expected at most 1"),
    ],
)
def test_bad_bounds_are_refused_in_one_sentence(change, message):
    tree = named_tree(KUHN)
    with pytest.raises(InputError, match=message):
        SequenceLp(tree, MAX, lower=change(np.zeros(13)))


def test_bad_arguments_are_refused_in_one_sentence():
    tree = named_tree(KUHN)
    with pytest.raises(InputError, match=r"epsilon is 1\.5, expected a number from 0 to 1"):
        epsilon_uniform(tree, MAX, 1.5)
    with pytest.raises(InputError, match="epsilon is nan"):
        epsilon_uniform(tree, MAX, float("nan"))
    with pytest.raises(InputError, match="MAX has no action 'Raise' anywhere in kuhn_poker"):
        action_floor(tree, MAX, {"Raise": 0.1})
    with pytest.raises(InputError, match="algorithm is 'pdlp', expected 'simplex' or 'ipm'"):
        SequenceLp(tree, algorithm="pdlp")
    with pytest.raises(InputError, match="player is 2, expected MAX"):
        SequenceLp(tree, 2)


@pytest.mark.parametrize("algorithm", ["simplex", "ipm"])
@pytest.mark.parametrize("limits", [Limits(seconds=0), Limits(iterations=0), Limits(iterations=1)])
def test_a_program_stopped_early_says_so_and_gives_strategies(algorithm, limits):
    tree = random_tree(8, depth=8, stop=0.0)
    found = solve_lp(tree, algorithm=algorithm, limits=limits)
    assert found.stopped == ("seconds" if limits.seconds is not None else "iterations")
    assert found.lower <= solve_lp(tree).value <= found.upper
