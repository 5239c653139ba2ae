"""Strategies: sequence form, behaviour, mappings and tables are one thing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import Plain
from samples import KUHN, LEDUC, examples, named_tree, random_strategy, random_tree, random_trees

from murk.errors import InputError
from murk.tree import MAX, MIN, Player, Profile, Strategy, opponent, player_of, uniform
from murk.tree.strategy import clean, uniform_profile

BOTH = (MAX, MIN)
seeds = st.integers(0, 2**32)


@examples(80)
@given(tree=random_trees(), seed=seeds, player=st.sampled_from(BOTH))
def test_behaviour_is_the_ratio_to_the_parent_and_multiplies_back(tree, seed, player):
    strategy = random_strategy(tree, player, seed)
    plain = Plain(tree)
    truth = plain.behaviour(player, strategy.sequences)
    behaviour = strategy.behaviour()
    assert behaviour[0] == 1.0
    for infoset, probabilities in truth.items():
        first = int(tree.infoset_first(player)[infoset])
        assert behaviour[first : first + len(probabilities)] == pytest.approx(probabilities, abs=1e-15)
    again = Strategy.from_behaviour(tree, player, behaviour)
    assert again.sequences == pytest.approx(strategy.sequences, abs=1e-14)
    for sequence, x in enumerate(strategy.sequences):
        product = 1.0
        for infoset, a in plain.key_of(player, sequence):
            product *= truth[infoset][a]
        assert x == pytest.approx(product, abs=1e-14)


@examples(50)
@given(tree=random_trees(), player=st.sampled_from(BOTH))
def test_uniform_is_even_everywhere(tree, player):
    strategy = uniform(tree, player)
    counts = tree.infoset_actions(player)[tree.sequence_infoset(player)[1:]]
    assert strategy.behaviour()[1:] == pytest.approx(1 / counts)
    assert uniform_profile(tree)[player].sequences.tolist() == strategy.sequences.tolist()


@pytest.mark.parametrize("name", [KUHN, LEDUC])
def test_mappings_by_name_go_there_and_back(name):
    tree = named_tree(name)
    for player in BOTH:
        strategy = random_strategy(tree, player, 7)
        table = strategy.to_mapping()
        assert len(table) == len(tree.acting_infosets(player))
        assert all(sum(row.values()) == pytest.approx(1) for row in table.values())
        assert Strategy.from_mapping(tree, player, table).sequences == pytest.approx(strategy.sequences, abs=1e-15)


def test_mappings_may_leave_out_infosets_and_impossible_actions():
    tree = named_tree(KUHN)
    assert Strategy.from_mapping(tree, MAX, {}).sequences.tolist() == uniform(tree, MAX).sequences.tolist()
    table = Strategy.from_mapping(tree, MAX, {"0": {1: 1.0}}).to_mapping()
    assert table["0"] == {0: 0.0, 1: 1.0}
    assert table["1"] == {0: 0.5, 1: 0.5}
    with pytest.raises(InputError, match=r"infoset '0' has no action 7, expected one of \[0, 1\]"):
        Strategy.from_mapping(tree, MAX, {"0": {7: 1.0}})
    with pytest.raises(InputError, match="not behaviour of MAX in kuhn_poker"):
        Strategy.from_mapping(tree, MAX, {"0": {0: 0.7}})


def test_one_infoset_and_the_whole_as_a_table():
    tree = named_tree(KUHN)
    strategy = Strategy.from_mapping(tree, MAX, {"0": {0: 0.25, 1: 0.75}})
    infoset = next(i for i in tree.acting_infosets(MAX).tolist() if tree.infoset_name(MAX, i) == "0")
    assert strategy.at(infoset) == {"Pass": 0.25, "Bet": 0.75}
    watching = int(np.flatnonzero(tree.infoset_actions(MAX) == 0)[0])
    with pytest.raises(InputError, match=f"MAX does not act at infoset {watching}"):
        strategy.at(watching)
    frame = strategy.to_frame()
    assert list(frame.columns) == ["infoset", "action", "probability", "reach"]
    assert len(frame) == 12
    row = frame[(frame["infoset"] == "0") & (frame["action"] == "Bet")].iloc[0]
    assert (row["probability"], row["reach"]) == (0.75, 0.75)
    assert repr(strategy) == "<murk.Strategy of MAX in 'kuhn_poker': 13 sequences>"


def test_a_strategy_keeps_its_own_copy():
    tree = random_tree(3)
    values = np.array(uniform(tree, MAX).sequences)
    strategy = Strategy(tree, MAX, values)
    values[1:] = 0.0  # the caller's array is still hers
    assert strategy.sequences.tolist() == uniform(tree, MAX).sequences.tolist()
    with pytest.raises(ValueError, match="read-only"):
        strategy.sequences[0] = 2.0
    assert np.array_equal(np.asarray(strategy), strategy.sequences)
    assert np.array(strategy, dtype=np.float32).dtype == np.float32


@pytest.mark.parametrize(
    "spoil",
    [
        lambda x: x * 2,
        lambda x: x * 0,
        lambda x: x + np.eye(len(x))[1] * 1e-3,
        lambda x: x - np.eye(len(x))[1] * (x[1] + 1e-3) + np.eye(len(x))[2] * (x[1] + 1e-3),
        lambda x: x * np.nan,
        lambda x: x * np.inf,
    ],
)
def test_what_is_no_strategy_is_refused(spoil):
    tree = named_tree(KUHN)
    with pytest.raises(InputError, match="not a strategy of MAX in kuhn_poker: probabilities are off by"):
        Strategy(tree, MAX, spoil(np.array(uniform(tree, MAX).sequences)))


def test_sizes_are_checked():
    tree = named_tree(KUHN)
    with pytest.raises(InputError, match=r"a strategy of MIN in kuhn_poker has 13 sequences, got shape \(12,\)"):
        Strategy(tree, MIN, np.ones(12))
    with pytest.raises(InputError, match=r"behaviour of MIN in kuhn_poker needs 13 entries, got shape \(13, 1\)"):
        Strategy.from_behaviour(tree, MIN, np.ones((13, 1)))
    for bad in (np.ones(13), np.full(13, -0.5), np.full(13, np.nan)):
        with pytest.raises(InputError, match="expected non-negative numbers that sum to 1 at every infoset"):
            Strategy.from_behaviour(tree, MIN, bad)


@examples(60)
@given(tree=random_trees(), seed=seeds, player=st.sampled_from(BOTH))
def test_rounding_errors_are_cleaned_away(tree, seed, player):
    strategy = random_strategy(tree, player, seed)
    rng = np.random.default_rng(seed)
    noisy = strategy.sequences + 1e-10 * rng.normal(size=len(strategy.sequences)) * (strategy.sequences > 0)
    x = clean(tree, player, noisy)
    assert x == pytest.approx(strategy.sequences, abs=1e-8)
    for infoset in tree.acting_infosets(player):
        first, count = int(tree.infoset_first(player)[infoset]), int(tree.infoset_actions(player)[infoset])
        assert x[first : first + count].sum() == pytest.approx(x[tree.infoset_parent(player)[infoset]], abs=1e-15)
    assert x.min() >= 0


def test_long_chains_multiply_down():
    """Two thousand moves of one player after another: deeper than any recursion."""
    from murk.tree import Tree

    tree = Tree()
    tree.add_root()
    watch = tree.add_infoset(MIN, 0, 0)
    node, sequence = 0, 0
    for _ in range(2000):
        infoset = tree.add_infoset(MAX, sequence, 2)
        node = tree.expand(node, MAX, (infoset, watch), np.arange(2), np.empty(0), np.array([0.0, 1.0])) + 1
        sequence = int(tree.infoset_first(MAX)[infoset]) + 1
    behaviour = np.tile([0.001, 0.999], 2000)
    strategy = Strategy.from_behaviour(tree, MAX, np.concatenate([[1.0], behaviour]))
    assert strategy.sequences[-1] == pytest.approx(0.999**2000, rel=1e-10)
    assert strategy.sequences[3] == pytest.approx(0.999 * 0.001)


def test_players_by_number_and_name():
    assert player_of(0) is player_of("max") is player_of("MAX") is player_of(MAX) is MAX
    assert player_of(1) is player_of("Min") is Player.MIN
    assert (opponent(MAX), opponent("min")) == (MIN, MAX)
    for wrong in (2, -1, "nature", "", None, 1.5, "0"):
        with pytest.raises(InputError, match="expected MAX"):
            player_of(wrong)


def test_a_profile_has_two_names():
    tree = random_tree(1)
    profile = Profile(uniform(tree, MAX), uniform(tree, MIN))
    assert (profile.max, profile.min) == (profile[MAX], profile[MIN])
