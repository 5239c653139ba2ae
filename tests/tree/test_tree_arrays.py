"""Trees from flat arrays: what is right is taken as it is, what is wrong is refused in one sentence."""

import numpy as np
import pytest
from hypothesis import given
from oracle import Plain
from samples import arrays_of, examples, random_tree, random_trees

from murk import _core
from murk.errors import GameError, RecallError
from murk.tree import MAX, MIN, NATURE, TERMINAL, Tree

BOTH = (MAX, MIN)


def small(**changes):
    """Arrays of a game of ten nodes, some of them changed.

    Nature tosses a coin that MAX sees; MAX passes (0) or asks (1), and MIN, who sees only that she was asked, answers.
    """
    arrays = {
        "parent": [-1, 0, 0, 1, 1, 2, 2, 4, 4, 6, 6],
        "player": [NATURE, MAX, MAX, TERMINAL, MIN, TERMINAL, MIN, TERMINAL, TERMINAL, TERMINAL, TERMINAL],
        "action": [-1, 0, 1, 0, 1, 0, 1, 5, 7, 5, 7],
        "chance": [1.0, 0.25, 0.75, 1, 1, 1, 1, 1, 1, 1, 1],
        "utility": [0, 0, 0, 1.0, 0, -1.0, 0, 2.0, -2.0, 3.0, 0.5],
        "infosets": ([0, 1, 2, -1, 1, -1, 2, -1, -1, -1, -1], [0, 0, 0, -1, 9, -1, 9, -1, -1, -1, -1]),
    }
    arrays.update(changes)
    return arrays


def changed(name, at, value):
    arrays = small()
    column = list(arrays[name])
    column[at] = value
    return small(**{name: column})


def infosets_changed(player, at, value):
    arrays = small()
    columns = [list(c) for c in arrays["infosets"]]
    columns[player][at] = value
    return small(infosets=tuple(columns))


def test_a_small_tree_is_what_was_asked_for():
    tree = Tree.from_arrays(**small(), name="toss")
    assert tree.num_nodes == tree.capacity == 11
    assert tree.parent.tolist() == small()["parent"]
    assert tree.first_child.tolist() == [1, 3, 5, -1, 7, -1, 9, -1, -1, -1, -1]
    assert tree.num_children.tolist() == [2, 2, 2, 0, 2, 0, 2, 0, 0, 0, 0]
    assert tree.player.tolist() == small()["player"]
    assert tree.action.tolist() == small()["action"]
    assert tree.utility.tolist() == small()["utility"]
    assert tree.chance_reach.tolist() == [1, 0.25, 0.75, 0.25, 0.25, 0.75, 0.75, 0.25, 0.25, 0.75, 0.75]
    assert tree.chance_probabilities().tolist() == small()["chance"]
    assert tree.depths().tolist() == [0, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]
    # MAX: one infoset at the root, one for each side of the coin, and again one for each side after she has asked.
    assert tree.num_infosets(MAX) == 5
    assert tree.infoset(MAX).tolist() == [0, 1, 2, -1, 3, -1, 4, -1, -1, -1, -1]
    assert tree.infoset_actions(MAX).tolist() == [0, 2, 2, 0, 0]
    assert tree.infoset_first(MAX).tolist() == [-1, 1, 3, -1, -1]
    assert tree.infoset_parent(MAX).tolist() == [0, 0, 0, 2, 4]
    assert tree.sequence(MAX).tolist() == [0, 0, 0, 1, 2, 3, 4, 2, 2, 4, 4]
    assert tree.sequence_infoset(MAX).tolist() == [-1, 1, 1, 2, 2]
    assert tree.sequence_actions(MAX).tolist() == [-1, 0, 1, 0, 1]
    # MIN: one infoset while she watches, and one in which she answers.
    assert tree.infoset(MIN).tolist() == [0, 0, 0, -1, 1, -1, 1, -1, -1, -1, -1]
    assert tree.sequence(MIN).tolist() == [0] * 7 + [1, 2, 1, 2]
    assert tree.sequence_actions(MIN).tolist() == [-1, 5, 7]
    assert tree.acting_infosets(MIN).tolist() == [1]
    assert tree.infoset_labels(MIN).tolist() == [0, 9]
    assert tree.utility_range() == (-2.0, 3.0)
    assert repr(tree) == "<murk.Tree 'toss': 11 nodes, 3 infosets>"


@examples(100)
@given(tree=random_trees())
def test_a_tree_made_again_from_its_arrays_is_the_same(tree):
    again = Tree.from_arrays(**arrays_of(tree))
    for name in ("parent", "first_child", "num_children", "player", "action", "utility"):
        assert np.array_equal(getattr(again, name), getattr(tree, name))
    assert again.chance_reach == pytest.approx(tree.chance_reach, abs=1e-15)
    for p in BOTH:
        for name in ("infoset", "sequence", "infoset_parent", "infoset_first", "infoset_actions", "sequence_infoset"):
            assert np.array_equal(getattr(again, name)(p), getattr(tree, name)(p))


@examples(100)
@given(tree=random_trees())
def test_depths_and_chances_are_those_of_a_walk(tree):
    plain = Plain(tree)
    depth, reach = [0] * tree.num_nodes, [1.0] * tree.num_nodes
    edges = tree.chance_probabilities()
    for node, up in enumerate(plain.parent):
        if up >= 0:
            depth[node] = depth[up] + 1
            reach[node] = reach[up] * edges[node]
    assert tree.depths().tolist() == depth
    assert tree.chance_reach == pytest.approx(reach, abs=1e-15)
    for node, below in enumerate(plain.children):
        if plain.player[node] == NATURE:
            assert edges[below].sum() == pytest.approx(1.0, abs=1e-12)


SHAPE = [
    (small(parent=[]), "a tree needs at least one node|one entry for each of its nodes"),
    ({name: [] for name in small()} | {"infosets": ([], [])}, "a tree needs at least one node"),
    (changed("parent", 0, 0), "node 0 must be the root"),
    (changed("parent", 3, -1), "a parent must come before its children at node 3"),
    (changed("parent", 3, 3), "a parent must come before its children at node 3"),
    (changed("parent", 3, 7), "a parent must come before its children at node 3"),
    (changed("parent", 10, 1), "siblings must be side by side at node 10"),
    (changed("parent", 10, 5), "a terminal node has children at node 5"),
    (changed("player", 3, MAX), "an internal node has no children at node 3"),
    (changed("player", 4, TERMINAL), "a terminal node has children at node 4"),
    (changed("player", 4, 4), "unknown player at node 4"),
    (changed("player", 4, 255), "unknown player at node 4"),
    (small(action=[0] * 10), "the arrays of a tree must have one entry for each of its nodes"),
    (small(utility=[0] * 12), "the arrays of a tree must have one entry for each of its nodes"),
    (small(infosets=([0] * 11, [0] * 10)), "the arrays of a tree must have one entry for each of its nodes"),
    (changed("utility", 7, float("nan")), "the payoff is not a finite number at node 7"),
    (changed("utility", 3, float("inf")), "the payoff is not a finite number at node 3"),
    (changed("utility", 5, float("-inf")), "the payoff is not a finite number at node 5"),
    (changed("chance", 1, 0.35), r"chance probabilities sum to 1\.1, not to 1, at node 0"),
    (changed("chance", 1, 0.25000001), r"chance probabilities sum to 1\.00000001, not to 1, at node 0"),
    (changed("chance", 1, -0.25), "a chance probability is negative or not a number at node 0"),
    (changed("chance", 2, float("nan")), "a chance probability is negative or not a number at node 0"),
    (changed("chance", 2, float("inf")), "chance probabilities sum to inf, not to 1, at node 0"),
    (changed("parent", 3, 2**40), "parent is not a flat array of int32 numbers"),
    (changed("parent", 3, 0.5), "parent is not a flat array of int32 numbers"),
    (changed("player", 3, -1), "player is not a flat array of uint8 numbers"),
    (changed("player", 3, 256), "player is not a flat array of uint8 numbers"),
    (changed("action", 3, "call"), "action is not a flat array of int64 numbers"),
    (changed("action", 3, 2**70), "action is not a flat array of int64 numbers"),
    (small(utility=[[0.0] * 11]), "utility is not a flat array of float64 numbers"),
    (small(chance=[[1.0], [1.0, 2.0]]), "chance is not a flat array of float64 numbers"),
    (small(infosets=(np.arange(11) + 2**33, [0] * 11)), r"infosets\[0\] is not a flat array of int32 numbers"),
]


@pytest.mark.parametrize(("arrays", "message"), SHAPE)
def test_arrays_that_are_no_tree_are_refused(arrays, message):
    with pytest.raises(GameError, match=f"^toss: ({message})"):
        Tree.from_arrays(**arrays, name="toss")


def test_chances_may_be_off_by_rounding():
    tree = Tree.from_arrays(**changed("chance", 1, 0.25 + 1e-12))
    assert tree.chance_reach[1] == 0.25 + 1e-12


def test_what_is_not_read_need_not_be_right():
    arrays = small(utility=[float("nan"), float("inf"), 0, 1.0, 0, -1.0, 0, 2.0, -2.0, 3.0, 0.5])
    assert Tree.from_arrays(**arrays).utility.tolist() == small()["utility"]
    assert Tree.from_arrays(**changed("chance", 3, -7.0)).chance_reach[3] == 0.25


def test_nodes_of_an_infoset_must_have_the_same_actions():
    who = (
        r"^toss: player MIN's infoset 9 has nodes with different actions, expected the same in the same order at each$"
    )
    with pytest.raises(GameError, match=who):
        Tree.from_arrays(**changed("action", 10, 8), name="toss")
    swapped = small(action=[-1, 0, 1, 0, 1, 0, 1, 5, 7, 7, 5])
    with pytest.raises(GameError, match=who):
        Tree.from_arrays(**swapped, name="toss")
    fewer = {name: column[:-1] for name, column in small().items() if name != "infosets"}
    fewer["infosets"] = tuple(column[:-1] for column in small()["infosets"])
    with pytest.raises(GameError, match=who):
        Tree.from_arrays(**fewer, name="toss")


def test_perfect_recall_is_checked():
    """MAX moves twice: she must not forget her first move, nor that she has made it."""
    deeper = {
        "parent": [-1, 0, 0, 1, 1, 2, 2],
        "player": [MAX, MAX, MAX, TERMINAL, TERMINAL, TERMINAL, TERMINAL],
        "action": [-1, 0, 1, 0, 1, 0, 1],
        "chance": [1.0] * 7,
        "utility": [0, 0, 0, 1.0, 2.0, 3.0, 4.0],
    }
    forgets = {"infosets": ([0, 1, 1, -1, -1, -1, -1], [0] * 7)}
    with pytest.raises(
        RecallError,
        match=r"^game: player MAX's infoset 1 joins nodes with different histories of her own, expected perfect recall",
    ):
        Tree.from_arrays(**deeper, **forgets)
    with pytest.raises(RecallError, match=r"^game: player MAX's information state 'the second' joins nodes"):
        Tree.from_arrays(**deeper, **forgets, infoset_names=(["the first", "the second"], [""]))
    absent = {"infosets": ([0, 0, 2, -1, -1, -1, -1], [0] * 7)}
    with pytest.raises(
        RecallError, match=r"infoset 0 is met twice on one path \(absent-mindedness\), expected perfect recall$"
    ):
        Tree.from_arrays(**deeper, **absent)
    assert Tree.from_arrays(**deeper, infosets=([0, 1, 2, -1, -1, -1, -1], [0] * 7)).num_sequences(MAX) == 7


def test_long_names_are_cut_in_messages():
    arrays = {
        "parent": [-1, 0, 0, 1, 1, 2],
        "player": [NATURE, MAX, MAX, TERMINAL, TERMINAL, TERMINAL],
        "action": [-1, 0, 1, 0, 1, 0],
        "chance": [1.0, 0.5, 0.5, 1, 1, 1],
        "utility": [0.0] * 6,
        "infosets": ([0, 1, 1, -1, -1, -1], [0] * 6),
        "infoset_names": (["a", "x\n" * 100], [""]),
    }
    with pytest.raises(GameError, match="information state 'x x x") as error:
        Tree.from_arrays(**arrays)
    assert len(str(error.value)) < 200
    assert "\n" not in str(error.value)


def test_watching_players_are_told_apart_by_what_they_did():
    """MAX has one label for both of her watching nodes, after different actions: two infosets."""
    arrays = {
        "parent": [-1, 0, 0, 1, 2],
        "player": [MAX, MIN, MIN, TERMINAL, TERMINAL],
        "action": [-1, 0, 1, 0, 0],
        "chance": [1.0] * 5,
        "utility": [0, 0, 0, 1.0, -1.0],
        "infosets": ([0, 1, 1, -1, -1], [0, 1, 1, -1, -1]),
    }
    tree = Tree.from_arrays(**arrays, infoset_names=(["start", "waiting"], ["start", "turn"]))
    assert tree.infoset(MAX).tolist()[:3] == [0, 1, 2]
    assert tree.infoset_names(MAX) == ["start", "waiting", "waiting"]
    assert tree.infoset(MIN).tolist()[:3] == [0, 1, 1]


def test_names():
    tree = Tree.from_arrays(
        **small(),
        infoset_names=(["before", "heads", "tails"], ["waiting", *[""] * 8, "asked"]),
        action_names=({1: ["pass", "ask"], 2: ["pass", "ask"]}, {9: ["yes", "no"]}),
    )
    assert tree.infoset_names(MAX) == ["before", "heads", "tails", "heads", "tails"]
    assert tree.infoset_name(MIN, 1) == "asked"
    assert tree.action_names(MAX, 2) == ["pass", "ask"]
    assert tree.action_names(MIN, 1) == ["yes", "no"]
    plain = Tree.from_arrays(**small())
    assert plain.infoset_names(MIN) == ["0", "1"]
    assert plain.action_names(MIN, 1) == ["5", "7"]
    late = tree.add_infoset(MIN, 0, 2)
    assert tree.infoset_names(MIN) == ["waiting", "asked", "2"]
    assert tree.infoset_name(MIN, late) == "2"
    for player, infoset in ((MAX, 5), (MAX, -1), (MIN, 3)):
        with pytest.raises(ValueError, match="has no infoset"):
            tree.infoset_name(player, infoset)


@pytest.mark.parametrize("player", [2, -1, "nature", None, 0.5])
def test_only_two_players_have_infosets(player):
    tree = random_tree(1)
    for call in (tree.infoset_names, tree.acting_infosets, tree.sequence_actions):
        with pytest.raises(ValueError, match="expected MAX"):
            call(player)


def test_impossible_moves_of_nature_leave_reach_zero_and_probabilities_whole():
    arrays = changed("chance", 1, 0.0) | {"chance": [1.0, 0.0, 1.0, *[1] * 8]}
    tree = Tree.from_arrays(**arrays)
    assert tree.chance_reach.tolist() == [1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 1]
    assert tree.chance_probabilities().tolist() == [1.0, 0.0, 1.0, *[1] * 8]


def test_native_errors_carry_their_parts():
    with pytest.raises(_core.TreeError) as error:
        Tree(capacity=0)
    kind, player, subject, text = error.value.args
    assert (kind, player, subject) == ("too large", -1, 0)
    assert text == "a tree holds between 1 and 1073741824 nodes, asked for 0"
    for capacity in (2**30 + 1, 2**62, 2**64 - 1):
        with pytest.raises(_core.TreeError, match="too large"):
            Tree(capacity=capacity)
