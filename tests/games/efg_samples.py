"""Games for the tests of `.efg`: a small random one, and slow, obvious ways to look at one."""

import random
from fractions import Fraction
from pathlib import Path

from hypothesis import strategies as st

from murk.errors import RecallError
from murk.games.build import build_tree
from murk.games.efg import EfgGame, parse_efg
from murk.games.protocol import NATURE, TERMINAL

KUHN = Path(__file__).parent / "data" / "kuhn.efg"
HEAD = 'EFG 2 R "test" { "A" "B" } ""\n'


def efg(*nodes: str) -> str:
    return HEAD + "\n".join(nodes) + "\n"


def structure(game: EfgGame) -> tuple:
    """Everything about a game but the names: the tree in preorder with infosets by first appearance."""
    nodes, numbers, rows, stack = game.nodes, {}, [], [0]
    while stack:
        node = stack.pop()
        player = nodes.player[node]
        if player == TERMINAL:
            rows.append(("t", game.exact_utility(node)))
            continue
        chance = game.exact_chance(node) if player == NATURE else ()
        key = (player, nodes.infoset[node])
        rows.append((player, nodes.num_children[node], numbers.setdefault(key, len(numbers)), chance))
        first = nodes.first_child[node]
        stack.extend(range(first + nodes.num_children[node] - 1, first - 1, -1))
    return tuple(rows)


def names(game: EfgGame) -> list:
    """The names of infosets and actions, in the order of the file."""
    return [[(i.name, i.actions) for i in infosets] for infosets in game.infosets]


def uniform_value(game: EfgGame) -> Fraction:
    """MAX's exact expected payoff when everybody but nature plays uniformly."""
    nodes = game.nodes
    value = list(nodes.payoff)
    for node in range(game.num_nodes - 1, -1, -1):
        if nodes.player[node] != TERMINAL:
            count, first = nodes.num_children[node], nodes.first_child[node]
            chance = game.exact_chance(node) if nodes.player[node] == NATURE else [Fraction(1, count)] * count
            value[node] = sum(p * value[first + i] for i, p in enumerate(chance))
    return value[0]


def random_efg(seed: int, *, one_depth: bool = True) -> str:
    """A small random game: internal outcomes, zero probabilities, repeated and omitted descriptions."""
    rng = random.Random(seed)
    infosets: dict[tuple, int] = {}
    outcomes: dict[int, Fraction] = {}

    def outcome() -> str:
        number = rng.randint(1, 6)
        known = number in outcomes
        payoff = outcomes.setdefault(number, Fraction(rng.randint(-9, 9), rng.randint(1, 7)))
        if known and rng.random() < 0.5:
            return f"{number}"
        return f'{number} "o{number}" {{ {payoff}{rng.choice([",", ""])} {-payoff} }}'

    lines, stack = [], [0]
    while stack:
        depth = stack.pop()
        kind = rng.choice("cppt" if depth else "cpp")
        if kind == "t" or depth == 4:
            lines.append(f't "" {outcome() if rng.random() < 0.9 else 0}')
            continue
        count = rng.randint(1, 3)
        inner = outcome() if rng.random() < 0.2 else "0"
        if kind == "c":
            weights = [rng.randint(0, 3) for _ in range(count - 1)] + [rng.randint(1, 3)]
            items = " ".join(f'"{i}" {Fraction(w, sum(weights))}' for i, w in enumerate(weights))
            lines.append(f'c "" {len(lines) + 1} "" {{ {items} }} {inner}')
        else:
            player = rng.randint(1, 2)
            key = (player, depth if one_depth else -1, count, rng.randint(0, 1))
            known = key in infosets
            number = infosets.setdefault(key, sum(k[0] == player for k in infosets) + 1)
            items = " ".join(f'"{"abc"[i]}"' for i in range(count))
            described = "" if known and rng.random() < 0.3 else f' "i{number}" {{ {items} }}'
            lines.append(f'p "" {player} {number}{described} {inner}')
        stack.extend([depth + 1] * count)
    return efg(*lines)


seeds = st.integers(0, 10**6)


def recalled(seed: int) -> int:
    """The first seed from ``seed`` on whose random game has perfect recall, as a tree must (five in six have)."""
    while True:
        try:
            build_tree(parse_efg(random_efg(seed)))
        except RecallError:
            seed += 1
        else:
            return seed


recall_seeds = seeds.map(recalled)
