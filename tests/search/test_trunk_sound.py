"""Section 6 of [ZS21]: a trunk search that has nothing left to expand has found an equilibrium of the whole game."""

import hashlib
from typing import Any

import pytest

import murk
from murk.errors import InputError
from murk.search import Budget, SearchOptions, TrunkSearch, current_profile, solve_trunk
from murk.solvers.response import exploitability, nash_conv
from murk.tree import MAX, MIN

GAMES = {
    "kuhn_poker": -1 / 18,
    "leduc_poker": -0.0856064,
    "liars_dice(dice_sides=3)": 1 / 9,
    "goofspiel(imp_info=True,num_cards=3,points_order=random,players=2)": 0.0,
}
SMALL = [spec for spec in GAMES if spec != "leduc_poker"]


def noise(state: Any) -> float:
    """Return a number between -1 and 1 that has nothing to do with the game."""
    digest = hashlib.blake2b(str(state.state).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**63 - 1.0


@pytest.mark.parametrize("spec", GAMES)
def test_alg4_finished_trunk_is_an_equilibrium(spec: str) -> None:
    tree = murk.build(spec)
    found = solve_trunk(murk.load(spec), value=noise)
    assert found.result.finished
    assert found.result.nodes <= tree.num_nodes
    assert found.result.value == pytest.approx(GAMES[spec], abs=1e-6)
    assert nash_conv(found.profile(tree)) == pytest.approx(0.0, abs=1e-8)


@pytest.mark.parametrize("spec", SMALL)
@pytest.mark.parametrize("expansion", ["text", "pseudocode"])
@pytest.mark.parametrize("side", ["ours", "theirs"])
def test_alg4_whatever_rule_side_and_player(spec: str, expansion: Any, side: Any) -> None:
    tree = murk.build(spec)
    for player, warm, cap in ((MAX, True, True), (MIN, False, False)):
        options = SearchOptions(expansion=expansion, side=side, warm_start=warm, depth_cap=cap)
        found = solve_trunk(murk.load(spec), player, value=lambda state: 0.0, options=options)
        assert found.result.finished
        sign = 1 if player == MAX else -1
        assert sign * found.result.value == pytest.approx(GAMES[spec], abs=1e-6)
        assert nash_conv(found.profile(tree)) == pytest.approx(0.0, abs=1e-8)


def test_alg4_exploitability_falls_with_the_tree() -> None:
    spec = "leduc_poker"
    tree = murk.build(spec)
    measured: list[tuple[int, float]] = []

    def observe(search: TrunkSearch) -> None:
        measured.append((search.trunk.num_nodes, exploitability(current_profile(search, tree))))

    solve_trunk(murk.load(spec), value=lambda state: 0.0, options=SearchOptions(growth=0.3, growth_floor=500),
                observer=observe)  # fmt: skip
    nodes = [n for n, _ in measured]
    values = [v for _, v in measured]
    assert nodes == sorted(nodes)
    assert values[0] > 0.5
    assert values[-1] < 1e-8
    quarter = len(values) // 4
    assert max(values[-quarter:]) < min(values[:quarter])


def test_it_need_not_expand_everything() -> None:
    spec = "liars_dice(dice_sides=3)"
    assert solve_trunk(murk.load(spec), value=lambda state: 0.0).result.nodes < murk.build(spec).num_nodes


def test_limits_stop_a_search() -> None:
    game = murk.load("leduc_poker")
    options = SearchOptions(growth_floor=100)
    few = solve_trunk(game, value=noise, options=options, budget=Budget(nodes=500))
    assert not few.result.finished
    assert 500 <= few.result.nodes < 700
    once = solve_trunk(game, value=noise, options=options, budget=Budget(iterations=2))
    assert once.result.iterations == 2
    again = solve_trunk(game, value=noise, options=options, budget=Budget(nodes=500))
    assert again.result.x.tolist() == few.result.x.tolist()
    assert again.result.history[-1][:2] == few.result.history[-1][:2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"gadget": "both"}, "gadget is 'both', expected one of 'hybrid', 'maxmargin', 'resolve'"),
        ({"expansion": "all"}, "expansion is 'all'"),
        ({"particles": 0}, "particles is 0, expected a positive number"),
        ({"information": 0.0}, "information is 0.0"),
        ({"growth": -1.0}, "growth is -1.0"),
        ({"max_nodes": 10}, "max_nodes is 10"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        SearchOptions(**options)


def test_a_game_needs_a_value_function() -> None:
    with pytest.raises(InputError, match="no value function"):
        solve_trunk(murk.load("kuhn_poker"))
