"""Maxmargin k-KLSS in the original game's own scale: one big dense linear program, written straight from the
definition.

Nothing here uses a gadget. Our plan is a variable everywhere but held to the blueprint outside the subtree of I^k;
the opponent's best-response value at each of her infosets is bounded by its rows; t is at most each margin divided by
D.
"""

import math

import numpy as np
from scipy.optimize import linprog


def children(tree, h):
    first = int(tree.first_child[h])
    return range(first, first + int(tree.num_children[h]))


def below(tree, tops):
    """All nodes of the subtrees of ``tops``."""
    seen, stack = set(), list(tops)
    while stack:
        h = stack.pop()
        if h not in seen:
            seen.add(h)
            stack.extend(children(tree, h))
    return seen


def knowledge_set(tree, player, infoset, order):
    """I^k by naive closure: a player counts at a node only if she acts there or below."""
    internal = [h for h in range(tree.num_nodes) if tree.player[h] != 3]
    acts = {p: {h for h in internal if any(tree.player[g] == p for g in below(tree, [h]))} for p in (0, 1)}
    live = {p: {int(tree.infoset(p)[h]) for h in acts[p]} for p in (0, 1)}
    reached = {h for h in internal if tree.infoset(player)[h] == infoset}
    steps = 0
    while steps < order - 1:
        grown = set(reached)
        for p in (0, 1):
            met = {int(tree.infoset(p)[h]) for h in reached} & live[p]
            grown |= {h for h in internal if int(tree.infoset(p)[h]) in met}
        if grown == reached:
            break
        reached, steps = grown, steps + 1
    return reached


def max_margin(tree, we, x, infoset, order=1, lower=None):
    """Return (the largest smallest margin, D of each root infoset), the margin in our favour."""
    they, sign = 1 - we, 1.0 if we == 0 else -1.0
    inside = knowledge_set(tree, we, infoset, order)
    tops = [h for h in inside if not _has_ancestor(tree, h, inside)]
    changed = below(tree, tops)
    weight = {h: tree.chance_reach[h] * x[tree.sequence(we)[h]] for h in tops}
    roots = sorted({int(tree.infoset(they)[h]) for h in tops if weight[h] > 0})
    reach = {i: sum(weight[h] for h in tops if tree.infoset(they)[h] == i) for i in roots}

    n = tree.num_sequences(we)
    acting = tree.acting_infosets(they).tolist()
    column = {j: n + k for k, j in enumerate(acting)}
    size = n + len(acting) + 1
    t = size - 1
    equal, equal_to, at_most, at_most_to = [], [], [], []
    # our plan: flows, and the blueprint where nothing may change
    open_infosets = {int(tree.infoset(we)[h]) for h in changed if tree.player[h] == we}
    row = np.zeros(size)
    row[0] = 1
    equal.append(row)
    equal_to.append(1.0)
    for i in tree.acting_infosets(we).tolist():
        first, count = int(tree.infoset_first(we)[i]), int(tree.infoset_actions(we)[i])
        parent = int(tree.infoset_parent(we)[i])
        if i in open_infosets:
            row = np.zeros(size)
            row[first : first + count] = 1
            row[parent] -= 1
            equal.append(row)
            equal_to.append(0.0)
            for s in range(first, first + count):
                if lower is not None and lower[s] > 0:
                    row = np.zeros(size)
                    row[s], row[parent] = -1, lower[s]
                    at_most.append(row)
                    at_most_to.append(0.0)
        else:
            for s in range(first, first + count):
                row = np.zeros(size)
                row[s] = 1
                equal.append(row)
                equal_to.append(x[s])
    # the opponent's values: v(J) <= what each of her actions is worth, from our side
    terminal = [h for h in range(tree.num_nodes) if tree.player[h] == 3]
    payoff = {}
    for z in terminal:
        key = (int(tree.sequence(they)[z]), int(tree.sequence(we)[z]))
        payoff[key] = payoff.get(key, 0.0) + sign * tree.chance_reach[z] * tree.utility[z]
    extra = dict.fromkeys(range(tree.num_sequences(they)), 0.0)
    for s, b in tree.extra(they):
        extra[s] += sign * b
    for j in acting:
        first, count = int(tree.infoset_first(they)[j]), int(tree.infoset_actions(they)[j])
        for s in range(first, first + count):
            row = np.zeros(size)
            row[column[j]] = 1
            for (theirs, ours), u in payoff.items():
                if theirs == s:
                    row[ours] -= u
            for k in acting:
                if int(tree.infoset_parent(they)[k]) == s:
                    row[column[k]] -= 1
            at_most.append(row)
            at_most_to.append(extra[s])
    # margins
    bounds = [(0, None)] * n + [(None, None)] * (len(acting) + 1)
    before = dict.fromkeys(roots, -sign * math.inf)
    for i in roots:
        nodes = [h for h in range(tree.num_nodes) if tree.infoset(they)[h] == i]
        after = below(tree, nodes)
        anchor = int(tree.infoset_parent(they)[i])
        row = np.zeros(size)
        for z in terminal:
            if z in after and int(tree.sequence(they)[z]) == anchor:
                row[int(tree.sequence(we)[z])] += sign * tree.chance_reach[z] * tree.utility[z]
        first_next = {
            int(tree.infoset(they)[h])
            for h in after
            if tree.player[h] == they and int(tree.infoset_parent(they)[int(tree.infoset(they)[h])]) == anchor
        }
        for k in first_next:
            row[column[k]] += 1
        before[i] = _value(tree, they, sign, x, row, column, acting, payoff, extra)
        margin = -row
        margin[t] = reach[i]
        at_most.append(margin)
        at_most_to.append(-before[i])
    cost = np.zeros(size)
    cost[t] = -1
    answer = linprog(
        cost,
        A_ub=np.array(at_most),
        b_ub=np.array(at_most_to),
        A_eq=np.array(equal),
        b_eq=np.array(equal_to),
        bounds=bounds,
        method="highs",
    )
    assert answer.status == 0, answer.message
    return answer.x[t], reach


def _value(tree, they, sign, x, row, column, acting, payoff, extra):
    """The same sum of values when our plan is ``x``: the opponent best-responds, from her last infosets up."""
    value = {}
    for j in sorted(acting, reverse=True):
        first, count = int(tree.infoset_first(they)[j]), int(tree.infoset_actions(they)[j])
        worth = []
        for s in range(first, first + count):
            total = extra[s] + sum(u * x[ours] for (theirs, ours), u in payoff.items() if theirs == s)
            total += sum(value[k] for k in acting if int(tree.infoset_parent(they)[k]) == s)
            worth.append(total)
        value[j] = min(worth)
    total = sum(row[s] * x[s] for s in range(len(x)))
    return total + sum(row[column[j]] * value[j] for j in acting)


def _has_ancestor(tree, h, nodes):
    up = int(tree.parent[h])
    while up >= 0:
        if up in nodes:
            return True
        up = int(tree.parent[up])
    return False
