"""Table 1 by a naive loop, to measure murk against: Algorithm 1 of [ZS21] as one would first write it.

Plain Python over nodes and dictionaries, each linear program assembled from scratch out of triplets and solved by
``scipy.optimize.linprog`` (HiGHS underneath, as in murk). Subgames are solved in the scale of the original game, where
nested 1-KLSS is: fix our strategy outside of what follows I, change it there, and raise the least of

    (V_I0(x') - V_I0(x)) / D(I0)

over the opponent's infosets I0 that meet I. V is her best-response value over all of I0, not normalised, and D the
reach of what I0 and I share. The result is the same as that of the nested gadgets, up to which of several optimal
strategies is returned.

The loop exists in two tempers. ``naive`` does what the pseudocode says: for each subgame it computes our reach of every
node and "the counterfactual best response values for each MIN-sequence" of the game (l. 3). ``careful`` is what one
would write after profiling that: it looks at nothing but what follows the I0.

    python benchmarks/naive_table1.py kuhn leduc

prints the ratios to murk; ``murk bench subgames`` does it for all rows.
"""

import sys
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import scipy.optimize
import scipy.sparse

from murk.tree import MAX, MIN, TERMINAL, Strategy, Tree

Behaviour = dict[int, list[float]]
"""The probabilities of MAX's actions at each of her infosets."""


@dataclass
class Node:
    number: int
    parent: "Node | None"
    place: int
    player: int
    chance: float
    utility: float
    infosets: tuple[int, int]
    children: list["Node"] = field(default_factory=list)


class NaiveGame:
    """A game as linked nodes, and who is where."""

    def __init__(self, tree: Tree) -> None:
        self.nodes: list[Node] = []
        self.members: tuple[dict[int, list[Node]], dict[int, list[Node]]] = (defaultdict(list), defaultdict(list))
        ours, theirs, reach = tree.infoset(MAX).tolist(), tree.infoset(MIN).tolist(), tree.chance_reach.tolist()
        players, utility = tree.player.tolist(), tree.utility.tolist()
        for h, up in enumerate(tree.parent.tolist()):
            parent = self.nodes[up] if up >= 0 else None
            place = len(parent.children) if parent is not None else 0
            node = Node(h, parent, place, players[h], reach[h], utility[h], (ours[h], theirs[h]))
            self.nodes.append(node)
            if parent is not None:
                parent.children.append(node)
            if node.player != TERMINAL:
                for p in (MAX, MIN):
                    if parent is None or parent.infosets[p] != node.infosets[p]:
                        self.members[p][node.infosets[p]].append(node)
        self.previous = {i: self._previous(i) for i in self.acting()}

    def acting(self) -> list[int]:
        return [i for i, nodes in self.members[MAX].items() if nodes[0].player == MAX]

    def _previous(self, infoset: int) -> tuple[int, int] | None:
        """Return MAX's last infoset before one of hers, and the action that leads on."""
        node = self.members[MAX][infoset][0]
        while node.parent is not None:
            if node.parent.player == MAX:
                return node.parent.infosets[MAX], node.place
            node = node.parent
        return None


def own_reach(node: Node, x: Behaviour) -> float:
    """Return x(h): the product of MAX's choices on the way."""
    product = 1.0
    while node.parent is not None:
        if node.parent.player == MAX:
            product *= x[node.parent.infosets[MAX]][node.place]
        node = node.parent
    return product


@dataclass
class Subgame:
    """The linear program of one infoset, under construction."""

    infoset: int
    reach: dict[int, float] = field(default_factory=dict)  # D of each I0
    value: dict[int, float] = field(default_factory=dict)  # V of each I0 under the blueprint
    # What MIN is paid for a sequence (an infoset and an action, or I0 itself), and by which sequence of ours.
    fixed: dict[tuple[int, int], float] = field(default_factory=lambda: defaultdict(float))
    ours: dict[tuple[int, int], dict[tuple[int, int], float]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(float))
    )
    now: dict[tuple[int, int], float] = field(default_factory=lambda: defaultdict(float))
    later: dict[tuple[int, int], set[int]] = field(default_factory=lambda: defaultdict(set))  # MIN's next infosets
    actions: dict[int, int] = field(default_factory=dict)  # MIN's infosets and how many actions they have
    plan: dict[int, tuple[tuple[int, int] | None, int]] = field(default_factory=dict)  # our infosets below I


def make(game: NaiveGame, x: Behaviour, infoset: int, *, careful: bool) -> Subgame | None:
    """Collect everything about the subgame at one of MAX's infosets."""
    out = Subgame(infoset)
    whole = None if careful else WholeGame(game, x)
    for node in game.members[MAX][infoset]:
        reach = node.chance * (own_reach(node, x) if whole is None else whole.reach[node.number])
        if reach > 0:
            out.reach[node.infosets[MIN]] = out.reach.get(node.infosets[MIN], 0.0) + reach
    if not out.reach:
        return None
    for root in out.reach:
        start = (root, -1)
        for node in game.members[MIN][root]:
            walk(node, x, own_reach(node, x), start, None, out)
        if whole is None:
            out.value[root] = best_response(start, out)
        else:
            out.value[root] = out.now[start] + sum(whole.value[infoset] for infoset in out.later[start])
    return out


class WholeGame:
    """Our reach of every node, and MIN's best-response value at each of her infosets: Alg. 1, l. 3."""

    def __init__(self, game: NaiveGame, x: Behaviour) -> None:
        self.reach = [1.0] * len(game.nodes)
        for node in game.nodes[1:]:
            up = node.parent
            self.reach[node.number] = self.reach[up.number]
            if up.player == MAX:
                self.reach[node.number] *= x[up.infosets[MAX]][node.place]
        self.value: dict[int, float] = {}
        payoff: dict[tuple[int, int], float] = defaultdict(float)
        actions: dict[int, int] = {}
        before: dict[int, tuple[int, int] | None] = {}
        last: list[tuple[int, int] | None] = [None] * len(game.nodes)
        for node in game.nodes:
            if node.parent is not None:
                up = node.parent
                last[node.number] = (up.infosets[MIN], node.place) if up.player == MIN else last[up.number]
            if node.player == MIN:
                before[node.infosets[MIN]] = last[node.number]
                actions[node.infosets[MIN]] = len(node.children)
            elif node.player == TERMINAL and last[node.number] is not None:
                payoff[last[node.number]] += node.chance * self.reach[node.number] * node.utility
        for infoset in reversed(actions):  # what comes later was met later
            self.value[infoset] = min(payoff[infoset, a] for a in range(actions[infoset]))
            if before[infoset] is not None:
                payoff[before[infoset]] += self.value[infoset]


def walk(
    node: Node, x: Behaviour, reach: float, theirs: tuple[int, int], ours: tuple[int, int] | None, out: Subgame
) -> None:
    """Walk all below a node. ``ours`` is our last sequence in the subgame, None outside of it."""
    if node.player == TERMINAL:
        out.now[theirs] += node.chance * reach * node.utility
        if ours is None:
            out.fixed[theirs] += node.chance * reach * node.utility
        else:
            out.ours[theirs][ours] += node.chance * out_reach(node, x, out.infoset) * node.utility
        return
    if node.player == MIN:
        here = node.infosets[MIN]
        out.actions[here] = len(node.children)
        out.later[theirs].add(here)
        for child in node.children:
            walk(child, x, reach, (here, child.place), ours, out)
    elif node.player == MAX:
        here = node.infosets[MAX]
        inside = ours is not None or here == out.infoset
        if inside:
            out.plan[here] = (ours, len(node.children))
        for child in node.children:
            walk(child, x, reach * x[here][child.place], theirs, (here, child.place) if inside else None, out)
    else:
        for child in node.children:
            walk(child, x, reach, theirs, ours, out)


def out_reach(node: Node, x: Behaviour, infoset: int) -> float:
    """Return x(I): the product of our choices up to the infoset on the way to a node."""
    while node.parent is not None:
        node = node.parent
        if node.player == MAX and node.infosets[MAX] == infoset:
            return own_reach(node, x)
    raise AssertionError("the node is not below the infoset")


def best_response(sequence: tuple[int, int], out: Subgame) -> float:
    total = out.now[sequence]
    for infoset in out.later[sequence]:
        total += min(best_response((infoset, a), out) for a in range(out.actions[infoset]))
    return total


def solve(out: Subgame, lower: Behaviour) -> tuple[float, dict[tuple[int, int], float]]:
    """Assemble and solve the program; return the margin and our plan below the infoset."""
    columns: dict[tuple[str | int, ...], int] = {("margin",): 0}
    for infoset, (_, count) in out.plan.items():
        for a in range(count):
            columns[("x", infoset, a)] = len(columns)
    for infoset in out.actions:
        columns[("v", infoset)] = len(columns)
    upper: list[dict[int, float]] = []
    upper_bound: list[float] = []

    def at_least(sequence: tuple[int, int], row: dict[int, float], bound: float) -> None:
        """Add: what the row holds is at most what MIN is paid for a sequence, minus the bound."""
        for (infoset, a), payoff in out.ours[sequence].items():
            column = columns[("x", infoset, a)]
            row[column] = row.get(column, 0.0) - payoff
        for infoset in out.later[sequence]:
            row[columns[("v", infoset)]] = -1.0
        upper.append(row)
        upper_bound.append(out.fixed[sequence] - bound)

    for root, reach in out.reach.items():
        at_least((root, -1), {0: reach}, out.value[root])
    for infoset, count in out.actions.items():
        for a in range(count):
            at_least((infoset, a), {columns[("v", infoset)]: 1.0}, 0.0)
    equal: list[dict[int, float]] = []
    equal_bound: list[float] = []
    for infoset, (before, count) in out.plan.items():
        row = {columns[("x", infoset, a)]: 1.0 for a in range(count)}
        if before is not None:
            row[columns[("x", *before)]] = -1.0
            for a in range(count):
                if lower[infoset][a] > 0:
                    upper.append({columns[("x", infoset, a)]: -1.0, columns[("x", *before)]: lower[infoset][a]})
                    upper_bound.append(0.0)
        equal.append(row)
        equal_bound.append(1.0 if before is None else 0.0)
    cost = np.zeros(len(columns))
    cost[0] = -1.0
    free = [(0.0, None) if name[0] == "x" else (None, None) for name in columns]
    answer = scipy.optimize.linprog(
        cost, A_ub=matrix(upper, len(columns)), b_ub=upper_bound, A_eq=matrix(equal, len(columns)), b_eq=equal_bound,
        bounds=free, method="highs",
    )  # fmt: skip
    if answer.x is None:
        raise RuntimeError(f"linprog failed: {answer.message}")
    plan = {name[1:]: max(float(answer.x[c]), 0.0) for name, c in columns.items() if name[0] == "x"}
    return float(-answer.fun), plan


def matrix(rows: list[dict[int, float]], width: int) -> scipy.sparse.csr_array:
    entries = [(r, c, v) for r, row in enumerate(rows) for c, v in row.items()]
    r, c, v = zip(*entries, strict=True)
    return scipy.sparse.csr_array((v, (r, c)), shape=(len(rows), width))


def changed(x: Behaviour, out: Subgame, plan: dict[tuple[int, int], float]) -> Behaviour:
    """Return x with the plan's behaviour below the infoset."""
    new = dict(x)
    for infoset, (_, count) in out.plan.items():
        values = [plan[infoset, a] if plan[infoset, a] > 1e-9 else 0.0 for a in range(count)]
        total = sum(values)
        if total > 0:
            new[infoset] = [value / total for value in values]
    return new


def refine(
    game: NaiveGame,
    blueprint: Behaviour,
    lower: Behaviour,
    *,
    careful: bool = False,
    progress: Callable[[int], None] = lambda done: None,
) -> tuple[Behaviour, dict[int, float]]:
    """Return MAX's behaviour after nested 1-KLSS at every infoset she comes to, and the margin at each."""
    result, margins = dict(blueprint), {}
    after = defaultdict(list)
    for infoset, before in game.previous.items():
        after[before and before[0]].append(infoset)
    stack = [(infoset, blueprint) for infoset in after[None]]
    while stack:
        infoset, x = stack.pop()
        subgame = make(game, x, infoset, careful=careful)
        if subgame is None:
            continue
        margins[infoset], plan = solve(subgame, lower)
        x = changed(x, subgame, plan)
        result[infoset] = x[infoset]
        progress(len(margins))
        for later in after[infoset]:
            action = game.previous[later][1]
            if x[infoset][action] > 0:
                stack.append((later, x))
    return result, margins


def behaviour_of(strategy: Strategy, values: np.ndarray | None = None) -> Behaviour:
    """Return a strategy, or ``values`` of its sequences, as a dictionary."""
    tree, given = strategy.tree, strategy.behaviour() if values is None else values
    first, count = tree.infoset_first(MAX).tolist(), tree.infoset_actions(MAX).tolist()
    return {i: given[first[i] : first[i] + count[i]].tolist() for i in tree.acting_infosets(MAX).tolist()}


def strategy_of(tree: Tree, behaviour: Behaviour) -> Strategy:
    values = np.ones(tree.num_sequences(MAX))
    for infoset, probabilities in behaviour.items():
        first = int(tree.infoset_first(MAX)[infoset])
        values[first : first + len(probabilities)] = probabilities
    return Strategy.from_behaviour(tree, MAX, values)


def main(names: list[str]) -> None:
    from murk.experiments.games import EPSILON, chosen
    from murk.experiments.refined import blueprint_of
    from murk.subgame import NestedOptions, refine_everywhere

    total = {"murk": 0.0, "naive": 0.0, "careful": 0.0}
    for case in chosen(names):
        blueprint = blueprint_of(case.name, EPSILON)
        x = blueprint.profile.max
        seconds, after, count = {}, {}, {}
        for who in total:
            started = time.process_time()
            if who == "murk":
                found = refine_everywhere(x, NestedOptions(lower=blueprint.lower))
            else:
                game, lower = NaiveGame(x.tree), behaviour_of(x, blueprint.lower)
                behaviour, margins = refine(game, behaviour_of(x), lower, careful=who == "careful")
                found, count[who] = strategy_of(x.tree, behaviour), len(margins)
            seconds[who] = time.process_time() - started
            total[who] += seconds[who]
            after[who] = blueprint.exploitability(found)
        lines = ", ".join(line(who, seconds, after[who]) for who in total)
        print(f"{case.name}: {count['naive']} subgames, {lines}", flush=True)
    print("in all", ", ".join(line(who, total) for who in total))


def line(who: str, seconds: dict[str, float], after: float | None = None) -> str:
    text = f"{who} {seconds[who]:.2f} s" + (f" ({seconds[who] / seconds['murk']:.1f})" if who != "murk" else "")
    return text if after is None else f"{text} -> {after:.4f}"


if __name__ == "__main__":
    main(sys.argv[1:])
