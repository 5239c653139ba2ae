"""Algorithm 3: colourings, independent sets, ``th:allocation-safety`` on hundreds of games."""

import itertools

import numpy as np
import pytest
from deals import counterexample, deal_tree, late_movers_tree, tilted
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import DARK_HEX, KUHN, PENNIES, named_tree, payoff_range, random_strategy, random_trees

import murk
from murk.errors import InputError
from murk.games.explicit import ExplicitGame, decision, leaf
from murk.solvers import epsilon_uniform, side_exploitability, solve_lp
from murk.subgame import (
    Allocation,
    Knowledge,
    NestedOptions,
    allocated_strategy,
    chromatic_number,
    colour,
    expected_strategy,
    refine_everywhere,
    start_chain,
)
from murk.tree import MAX, MIN, uniform

EXACT = 1e-9
seeds = st.integers(0, 2**32)
KINDS = ("maxmargin", "resolve")


def graph(count, edges):
    near = [set() for _ in range(count)]
    for i, j in edges:
        near[i].add(j)
        near[j].add(i)
    return near


def cycle(n):
    return graph(n, [(i, (i + 1) % n) for i in range(n)])


def complete(n):
    return graph(n, itertools.combinations(range(n), 2))


def kneser(n, k):
    """Subsets of size k of n, joined if disjoint: of chromatic number n - 2k + 2 (Lovász). Petersen's is (5, 2)."""
    sets = list(itertools.combinations(range(n), k))
    pairs = itertools.combinations(range(len(sets)), 2)
    return graph(len(sets), [(i, j) for i, j in pairs if not set(sets[i]) & set(sets[j])])


def mycielski(near):
    """No larger clique, one more colour."""
    n = len(near)
    edges = [(i, j) for i in range(n) for j in near[i]] + [(n + i, j) for i in range(n) for j in near[i]]
    return graph(2 * n + 1, edges + [(n + i, 2 * n) for i in range(n)])


GROETZSCH = mycielski(cycle(5))


@pytest.mark.parametrize(
    ("near", "expected"),
    [
        ([], 0),
        (graph(5, []), 1),
        (cycle(6), 2),
        (cycle(7), 3),
        (cycle(23), 3),
        (complete(7), 7),
        (complete(60), 60),
        (kneser(5, 2), 3),
        (kneser(6, 2), 4),
        (mycielski(cycle(4)), 3),
        (GROETZSCH, 4),
        (mycielski(GROETZSCH), 5),
    ],
)
def test_chromatic_numbers_of_known_graphs(near, expected):
    found = colour(near)
    assert (found.number, found.exact) == (expected, True)
    assert chromatic_number(near) == expected
    assert set(found.colours) == set(range(expected))
    assert all(found.colours[i] != found.colours[j] for i in range(len(near)) for j in near[i])


@settings(max_examples=150)
@given(n=st.integers(1, 7), seed=seeds)
def test_chromatic_numbers_by_brute_force(n, seed):
    rng = np.random.default_rng(seed)
    pairs = list(itertools.combinations(range(n), 2))
    edges = [pair for pair in pairs if rng.random() < 0.6]
    least = next(
        k
        for k in range(1, n + 1)
        if any(all(c[i] != c[j] for i, j in edges) for c in itertools.product(range(k), repeat=n))
    )
    assert chromatic_number(graph(n, edges)) == least


def test_large_graphs_are_coloured_greedily_and_say_so():
    near = [
        {(j + 5 * k) for j in c} for k in range(6) for c in cycle(5)
    ]  # six pentagons: no clique proves three colours
    found = colour(near)
    assert (len(near), found.number, found.exact) == (30, 3, False)
    assert colour(near, exact_limit=30).exact
    with pytest.raises(InputError, match="graph of 30 vertices was asked for, expected at most 24"):
        chromatic_number(near)
    with pytest.raises(InputError, match="vertex 0 is joined to 1, expected a graph without loops"):
        colour([{1}, set()])
    with pytest.raises(InputError, match="vertex 0 is joined to 0"):
        colour([{0}])


@pytest.mark.parametrize("name", [KUHN, DARK_HEX, PENNIES, "counterexample(n=6)", "figure1"])
@pytest.mark.parametrize("player", [MAX, MIN])
def test_alg3_the_graph_is_that_of_the_closure_where_the_turn_is_common_knowledge(name, player):
    tree = named_tree(name)
    knowledge = Knowledge(tree)
    whole = knowledge.graph(player)
    allocation = Allocation(tree, player)
    covered = set()
    for closure in allocation.closures:
        assert set(closure.infosets) == set(knowledge.closure_infosets(player, closure.infosets[0]).tolist())
        near = [{closure.infosets.index(j) for j in closure.infosets if whole[i, j]} for i in closure.infosets]
        assert closure.number == chromatic_number(near, limit=60)
        assert all(closure.colours[i] != closure.colours[j] for i in range(len(near)) for j in near[i])
        covered |= set(closure.infosets)
    assert covered == set(tree.acting_infosets(player).tolist())


def probabilities(tree, player):
    allocation = Allocation(tree, player)
    return {allocation.probability(int(i)) for i in tree.acting_infosets(player)}


def test_known_probabilities():
    assert probabilities(named_tree(PENNIES), MAX) == {1 / 2}  # a path
    assert probabilities(counterexample(6)[0], MAX) == {1 / 6}  # MIN knows nothing: all are joined
    assert probabilities(named_tree(KUHN), MAX) == {
        1 / 3,
        1.0,
    }  # three cards; after the opponent's last move none matter
    assert probabilities(perfect_information(), MAX) == {1.0}


def perfect_information():
    def node(depth, seen):
        if depth == 0:
            return leaf(sum(map(int, seen)) % 3)
        moves = {str(a): node(depth - 1, seen + str(a)) for a in range(2)}
        return decision(MAX if depth % 2 else MIN, moves, sees=(seen, seen))

    return murk.build(ExplicitGame("perfect", node(4, "")))


@settings(max_examples=100)
@given(tree=random_trees(depth=5), seed=seeds)
def test_alg3_sets_are_closed_under_ancestors_and_no_margin_depends_on_two_of_them(tree, seed):
    for player in (MAX, MIN):
        graph = Knowledge(tree).hypergraph
        chosen = Allocation(tree, player).independent_set(seed)
        mine, hers = tree.infoset(player).tolist(), tree.infoset(1 - player).tolist()
        above = {i: earlier(tree, player, i) for i in chosen}
        assert all(above[i] <= chosen for i in chosen)
        # At a node where we solve, her infosets there and before it, if she still has a choice after them.
        below = {}
        for node in [h for h in range(tree.num_nodes) if mine[h] in chosen and tree.player[h] == player]:
            up = node
            while up >= 0:
                if graph.is_edge(1 - player, hers[up]):
                    below.setdefault(hers[up], set()).add(mine[node])
                up = int(tree.parent[up])
        for node in [h for h in range(tree.num_nodes) if mine[h] in chosen and tree.player[h] == player]:
            here = mine[node]
            for other in below.get(hers[node], ()):
                assert other == here or here in above[other] or other in above[here]


def earlier(tree, player, infoset):
    """The player's infosets on the way to one of hers."""
    parent, owner = tree.infoset_parent(player), tree.sequence_infoset(player)
    out = set()
    while parent[infoset] > 0:
        infoset = int(owner[parent[infoset]])
        out.add(infoset)
    return out


def test_alg3_the_draw_depends_on_the_closure_and_the_seed_only():
    tree, _ = counterexample(6)
    allocation = Allocation(tree, MAX)
    infosets = tree.acting_infosets(MAX).tolist()
    counts = dict.fromkeys(infosets, 0)
    for seed in range(600):
        chosen = allocation.independent_set(seed)
        assert chosen == allocation.independent_set(seed)
        assert len(chosen) == 1  # whichever of them asks, one and the same is chosen
        counts[min(chosen)] += 1
    # 600 draws at 1/6: 100, give or take five standard errors of 9.1.
    assert all(55 < count < 145 for count in counts.values())


@settings(max_examples=50)
@given(tree=random_trees(depth=5), seed=seeds)
def test_th_allocation_safety_on_random_games(tree, seed):
    value, scale = solve_lp(tree).value, payoff_range(tree)
    for player in (MAX, MIN):
        allocation = Allocation(tree, player)
        options = NestedOptions(kind=KINDS[seed % 2])
        for blueprint in (
            random_strategy(tree, player, seed),
            solve_lp(tree, player, lower=epsilon_uniform(tree, player, 0.25)).strategy(player),
        ):
            limit = side_exploitability(blueprint, value) + EXACT * scale
            one = allocated_strategy(blueprint, allocation, seed, options)
            assert side_exploitability(one, value) <= limit
            assert side_exploitability(expected_strategy(blueprint, allocation, options), value) <= limit


@pytest.mark.parametrize("rounds", [1, 2])
def test_th_allocation_safety_where_plain_klss_fails(rounds):
    plain_rises, several = 0, 0
    for seed in range(24):
        tree = deal_tree(seed, deals=6 if rounds == 1 else 3, rounds=rounds)
        player = MAX if seed % 2 else MIN
        value = solve_lp(tree).value
        blueprint = tilted(solve_lp(tree, player).strategy(player))
        before = side_exploitability(blueprint, value)
        plain_rises += side_exploitability(refine_everywhere(blueprint), value) > before + 1e-6
        allocation = Allocation(tree, player)
        several += max(c.number for c in allocation.closures) > 1
        options = NestedOptions(kind=KINDS[seed // 2 % 2])
        for draw in range(3):
            assert (
                side_exploitability(allocated_strategy(blueprint, allocation, draw, options), value) <= before + EXACT
            )
        assert side_exploitability(expected_strategy(blueprint, allocation, options), value) <= before + EXACT
    assert plain_rises >= 4
    assert several >= 10


@pytest.mark.parametrize("name", [KUHN, DARK_HEX, PENNIES])
def test_th_allocation_safety_in_the_papers_games(name):
    tree = named_tree(name)
    value = solve_lp(tree).value
    for player in (MAX, MIN):
        blueprint = solve_lp(tree, player, lower=epsilon_uniform(tree, player, 0.25)).strategy(player)
        allocation = Allocation(tree, player)
        before = side_exploitability(blueprint, value)
        assert side_exploitability(expected_strategy(blueprint, allocation), value) <= before + EXACT
        assert side_exploitability(allocated_strategy(blueprint, allocation, 7), value) <= before + EXACT


class Drawn(Allocation):
    """An allocation with the draws given."""

    draws: tuple[int, ...] = ()

    def drawn(self, closure, seed):
        return self.draws[closure]


@pytest.mark.parametrize(
    ("seed", "deals", "rounds"), [(0, 6, 1), (2, 6, 1), (0, 3, 2), (1, 3, 2), (2, 2, 2), (5, 3, 2), (11, 2, 2)]
)
def test_alg3_the_expected_strategy_is_the_mean_over_all_draws(seed, deals, rounds):
    tree = deal_tree(seed, deals=deals, rounds=rounds)
    solved = 0
    for player in (MAX, MIN):
        blueprint = tilted(uniform(tree, player))
        allocation = Drawn(tree, player)
        draws = list(itertools.product(*(range(c.number) for c in allocation.closures)))
        solved += len(draws) > 1
        total = np.zeros(tree.num_sequences(player))
        for allocation.draws in draws:
            total += allocated_strategy(blueprint, allocation, 0).sequences
        expected = expected_strategy(blueprint, allocation).sequences
        assert expected == pytest.approx(total / len(draws), abs=1e-9)
    assert solved


def test_alg3_read_literally_is_unsafe_where_the_opponent_does_not_know_whether_we_have_moved():
    """No two of our infosets share an infoset of hers, yet her margins depend on all of them."""
    n = 6
    tree = late_movers_tree(n)
    blueprint = tilted(uniform(tree, MAX), amount=4 / n)
    assert side_exploitability(blueprint, 0.0) == pytest.approx(4 / n)
    literal = Allocation(tree, MAX, watching=False)
    assert {c.number for c in literal.closures} == {1}
    assert side_exploitability(allocated_strategy(blueprint, literal, 0), 0.0) == pytest.approx(1.0)
    sound = Allocation(tree, MAX)
    for seed in range(20):
        assert len(sound.independent_set(seed)) <= 1
        assert side_exploitability(allocated_strategy(blueprint, sound, seed), 0.0) <= 4 / n + EXACT
    assert side_exploitability(expected_strategy(blueprint, sound), 0.0) < 4 / n


def test_alg3_after_the_last_solve_its_own_solution_is_played_on():
    """Stopping means to play the current subgame's strategy, not to go back to the blueprint of the full game."""
    tree = deal_tree(0, deals=3, rounds=2)
    allocation = Drawn(tree, MIN)
    blueprint = tilted(uniform(tree, MIN))
    later = next(
        int(i) for i in tree.acting_infosets(MIN) if allocation.probability(int(i)) < 1 and earlier(tree, MIN, i)
    )
    (first,) = earlier(tree, MIN, later)
    draws = [0] * len(allocation.closures)
    for n, wanted in allocation.conditions(first).items():
        draws[n] = wanted
    for n, wanted in allocation.conditions(later).items():
        draws[n] = (wanted + 1) % allocation.closures[n].number
    allocation.draws = tuple(draws)
    assert first in allocation.independent_set(0)
    assert later not in allocation.independent_set(0)
    x = allocated_strategy(blueprint, allocation, 0)
    step = start_chain(blueprint, first, NestedOptions())
    gadget = step.solution.subgame.tree
    inside = int(np.flatnonzero(step.origin == later)[0])
    at, place = int(gadget.infoset_first(MIN)[inside]), int(tree.infoset_first(MIN)[later])
    solved = step.solution.strategy.sequences[at : at + 2]
    assert x.sequences[place : place + 2] == pytest.approx(solved)
    assert solved != pytest.approx(blueprint.sequences[place : place + 2])


def test_bad_input():
    tree, blueprint = counterexample(6)
    allocation = Allocation(tree, MAX)
    with pytest.raises(InputError, match="deviations are allocated for 1-KLSS, got variant 'klss' of order 3"):
        expected_strategy(blueprint, allocation, NestedOptions(order=3))
    with pytest.raises(InputError, match="got variant 'kluss' of order 1"):
        allocated_strategy(blueprint, allocation, 0, NestedOptions(variant="kluss"))
    with pytest.raises(
        InputError, match=r"the blueprint is of MAX in kuhn_poker, expected one of MAX in counterexample"
    ):
        expected_strategy(uniform(named_tree(KUHN), MAX), allocation)
    watching = int(np.flatnonzero(tree.infoset_actions(MAX) == 0)[0])
    with pytest.raises(InputError, match="MAX does not act at infoset"):
        allocation.probability(watching)
