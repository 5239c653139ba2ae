"""The sequence form is what the tree says, entry by entry."""

from array import array

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import Plain
from samples import (
    DARK_HEX,
    GOOFSPIEL_UP,
    KUHN,
    LEDUC,
    LIARS_DICE,
    PENNIES,
    add_random_extra,
    examples,
    named_tree,
    payoff_range,
    random_strategy,
    random_tree,
    random_trees,
)
from twins import dense

from murk import _core
from murk.tree import MAX, MIN, Profile, uniform

BOTH = (MAX, MIN)
seeds = st.integers(0, 2**32)


@examples(150)
@given(tree=random_trees())
def test_the_payoff_matrix_is_the_sum_over_terminal_nodes(tree):
    plain = Plain(tree)
    start, column, _ = tree.sequence_form.matrix()
    for row in range(len(start) - 1):
        assert (np.diff(column[start[row] : start[row + 1]]) > 0).all()
    shape = (tree.num_sequences(MAX), tree.num_sequences(MIN))
    assert dense(tree.sequence_form.matrix, shape) == pytest.approx(plain.matrix(), abs=1e-15 * payoff_range(tree))
    assert tree.sequence_form.num_entries == len(column)


@examples(150)
@given(tree=random_trees())
def test_sequences_are_numbered_from_the_top_and_side_by_side(tree):
    plain = Plain(tree)
    for p in BOTH:
        parent, first, actions = tree.infoset_parent(p), tree.infoset_first(p), tree.infoset_actions(p)
        owner = tree.sequence_infoset(p)
        assert owner[0] == -1
        assert len(owner) == tree.num_sequences(p) == 1 + actions.sum()
        for infoset in range(tree.num_infosets(p)):
            if actions[infoset] == 0:
                assert first[infoset] == -1
                continue
            assert parent[infoset] < first[infoset]
            assert owner[first[infoset] : first[infoset] + actions[infoset]].tolist() == [infoset] * actions[infoset]
        for node, key in enumerate(plain.key[p]):
            assert tree.sequence(p)[node] == plain.number(p, key)
            if plain.infoset[p][node] >= 0:
                assert parent[plain.infoset[p][node]] == plain.number(p, key)
        # A key that no node has cannot be told from a wrong number: each number must lead back to itself.
        assert [plain.number(p, plain.key_of(p, s)) for s in range(tree.num_sequences(p))] == list(range(len(owner)))


@pytest.mark.parametrize("name", [KUHN, LEDUC, DARK_HEX, GOOFSPIEL_UP, PENNIES, LIARS_DICE])
def test_products_with_the_matrix_agree_with_scipy(name):
    """Blocks, narrow values, padding: best responses use them all, so compare those with plain sparse rows."""
    from scipy.sparse import csr_matrix

    tree = named_tree(name)
    start, column, value = tree.sequence_form.matrix()
    matrix = csr_matrix((value, column, start), shape=(tree.num_sequences(MAX), tree.num_sequences(MIN)))
    for seed in range(3):
        for p, rows in ((MAX, matrix), (MIN, matrix.T)):
            x = random_strategy(tree, 1 - p, seed).sequences
            q = rows @ x
            values = maximised(tree, p, q if p == MAX else -q)
            assert tree.sequence_form.best_response_value(p, x) == pytest.approx(
                values if p == MAX else -values, abs=1e-12
            )


def maximised(tree, p, q):
    """Return the best value from the top, infoset by infoset from the last."""
    q = q.copy()
    for infoset in reversed(tree.acting_infosets(p).tolist()):
        first, count = int(tree.infoset_first(p)[infoset]), int(tree.infoset_actions(p)[infoset])
        q[int(tree.infoset_parent(p)[infoset])] += q[first : first + count].max()
    return q[0]


@examples(60)
@given(tree=random_trees(max_actions=6), seed=seeds)
def test_all_of_a_best_response_against_plain_rows(tree, seed):
    add_random_extra(tree, seed)
    plain = Plain(tree)
    for p in BOTH:
        x = random_strategy(tree, 1 - p, seed).sequences
        q = (plain.matrix() if p == MAX else plain.matrix().T) @ x
        for sequence, payoff in plain.extra[p].items():
            q[sequence] += payoff
        sign = 1 if p == MAX else -1
        truth = sign * maximised(tree, p, sign * q) + plain.extra_value(1 - p, x)
        assert tree.sequence_form.best_response_value(p, x) == pytest.approx(truth, abs=1e-12 * payoff_range(tree))


@pytest.mark.parametrize("game", [KUHN, LEDUC, LIARS_DICE, GOOFSPIEL_UP, DARK_HEX, PENNIES])
def test_best_responses_in_games_whose_payoff_blocks_are_shared(game):
    tree = named_tree(game)
    matrix = dense(tree.sequence_form.matrix, (tree.num_sequences(MAX), tree.num_sequences(MIN)))
    for p, sign, rows in ((MAX, 1, matrix), (MIN, -1, matrix.T)):
        x = random_strategy(tree, 1 - p, 11).sequences
        truth = sign * maximised(tree, p, sign * rows @ x)
        assert tree.sequence_form.best_response_value(p, x) == pytest.approx(truth, abs=1e-13 * payoff_range(tree))


def test_payoff_blocks_that_differ_by_a_factor_are_stored_once():
    form = named_tree(LEDUC).sequence_form
    assert max(form.stored_values) < form.num_entries / 3


def test_a_strategy_is_any_contiguous_vector_of_doubles():
    tree = named_tree(KUHN)
    form, x, y = tree.sequence_form, random_strategy(tree, MAX, 1).sequences, random_strategy(tree, MIN, 2).sequences
    truth = form.nash_conv(x, y)
    frozen, every_other = x.copy(), np.repeat(x, 2)[::2]
    frozen.flags.writeable = False
    for same in (frozen, memoryview(x), array("d", x), x.view(np.recarray), np.concatenate([[7.0], x])[1:]):
        assert form.nash_conv(same, y) == truth
    for other in (every_other, x.astype(np.float32), x.astype(">f8"), x[:, None], np.array(1.0), list(x), None, "x"):
        with pytest.raises(TypeError):
            form.nash_conv(other, y)


def test_infosets_without_nodes_count_for_nothing_and_break_nothing():
    tree = random_tree(6, depth=5)
    before = tree.sequence_form.nash_conv(uniform(tree, MAX).sequences, uniform(tree, MIN).sequences)
    for p in BOTH:
        tree.add_infoset(p, 0, 0)
        lone = tree.add_infoset(p, 0, 3)
        tree.add_infoset(p, int(tree.infoset_first(p)[lone]) + 1, 2)
    profile = Profile(uniform(tree, MAX), uniform(tree, MIN))
    after = tree.sequence_form.nash_conv(profile.max.sequences, profile.min.sequences)
    assert after == pytest.approx(before, abs=1e-15)
    assert all(np.isfinite(s.sequences).all() for s in profile)


def test_a_tree_of_one_leaf_is_a_game():
    from murk.solvers import VARIANTS, solve_cfr, solve_lp
    from murk.tree import Tree

    tree = Tree()
    tree.add_root(2.5)
    assert solve_lp(tree).value == solve_lp(tree, MIN, algorithm="ipm").value == 2.5
    for method in VARIANTS:
        found = solve_cfr(tree, method)
        assert found.value == 2.5
        assert found.nash_conv == 0.0


def test_native_calls_refuse_players_and_sizes_that_are_not():
    tree = random_tree(6)
    form = tree.sequence_form
    x = uniform(tree, MAX).sequences
    for call in (
        lambda: form.best_response_value(2, x),
        lambda: form.best_response_value(MIN, x[:-1]),
        lambda: form.expected_value(x, x[:0]),
        lambda: form.nash_conv(x[:1], x),
        lambda: form.assemble_lp(-1, np.empty(0)),
        lambda: form.assemble_lp(MAX, x[1:]),
        lambda: tree.infoset(7),
        lambda: tree.sequence(-1),
        lambda: tree.infoset_reach(2, MAX, x),
        lambda: tree.infoset_reach(MIN, MAX, x[:-1]),
        lambda: tree.node_values(x, x[:0]),
        lambda: tree.add_infoset(2, 0, 1),
        lambda: tree.extra(3),
        lambda: tree.clear_extra(3),
    ):
        with pytest.raises(ValueError, match=r"player must be MAX|one entry for each of its player's sequences"):
            call()


def test_the_best_kernels_come_last():
    names = _core.instruction_sets()
    assert names[0] == "portable"
    assert set(names) <= {"portable", "avx2", "avx512"}
