"""Merging transpositions (Alg. 1, l. 10-14): what stays, what it costs, and when it costs nothing."""

import numpy as np
import pytest

import murk
from murk.errors import InputError
from murk.games.explicit import ExplicitGame, decision, leaf, nature
from murk.subgame import make_subgame, solve_subgame
from murk.tree import MAX, MIN, uniform


def guess(*, match=1.0, told=""):
    """MAX chooses a side; MIN, told something before, guesses it."""
    ends = []
    for side in range(2):
        moves = {str(g): leaf(-match if g == side else match) for g in range(2)}
        ends.append(decision(MIN, moves, sees=("", "guess")))
    return decision(MAX, {"h": ends[0], "t": ends[1]}, sees=("", told))


def keys_of(tree, groups):
    """One key for each node: equal for the children of the root that are in one group, else all different."""
    keys = np.arange(tree.num_nodes)
    for group in groups:
        for child in group:
            keys[1 + child] = -1 - group[0]
    return keys


def deal(*nodes):
    chance = 1 / len(nodes)
    tree = murk.build(ExplicitGame("transpositions", nature({str(i): (chance, n) for i, n in enumerate(nodes)})))
    return tree, int(np.flatnonzero(tree.infoset_actions(MAX))[0])


def test_one_of_each_kind_stays_and_the_seed_says_which():
    # Three deals that only MIN can tell apart; the futures of the first two are the same.
    tree, infoset = deal(guess(told="a"), guess(told="b"), guess(told="c", match=2.0))
    keys = keys_of(tree, [(0, 1)])
    found = [
        make_subgame(tree, uniform(tree, MAX), infoset, transpositions=keys, seed=s).roots.tolist() for s in range(20)
    ]
    again = [
        make_subgame(tree, uniform(tree, MAX), infoset, transpositions=keys, seed=s).roots.tolist() for s in range(20)
    ]
    assert found == again
    assert {len(roots) for roots in found} == {2}
    third = int(tree.infoset(MIN)[3])
    assert all(third in roots for roots in found)
    assert {min(roots) if max(roots) == third else max(roots) for roots in found} == {
        int(tree.infoset(MIN)[h]) for h in (1, 2)
    }


def test_merging_equal_sections_changes_nothing():
    tree, infoset = deal(guess(told="a"), guess(told="b"), guess(told="c", match=2.0))
    whole = make_subgame(tree, uniform(tree, MAX), infoset)
    for seed in range(5):
        merged = make_subgame(tree, uniform(tree, MAX), infoset, transpositions=keys_of(tree, [(0, 1)]), seed=seed)
        assert merged.tree.num_nodes < whole.tree.num_nodes
        full, less = solve_subgame(whole), solve_subgame(merged)
        assert less.value == pytest.approx(full.value)
        assert less.behaviour() == pytest.approx(full.behaviour())


def test_merging_can_be_too_optimistic_but_not_too_pessimistic():
    """Fewer choices of the opponent at the root: the smallest margin can only grow."""
    rng = np.random.default_rng(0)
    grew = 0
    for _ in range(30):
        # MIN's infosets also hold a node at which MAX knows more, so that sections differ in their top rows.
        nodes = [guess(told=str(i)) for i in range(3)]
        known = []
        for i in range(3):
            ends = {str(g): leaf(rng.uniform(-3, 3)) for g in range(2)}
            known.append(decision(MAX, {"go": decision(MIN, ends, sees=("", "guess"))}, sees=("know", str(i))))
        tree, _ = deal(*nodes, *known)
        infoset = int(tree.infoset(MAX)[1])
        blueprint = uniform(tree, MAX)
        whole = solve_subgame(make_subgame(tree, blueprint, infoset)).value
        for seed in range(3):
            keys = keys_of(tree, [(0, 1, 2)])
            merged = make_subgame(tree, blueprint, infoset, transpositions=keys, seed=seed)
            assert len(merged.roots) == 1
            less = solve_subgame(merged).value
            assert less >= whole - 1e-9
            grew += less > whole + 1e-6
    assert grew > 0


def test_two_transpositions_that_the_opponent_cannot_tell_apart_stay_together():
    """An infoset of hers may have several nodes of ours: it is left out only if others stand for all of them."""
    tree, infoset = deal(guess(told="a"), guess(told="a"), guess(told="b"))
    keys = keys_of(tree, [(0, 1)])
    for seed in range(10):
        assert len(make_subgame(tree, uniform(tree, MAX), infoset, transpositions=keys, seed=seed).roots) == 2
    all_alike = keys_of(tree, [(0, 1, 2)])
    kept = {
        tuple(make_subgame(tree, uniform(tree, MAX), infoset, transpositions=all_alike, seed=s).roots.tolist())
        for s in range(20)
    }
    assert kept == {(int(tree.infoset(MIN)[1]),), (int(tree.infoset(MIN)[3]),)}


def test_a_node_that_is_never_reached_stands_for_no_other():
    nodes = {"0": (0.0, guess(told="a")), "1": (1.0, guess(told="b"))}
    tree = murk.build(ExplicitGame("impossible", nature(nodes)))
    infoset = int(np.flatnonzero(tree.infoset_actions(MAX))[0])
    keys = keys_of(tree, [(0, 1)])
    for seed in range(10):
        roots = make_subgame(tree, uniform(tree, MAX), infoset, transpositions=keys, seed=seed).roots.tolist()
        assert roots == [int(tree.infoset(MIN)[2])]


def test_bad_input():
    tree, infoset = deal(guess(told="a"), guess(told="b"))
    with pytest.raises(InputError, match="transpositions can be merged for order 1 only, got order 3"):
        make_subgame(tree, uniform(tree, MAX), infoset, order=3, transpositions=np.arange(tree.num_nodes))
    with pytest.raises(InputError, match=r"transpositions have shape \(3,\), expected one key for each of 15 nodes"):
        make_subgame(tree, uniform(tree, MAX), infoset, transpositions=[1, 2, 3])
