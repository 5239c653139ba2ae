"""Blueprints: least exploitable, and with a refinement only one of them."""

import numpy as np
import pytest
from relabelled import relabelled
from samples import named_tree

from murk.experiments import blueprint as module
from murk.experiments.blueprint import make_blueprint
from murk.solvers import epsilon_uniform, expected_value, solve_lp
from murk.tree import MAX, MIN, Profile, Tree, uniform

GAMES = ["kuhn_poker", "dark_hex(board_size=2,gameversion=adh)", "leduc_poker", "matching_pennies(n=100)"]


def both(tree: Tree):
    lower, value = epsilon_uniform(tree, MAX, 0.25), solve_lp(tree).value
    return [make_blueprint(tree, lower, value, refinement) for refinement in ("none", "sequential")]


@pytest.mark.parametrize("name", GAMES)
def test_the_refined_blueprint_is_as_good_obeys_the_bounds_and_does_better_against_trembles(name: str):
    tree = named_tree(name)
    plain, refined = both(tree)
    assert refined.exploitability(refined.profile.max) == pytest.approx(
        plain.exploitability(plain.profile.max), abs=1e-8
    )
    assert (refined.profile.max.behaviour() >= refined.lower - 1e-7).all()
    against = [expected_value(Profile(b.profile.max, uniform(tree, MIN))) for b in (plain, refined)]
    assert against[1] >= against[0] - 1e-8


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("by_lot", [False, True])
def test_the_refined_blueprint_does_not_depend_on_the_order_of_columns(
    name: str, by_lot: bool, monkeypatch: pytest.MonkeyPatch
):
    if by_lot:  # as if the quadratic program had not been solved well
        monkeypatch.setattr(module, "_LOSS", -1.0)
    tree = named_tree(name)
    first = both(tree)[1].profile.max.to_mapping()
    second = both(relabelled(tree, 3))[1].profile.max.to_mapping()
    for infoset, actions in first.items():
        for action, probability in actions.items():
            assert second[infoset][action] == pytest.approx(probability, abs=1e-4)


def test_payoffs_are_mapped_to_a_range_of_two():
    tree = named_tree("leduc_poker")
    blueprint = both(tree)[0]
    assert blueprint.scale == pytest.approx(2 / 26)
    even = uniform(tree, MAX)
    raw = solve_lp(tree).value - tree.sequence_form.best_response_value(MIN, even.sequences)
    assert blueprint.exploitability(even) == pytest.approx(raw / 13)


def test_rounding_counts_as_nothing():
    tree = named_tree("kuhn_poker")
    blueprint = make_blueprint(tree, np.zeros(tree.num_sequences(MAX)), solve_lp(tree).value)
    assert blueprint.exploitability(blueprint.profile.max) == 0.0
