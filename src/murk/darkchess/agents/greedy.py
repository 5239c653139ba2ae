"""The agent that takes what it sees.

It captures the king if it can, else the most valuable piece it sees, with the least valuable of its own that can, and
never minds what comes back. With nothing to take it plays the move that the evaluator likes best on average over a few
positions it holds possible.
"""

from collections.abc import Sequence

from murk._core import Move
from murk.darkchess.agents.base import Choice, Decision
from murk.darkchess.agents.believing import BELIEF_MEMORY, BelievingAgent, Deadline, evaluate, point_mixture
from murk.darkchess.picture import FOG
from murk.errors import InputError

__all__ = ["GreedyAgent"]

WORTH = {"p": 1, "n": 3, "b": 3, "r": 5, "q": 9, "k": 1000}


class GreedyAgent(BelievingAgent):
    """Takes the most valuable piece in sight.

    Args:
        positions: how many positions of the belief it looks at when there is nothing to take.
        evaluator: the value function by name.
        memory: bytes of the belief.
    """

    name = "greedy"

    def __init__(self, *, positions: int = 16, evaluator: str = "embedded", memory: int = BELIEF_MEMORY) -> None:
        super().__init__(evaluator=evaluator, memory=memory)
        if positions < 1:
            raise InputError(f"positions is {positions}, expected at least 1")
        self._positions = positions

    def decide(self, moves: Sequence[Move], deadline: Deadline) -> Decision:
        """Take something, or ask the evaluator."""
        gains = {move: self._gain(move) for move in moves}
        most = max(gains.values())
        if most > 0:
            best = [move for move in moves if gains[move] == most]
            move = self._random.choice(best)
            return Decision(move=move, mixture=tuple(Choice(m, 1 / len(best)) for m in best), notes={"takes": most})
        values = evaluate(self.evaluator, self.sample(self._positions), moves, deadline)
        mean = values.mean(axis=0)
        move = moves[int(mean.argmax())]
        return Decision(
            move=move,
            mixture=point_mixture(moves, mean, move),
            value=float(mean.max()),
            nodes=deadline.spent,
            depth=1,
        )

    def _gain(self, move: Move) -> float:
        """Return what a capture gains: what is taken, less a little for the piece that takes."""
        taken = self._view.piece_at(move.to_square)
        if taken is None or taken == FOG:
            return 0.0
        own = self._view.piece_at(move.from_square)
        assert own is not None, "a legal move begins on a piece"
        return WORTH[taken.lower()] - min(WORTH[own.lower()], 10) / 100
