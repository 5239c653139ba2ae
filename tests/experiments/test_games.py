"""The rows of the paper's tables and the restrictions of their blueprints."""

import numpy as np
import pytest

from murk.errors import InputError
from murk.experiments.games import CASES, GAMES, Floor, chosen, lower_bounds
from murk.experiments.study import tree_of
from murk.tree import MAX


def floors(spec: str, floor: Floor) -> dict[str, dict[str, float]]:
    """Return the actions with a least probability, by infoset."""
    tree = tree_of(spec)
    bounds = lower_bounds(tree, floor, 0.25)
    assert bounds[0] == 0
    out: dict[str, dict[str, float]] = {}
    for infoset in tree.acting_infosets(MAX).tolist():
        first = int(tree.infoset_first(MAX)[infoset])
        for i, action in enumerate(tree.action_names(MAX, infoset)):
            if bounds[first + i] > 0:
                out.setdefault(tree.infoset_name(MAX, infoset), {})[action] = float(bounds[first + i])
    return out


def test_there_are_ten_rows_and_seven_games():
    assert len(CASES) == 10
    assert len(GAMES) == 7
    assert len({case.name for case in CASES}) == 10


def test_a_uniform_floor_is_epsilon_over_the_number_of_actions():
    found = floors("kuhn_poker", Floor())
    assert len(found) == 6
    assert all(actions == {"Pass": 0.125, "Bet": 0.125} for actions in found.values())


def test_kuhns_bet_is_the_opening_bet_only():
    assert floors("kuhn_poker", Floor("Bet", opening=True)) == {card: {"Bet": 0.125} for card in "012"}


def test_leducs_raise_has_the_share_of_one_action_among_the_legal_ones():
    found = floors("leduc_poker", Floor("Raise"))
    assert found
    assert {action for actions in found.values() for action in actions} == {"Raise"}
    assert {bound for actions in found.values() for bound in actions.values()} == {0.125, 0.25 / 3}


def test_a_restriction_of_nothing_is_none():
    tree = tree_of("kuhn_poker")
    assert not lower_bounds(tree, Floor(), 0.0).any()
    assert np.array_equal(lower_bounds(tree, Floor("Fold"), 0.25), np.zeros(tree.num_sequences(MAX)))


def test_cases_are_chosen_by_name_in_the_tables_order():
    assert [case.name for case in chosen(["leduc", "kuhn"])] == ["kuhn", "leduc"]
    assert chosen([]) == list(CASES)
    with pytest.raises(InputError, match=r"no game 'khun'.*expected one of dark_hex, .*kuhn, kuhn_bet"):
        chosen(["khun"])
    with pytest.raises(InputError, match="no game 'kuhn_bet'"):
        chosen(["kuhn_bet"], GAMES)
