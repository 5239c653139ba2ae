"""The growing search on games with a known equilibrium."""

import numpy as np
import pytest

from murk import build, exploitability
from murk.errors import InputError
from murk.search.growing import GrowingSearch
from murk.tree import Tree

GOOFSPIEL = "goofspiel(imp_info=True,num_cards=4,points_order=random,players=2)"
VALUES = {"kuhn_poker": -1 / 18, "leduc_poker": -0.0856064, GOOFSPIEL: 0.0, "liars_dice(dice_sides=5)": 0.0080}


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


@pytest.mark.parametrize(("name", "iterations"), [("kuhn_poker", 2_000), ("leduc_poker", 3_000), (GOOFSPIEL, 2_000)])
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
    tree = build("liars_dice(dice_sides=5)")
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


def test_expanders_beside_the_solver_find_the_same_equilibrium():
    tree = build("kuhn_poker")
    search = GrowingSearch(tree, crude(tree), threads=3, seed=5)
    for _ in range(40):
        search.run(seconds=0.1)
        if gap(search, tree) < 1e-3:
            break
    assert gap(search, tree) < 1e-3
    assert search.result(average=True).value == pytest.approx(-1 / 18, abs=1e-2)


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


@pytest.mark.parametrize("threads", [1, 2])
def test_more_nodes_than_there_are_end_the_search(threads: int):
    tree = build("kuhn_poker")
    search = GrowingSearch(tree, crude(tree), threads=threads)
    search.run(nodes=10**6)
    assert search.result().nodes <= tree.num_nodes
