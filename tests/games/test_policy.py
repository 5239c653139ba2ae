"""Strategies to OpenSpiel's policies and back."""

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy as spiel_policy
from open_spiel.python.algorithms import expected_game_score
from samples import DARK_HEX, GOOFSPIEL_UP, KUHN, LEDUC, named_tree, random_strategy

import murk
from murk.errors import InputError
from murk.games.openspiel import load_openspiel
from murk.games.policy import from_openspiel_policy, to_openspiel_policy
from murk.solvers import expected_value
from murk.tree import MAX, MIN, Profile, uniform

GAMES = [KUHN, LEDUC, DARK_HEX, GOOFSPIEL_UP]


def random_profile(tree, seed=0):
    return Profile(random_strategy(tree, MAX, seed), random_strategy(tree, MIN, seed + 1))


@pytest.mark.parametrize("name", GAMES)
def test_there_and_back(name):
    tree, game = named_tree(name), load_openspiel(name)
    profile = random_profile(tree)
    back = from_openspiel_policy(tree, to_openspiel_policy(profile, game), game=game)
    for mine, theirs in zip(profile, back, strict=True):
        assert mine.sequences == pytest.approx(theirs.sequences, abs=1e-14)


@pytest.mark.parametrize("name", [KUHN, DARK_HEX, GOOFSPIEL_UP])
def test_openspiel_expects_the_same_payoff(name):
    tree, game = named_tree(name), load_openspiel(name)
    profile = random_profile(tree, 5)
    policy = to_openspiel_policy(profile, game)
    theirs = expected_game_score.policy_value(game.game.new_initial_state(), [policy] * 2)[0]
    assert expected_value(profile) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("name", GAMES)
def test_uniform_policies_are_uniform_strategies(name):
    tree, game = named_tree(name), load_openspiel(name)
    for policy in (spiel_policy.UniformRandomPolicy(game.game), spiel_policy.TabularPolicy(game.game)):
        profile = from_openspiel_policy(tree, policy, game=game)
        for p in (MAX, MIN):
            assert profile[p].sequences == pytest.approx(uniform(tree, p).sequences, abs=1e-15)


def test_policies_of_openspiels_own_solvers_are_read():
    from open_spiel.python.algorithms import cfr, exploitability

    game = load_openspiel(KUHN)
    solver = cfr.CFRPlusSolver(game.game)
    for _ in range(50):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    tree = named_tree(KUHN)
    profile = from_openspiel_policy(tree, average)
    assert murk.nash_conv(profile) == pytest.approx(exploitability.nash_conv(game.game, average), abs=1e-12)
    native = pyspiel.UniformRandomPolicy(game.game)
    assert from_openspiel_policy(tree, native).max.sequences == pytest.approx(uniform(tree, MAX).sequences)


def test_actions_a_policy_does_not_mention_are_not_played():
    class First(spiel_policy.Policy):
        def action_probabilities(self, state, player_id=None):
            return {state.legal_actions()[0]: 1.0}

    tree, game = named_tree(LEDUC), load_openspiel(LEDUC)
    profile = from_openspiel_policy(tree, First(game.game, [0, 1]))
    for strategy in profile:
        assert set(strategy.sequences.tolist()) == {0.0, 1.0}
        parents = tree.infoset_parent(strategy.player)[tree.acting_infosets(strategy.player)]
        assert np.count_nonzero(strategy.sequences) == 1 + strategy.sequences[parents].sum()


def test_the_game_is_known_by_the_trees_name():
    tree = named_tree(KUHN)
    profile = random_profile(tree)
    for game in (None, KUHN, load_openspiel(KUHN), pyspiel.load_game(KUHN)):
        policy = to_openspiel_policy(profile, game)
        back = from_openspiel_policy(tree, policy, game=game)
        assert back.min.sequences == pytest.approx(profile.min.sequences, abs=1e-14)


def test_a_tree_of_another_game_is_refused():
    kuhn, leduc = named_tree(KUHN), named_tree(LEDUC)
    with pytest.raises(InputError, match=r"has no information state .* of MAX, expected a tree of leduc_poker"):
        to_openspiel_policy(random_profile(kuhn), LEDUC)
    policy = spiel_policy.UniformRandomPolicy(load_openspiel(KUHN).game)
    for tree, game in ((leduc, KUHN), (kuhn, LEDUC), (named_tree(DARK_HEX), KUHN)):
        with pytest.raises(InputError, match=r"is not a tree of \w+: they differ at node \d+"):
            from_openspiel_policy(tree, policy, game=game)


def test_infosets_of_own_actions_are_not_openspiels():
    tree = murk.build(KUHN, recall="actions")
    with pytest.raises(InputError, match="has no information state"):
        to_openspiel_policy(random_profile(tree), KUHN)
    # The other way round works: the walk goes by nodes.
    profile = from_openspiel_policy(tree, spiel_policy.UniformRandomPolicy(load_openspiel(KUHN).game), game=KUHN)
    assert profile.max.sequences == pytest.approx(uniform(tree, MAX).sequences)


def test_players_with_the_same_strings_cannot_be_told_apart_in_a_table():
    """A game in which both players' only information state has one name: OpenSpiel's table has one row for both."""
    tree = murk.build("matrix_mp")
    for p in (MAX, MIN):
        acting = int(tree.acting_infosets(p)[0])
        names = [str(i) for i in range(tree.num_infosets(p))]
        names[acting] = "to move"
        tree._infoset_names[p] = names

    class OneRow:
        """What OpenSpiel's TabularPolicy makes of such a game."""

        states_per_player = (["to move"], [])
        state_lookup = {"to move": 0}  # noqa: RUF012
        action_probability_array = np.zeros((1, 2))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spiel_policy, "TabularPolicy", lambda game: OneRow())
        with pytest.raises(InputError, match="OpenSpiel's policy has no information state 'to move' of MIN"):
            to_openspiel_policy(Profile(uniform(tree, MAX), uniform(tree, MIN)), "matrix_mp")
