"""Trees grown by hand: the same as from arrays, with views that stay valid; a million nodes without fuss."""

import copy
import gc
import pickle

import numpy as np
import pytest
from hypothesis import given
from samples import examples, random_tree, random_trees

from murk import _core
from murk.errors import InputError
from murk.solvers import VARIANTS, CfrSolver, solve_lp
from murk.tree import MAX, MIN, NATURE, TERMINAL, Tree, uniform

BOTH = (MAX, MIN)
NODE_ARRAYS = ("parent", "first_child", "num_children", "player", "action", "chance_reach", "utility")
PLAYER_ARRAYS = ("infoset", "sequence", "infoset_parent", "infoset_first", "infoset_actions", "sequence_infoset")
NONE = np.empty(0)


def all_views(tree):
    views = {name: getattr(tree, name) for name in NODE_ARRAYS}
    return views | {(name, p): getattr(tree, name)(p) for name in PLAYER_ARRAYS for p in BOTH}


def assert_equal(tree, other):
    for name, view in all_views(tree).items():
        assert np.array_equal(view, all_views(other)[name]), name


def grown(tree: Tree) -> Tree:
    """Return the same tree, grown node by node."""
    out = Tree()
    out.add_root(float(tree.utility[0]))
    chance = tree.chance_probabilities()
    made = [0, 0]
    for node in sorted(np.flatnonzero(tree.num_children), key=lambda h: tree.first_child[h]):
        for p in BOTH:  # infosets are numbered as the nodes need them
            infoset = int(tree.infoset(p)[node])
            if infoset == made[p]:
                parent, count = int(tree.infoset_parent(p)[infoset]), int(tree.infoset_actions(p)[infoset])
                assert out.add_infoset(p, parent, count) == infoset
                made[p] += 1
        below = slice(int(tree.first_child[node]), int(tree.first_child[node] + tree.num_children[node]))
        first = out.expand(
            int(node),
            int(tree.player[node]),
            (int(tree.infoset(MAX)[node]), int(tree.infoset(MIN)[node])),
            tree.action[below],
            chance[below],
            tree.utility[below],
        )
        assert first == below.start
    return out


@examples(60)
@given(tree=random_trees())
def test_a_grown_tree_is_the_tree_from_arrays(tree):
    other = grown(tree)
    assert_equal(tree, other)
    assert solve_lp(other).value == solve_lp(tree).value


@examples(30)
@given(tree=random_trees())
def test_views_are_windows_not_copies(tree):
    for name, view in all_views(tree).items():
        again = all_views(tree)[name]
        assert not view.flags.writeable, name
        assert not view.flags.owndata, name
        with pytest.raises(ValueError, match="read-only"):
            view[...] = 0
        if view.size:
            assert np.shares_memory(view, again)
            assert view.ctypes.data == again.ctypes.data


def test_views_have_the_promised_types():
    tree = random_tree(3)
    types = {name: view.dtype for name, view in all_views(tree).items()}
    for name in ("parent", "first_child", "num_children"):
        assert types[name] == np.int32
    assert types["player"] == np.uint8
    assert types["action"] == np.int64
    assert types["chance_reach"] == types["utility"] == np.float64
    assert all(types[name, p] == np.int32 for name in PLAYER_ARRAYS for p in BOTH)


def deep_chain(tree: Tree, node: int, steps: int, infosets: tuple[int, int]) -> int:
    """Grow a chain of nature's coin tosses of which one side ends."""
    actions, chance, paid = np.array([0, 1]), np.array([0.5, 0.5]), np.array([1.0, 0.0])
    for _ in range(steps):
        node = tree.expand(node, NATURE, infosets, actions, chance, paid) + 1
    return node


def test_views_stay_valid_while_the_tree_grows():
    """Past every size at which memory is committed anew: pages of 4 KiB, then steps of 2 MiB."""
    tree = Tree()
    tree.add_root()
    infosets = (tree.add_infoset(MAX, 0, 0), tree.add_infoset(MIN, 0, 0))
    node, kept = 0, []
    for steps in (1, 10, 500, 5_000, 60_000, 200_000):
        node = deep_chain(tree, node, steps, infosets)
        views = all_views(tree)
        kept.append((views, {name: view.copy() for name, view in views.items()}))
    assert tree.num_nodes == 1 + 2 * 265_511
    for views, _ in kept:
        for name, view in views.items():
            assert view.ctypes.data == kept[-1][0][name].ctypes.data
            assert np.shares_memory(view, kept[-1][0][name])
    # An old view sees what has become of its nodes since: leaves that were expanded.
    for views, copies in kept[:-1]:
        leaf = int(np.flatnonzero(copies["num_children"] == 0)[-1])
        assert (copies["num_children"][leaf], views["num_children"][leaf]) == (0, 2)
        for name in ("parent", "action", "chance_reach"):
            assert np.array_equal(views[name], copies[name])


def test_views_outlive_their_tree():
    def views():
        tree = Tree()
        tree.add_root()
        infosets = (tree.add_infoset(MAX, 0, 0), tree.add_infoset(MIN, 0, 0))
        deep_chain(tree, 0, 100_000, infosets)
        return all_views(tree)

    kept = views()
    gc.collect()
    junk = [np.full(200_000, 7) for _ in range(5)]
    assert kept["parent"][0] == -1
    assert kept["parent"][-1] == 200_001 - 3
    assert kept["num_children"].sum() == 200_000
    assert np.array_equal(kept["parent"][1:] < np.arange(1, 200_001), np.full(200_000, True))
    del junk


def test_thousands_of_trees_at_once():
    trees = [Tree() for _ in range(300)]
    for i, tree in enumerate(trees):
        tree.add_root(float(i))
    small = [random_tree(i % 5, depth=3) for i in range(100)]
    assert [float(t.utility[0]) for t in trees] == list(range(300))
    assert len({t.num_nodes for t in small}) > 1


# What expand() refuses


def start():
    tree = Tree(capacity=8)
    tree.add_root()
    tree.add_infoset(MAX, 0, 2)
    tree.add_infoset(MAX, 0, 0)
    tree.add_infoset(MIN, 0, 0)
    tree.add_infoset(MIN, 0, 2)
    return tree


TWO = (np.array([0, 1]), NONE, np.array([1.0, -1.0]))
REFUSED = [
    (lambda t: t.add_root(), "shape", "the tree already has a root"),
    (lambda t: t.expand(1, MAX, (0, 0), *TWO), "shape", "only a leaf can be expanded, got node 1"),
    (lambda t: t.expand(-1, MAX, (0, 0), *TWO), "shape", "only a leaf can be expanded, got node -1"),
    (lambda t: t.expand(0, TERMINAL, (1, 0), *TWO), "shape", "an internal node needs a player and at least one action"),
    (lambda t: t.expand(0, 200, (1, 0), *TWO), "shape", "an internal node needs a player"),
    (lambda t: t.expand(0, -1, (1, 0), *TWO), "shape", "an internal node needs a player"),
    (lambda t: t.expand(0, MAX, (0, 0), np.empty(0, int), NONE, NONE), "shape", "at least one action at node 0"),
    (lambda t: t.expand(0, MAX, (0, 0), TWO[0], NONE, NONE), "shape", "one utility (and probability) is needed"),
    (lambda t: t.expand(0, NATURE, (1, 0), *TWO), "shape", "one utility (and probability) is needed"),
    (lambda t: t.expand(0, MAX, (5, 0), *TWO), "shape", "unknown infoset 5 at node 0"),
    (lambda t: t.expand(0, MAX, (0, -1), *TWO), "shape", "unknown infoset -1 at node 0"),
    (lambda t: t.expand(0, MAX, (1, 0), *TWO), "action count", "the same number of actions at node 0"),
    (lambda t: t.expand(0, NATURE, (0, 0), TWO[0], np.full(2, 0.5), TWO[2]), "action count", "the same number"),
    (lambda t: t.expand(0, MAX, (0, 1), *TWO), "action count", "the same number of actions"),
    (lambda t: t.expand(0, MAX, (0, 0), np.arange(3), NONE, np.ones(3)), "action count", "the same number"),
    (lambda t: t.expand(0, MAX, (0, 0), TWO[0], NONE, np.array([1, np.nan])), "utility", "not a finite number"),
    (lambda t: t.expand(0, NATURE, (1, 0), TWO[0], np.array([0.5, 0.6]), TWO[2]), "chance", "sum to 1.1, not to 1"),
    (lambda t: t.expand(0, NATURE, (1, 0), TWO[0], np.array([1.5, -0.5]), TWO[2]), "chance", "is negative"),
    (lambda t: t.expand(0, NATURE, (1, 0), np.arange(9), np.full(9, 1 / 9), np.ones(9)), "too large", "full: 8 nodes"),
    (lambda t: t.add_infoset(MAX, 3, 1), "shape", "an infoset's parent sequence must exist, got 3"),
    (lambda t: t.add_infoset(MAX, -1, 1), "shape", "an infoset's parent sequence must exist, got -1"),
    (lambda t: t.add_infoset(MIN, 0, -1), "shape", "an infoset cannot have -1 actions"),
    (lambda t: t.add_infoset(MIN, 0, 1000), "too large", "no room for an infoset of 1000 actions"),
    (lambda t: t.add_infoset(MIN, 0, 2**31 - 1), "too large", "no room for an infoset of 2147483647 actions"),
    (lambda t: t.set_utility(8, 1.0), "shape", "only a leaf has a utility, got node 8"),
    (lambda t: t.set_utility(0, float("inf")), "utility", "a payoff is not a finite number at node 0"),
    (lambda t: t.add_extra(MAX, 3, 1.0), "shape", "extra payoff on unknown sequence 3"),
    (lambda t: t.add_extra(MIN, -1, 1.0), "shape", "extra payoff on unknown sequence -1"),
    (lambda t: t.add_extra(MIN, 0, float("nan")), "utility", "the extra payoff on sequence 0 is not a finite number"),
]


@pytest.mark.parametrize(("call", "kind", "text"), REFUSED)
def test_what_is_refused_changes_nothing(call, kind, text):
    tree = start()
    before = {name: view.copy() for name, view in all_views(tree).items()}
    with pytest.raises(_core.TreeError) as error:
        call(tree)
    assert error.value.args[0] == kind
    assert text in error.value.args[3]
    for name, view in all_views(tree).items():
        assert np.array_equal(view, before[name]), name
    # It is still good to grow.
    tree.expand(0, MAX, (0, 0), *TWO)
    assert solve_lp(tree).value == 1.0


def test_perfect_recall_of_a_growing_tree():
    tree = start()
    first = tree.expand(0, MAX, (0, 0), *TWO)
    with pytest.raises(_core.TreeError, match="must share their player's sequence at node 1"):
        tree.expand(first, MAX, (0, 0), *TWO)
    with pytest.raises(_core.TreeError, match="only a leaf can be expanded"):
        tree.expand(0, MAX, (0, 0), *TWO)
    below = tree.add_infoset(MAX, 1, 0)
    tree.expand(first, MIN, (below, 1), *TWO)
    with pytest.raises(_core.TreeError, match="only a leaf has a utility, got node 1"):
        tree.set_utility(1, 0.0)
    tree.set_utility(3, 5.0)
    assert tree.utility.tolist() == [0.0, 0.0, -1.0, 5.0, -1.0]


def test_a_full_table_of_infosets_says_so():
    tree = Tree(capacity=2)
    tree.add_root()
    for _ in range(3):
        tree.add_infoset(MAX, 0, 0)
    with pytest.raises(_core.TreeError, match="no room for an infoset of 0 actions"):
        tree.add_infoset(MAX, 0, 0)
    assert tree.num_infosets(MAX) == 3


def test_every_change_raises_the_revision():
    tree = Tree()
    seen = [tree.revision]
    for change in (
        lambda: tree.add_root(),
        lambda: tree.add_infoset(MAX, 0, 2),
        lambda: tree.add_infoset(MIN, 0, 0),
        lambda: tree.expand(0, MAX, (0, 0), *TWO),
        lambda: tree.set_utility(1, 3.0),
        lambda: tree.add_extra(MAX, 1, 0.5),
        lambda: tree.clear_extra(MAX),
    ):
        change()
        seen.append(tree.revision)
    assert seen == sorted(set(seen))


def test_solving_as_the_tree_grows():
    """MAX chooses between a sure payoff and a subtree; its value follows the tree."""
    tree = start()
    first = tree.expand(0, MAX, (0, 0), *TWO)
    assert solve_lp(tree).value == 1.0
    below = tree.add_infoset(MAX, 2, 0)
    tree.expand(first + 1, MIN, (below, 1), np.array([0, 1]), NONE, np.array([3.0, 2.0]))
    assert solve_lp(tree).value == 2.0
    solver = CfrSolver(tree)
    solver.iterate(50)
    assert solver.run().value == pytest.approx(2.0, abs=1e-2)


def test_a_tree_is_not_pickled():
    for make in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(InputError, match=r"a Tree cannot be pickled, expected murk\.save_tree"):
            make(random_tree(1))


# A million nodes


@pytest.fixture(scope="module")
def million():
    """A game of a million nodes: nature deals MAX one of 256 hands, then the players make five moves of five actions.

    Made with numpy, level by level: MAX knows her hand and all moves, MIN only the moves.
    """
    hands, actions, levels = 256, 5, 5
    parent, player, action, chance = [np.array([-1])], [np.array([NATURE])], [np.array([-1])], [np.array([1.0])]
    hand, history = [np.array([0])], [np.array([0])]
    width, offset = 1, 0
    for level in range(levels + 1):
        count = hands if level == 0 else actions
        parent.append(np.repeat(np.arange(offset, offset + width), count))
        made = np.tile(np.arange(count), width)
        action.append(made)
        chance.append(np.full(len(made), 1 / hands if level == 0 else 1.0))
        hand.append(made if level == 0 else np.repeat(hand[-1], count))
        history.append(np.zeros(len(made), int) if level == 0 else np.repeat(history[-1], count) * actions + made)
        offset, width = offset + width, len(made)
        player.append(np.full(width, TERMINAL if level == levels else (MAX, MIN)[level % 2]))
    levels_of = np.repeat(np.arange(levels + 2), [len(p) for p in parent])
    hand, history = np.concatenate(hand), np.concatenate(history)
    public = levels_of * actions**levels + history
    private = public * hands + hand
    utility = np.where(levels_of == levels + 1, np.sin(hand * 7.0 + history), 0.0)
    return Tree.from_arrays(
        parent=np.concatenate(parent),
        player=np.concatenate(player),
        action=np.concatenate(action),
        chance=np.concatenate(chance),
        utility=utility,
        infosets=(private.astype(np.int32), public.astype(np.int32)),
        name="million",
    )


def test_a_million_nodes_take_at_most_64_bytes_each(million):
    assert million.num_nodes == 1 + 256 * (1 + 5 + 25 + 125 + 625 + 3125) > 999_000
    assert Tree.bytes_per_node <= 64
    assert million.nbytes <= 64 * million.num_nodes
    tables = sum(12 * million.num_infosets(p) + 4 * million.num_sequences(p) for p in BOTH)
    assert million.nbytes == million.num_nodes * Tree.bytes_per_node + tables
    real = sum(view.nbytes for view in all_views(million).values())
    assert million.nbytes == real


def test_a_million_nodes_are_solved(million):
    gaps = []
    for method in ("cfr+", "pcfr+"):
        solver = CfrSolver(million, method, threads=2)
        assert solver.variant is VARIANTS[method]
        start = solver.exploitability()
        solver.iterate(10)
        gaps.append(solver.exploitability() / start)
    assert max(gaps) < 0.5
    x, y = uniform(million, MAX), uniform(million, MIN)
    leaves = million.player == TERMINAL
    mean = float((million.chance_reach * million.utility)[leaves].sum()) / 5**5
    assert million.sequence_form.expected_value(x.sequences, y.sequences) == pytest.approx(mean, abs=1e-12)
