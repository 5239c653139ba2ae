"""Regret minimisation as the papers write it: dictionaries, recursion over the tree, one infoset after another.

The twin of ``cpp/solve/cfr.cpp``. `Variant` says what CFR [Zinkevich et al. 2007], CFR+ [Tammelin 2014], LCFR and DCFR
[Brown & Sandholm 2019] and PCFR+ [Farina, Kroer & Sandholm 2021] do differently.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from oracle import Behaviour, Plain

from murk.solvers import CfrVariant
from murk.tree import MAX, MIN, TERMINAL, Tree

Regrets = dict[int, list[float]]


def positive_part(regrets: list[float]) -> list[float]:
    return [max(r, 0.0) for r in regrets]


def matched(regrets: list[float]) -> list[float]:
    """Return the probabilities in proportion to positive regret, even ones if there is none."""
    positive = positive_part(regrets)
    total = sum(positive)
    return [r / total for r in positive] if total > 0 else [1 / len(regrets)] * len(regrets)


def accumulated(variant: CfrVariant, t: int, before: list[float], gain: list[float]) -> list[float]:
    """Return the regrets after iteration ``t``, in which each action would have gained ``gain``."""
    if variant.regret == "plain":
        weight = t if variant.linear_regret else 1
        return [r + weight * g for r, g in zip(before, gain, strict=True)]
    total = [r + g for r, g in zip(before, gain, strict=True)]
    if variant.regret == "discounted":
        grow, shrink = (float(t) ** exponent for exponent in (variant.alpha, variant.beta))
        return [r * (grow / (grow + 1) if r > 0 else shrink / (shrink + 1)) for r in total]
    return positive_part(total)


@dataclass
class Side:
    """What one player remembers."""

    regret: Regrets
    prediction: Regrets
    behaviour: Behaviour
    total: dict[int, float]


class CfrTwin:
    """One game being solved; ``run`` makes one iteration."""

    def __init__(self, tree: Tree, variant: CfrVariant) -> None:
        self.plain = Plain(tree)
        self.tree = tree
        self.variant = variant
        self.iteration = 0
        self.weight = 0.0
        self.keys = [[self.plain.key_of(p, s) for s in range(tree.num_sequences(p))] for p in (MAX, MIN)]
        self.numbers = [[self.plain.number(p, key) for key in self.plain.key[p]] for p in (MAX, MIN)]
        self.sides = []
        for p in (MAX, MIN):
            actions = self.plain.actions[p]
            self.sides.append(
                Side(
                    regret={i: [0.0] * n for i, n in actions.items()},
                    prediction={i: [0.0] * n for i, n in actions.items()},
                    behaviour={i: [1 / n] * n for i, n in actions.items()},
                    total=dict.fromkeys(range(tree.num_sequences(p)), 0.0),
                )
            )

    def run(self) -> None:
        self.iteration += 1
        power = {"uniform": 0, "linear": 1, "quadratic": 2, "last": 0}[self.variant.averaging]
        weight = float(self.iteration) ** power
        self.weight += weight
        if self.variant.alternating:
            for p in (MAX, MIN):
                self.improve(p, self.current(1 - p))
        else:
            before = [self.current(p) for p in (MAX, MIN)]
            for p in (MAX, MIN):
                self.improve(p, before[1 - p])
        for p in (MAX, MIN):
            for sequence, x in enumerate(self.current(p)):
                self.sides[p].total[sequence] += weight * x

    def improve(self, p: int, opponent: list[float]) -> None:
        """Move ``p``'s regrets, and then her behaviour, by what each action would have earned."""
        side = self.sides[p]
        earned = self.counterfactual_values(p, opponent)
        for infoset, values in earned.items():
            value = sum(b * v for b, v in zip(side.behaviour[infoset], values, strict=True))
            gain = [v - value for v in values]
            side.regret[infoset] = accumulated(self.variant, self.iteration, side.regret[infoset], gain)
            side.prediction[infoset] = gain
        for infoset, regret in side.regret.items():
            if self.variant.regret == "predictive":
                regret = [r + m for r, m in zip(regret, side.prediction[infoset], strict=True)]
            side.behaviour[infoset] = matched(regret)

    def counterfactual_values(self, p: int, opponent: list[float]) -> dict[int, list[float]]:
        """Return what ``p`` would earn by each action, weighted by the chance and the opponent's reach."""
        plain, sign = self.plain, 1 if p == MAX else -1
        extra = self.extra_below(p)
        values = {i: [sign * e for e in extra[i]] for i in plain.actions[p]}

        def earn(node: int) -> float:
            if plain.player[node] == TERMINAL:
                return sign * plain.utility[node] * plain.reach[node] * opponent[self.numbers[1 - p][node]]
            below = [earn(child) for child in plain.children[node]]
            if plain.player[node] != p:
                return sum(below)
            infoset = plain.infoset[p][node]
            for a, value in enumerate(below):
                values[infoset][a] += value
            return sum(b * v for b, v in zip(self.sides[p].behaviour[infoset], below, strict=True))

        earn(0)
        return values

    def extra_below(self, p: int) -> dict[int, list[float]]:
        """Return the extra payoffs after each action of ``p``, under her behaviour."""
        plain = self.plain
        out = {i: [0.0] * n for i, n in plain.actions[p].items()}
        for sequence, payoff in plain.extra[p].items():
            weight = 1.0
            for infoset, a in reversed(self.keys[p][sequence]):
                out[infoset][a] += weight * payoff
                weight *= self.sides[p].behaviour[infoset][a]
        return out

    def current(self, p: int) -> list[float]:
        """Return the sequence form of ``p``'s behaviour."""
        out = [0.0] * self.tree.num_sequences(p)
        for sequence in range(len(out)):
            out[sequence] = 1.0
            for infoset, a in self.keys[p][sequence]:
                out[sequence] *= self.sides[p].behaviour[infoset][a]
        return out

    def average(self, p: int) -> list[float]:
        return [self.sides[p].total[s] / self.weight for s in range(self.tree.num_sequences(p))]


def dense(form_matrix: Callable[[], tuple[np.ndarray, np.ndarray, np.ndarray]], shape: tuple[int, int]) -> np.ndarray:
    """Return compressed rows as a dense matrix."""
    start, column, value = form_matrix()
    out = np.zeros(shape)
    for row in range(shape[0]):
        for k in range(int(start[row]), int(start[row + 1])):
            out[row, column[k]] += value[k]
    return out
