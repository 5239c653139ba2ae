"""Algorithm 1 against its definition in the game's own scale, on random games and from both sides."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from reference import knowledge_set, max_margin

import murk
from murk.errors import InputError
from murk.games.builtin import Counterexample
from murk.games.random import RandomGame
from murk.solvers import best_response_value, epsilon_uniform, solve_lp
from murk.subgame import (
    Knowledge,
    NestedOptions,
    gifts,
    make_subgame,
    make_unsafe_subgame,
    refine_everywhere,
    solve_subgame,
    start_chain,
    step_chain,
)
from murk.subgame.nested import all_steps
from murk.subgame.tremble import trembling
from murk.tree import MAX, MIN, Profile, Strategy, uniform

seeds = st.integers(0, 5000)
sides = st.sampled_from([MAX, MIN])
orders = st.sampled_from([1, 3, math.inf])


def some_tree(seed):
    tree = murk.build(RandomGame(seed, depth=5, max_actions=3))
    assume(20 < tree.num_nodes < 400)
    return tree


def blueprint_of(tree, player, seed):
    weights = np.random.default_rng(seed).uniform(0.05, 1, tree.num_sequences(player))
    infoset = tree.sequence_infoset(player)[1:]
    weights[1:] /= np.bincount(infoset, weights=weights[1:], minlength=tree.num_infosets(player))[infoset]
    return Strategy.from_behaviour(tree, player, weights)


def reachable(tree, blueprint):
    p = blueprint.player
    reach = tree.infoset_reach(p, p, blueprint.sequences)
    return [int(i) for i in tree.acting_infosets(p) if reach[i] > 0]


@given(seeds, sides, orders)
@settings(max_examples=800)
def test_knowledge_sets_are_the_naive_closure(seed, player, order):
    tree = some_tree(seed)
    acting = tree.acting_infosets(player)
    assume(len(acting))
    infoset = int(acting[seed % len(acting)])
    assert set(Knowledge(tree).order(player, infoset, order).tolist()) == knowledge_set(tree, player, infoset, order)


@given(seeds, sides, orders)
@settings(max_examples=800)
def test_alg1_the_gadget_has_the_margin_of_the_definition(seed, player, order):
    tree = some_tree(seed)
    blueprint = blueprint_of(tree, player, seed)
    infosets = reachable(tree, blueprint)
    assume(infosets)
    infoset = infosets[seed % len(infosets)]
    subgame = make_subgame(tree, blueprint, infoset, order=order)
    solution = solve_subgame(subgame)
    expected, reach = max_margin(tree, player, blueprint.sequences, infoset, order)
    assert dict(zip(subgame.roots.tolist(), subgame.reach, strict=True)) == pytest.approx(reach)
    sign = 1 if player == MAX else -1
    assert sign * solution.value == pytest.approx(expected, abs=1e-7)
    assert subgame.margins(solution.strategy).min() == pytest.approx(expected, abs=1e-7)
    # The blueprint has margin zero everywhere, so what was found is never worse.
    assert subgame.margins(subgame.blueprint) == pytest.approx(0, abs=1e-9)
    assert expected > -1e-9


@given(seeds, sides)
@settings(max_examples=120)
def test_alg1_nested_gadgets_agree_with_the_original_scale(seed, player):
    """Solve at an infoset, then at the next in its gadget: the same margin as in the full game played so far."""
    tree = some_tree(seed)
    blueprint = blueprint_of(tree, player, seed)
    for infoset in reachable(tree, blueprint):
        step = start_chain(blueprint, infoset, NestedOptions())
        following = step.next_infosets()
        if following:
            break
    else:
        assume(False)
    so_far = spliced(blueprint, step)
    later = step_chain(step, following[0], NestedOptions())
    expected, _ = max_margin(tree, player, so_far.sequences, later.infoset)
    sign = 1 if player == MAX else -1
    assert sign * later.solution.value == pytest.approx(expected, abs=1e-6)
    # One chain of nested solves never raises exploitability.
    chain = [best_response_value(s) * sign for s in (blueprint, so_far, spliced(so_far, later))]
    assert chain == sorted(chain) or np.diff(chain).min() > -1e-7


def spliced(strategy, step):
    """The strategy of the full game with the step's own below its infoset."""
    tree, p, subgame = strategy.tree, strategy.player, step.solution.subgame
    behaviour = strategy.behaviour()
    inner = step.solution.strategy.behaviour()
    for i in subgame.tree.acting_infosets(p).tolist():
        first, count = int(subgame.tree.infoset_first(p)[i]), int(subgame.tree.infoset_actions(p)[i])
        target = int(tree.infoset_first(p)[step.origin[i]])
        behaviour[target : target + count] = inner[first : first + count]
    return Strategy.from_behaviour(tree, p, behaviour)


@given(seeds, sides, st.sampled_from(["none", "sequential"]))
@settings(max_examples=120)
def test_resolving_keeps_every_margin_non_negative(seed, player, refinement):
    tree = some_tree(seed)
    blueprint = blueprint_of(tree, player, seed)
    infosets = reachable(tree, blueprint)
    assume(infosets)
    maxmargin = make_subgame(tree, blueprint, infosets[seed % len(infosets)])
    resolve = maxmargin.to_resolve()
    assert resolve.to_maxmargin() is maxmargin
    solution = solve_subgame(resolve, refinement=refinement)
    margins = maxmargin.margins(Strategy(maxmargin.tree, player, solution.strategy.sequences))
    assert margins.min() > -1e-7
    assert solution.value == pytest.approx(0, abs=1e-7)  # she exits wherever playing does not pay


@given(seeds, sides)
@settings(max_examples=120)
def test_the_refined_choice_is_optimal_and_does_not_depend_on_the_order_of_children(seed, player):
    tree = some_tree(seed)
    blueprint = blueprint_of(tree, player, seed)
    mirrored, permuted = reversed_children(tree)
    infosets = reachable(tree, blueprint)
    assume(infosets)
    infoset = infosets[seed % len(infosets)]
    other = Strategy(mirrored, player, permuted(player, blueprint.sequences))
    here = solve_subgame(make_subgame(tree, blueprint, infoset), refinement="sequential")
    name = tree.infoset_name(player, infoset)
    twin = mirrored.infoset_names(player).index(name)
    there = solve_subgame(make_subgame(mirrored, other, twin), refinement="sequential")
    assert here.value == pytest.approx(solve_subgame(here.subgame).value, abs=1e-7)
    assert here.value == pytest.approx(there.value, abs=1e-7)
    assert here.behaviour() == pytest.approx(there.behaviour()[::-1], abs=2e-5)


def reversed_children(tree):
    """The same game with the children of every node in reverse order, and how its sequences are numbered."""
    order, place = [0], {0: 0}
    parents = [-1]
    for h in order:  # grows while it runs
        first, count = int(tree.first_child[h]), int(tree.num_children[h])
        for child in range(first + count - 1, first - 1, -1):
            place[child] = len(order)
            order.append(child)
            parents.append(place[h])
    index = np.array(order)
    names = tuple(tree.infoset_names(p) for p in (0, 1))
    mirrored = murk.Tree.from_arrays(
        parent=parents,
        player=tree.player[index],
        action=tree.action[index],
        chance=tree.chance_probabilities()[index],
        utility=tree.utility[index],
        infosets=(tree.infoset(0)[index], tree.infoset(1)[index]),
        infoset_names=names,
        name=tree.name,
    )

    def permuted(player, values):
        out = np.ones(mirrored.num_sequences(player))
        for new, old in enumerate(order):
            out[mirrored.sequence(player)[new]] = values[tree.sequence(player)[old]]
        return out

    return mirrored, permuted


@given(seeds, sides)
@settings(max_examples=100)
def test_reach_only_adds_room(seed, player):
    tree = some_tree(seed)
    blueprint = blueprint_of(tree, player, seed)
    infosets = reachable(tree, blueprint)
    assume(infosets)
    infoset = infosets[seed % len(infosets)]
    sign = 1 if player == MAX else -1
    given_back = gifts(blueprint) * sign
    assert (given_back >= 0).all()
    plain, reach = (solve_subgame(make_subgame(tree, blueprint, infoset, reach=r)) for r in (False, True))
    assert sign * reach.value >= sign * plain.value - 1e-9


@given(seeds, sides)
@settings(max_examples=80)
def test_infinite_order_is_common_knowledge_resolving_and_safe_everywhere(seed, player):
    """With k = infinity solving at every infoset is classical safe subgame solving: exploitability cannot rise."""
    tree = some_tree(seed)
    blueprint = solve_lp(tree, player, lower=epsilon_uniform(tree, player, 0.5)).strategy(player)
    sign = 1 if player == MAX else -1
    for step in all_steps(blueprint, NestedOptions(order=math.inf)):
        assert sign * step.solution.value > -1e-7
    refined = refine_everywhere(blueprint, NestedOptions(order=math.inf))
    assert sign * best_response_value(refined) >= sign * best_response_value(blueprint) - 1e-7


@given(seeds, sides, st.floats(0.1, 0.9))
@settings(max_examples=150)
def test_the_safe_variant_never_raises_exploitability(seed, player, epsilon):
    """Safe-1-KLSS at every infoset at once, which plain 1-KLSS may not do."""
    tree = some_tree(seed)
    blueprint = solve_lp(tree, player, lower=epsilon_uniform(tree, player, epsilon)).strategy(player)
    refined = refine_everywhere(blueprint, NestedOptions(variant="safe"))
    sign = 1 if player == MAX else -1
    assert sign * best_response_value(refined) >= sign * best_response_value(blueprint) - 1e-7


def test_the_safe_variant_survives_the_counterexample():
    for n in (5, 20, 50):
        game = Counterexample(n)
        tree = murk.build(game)
        behaviour = np.full(tree.num_sequences(MAX), 0.5 - 2 / n)
        names = [tree.action_names(MAX, int(i)) for i in tree.acting_infosets(MAX)]
        assert all(name == names[0] for name in names)
        behaviour[tree.infoset_first(MAX)[tree.acting_infosets(MAX)]] = 0.5 + 2 / n
        blueprint = Strategy.from_behaviour(tree, MAX, behaviour)
        assert best_response_value(blueprint) == pytest.approx(-4 / n)
        assert best_response_value(refine_everywhere(blueprint)) == pytest.approx(-1)
        safe = refine_everywhere(blueprint, NestedOptions(variant="safe"))
        assert best_response_value(safe) >= -4 / n - 1e-9


@given(seeds, sides)
@settings(max_examples=80)
def test_an_unfrozen_subgame_has_the_same_roots_and_no_negative_margin(seed, player):
    tree = some_tree(seed)
    blueprint = blueprint_of(tree, player, seed)
    infosets = reachable(tree, blueprint)
    assume(infosets)
    infoset = infosets[seed % len(infosets)]
    frozen, unfrozen = (make_subgame(tree, blueprint, infoset, unfrozen=u) for u in (False, True))
    # The same infosets of the opponent, in the order in which their first nodes come.
    reach = [dict(zip(s.roots.tolist(), s.reach.tolist(), strict=True)) for s in (frozen, unfrozen)]
    assert reach[0].keys() == reach[1].keys()
    assert all(reach[1][root] >= reach[0][root] - 1e-12 for root in reach[0])
    scaled = [solve_subgame(s).strategy for s in (frozen, unfrozen)]
    gains = [s.margins(x) * s.reach for s, x in zip((frozen, unfrozen), scaled, strict=True)]
    assert min(gains[0].min(), gains[1].min()) > -1e-7


@given(seeds)
@settings(max_examples=80)
def test_the_unsafe_subgame_is_solved_against_the_blueprint(seed):
    tree = some_tree(seed)
    profile = Profile(blueprint_of(tree, MAX, seed), uniform(tree, MIN))
    infosets = reachable(tree, profile.max)
    assume(infosets)
    subgame = make_unsafe_subgame(tree, profile, MAX, infosets[0])
    assert subgame.tree.player[0] == murk.NATURE
    nodes = Knowledge(tree).nodes(MAX, infosets[0])
    weight = [tree.chance_reach[h] * uniform(tree, MIN).sequences[tree.sequence(MIN)[h]] for h in nodes]
    drawn = {}
    gadget = subgame.tree
    for h in range(gadget.num_nodes):
        if gadget.parent[h] >= 0 and gadget.parent[gadget.parent[h]] == 0:
            drawn[int(gadget.action[h])] = gadget.chance_reach[h]
    assert [drawn.get(int(h), 0.0) for h in nodes] == pytest.approx(np.array(weight) / sum(weight))


def test_transpositions_are_merged_at_random_but_reproducibly():
    tree = murk.build("matching_pennies(n=8)")
    blueprint = uniform(tree, MAX)
    infoset = int(tree.acting_infosets(MAX)[1])
    keys = np.zeros(tree.num_nodes, dtype=np.int64)  # call all nodes transpositions of each other
    kept = {
        tuple(make_subgame(tree, blueprint, infoset, transpositions=keys, seed=s).roots.tolist()) for s in range(20)
    }
    assert {len(roots) for roots in kept} == {1}
    assert len(kept) == 2
    distinct = np.arange(tree.num_nodes)
    assert len(make_subgame(tree, blueprint, infoset, transpositions=distinct).roots) == 2


def test_bad_input():
    tree = murk.build("figure1")
    blueprint = uniform(tree, MAX)
    acting = int(np.argmax(tree.infoset_actions(MAX)))
    with pytest.raises(InputError, match="order is 2, expected an odd number or infinity"):
        make_subgame(tree, blueprint, acting, order=2)
    with pytest.raises(InputError, match="does not act at infoset 999"):
        make_subgame(tree, blueprint, 999)
    watching = next(i for i in range(tree.num_infosets(MAX)) if tree.infoset_actions(MAX)[i] == 0)
    with pytest.raises(InputError, match=f"does not act at infoset {watching}"):
        make_subgame(tree, blueprint, watching)
    with pytest.raises(InputError, match="expected one of figure1"):
        make_subgame(tree, uniform(murk.build("matching_pennies(n=2)"), MAX), acting)
    with pytest.raises(InputError, match="merged for order 1 only"):
        make_subgame(tree, blueprint, acting, order=3, transpositions=np.zeros(tree.num_nodes))
    with pytest.raises(InputError, match="refinement is 'perfect'"):
        solve_subgame(make_subgame(tree, blueprint, acting), refinement="perfect")
    subgame = make_subgame(tree, blueprint, acting)
    with pytest.raises(InputError, match="infeasible lower bounds"):
        solve_subgame(subgame, lower=np.ones(subgame.tree.num_sequences(MAX)))


@given(seeds, sides, st.sampled_from(["maxmargin", "resolve"]))
@settings(max_examples=25)
def test_regret_minimisation_finds_the_same_refined_equilibrium(seed, player, kind):
    tree = some_tree(seed)
    blueprint = blueprint_of(tree, player, seed)
    infosets = reachable(tree, blueprint)
    assume(infosets)
    subgame = make_subgame(tree, blueprint, infosets[seed % len(infosets)])
    if kind == "resolve":
        subgame = subgame.to_resolve()
    exact = solve_subgame(subgame, refinement="sequential")
    found = solve_subgame(subgame, refinement="sequential", method="pcfr+")
    low, high = tree.utility_range()
    assert found.value == pytest.approx(exact.value, abs=1e-4 * (high - low))
    assert found.behaviour() == pytest.approx(exact.behaviour(), abs=0.02)


@given(seeds, sides, st.floats(0.01, 0.5))
@settings(max_examples=60)
def test_a_trembling_gadget_is_worth_the_mixture(seed, player, probability):
    """Its value to a fixed strategy is the gadget's and the mean margin, each with its probability."""
    tree = some_tree(seed)
    blueprint = blueprint_of(tree, player, seed)
    infosets = reachable(tree, blueprint)
    assume(infosets)
    subgame = make_subgame(tree, blueprint, infosets[seed % len(infosets)])
    game = trembling(subgame, probability)
    x = blueprint_of(subgame.tree, player, seed + 1)
    margins = subgame.margins(x) * (1 if player == MAX else -1)
    expected = (1 - probability) * best_response_value(x) + probability * margins.mean()
    assert best_response_value(Strategy(game, player, x.sequences)) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("order", [1, 3, math.inf])
def test_an_infoset_that_is_never_reached_has_no_subgame(order):
    tree = murk.build("kuhn_poker")
    behaviour = uniform(tree, MAX).behaviour()
    later = [int(i) for i in tree.acting_infosets(MAX) if tree.infoset_parent(MAX)[i] > 0]
    target = later[0]
    closed = int(tree.infoset_parent(MAX)[target])
    opening = int(tree.sequence_infoset(MAX)[closed])
    first, count = int(tree.infoset_first(MAX)[opening]), int(tree.infoset_actions(MAX)[opening])
    behaviour[first : first + count] = [float(s != closed) / (count - 1) for s in range(first, first + count)]
    blueprint = Strategy.from_behaviour(tree, MAX, behaviour)
    with pytest.raises(InputError, match="never comes to infoset"):
        make_subgame(tree, blueprint, target, order=order)
