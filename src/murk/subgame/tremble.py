"""A gadget whose opponent trembles at the root: now and then she enters an infoset whether she likes it or not.

As the probability vanishes, its equilibria are those that ``refinement="sequential"`` picks among the gadget's
[Kubíček, Lisý & Sandholm 2026]. The linear programs take that limit exactly; regret minimisation plays the trembling
game itself, as a tree like any other.
"""

import numpy as np
import numpy.typing as npt

from murk.errors import InputError
from murk.subgame.gadget import Subgame
from murk.tree.players import MAX, NATURE, TERMINAL, opponent
from murk.tree.tree import Tree

__all__ = ["trembling"]


def trembling(subgame: Subgame, probability: float) -> Tree:
    """Return the gadget under a nature node that, with ``probability``, enters a root infoset drawn evenly.

    Our infosets and sequences keep their numbers, so a strategy of one is a strategy of the other.

    Raises:
        InputError: the probability is not between 0 and 1, or the gadget is of the unsafe kind.
    """
    if not 0 < probability < 1:
        raise InputError(f"the probability of trembling is {probability!r}, expected a number between 0 and 1")
    if subgame.kind == "unsafe":
        raise InputError("an unsafe subgame has no root infosets to tremble into")
    return _Trembling(subgame, probability).build()


class _Trembling:
    def __init__(self, subgame: Subgame, probability: float) -> None:
        self.we, self.they = subgame.player, opponent(subgame.player)
        self.gadget = subgame.tree
        self.entered = (subgame if subgame.kind == "maxmargin" else subgame.to_maxmargin()).tree
        self.count = len(subgame.roots)
        self.probability = probability
        self.out = Tree(2 * (self.gadget.num_nodes + self.entered.num_nodes) + 16)
        self.out.name = f"{self.gadget.name}, trembling"
        # The entered copy's infosets of the opponent come after the gadget's; pushed into one, she has chosen nothing.
        self.infoset_shift = self.gadget.num_infosets(self.they)
        self.sequence_shift = self.gadget.num_sequences(self.they) - 1 - self.count

    def build(self) -> Tree:
        out, gadget, entered = self.out, self.gadget, self.entered
        self._copy_tables()
        wait = out.add_infoset(self.we, 0, 0)
        watch = out.add_infoset(self.they, 0, 0)
        out.add_root()
        each = self.probability / self.count
        chance = np.array([1.0 - self.probability] + [each] * self.count)
        labels = np.arange(self.count + 1, dtype=np.int64)
        first = out.expand(0, NATURE, self._pair(wait, watch), labels, chance, np.zeros(self.count + 1))
        self._copy(gadget, 0, first, shift=0)
        for r in range(self.count):
            self._copy(entered, int(entered.first_child[0]) + r, first + 1 + r, shift=self.infoset_shift)
        for sequence, payoff in gadget.extra(self.they):
            out.add_extra(self.they, sequence, payoff * (1.0 - self.probability))
        for sequence, payoff in entered.extra(self.they):
            out.add_extra(self.they, self._entered_sequence(sequence), payoff * each)
        for sequence, payoff in gadget.extra(self.we):
            out.add_extra(self.we, sequence, payoff)
        return out

    def _pair(self, ours: int, theirs: int) -> list[int]:
        return [ours, theirs] if self.we == MAX else [theirs, ours]

    def _entered_sequence(self, sequence: int) -> int:
        return 0 if sequence <= self.count else sequence + self.sequence_shift

    def _copy_tables(self) -> None:
        for player in (self.we, self.they):
            parents, actions = self.gadget.infoset_parent(player), self.gadget.infoset_actions(player)
            for parent, count in zip(parents.tolist(), actions.tolist(), strict=True):
                self.out.add_infoset(player, parent, count)
        parents, actions = self.entered.infoset_parent(self.they), self.entered.infoset_actions(self.they)
        for i, (parent, count) in enumerate(zip(parents.tolist(), actions.tolist(), strict=True)):
            # Infoset 0 is the choice at the root, which is not made here; it stays as one at which nothing happens.
            self.out.add_infoset(self.they, self._entered_sequence(parent), count if i > 0 else 0)

    def _copy(self, source: Tree, top: int, target: int, shift: int) -> None:
        first_child, num_children, player = source.first_child, source.num_children, source.player
        chance = source.chance_probabilities()
        ours, theirs = source.infoset(self.we), source.infoset(self.they)
        stack = [(top, target)]
        while stack:
            node, copy = stack.pop()
            if player[node] == TERMINAL:
                self.out.set_utility(copy, float(source.utility[node]))
                continue
            span = slice(int(first_child[node]), int(first_child[node] + num_children[node]))
            probabilities: npt.NDArray[np.float64] = np.ascontiguousarray(chance[span])
            if player[node] == NATURE:
                probabilities = probabilities / probabilities.sum()
            pair = self._pair(int(ours[node]), int(theirs[node]) + shift)
            labels = np.ascontiguousarray(source.action[span])
            first = self.out.expand(
                copy, int(player[node]), pair, labels, probabilities, np.zeros(span.stop - span.start)
            )
            stack.extend((span.start + i, first + i) for i in range(span.stop - span.start))
