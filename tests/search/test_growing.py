"""The growing search on games with a known equilibrium."""

import numpy as np
import pytest

from murk import build, exploitability, load, solve
from murk.errors import InputError
from murk.games.builtin import MatchingPennies
from murk.search import GrowingSearch
from murk.search.growing import Policy
from murk.tree import MAX, MIN, Player, Strategy, Tree

LIARS_DICE = "liars_dice(dice_sides=5)"
GOOFSPIEL = "goofspiel(imp_info=True,num_cards=4,points_order=random,players=2)"
VALUES = {"kuhn_poker": -1 / 18, "leduc_poker": -0.0856064, GOOFSPIEL: 0.0, LIARS_DICE: 0.0080}


def crude(tree: Tree, seed: int = 0) -> np.ndarray:
    """The value under uniform play, spoilt by noise of a fifth of the range of payoffs."""
    value = np.array(tree.utility, dtype=float)
    for node in range(tree.num_nodes - 1, 0, -1):
        up = tree.parent[node]
        value[up] += value[node] / tree.num_children[up]
    return value + 0.2 * np.ptp(tree.utility) * np.random.default_rng(seed).standard_normal(tree.num_nodes)


def gap(search: GrowingSearch, tree: Tree) -> float:
    """Exploitability of the last iterate, as a part of the range of payoffs."""
    return exploitability(search.result().profile) / float(np.ptp(tree.utility))


@pytest.mark.parametrize(
    ("name", "iterations"),
    [("kuhn_poker", 2_000), ("leduc_poker", 3_000), (GOOFSPIEL, 2_000), (LIARS_DICE, 2_000)],
)
def test_it_converges_to_equilibrium_with_a_crude_estimate(name: str, iterations: int):
    tree = build(name)
    search = GrowingSearch(tree, crude(tree), seed=1)
    search.run(iterations=iterations // 20)
    early = gap(search, tree)
    search.run(iterations=iterations)
    found = search.result()
    late = gap(search, tree)
    assert late < 0.01
    assert late < early / 2
    assert found.value == pytest.approx(VALUES[name], abs=0.02 * float(np.ptp(tree.utility)))
    assert found.nodes < tree.num_nodes


def test_it_looks_at_a_part_of_a_larger_game_only():
    tree = build(LIARS_DICE)
    search = GrowingSearch(tree, crude(tree), seed=2)
    gaps = []
    for _ in range(3):
        search.run(nodes=1_500)
        gaps.append(gap(search, tree))
    assert gaps[2] < gaps[0]
    assert search.result().nodes == 4_501  # and the root of the gadget


def test_one_thread_and_a_seed_give_the_same_search():
    tree = build("leduc_poker")
    found = []
    for seed in (3, 3, 4):
        search = GrowingSearch(tree, crude(tree), seed=seed)
        search.run(nodes=800)
        found.append(search.result())
    assert np.array_equal(found[0].profile.max.sequences, found[1].profile.max.sequences)
    assert np.array_equal(found[0].profile.min.sequences, found[1].profile.min.sequences)
    assert not np.array_equal(found[0].profile.max.sequences, found[2].profile.max.sequences)


def test_zs25_th1_the_whole_game_is_near_equilibrium_though_most_of_it_was_never_expanded():
    tree = build(GOOFSPIEL)
    search = GrowingSearch(tree, crude(tree), seed=1)
    search.run(iterations=100)
    early = gap(search, tree)
    search.run(iterations=4_000)
    found = search.result()
    assert found.profile is not None
    assert gap(search, tree) < min(0.004, early / 4)
    assert found.nodes == len(found.expanded) + 1 == len(set(found.expanded)) + 1
    assert found.nodes < 0.3 * tree.num_nodes
    # What is left to expand, the players do not reach together.
    inside = np.zeros(tree.num_nodes, dtype=bool)
    inside[found.expanded] = True
    left = ~inside & (tree.num_children > 0) & inside[tree.parent]
    assert left.any()
    reach = [found.profile[player].sequences[tree.sequence(player)] for player in (MAX, MIN)]
    assert np.max(reach[0][left] * reach[1][left]) < 1e-9


@pytest.mark.parametrize("option", ["one_sided", "best_first", "pruning"])
def test_each_idea_can_be_switched_off_and_the_search_still_converges(option: str):
    tree = build("leduc_poker")
    found = {}
    for on in (True, False):
        search = GrowingSearch(tree, crude(tree), seed=1, **{option: on})
        search.run(iterations=2_000)
        assert gap(search, tree) < 0.01
        found[on] = search.result()
    # What is pruned would have changed nothing; the others change the search.
    assert (found[True].value == found[False].value) == (option == "pruning")


def test_regrets_that_fade_to_nothing_leave_a_strategy():
    """They get as small as numbers can be, and what is divided by them is not a number."""
    tree = build("leduc_poker")
    search = GrowingSearch(tree, crude(tree), seed=1, kept_regret=0.5)
    search.run(iterations=3_000)
    found = search.result()
    assert np.isfinite(found.value)
    assert 0.0 <= gap(search, tree) < 0.1


@pytest.mark.threads
def test_expanders_beside_the_solver_find_the_same_equilibrium():
    tree = build("kuhn_poker")
    search = GrowingSearch(tree, crude(tree), threads=3, seed=5)
    for _ in range(40):
        search.run(seconds=0.1)
        if gap(search, tree) < 1e-3:
            break
    assert gap(search, tree) < 1e-3
    assert search.result(average=True).value == pytest.approx(-1 / 18, abs=1e-2)


def on_tree(policy: Policy, tree: Tree, player: Player) -> Strategy:
    """A policy by OpenSpiel's information states as a strategy; uniform where it says nothing."""
    behaviour = np.ones(tree.num_sequences(player))
    names = tree.infoset_names(player)
    for infoset in tree.acting_infosets(player):
        first, count = tree.infoset_first(player)[infoset], tree.infoset_actions(player)[infoset]
        known = policy.get(names[infoset], {})
        behaviour[first : first + count] = list(known.values()) if known else 1 / count
    return Strategy.from_behaviour(tree, player, behaviour)


def test_a_game_of_openspiel_is_searched_without_building_its_tree():
    """And just as its tree is, to the last bit."""
    tree = build("leduc_poker")
    found = {}
    for searched, value in ((load("leduc_poker"), lambda state: 0.0), (tree, np.zeros(tree.num_nodes))):
        search = GrowingSearch(searched, value, seed=6)
        search.run(nodes=2_500)
        found[searched is tree] = search.result()
    assert found[False].value == found[True].value
    assert found[False].nodes == 2_501
    for player in (MAX, MIN):
        strategy = on_tree(found[False].policies[player], tree, player)
        profile = found[True].profile
        assert profile is not None
        assert np.array_equal(strategy.sequences, profile[player].sequences)


def test_a_game_in_python_is_searched_for_either_side():
    value = solve(build(MatchingPennies(3)), method="lp").value
    for player in (MAX, MIN):
        search = GrowingSearch(MatchingPennies(3), lambda state: 0.5, player=player, seed=1)
        search.run(iterations=2_000)
        found = search.result(average=True)
        assert found.value == pytest.approx(value, abs=0.01)
        assert found.profile is None
        for policy in found.policies.values():
            assert [sum(mixture.values()) for mixture in policy.values()] == pytest.approx([1.0] * len(policy))


def test_an_error_in_a_value_function_comes_out_and_the_search_goes_on():
    asked = 0

    def value(state: object) -> float:
        nonlocal asked
        asked += 1
        if asked == 8:
            raise RuntimeError("no value today")
        return 0.0

    search = GrowingSearch(load("kuhn_poker"), value, seed=1)
    with pytest.raises(RuntimeError, match="no value today"):
        search.run(iterations=500)
    search.run(iterations=2_000)
    assert search.result().value == pytest.approx(-1 / 18, abs=0.02)


def test_bad_input_is_refused():
    tree = build("kuhn_poker")
    with pytest.raises(InputError, match="expected 58 finite values"):
        GrowingSearch(tree, np.zeros(3))
    with pytest.raises(InputError, match="finite"):
        GrowingSearch(tree, np.full(tree.num_nodes, np.nan))
    with pytest.raises(InputError, match="threads is 0"):
        GrowingSearch(tree, np.zeros(tree.num_nodes), threads=0)
    with pytest.raises(InputError, match="no limit"):
        GrowingSearch(tree, np.zeros(tree.num_nodes)).run()
    with pytest.raises(InputError, match="a value for each node"):
        GrowingSearch(tree)
    with pytest.raises(InputError, match="no value function of its own"):
        GrowingSearch(load("kuhn_poker"))
    with pytest.raises(InputError, match="expected a function of its states"):
        GrowingSearch(load("kuhn_poker"), np.zeros(58))
    with pytest.raises(InputError, match="threads is 2, expected 1"):
        GrowingSearch(load("kuhn_poker"), lambda state: 0.0, threads=2)


@pytest.mark.threads
@pytest.mark.parametrize("threads", [1, 2])
def test_more_nodes_than_there_are_end_the_search(threads: int):
    tree = build("kuhn_poker")
    search = GrowingSearch(tree, crude(tree), threads=threads)
    search.run(nodes=10**6)
    assert search.result().nodes <= tree.num_nodes
