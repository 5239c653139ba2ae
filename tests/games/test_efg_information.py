"""Gambit `.efg` files: what a player knows where she does not act."""

from efg_samples import KUHN, efg, random_efg, seeds
from hypothesis import given, settings
from hypothesis import strategies as st

from murk.games.efg import EfgGame, parse_efg, read_efg
from murk.games.protocol import MAX, MIN, TERMINAL


def waiting_partition(game: EfgGame, player: int) -> set[frozenset[int]]:
    """The documented definition, taken literally and slowly."""
    nodes = game.nodes
    count = game.num_nodes
    depth, sequence = [0] * count, [()] * count
    for h in range(1, count):
        above = nodes.parent[h]
        depth[h] = depth[above] + 1
        own = nodes.player[above] == player
        sequence[h] = (nodes.infoset[above], nodes.action[h]) if own else sequence[above]

    def upcoming(h: int) -> set[int]:
        if nodes.player[h] == player:
            return {nodes.infoset[h]}
        first = nodes.first_child[h]
        return set().union(*(upcoming(c) for c in range(first, first + nodes.num_children[h])))

    waiting = [h for h in range(count) if nodes.player[h] not in (player, TERMINAL)]
    groups: dict[tuple, set[int]] = {}
    for h in waiting:
        reach = upcoming(h)
        links = [upcoming(g) for g in waiting if sequence[g] == sequence[h] and depth[g] >= depth[h]]
        while reach and (more := set().union(*(link for link in links if link & reach)) - reach):
            reach |= more
        groups.setdefault((sequence[h], depth[h], frozenset(reach)), set()).add(h)
    return {frozenset(group) for group in groups.values()}


@given(seeds, st.booleans())
@settings(max_examples=200, deadline=None)
def test_waiting_information_is_the_documented_partition(seed, one_depth):
    game = parse_efg(random_efg(seed, one_depth=one_depth))
    for player in (MAX, MIN):
        information = game.information(player)
        groups: dict[int, set[int]] = {}
        for node, index in enumerate(information.ids):
            if game.nodes.player[node] == TERMINAL:
                assert index == -1
            elif game.nodes.player[node] == player:
                assert index == game.nodes.infoset[node]
            else:
                assert index >= len(game.infosets[player])
                groups.setdefault(index, set()).add(node)
        assert {frozenset(group) for group in groups.values()} == waiting_partition(game, player)
        assert len(set(information.names)) == len(information.names) == max(information.ids) + 1


def test_waiting_information_in_kuhn():
    game = read_efg(KUHN)
    # Alice waits at the deal, and after each of her first moves with each card; Bob at the deal, while Alice
    # thinks, knowing his card, and again after his bet.
    assert len(game.information(MAX).names) == 6 + 1 + 6
    assert len(game.information(MIN).names) == 6 + 1 + 3 + 3


def test_waiting_information_merges_by_chains_of_common_infosets():
    # Bob moves last: w can lead to his infosets 1 and 2, x to 2 and 3, y to 4, z to none.
    text = efg('c "" 1 "" { "w" 1/4 "x" 1/4 "y" 1/4 "z" 1/4 } 0')
    number = 1
    for follow in ((1, 2), (2, 3), (4, 4), ()):
        text += f'p "" 1 {number} "" {{ "l" "r" }} 0\n'
        number += 1
        text += "".join(f'p "" 2 {i} "" {{ "a" }} 0 t "" 0\n' for i in follow) or 't "" 0 t "" 0\n'
    game = parse_efg(text)
    w, x, y, z = (game.root().child(a).information(MIN) for a in range(4))
    assert w == x
    assert len({w, y, z}) == 3


def test_waiting_names_never_collide_with_the_files():
    game = parse_efg(efg('p "" 1 1 "waiting 1" { "a" } 0', 'p "" 2 1 "waiting 1" { "a" } 0', 't "" 0'))
    root = game.root()
    assert root.information(MAX) == "waiting 1"
    assert len({root.information(MAX), root.child(0).information(MAX)}) == 2


def test_waiting_information_is_quick_on_a_caterpillar():
    # Every node of Alice's chain can lead to every later infoset of Bob: listing them would take 10^8 steps.
    length = 20_000
    nodes = []
    for i in range(1, length + 1):
        nodes += [f'p "" 1 {i} "" {{ "a" "b" }} 0', f'p "" 2 {i} "" {{ "a" }} 0', 't "" 0']
    information = parse_efg(efg(*nodes, 't "" 0')).information(MIN)
    assert len(information.names) == 2 * length
