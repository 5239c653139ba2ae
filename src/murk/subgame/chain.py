"""The state of nested solving during one playthrough: the current subgame Γ and our strategy x in it.

Algorithms 2 and 3 of [ZS21], and plain nested solving, all keep it, reset it to the full game and its blueprint
before a playthrough, and replace it by a gadget and its solution whenever they solve.
"""

from collections import OrderedDict

import numpy as np
import numpy.typing as npt

from murk.errors import InputError
from murk.subgame.knowledge import Knowledge
from murk.subgame.nested import NestedOptions, Step, start_chain, step_chain
from murk.tree.strategy import Strategy

__all__ = ["Chain"]

Floats = npt.NDArray[np.float64]


class Chain:
    """The current subgame and our strategy in it.

    Args:
        blueprint: our strategy in the full game.
        options: how subgames are made and solved.
        kept: how many solved subgames to remember between playthroughs. The same blueprint and the same infosets on
            the way give the same subgame, so this changes nothing but the time.

    Attributes:
        blueprint: as given; assign another and the chain starts again from it.
        step: the last solve of this playthrough, None before the first.
    """

    def __init__(self, blueprint: Strategy, options: NestedOptions | None = None, *, kept: int = 0) -> None:
        self.options = options or NestedOptions()
        self.kept = kept
        self.step: Step | None = None
        self._knowledge = Knowledge(blueprint.tree)
        self._blueprint = blueprint
        self._solved: tuple[int, ...] = ()
        self._memory: OrderedDict[tuple[int, ...], Step] = OrderedDict()

    @property
    def blueprint(self) -> Strategy:
        """Our strategy in the full game."""
        return self._blueprint

    @blueprint.setter
    def blueprint(self, blueprint: Strategy) -> None:
        if blueprint.tree is not self._blueprint.tree or blueprint.player is not self._blueprint.player:
            raise InputError(
                f"the blueprint is of {blueprint.player.name} in {blueprint.tree.name}, "
                f"expected one of {self._blueprint.player.name} in {self._blueprint.tree.name}"
            )
        self._blueprint = blueprint
        self._memory.clear()
        self.reset()

    @property
    def strategy(self) -> Strategy:
        """x, our strategy in the current subgame."""
        return self._blueprint if self.step is None else self.step.solution.strategy

    def reset(self) -> None:
        """Go back to the full game: a new playthrough begins."""
        self.step = None
        self._solved = ()

    def solve(self, infoset: int) -> bool:
        """Replace the current subgame by the one for ``infoset`` of the full game, solved.

        Return False and change nothing if our current strategy never comes there: there is no such subgame then.
        """
        here = self._place(infoset)
        if here is None or not self._comes_to(here):
            return False
        solved = (*self._solved, infoset)
        step = self._memory.get(solved)
        if step is None:
            step = self._solve(here)
            if self.kept:
                self._memory[solved] = step
                if len(self._memory) > self.kept:
                    self._memory.popitem(last=False)
        else:
            self._memory.move_to_end(solved)
        self.step, self._solved = step, solved
        return True

    def behaviour(self, infoset: int) -> Floats:
        """Return x(· | I) for an infoset I of the full game: what our current strategy plays there."""
        here = self._place(infoset)
        strategy = self._blueprint if here is None else self.strategy
        place = infoset if here is None else here
        tree, player = strategy.tree, strategy.player
        first, count = int(tree.infoset_first(player)[place]), int(tree.infoset_actions(player)[place])
        values = strategy.sequences[first : first + count]
        total = float(values.sum())
        return np.asarray(values / total) if total > 0 else np.full(count, 1.0 / count)

    def _place(self, infoset: int) -> int | None:
        """Return the number of the full game's ``infoset`` in the current subgame, None if it is not in it."""
        if self.step is None:
            return infoset
        found = np.flatnonzero(self.step.origin == infoset)
        return int(found[0]) if len(found) else None

    def _comes_to(self, here: int) -> bool:
        """Tell whether our current strategy and nature can come to an infoset of the current subgame."""
        tree, player = self.strategy.tree, self.strategy.player
        if not self.strategy.sequences[tree.infoset_parent(player)[here]] > 0:
            return False
        nodes = self._knowledge.nodes(player, here) if self.step is None else tree.infoset(player) == here
        return bool((tree.chance_reach[nodes] > 0).any())

    def _solve(self, here: int) -> Step:
        if self.step is None:
            return start_chain(self._blueprint, here, self.options, knowledge=self._knowledge)
        return step_chain(self.step, here, self.options)
