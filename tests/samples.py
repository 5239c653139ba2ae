"""Trees and strategies for tests: random ones, their mirror images, and the games whose values are known."""

import atexit
from functools import cache

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

import murk
from murk.games.build import build_tree
from murk.games.random import RandomGame
from murk.tree import MAX, MIN, NATURE, TERMINAL, Strategy, Tree

LEDUC = "leduc_poker"
KUHN = "kuhn_poker"
LIARS_DICE = "liars_dice(dice_sides=5)"
GOOFSPIEL = "goofspiel(imp_info=True,num_cards=4,points_order=random,players=2)"
GOOFSPIEL_UP = "goofspiel(imp_info=True,num_cards=4,points_order=ascending,players=2)"
DARK_HEX = "dark_hex(board_size=2,gameversion=adh)"
PENNIES = "matching_pennies(n=100)"

VALUES = {
    KUHN: -1 / 18,
    LEDUC: -0.0856064240780006,
    LIARS_DICE: 0.008,
    GOOFSPIEL: 0.0,
    GOOFSPIEL_UP: 0.0,
    DARK_HEX: 0.5,
}
"""In the games' own units. Leduc's is [Southey et al. 2005]'s -0.0856 to more digits."""


def examples(count: int) -> settings:
    """Return settings for a property test: so many examples, and ten times as many in the profile that explores."""
    return settings(max_examples=count * settings.get_profile(settings.get_current_profile_name()).max_examples // 100)


@cache
def named_tree(name: str) -> Tree:
    """Return a game's tree, built once in a process. Do not change it."""
    return murk.build(name)


atexit.register(named_tree.cache_clear)  # what outlives the interpreter counts as a leak


def random_tree(seed: int, **parameters: float) -> Tree:
    return build_tree(RandomGame(seed, **parameters))


def random_trees(depth: int = 6, max_actions: int = 3) -> st.SearchStrategy[Tree]:
    """Random games of every awkward kind: see murk.games.random.

    All parameters come from one number: drawn one by one, hypothesis would mostly try the smallest of each.
    """

    def tree(seed: int) -> Tree:
        rng = np.random.default_rng(seed)
        return random_tree(
            seed,
            depth=int(rng.integers(max(depth - 3, 1), depth + 1)),
            max_actions=int(rng.integers(2, max_actions + 1)),
            chance=float(rng.choice([0.0, 0.2, 0.4])),
            merge=float(rng.choice([0.5, 0.9, 1.0])),
            signals=int(rng.integers(1, 4)),
            stop=float(rng.choice([0.0, 0.1, 0.2])),
            forced=float(rng.choice([0.0, 0.1, 0.3])),
            zeros=float(rng.choice([0.0, 0.3])),
            ties=float(rng.choice([0.0, 0.5, 1.0])),
            solo=0.03,
        )

    return st.integers(0, 2**64).map(tree)


def add_random_extra(tree: Tree, seed: int, count: int = 4) -> Tree:
    """Put extra payoffs on some sequences of both players, some of them twice."""
    rng = np.random.default_rng(seed)
    for p in (MAX, MIN):
        for sequence in rng.integers(0, tree.num_sequences(p), size=count).tolist():
            tree.add_extra(p, sequence, float(rng.normal()))
    return tree


def random_strategy(tree: Tree, player: int, seed: int) -> Strategy:
    """Return a strategy that never plays some actions, so that some infosets are out of reach."""
    rng = np.random.default_rng(seed)
    weights = rng.exponential(size=tree.num_sequences(player)) * (rng.random(tree.num_sequences(player)) < 0.7)
    infoset = tree.sequence_infoset(player)[1:]
    sums = np.bincount(infoset, weights=weights[1:], minlength=tree.num_infosets(player))[infoset]
    even = 1 / tree.infoset_actions(player)[infoset]
    behaviour = np.ones(len(weights))
    behaviour[1:] = np.where(sums > 0, weights[1:] / np.where(sums > 0, sums, 1), even)
    return Strategy.from_behaviour(tree, player, behaviour)


def payoff_range(tree: Tree) -> float:
    """Return the size of the payoffs, extra ones too, to which an error is compared."""
    extra = sum(abs(v) for p in (MAX, MIN) for _, v in tree.extra(p))
    return float(np.abs(tree.utility).max()) + extra or 1.0


def arrays_of(tree: Tree) -> dict[str, object]:
    """Return what Tree.from_arrays needs to make the tree again."""
    return {
        "parent": tree.parent.copy(),
        "player": tree.player.copy(),
        "action": tree.action.copy(),
        "chance": tree.chance_probabilities(),
        "utility": tree.utility.copy(),
        "infosets": (tree.infoset(MAX).copy(), tree.infoset(MIN).copy()),
    }


def mirrored(tree: Tree) -> Tree:
    """Return the game with the players' roles exchanged: MAX is paid what MIN was."""
    arrays = arrays_of(tree)
    swap = np.array([MIN, MAX, NATURE, TERMINAL], dtype=np.uint8)
    arrays |= {
        "player": swap[tree.player],
        "utility": -tree.utility,
        "infosets": (tree.infoset(MIN).copy(), tree.infoset(MAX).copy()),
    }
    out = Tree.from_arrays(**arrays)
    for p in (MAX, MIN):
        assert np.array_equal(out.sequence(1 - p), tree.sequence(p))
        for sequence, payoff in tree.extra(p):
            out.add_extra(1 - p, sequence, -payoff)
    return out


def without_extra(tree: Tree) -> Tree:
    """Return a game of the same value, for the same behaviour, in which extra payoffs are ordinary ones.

    With probability 1/2 the game is played for double payoffs. Else nature picks one extra payoff (of K), and its
    player alone walks through the infosets of its sequence; if she plays it to the end she is paid 2K times the extra
    payoff, else nothing. She cannot tell the difference.
    """
    extra = [(p, sequence, payoff) for p in (MAX, MIN) for sequence, payoff in tree.extra(p)]
    if not extra:
        return tree
    parent, player, action, chance, utility = [-1], [int(NATURE)], [-1], [1.0], [0.0]
    labels: tuple[list[int], list[int]] = ([0], [0])
    fresh = [tree.num_infosets(p) + 1 for p in (MAX, MIN)]

    def add(up: int, who: int, label: int, edge: float, paid: float, infosets: tuple[int, int]) -> int:
        parent.append(up)
        player.append(who)
        action.append(label)
        chance.append(edge)
        utility.append(paid)
        labels[0].append(infosets[0])
        labels[1].append(infosets[1])
        return len(parent) - 1

    # Siblings must stand side by side: the two branches first, then each of them from the top.
    top = add(0, int(tree.player[0]), 0, 0.5, 2 * float(tree.utility[0]), _labels(tree, 0))
    pick = add(0, int(NATURE), 1, 0.5, 0.0, (fresh[0], fresh[1]))
    number = {0: top}
    edges = tree.chance_probabilities()
    for node in range(1, tree.num_nodes):
        up = number[int(tree.parent[node])]
        paid = 2 * float(tree.utility[node])
        number[node] = add(
            up, int(tree.player[node]), int(tree.action[node]), float(edges[node]), paid, _labels(tree, node)
        )
    chains = [_chain(tree, p, sequence) for p, sequence, _ in extra]
    open_nodes = []
    for i, ((p, _, payoff), chain) in enumerate(zip(extra, chains, strict=True)):
        who = int(TERMINAL) if not chain else int(p)
        node = add(pick, who, i, 1 / len(extra), 2 * len(extra) * payoff if not chain else 0.0, (0, 0))
        open_nodes.append(node)
    for node, (p, _, payoff), chain in zip(open_nodes, extra, chains, strict=True):
        here = node
        for depth, (infoset, choice) in enumerate(chain):
            own, watching = infoset + 1, fresh[1 - p] + 1
            labels[p][here], labels[1 - p][here] = own, watching
            first = int(tree.infoset_first(p)[infoset])
            count = int(tree.infoset_actions(p)[infoset])
            names = tree.sequence_actions(p)[first : first + count]
            last = depth + 1 == len(chain)
            made = []
            for a in range(count):
                on = a == choice
                who = int(p) if on and not last else int(TERMINAL)
                paid = 2 * len(extra) * payoff if on and last else 0.0
                made.append(add(here, who, int(names[a]), 1.0, paid, (0, 0)))
            here = made[choice]
    return Tree.from_arrays(
        parent=parent, player=player, action=action, chance=chance, utility=utility, infosets=labels, name=tree.name
    )


def _labels(tree: Tree, node: int) -> tuple[int, int]:
    return int(tree.infoset(MAX)[node]) + 1, int(tree.infoset(MIN)[node]) + 1


def _chain(tree: Tree, p: int, sequence: int) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    while sequence != 0:
        infoset = int(tree.sequence_infoset(p)[sequence])
        out.append((infoset, sequence - int(tree.infoset_first(p)[infoset])))
        sequence = int(tree.infoset_parent(p)[infoset])
    return out[::-1]
