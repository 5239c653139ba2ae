"""The agent that plays any legal move, all alike."""

import random

from murk._core import Colour, Move, Observation
from murk.darkchess.agents.base import Agent, Clock, Decision
from murk.darkchess.board import START_FEN
from murk.darkchess.fog_start import first_view

__all__ = ["RandomAgent"]


class RandomAgent(Agent):
    """Plays uniformly at random. It needs no belief: its legal moves follow from what it sees."""

    name = "random"

    def new_game(self, colour: Colour, seed: int, fen: str = START_FEN) -> None:
        """Begin a game."""
        self._random = random.Random(seed)
        self._view = first_view(fen, colour)

    def observe(self, observation: Observation, move: Move | None = None) -> None:
        """Keep the last observation."""
        self._view = observation

    def move(self, clock: Clock) -> Decision:
        """Draw a move."""
        return Decision(move=self._random.choice(self._view.legal_moves))
