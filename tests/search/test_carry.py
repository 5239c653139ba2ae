"""MakeSubgame on a trunk against :mod:`murk.subgame`, an independent implementation of Algorithm 1."""

import numpy as np
import pytest
from trunks import node_map, random_strategy, whole_trunk

import murk
from murk import _core
from murk.search.lp import GrowingProgram
from murk.search.whole import _in_whole_tree
from murk.subgame import make_subgame, solve_subgame
from murk.tree import MAX, MIN

GAMES = ["kuhn_poker", "liars_dice(dice_sides=2)", "goofspiel(imp_info=True,num_cards=3,points_order=random,players=2)"]
NO_LIMIT = 1 << 40


def plan_of(trunk: _core.Trunk, key: int, x, y, *, reach: bool = True, merge: bool = False, limit: int = NO_LIMIT):
    return _core.plan_carry(
        trunk, key, x, y, reach=reach, root_gifts=True, merge=merge, resolve=False, seed=0, limit=limit
    )


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize("player", [MAX, MIN])
def test_alg1_alternate_values(spec: str, player: int) -> None:
    tree, rng = murk.build(spec), np.random.default_rng(1)
    _, trunk = whole_trunk(murk.load(spec), player)
    nodes = node_map(trunk, tree)
    x, y = (random_strategy(trunk.tree, p, rng) for p in (0, 1))
    blueprint = _in_whole_tree(trunk.tree, MAX, x, tree, player)
    sign = 1.0 if player == MAX else -1.0
    acting = np.flatnonzero(trunk.tree.num_children)
    for infoset in rng.permutation(tree.acting_infosets(player))[:20].tolist():
        here = [h for h in acting if tree.infoset(player)[nodes[h]] == infoset]
        key = trunk.keys(int(here[0]))[0]
        assert {trunk.keys(int(h))[0] for h in here} == {key}
        for reach in (False, True):
            plan = plan_of(trunk, key, x, y, reach=reach)
            expected = make_subgame(tree, blueprint, infoset, reach=reach)
            assert plan.found == len(here)
            alternates = sorted(meeting[7] for meeting in plan.meetings())
            assert alternates == pytest.approx(sorted(sign * expected.alternate), abs=1e-9)
            reaches = sorted(meeting[3] for meeting in plan.meetings())
            assert reaches == pytest.approx(sorted(expected.reach), abs=1e-12)


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize("player", [MAX, MIN])
def test_alg1_gadgets_have_the_same_value(spec: str, player: int) -> None:
    tree, rng = murk.build(spec), np.random.default_rng(2)
    sign = 1.0 if player == MAX else -1.0
    for infoset in rng.permutation(tree.acting_infosets(player))[:4].tolist():
        _, trunk = whole_trunk(murk.load(spec), player)
        nodes = node_map(trunk, tree)
        x, y = (random_strategy(trunk.tree, p, rng) for p in (0, 1))
        blueprint = _in_whole_tree(trunk.tree, MAX, x, tree, player)
        here = next(h for h in np.flatnonzero(trunk.tree.num_children) if tree.infoset(player)[nodes[h]] == infoset)
        plan = plan_of(trunk, trunk.keys(int(here))[0], x, y)
        subgame = _core.carry(trunk, plan, x, [], [], 200_000, NO_LIMIT)
        maxmargin = make_subgame(tree, blueprint, infoset, reach=True)
        for gadget, expected in (("maxmargin", maxmargin), ("resolve", maxmargin.to_resolve())):
            value = sign * solve_subgame(expected).value
            for side in (MAX, MIN):
                solution = GrowingProgram(subgame, side).solve(gadget)
                assert solution is not None
                assert solution.value == pytest.approx(value, abs=1e-8)
        best = GrowingProgram(subgame, MAX).solve("maxmargin")
        assert best is not None
        assert subgame.margins(best.x).min() == pytest.approx(best.value, abs=1e-8)


def test_a_second_carry_agrees_with_nested_gadgets() -> None:
    # What was folded away at the first infoset must still be paid for at the second.
    spec, player = "leduc_poker", MAX
    tree, rng = murk.build(spec), np.random.default_rng(3)
    _, trunk = whole_trunk(murk.load(spec), player)
    nodes = node_map(trunk, tree)
    x, y = (random_strategy(trunk.tree, p, rng) for p in (0, 1))
    blueprint = _in_whole_tree(trunk.tree, MAX, x, tree, player)
    parent = tree.infoset_parent(player)
    second = next(
        int(i)
        for i in tree.acting_infosets(player)[::-1]
        if parent[i] > 0 and parent[tree.sequence_infoset(player)[parent[i]]] == 0
    )
    first = int(tree.sequence_infoset(player)[parent[second]])
    keys = {}
    for h in np.flatnonzero(trunk.tree.num_children).tolist():
        keys.setdefault(int(tree.infoset(player)[nodes[h]]), trunk.keys(h)[0])
    once = _core.carry(trunk, plan_of(trunk, keys[first], x, y), x, [], [], 200_000, NO_LIMIT)
    x1 = random_strategy(once.tree, MAX, rng)
    y1 = random_strategy(once.tree, MIN, rng)
    outer = make_subgame(tree, blueprint, first, reach=True)
    # The same random strategy in both gadgets: infosets are matched by the game's own.
    behaviour = np.ones(outer.tree.num_sequences(player))
    of_game = {}
    for game_infoset, key in keys.items():
        found = once.find_infoset(MAX, key)
        if found >= 0 and once.tree.infoset_actions(MAX)[found] > 0:
            of_game[game_infoset] = found
    for infoset in outer.tree.acting_infosets(player).tolist():
        found = of_game[int(outer.infosets[player][infoset])]
        count = int(once.tree.infoset_actions(MAX)[found])
        there, here = int(once.tree.infoset_first(MAX)[found]), int(outer.tree.infoset_first(player)[infoset])
        share = x1[there : there + count] / x1[once.tree.infoset_parent(MAX)[found]]
        behaviour[here : here + count] = share
    inner_blueprint = murk.Strategy.from_behaviour(outer.tree, player, behaviour)
    inner_infoset = int(np.flatnonzero(outer.infosets[player] == second)[0])
    inner = make_subgame(outer.tree, inner_blueprint, inner_infoset, reach=True)
    plan = plan_of(once, keys[second], x1, y1)
    assert sorted(m[7] for m in plan.meetings()) == pytest.approx(sorted(inner.alternate), rel=1e-7, abs=1e-7)
    twice = _core.carry(once, plan, x1, [], [], 200_000, NO_LIMIT)
    solution = GrowingProgram(twice, MAX).solve("maxmargin")
    assert solution is not None
    assert solution.value == pytest.approx(solve_subgame(inner).value, rel=1e-6, abs=1e-7)


def test_limits_of_what_is_carried() -> None:
    spec = "leduc_poker"
    rng = np.random.default_rng(4)
    _, trunk = whole_trunk(murk.load(spec), MAX)
    x, y = (random_strategy(trunk.tree, p, rng) for p in (0, 1))
    node = next(h for h in np.flatnonzero(trunk.tree.num_children).tolist() if trunk.tree.player[h] == MAX)
    key = trunk.keys(node)[0]
    plan = plan_of(trunk, key, x, y, limit=2)
    assert plan.found > 2
    assert len(plan.meetings()) == 2
    small = _core.carry(trunk, plan, x, [], [], 200_000, 50)
    assert small.num_roots == 2
    assert 50 <= small.num_nodes < 60
    frontier = [h for h in range(small.num_nodes) if small.is_frontier(h)]
    assert frontier
    x1, y1 = (np.ones(small.tree.num_sequences(p)) for p in (0, 1))
    small.grow(x1, y1, rule="pseudocode", depth=1 << 30, nodes=1 << 30, seconds=None)
    assert small.num_nodes > 60


def test_trembling_does_well_at_every_root() -> None:
    spec = "leduc_poker"
    rng = np.random.default_rng(5)
    _, trunk = whole_trunk(murk.load(spec), MAX)
    x, y = (random_strategy(trunk.tree, p, rng) for p in (0, 1))
    node = next(h for h in np.flatnonzero(trunk.tree.num_children).tolist() if trunk.tree.player[h] == MAX)
    subgame = _core.carry(trunk, plan_of(trunk, trunk.keys(node)[0], x, y), x, [], [], 200_000, NO_LIMIT)
    for gadget in ("maxmargin", "resolve"):
        plain = GrowingProgram(subgame, MIN).solve(gadget)
        careful = [GrowingProgram(subgame, side, tremble=1e-4).solve(gadget) for side in (MAX, MIN)]
        assert plain is not None
        for solution in careful:
            assert solution is not None
            assert solution.value == pytest.approx(careful[0].value, abs=1e-8)
            assert solution.margins.mean() >= plain.margins.mean() - 1e-8
            if gadget == "maxmargin":
                assert solution.margins.min() == pytest.approx(plain.value, abs=1e-2)
