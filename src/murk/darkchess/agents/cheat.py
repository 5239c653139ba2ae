"""The agent that sees everything: an upper bound for measurements, and no dark chess player at all.

The referee shows it the true position before each of its moves, because it declares so. Tables, PGN and journals carry
the words ``sees everything`` beside its name.
"""

import random
import time

import numpy as np

from murk._core import Colour, Move, Observation, Position, look_ahead
from murk.darkchess.agents.base import Agent, Clock, Decision
from murk.darkchess.agents.believing import Deadline, point_mixture
from murk.darkchess.board import START_FEN, Board
from murk.darkchess.evaluators.choose import make_evaluator
from murk.errors import InputError

__all__ = ["CheatAgent"]


class CheatAgent(Agent):
    """Searches the true position by iterative deepening.

    Args:
        depth: plies at most; without any limit on the clock, 3.
        evaluator: the value function by name.
    """

    name = "cheat"
    sees_everything = True

    def __init__(self, *, depth: int = 40, evaluator: str = "embedded") -> None:
        if depth < 1:
            raise InputError(f"depth is {depth}, expected at least 1")
        self._depth = depth
        self.evaluator = make_evaluator(evaluator)

    def new_game(self, colour: Colour, seed: int, fen: str = START_FEN) -> None:
        """Begin a game."""
        self._random = random.Random(seed)
        self._position = Position(fen)

    def observe(self, observation: Observation, move: Move | None = None) -> None:
        """Do nothing: it will be shown more than that."""

    def see(self, board: Board) -> None:
        """Look at the true position."""
        self._position = board.position

    def move(self, clock: Clock) -> Decision:
        """Search as deep as the clock allows."""
        started = time.perf_counter()
        deadline = Deadline(clock, started)
        moves = self._position.legal_moves
        values = np.asarray(self.evaluator.values(self._position), dtype=np.float64)
        deadline.spent += len(moves)
        most = min(3, self._depth) if deadline.unlimited else self._depth
        depth = 1
        while depth < most and not deadline.passed and abs(values.max()) < 0.99:
            found, taken = look_ahead(
                self.evaluator,
                self._position,
                depth + 1,
                seconds=deadline.seconds,
                values=deadline.values,
                best_only=True,
                stop=deadline.stopped,
            )
            deadline.spent += taken
            if found is None:
                break
            values, depth = np.asarray(found, dtype=np.float64), depth + 1
        move = moves[int(values.argmax())]
        return Decision(
            move=move,
            mixture=point_mixture(moves, values, move),
            value=float(values.max()),
            belief_size=1,
            belief_exact=True,
            nodes=deadline.spent,
            depth=depth,
            seconds=time.perf_counter() - started,
            evaluator=self.evaluator.name,
            notes={"sees_everything": True},
        )
