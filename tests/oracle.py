"""Slow, obvious answers to what the library computes natively, in plain Python.

Nothing here uses the library's sequences, sequence form or solvers: only the raw arrays of a tree (who moves where,
what follows, payoffs, and which nodes a player cannot tell apart). A sequence is the tuple of a player's own (infoset,
choice) pairs, as in Section 2 of [ZS21]; `number` turns it into the library's numbering for comparisons.
"""

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
from scipy.optimize import linprog

from murk.tree import MAX, MIN, NATURE, TERMINAL, Tree

Choice = tuple[int, int]
Key = tuple[Choice, ...]
Pure = dict[int, int]
Behaviour = dict[int, list[float]]


class Plain:
    """A tree as lists, and its definitions written out."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.parent = tree.parent.tolist()
        self.player = tree.player.tolist()
        self.utility = tree.utility.tolist()
        self.reach = tree.chance_reach.tolist()
        self.infoset = [tree.infoset(p).tolist() for p in (MAX, MIN)]
        self.children: list[list[int]] = [[] for _ in self.parent]
        for node, up in enumerate(self.parent):
            if up >= 0:
                self.children[up].append(node)
        self.leaves = [h for h, player in enumerate(self.player) if player == TERMINAL]
        self.key = [self._keys(p) for p in (MAX, MIN)]
        self.actions = [self._actions(p) for p in (MAX, MIN)]
        self.extra: list[dict[int, float]] = [defaultdict(float), defaultdict(float)]
        for p in (MAX, MIN):
            for sequence, payoff in tree.extra(p):
                self.extra[p][sequence] += payoff

    def _keys(self, p: int) -> list[Key]:
        keys: list[Key] = []
        for node, up in enumerate(self.parent):
            above = keys[up] if up >= 0 else ()
            acted = up >= 0 and self.player[up] == p
            keys.append((*above, (self.infoset[p][up], self.children[up].index(node))) if acted else above)
        return keys

    def _actions(self, p: int) -> dict[int, int]:
        """Return the number of actions of each infoset at which ``p`` acts."""
        return {self.infoset[p][h]: len(self.children[h]) for h, player in enumerate(self.player) if player == p}

    def nodes_of(self, p: int, infoset: int) -> list[int]:
        return [h for h, i in enumerate(self.infoset[p]) if i == infoset]

    def number(self, p: int, key: Key) -> int:
        """Return the library's number of a sequence."""
        if not key:
            return 0
        infoset, choice = key[-1]
        return int(self.tree.infoset_first(p)[infoset]) + choice

    def key_of(self, p: int, sequence: int) -> Key:
        """Return the sequence that the library gives this number; it may be one that no node has."""
        if sequence == 0:
            return ()
        infoset = int(self.tree.sequence_infoset(p)[sequence])
        above = self.key_of(p, int(self.tree.infoset_parent(p)[infoset]))
        return (*above, (infoset, sequence - int(self.tree.infoset_first(p)[infoset])))

    def behaviour(self, p: int, x: Sequence[float]) -> Behaviour:
        """Return a sequence-form strategy as probabilities at each infoset, even ones where it never arrives."""
        out: Behaviour = {}
        for infoset, count in self.actions[p].items():
            above = self.key[p][self.nodes_of(p, infoset)[0]]
            reach = x[self.number(p, above)]
            plays = [x[self.number(p, (*above, (infoset, a)))] for a in range(count)]
            out[infoset] = [q / reach for q in plays] if reach > 0 else [1 / count] * count
        return out

    def value(self, x: Sequence[float], y: Sequence[float], node: int = 0) -> float:
        """Return MAX's expected payoff from ``node`` on, by walking; without extra payoffs."""
        return self._walk(node, (self.behaviour(MAX, x), self.behaviour(MIN, y)))

    def _walk(self, node: int, behaviour: tuple[Behaviour, Behaviour]) -> float:
        player = self.player[node]
        if player == TERMINAL:
            return self.utility[node]
        below = self.children[node]
        if player == NATURE:
            up = self.reach[node]
            weights = [self.reach[c] / up if up > 0 else 1 / len(below) for c in below]
        else:
            weights = behaviour[player][self.infoset[player][node]]
        return sum(w * self._walk(c, behaviour) for w, c in zip(weights, below, strict=True))

    def extra_value(self, p: int, x: Sequence[float]) -> float:
        return sum(payoff * x[s] for s, payoff in self.extra[p].items())

    def pure_strategies(self, p: int) -> Iterator[Pure]:
        """Yield every way to choose one action at every infoset."""
        infosets = sorted(self.actions[p])
        for choices in itertools.product(*(range(self.actions[p][i]) for i in infosets)):
            yield dict(zip(infosets, choices, strict=True))

    def num_pure_strategies(self, p: int) -> int:
        return int(np.prod([float(n) for n in self.actions[p].values()], initial=1.0))

    def best_response(self, responder: int, x: Sequence[float]) -> float:
        """Return MAX's payoff under the best of all of the responder's pure strategies against ``x``."""
        pick = max if responder == MAX else min
        constant = self.extra_value(1 - responder, x)
        return constant + pick(self._against(responder, x, pure, ()) for pure in self.pure_strategies(responder))

    def counterfactual(self, responder: int, x: Sequence[float], key: Key) -> float | None:
        """Return u*(x | Ia) of [ZS21], Section 2, for the sequence Ia = ``key``; None if Ia is never reached."""
        infoset, _ = key[-1]
        other = 1 - responder
        reach = sum(
            self.reach[h] * x[self.number(other, self.key[other][h])] for h in self.nodes_of(responder, infoset)
        )
        if reach == 0:
            return None
        pick = max if responder == MAX else min
        forced = dict(key)
        # Only what the responder does after Ia matters; the other infosets are left out of the enumeration.
        below = sorted({i for k in self.key[responder] for i, _ in k if k[: len(key)] == key} - forced.keys())
        totals = []
        for choices in itertools.product(*(range(self.actions[responder][i]) for i in below)):
            totals.append(self._against(responder, x, forced | dict(zip(below, choices, strict=True)), key))
        return pick(totals) / reach

    def _against(self, responder: int, x: Sequence[float], pure: Pure, start: Key) -> float:
        """Sum payoffs over the terminal nodes, and extra payoffs over the sequences, that follow ``start``."""
        other = 1 - responder
        total = 0.0
        for leaf in self.leaves:
            key = self.key[responder][leaf]
            if key[: len(start)] == start and all(pure[i] == a for i, a in key):
                total += self.utility[leaf] * self.reach[leaf] * x[self.number(other, self.key[other][leaf])]
        for sequence, payoff in self.extra[responder].items():
            key = self.key_of(responder, sequence)
            if key[: len(start)] == start and all(pure[i] == a for i, a in key):
                total += payoff
        return total

    def matrix(self) -> np.ndarray:
        """Return the payoff matrix A by the library's numbers of sequences, dense."""
        out = np.zeros([self.tree.num_sequences(p) for p in (MAX, MIN)])
        for leaf in self.leaves:
            row, column = (self.number(p, self.key[p][leaf]) for p in (MAX, MIN))
            out[row, column] += self.reach[leaf] * self.utility[leaf]
        return out

    def flow(self, p: int) -> tuple[np.ndarray, np.ndarray]:
        """Return (F, f) with F x = f for the realisation plans x of ``p``."""
        rows = [np.eye(self.tree.num_sequences(p))[0]]
        for infoset in self.tree.acting_infosets(p).tolist():
            row = np.zeros(self.tree.num_sequences(p))
            row[int(self.tree.infoset_parent(p)[infoset])] = -1
            first = int(self.tree.infoset_first(p)[infoset])
            row[first : first + int(self.tree.infoset_actions(p)[infoset])] = 1
            rows.append(row)
        return np.array(rows), np.eye(len(rows))[0]

    def lp_value(self, p: int = MAX, lower: np.ndarray | None = None) -> float:
        """Return the value to MAX of ``p``'s best strategy under lower bounds, by a dense linear program in scipy."""
        sign = 1 if p == MAX else -1
        payoff = sign * (self.matrix() if p == MAX else self.matrix().T)
        own_extra, other_extra = (np.zeros(self.tree.num_sequences(q)) for q in (p, 1 - p))
        for vector, q in ((own_extra, p), (other_extra, 1 - p)):
            for sequence, value in self.extra[q].items():
                vector[sequence] = sign * value
        own_flow, own_total = self.flow(p)
        other_flow, other_total = self.flow(1 - p)
        # maximise own_extra.x + other_total.v subject to other_flow' v <= payoff' x + other_extra
        at_most = [np.hstack([-payoff.T, other_flow.T])]
        limits = [other_extra]
        if lower is not None:
            parents = np.array([self.tree.infoset_parent(p)[i] for i in self.tree.sequence_infoset(p)])
            for s in range(1, len(lower)):
                row = np.zeros(payoff.shape[0] + len(other_total))
                row[int(parents[s])] += lower[s]
                row[s] -= 1
                at_most.append(row[None])
                limits.append(np.zeros(1))
        result = linprog(
            c=np.concatenate([-own_extra, -other_total]),
            A_ub=np.vstack(at_most),
            b_ub=np.concatenate(limits),
            A_eq=np.hstack([own_flow, np.zeros((len(own_flow), len(other_total)))]),
            b_eq=own_total,
            bounds=[(0, None)] * payoff.shape[0] + [(None, None)] * len(other_total),
        )
        assert result.status == 0, result.message
        return -sign * float(result.fun)
