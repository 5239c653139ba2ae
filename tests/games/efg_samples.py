"""Games for the tests of `.efg`: a small random one, and slow, obvious ways to look at one."""

import random
from fractions import Fraction
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from murk.games.efg import EfgGame
from murk.games.protocol import MAX, MIN, NATURE, TERMINAL

KUHN = Path(__file__).parent / "data" / "kuhn.efg"
HEAD = 'EFG 2 R "test" { "A" "B" } ""\n'


def efg(*nodes: str) -> str:
    return HEAD + "\n".join(nodes) + "\n"


class FakeTree:
    """A stand-in for the native tree, filled from any game that gives whole information."""

    def __init__(self, game) -> None:
        self.name = game.name
        states, parents, actions, reach, first = [game.root()], [-1], [-1], [1.0], []
        for node, state in enumerate(states):  # grows while it runs: breadth first, siblings side by side
            terminal = state.player() == TERMINAL
            first.append(-1 if terminal else len(states))
            probabilities = state.chance() if state.player() == NATURE else None
            for i, action in enumerate([] if terminal else state.actions()):
                states.append(state.child(action))
                parents.append(node)
                actions.append(action)
                reach.append(reach[node] * (probabilities[i] if probabilities is not None else 1.0))
        players = [int(state.player()) for state in states]
        self.parent = np.array(parents, np.int32)
        self.first_child = np.array(first, np.int32)
        self.num_children = np.bincount(self.parent[1:], minlength=len(states)).astype(np.int32)
        self.player = np.array(players, np.uint8)
        self.action = np.array(actions, np.int64)
        self.chance_reach = np.array(reach)
        self.utility = np.array(
            [s.utility() if p == TERMINAL else 0.0 for s, p in zip(states, players, strict=True)]
        )
        self._infoset, self._names = [], []
        for player in (MAX, MIN):
            ids: dict[object, int] = {}
            self._infoset.append(
                np.array(
                    [
                        -1 if p == TERMINAL else ids.setdefault(s.information(player), len(ids))
                        for s, p in zip(states, players, strict=True)
                    ],
                    np.int32,
                )
            )
            self._names.append([str(name) for name in ids])

    def infoset(self, player):
        return self._infoset[player]

    def infoset_names(self, player):
        return self._names[player]


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
