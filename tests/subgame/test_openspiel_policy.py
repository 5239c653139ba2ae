"""Every result is a policy of OpenSpiel's, and OpenSpiel's own best responses to it are worth what ours are."""

import pytest
from samples import GOOFSPIEL_UP, KUHN, named_tree

from murk.games.policy import from_openspiel_policy, to_openspiel_policy
from murk.solvers import best_response_value, epsilon_uniform, solve_lp
from murk.subgame import (
    Allocation,
    NestedOptions,
    allocated_strategy,
    expected_strategy,
    refine_everywhere,
    updated_blueprints,
)
from murk.tree import MAX, MIN, Profile, uniform


def results(tree, player):
    blueprint = solve_lp(tree, player, lower=epsilon_uniform(tree, player, 0.25)).strategy(player)
    allocation = Allocation(tree, player)
    infosets = tree.acting_infosets(player)[:20]
    yield refine_everywhere(blueprint)
    yield refine_everywhere(blueprint, NestedOptions(order=3, kind="resolve"))
    yield list(updated_blueprints(blueprint, infosets, NestedOptions(order=3)))[-1]
    yield allocated_strategy(blueprint, allocation, 1)
    yield expected_strategy(blueprint, allocation)


@pytest.mark.parametrize("name", [KUHN, GOOFSPIEL_UP])
def test_openspiels_best_responses_confirm_ours(name):
    from open_spiel.python.algorithms import best_response, exploitability

    tree = named_tree(name)
    policies = {}
    for player in (MAX, MIN):
        for strategy in results(tree, player):
            other = uniform(tree, 1 - player)
            profile = Profile(strategy, other) if player == MAX else Profile(other, strategy)
            policy = to_openspiel_policy(profile)
            answer = best_response.BestResponsePolicy(policy.game, 1 - player, policy)
            worth = answer.value(policy.game.new_initial_state())  # to the player who answers
            assert (-worth if player == MAX else worth) == pytest.approx(best_response_value(strategy), abs=1e-9)
            assert from_openspiel_policy(tree, policy)[player].sequences == pytest.approx(strategy.sequences, abs=1e-12)
            policies[player] = strategy
    both = Profile(policies[MAX], policies[MIN])
    theirs = exploitability.nash_conv(to_openspiel_policy(both).game, to_openspiel_policy(both))
    assert theirs == pytest.approx(best_response_value(both.min) - best_response_value(both.max), abs=1e-9)
