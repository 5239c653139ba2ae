"""Perfect-information Monte Carlo: sample what may be, and play what is best if everything were seen.

The classic way to use an engine of perfect information in a game without. It never sees a reason to hide or to find
something out, and believes that it will know tomorrow what it does not know today ("strategy fusion").
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from murk._core import Move
from murk.darkchess.agents.base import Choice, Decision
from murk.darkchess.agents.believing import BELIEF_MEMORY, BelievingAgent, Deadline, evaluate, point_mixture
from murk.errors import InputError

__all__ = ["PimcAgent"]


class PimcAgent(BelievingAgent):
    """Plays the evaluator's favourite over sampled positions.

    Args:
        positions: how many positions it samples at most; fewer if its time or its values run out.
        choice: ``mean`` plays the move of the highest mean value, ``vote`` the one that is best in most positions.
        evaluator: the value function by name.
        memory: bytes of the belief.
    """

    name = "pimc"

    def __init__(
        self,
        *,
        positions: int = 1000,
        choice: Literal["mean", "vote"] = "mean",
        evaluator: str = "embedded",
        memory: int = BELIEF_MEMORY,
    ) -> None:
        super().__init__(evaluator=evaluator, memory=memory)
        if positions < 1:
            raise InputError(f"positions is {positions}, expected at least 1")
        self._positions, self._choice = positions, choice

    def decide(self, moves: Sequence[Move], deadline: Deadline) -> Decision:
        """Evaluate a sample and choose."""
        values = evaluate(self.evaluator, self.sample(self._positions), moves, deadline)
        mean = values.mean(axis=0)
        if self._choice == "mean":
            move = moves[int(mean.argmax())]
            mixture = point_mixture(moves, mean, move)
        else:
            votes = np.bincount(values.argmax(axis=1), minlength=len(moves))
            order = sorted(range(len(moves)), key=lambda i: (-votes[i], -mean[i]))
            move = moves[order[0]]
            mixture = tuple(Choice(moves[i], float(votes[i] / len(values)), float(mean[i])) for i in order)
        return Decision(
            move=move,
            mixture=mixture,
            value=float(mean[moves.index(move)]),
            nodes=deadline.spent,
            depth=1,
            notes={"positions": len(values)},
        )
