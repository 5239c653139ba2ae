"""What an agent would play in a game at some point, and why.

The agent is shown the game as its side saw it, move by move, and is then asked to decide.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from murk._core import Colour, Move, Observation
from murk.darkchess.agents.base import Agent, Clock, Decision
from murk.darkchess.belief import Belief
from murk.darkchess.board import START_FEN, Board
from murk.darkchess.picture import Arrow, svg_board
from murk.errors import InputError

__all__ = ["Analysis", "analyse"]

_FIRST_BLACK = 7
SHOWN = 0.005
"""Moves of a lower probability have no arrow."""


@dataclass(frozen=True)
class Analysis:
    """A decision with what it was based on.

    Attributes:
        board: the true board, for whoever looks at the analysis; the agent did not see it.
        view: what the agent saw.
        decision: what it would play.
        heat: how likely a piece of the opponent's stands on each square, as far as can be known.
        pieces: how likely each piece is on each square, as :meth:`Belief.probabilities` has it.
    """

    board: Board
    view: Observation
    decision: Decision
    heat: npt.NDArray[np.float64]
    pieces: npt.NDArray[np.float64]

    @property
    def arrows(self) -> list[Arrow]:
        """An arrow for each move of the mixture, with its probability."""
        decision = self.decision
        mixture = [choice for choice in decision.mixture if choice.probability >= SHOWN]
        if not mixture:
            return [Arrow(decision.move.from_square, decision.move.to_square)]
        return [
            Arrow(c.move.from_square, c.move.to_square, c.probability, f"{100 * c.probability:.0f} %") for c in mixture
        ]

    def svg(self) -> str:
        """Return what the agent saw, tinted where it expects the opponent, with its moves as arrows."""
        unseen = {square: 0.75 * float(p) for square, p in enumerate(self.heat) if not self.view.visible >> square & 1}
        return svg_board(
            self.view,
            flipped=self.view.colour == Colour.BLACK,
            shade=unseen,
            arrows=self.arrows,
        )

    def _repr_svg_(self) -> str:
        return self.svg()


def analyse(
    agent: Agent,
    moves: Sequence[Move] = (),
    *,
    fen: str = START_FEN,
    clock: Clock | None = None,
    seed: int = 0,
    memory: int | None = None,
) -> Analysis:
    """Have the side to move after ``moves`` decided for by an agent.

    Args:
        agent: the agent.
        moves: the game so far.
        fen: where it began; both players knew it.
        clock: how long the agent may think.
        seed: of the agent.
        memory: bytes of the belief that the heat map is made from, which is not the agent's own.

    Raises:
        IllegalMoveError: a move is not legal.
        InputError: the game is over.
    """
    board = Board(fen)
    colour = board.turn if len(moves) % 2 == 0 else _other(board.turn)
    options = {} if memory is None else {"memory": memory}
    belief = Belief(colour, fen, **options)
    agent.new_game(colour, seed, fen)
    for move in moves:
        mover = board.turn
        board.push(move)
        observation, own = board.observation(colour), move if mover == colour else None
        if observation.winner is not None:
            break
        belief.observe(observation, move=own)
        agent.observe(observation, own)
    outcome = board.outcome()
    if outcome is not None and outcome.winner is not None:
        raise InputError(f"the game is over after {len(board.moves)} plies ({outcome.reason}), expected one to move in")
    if agent.sees_everything:
        agent.see(board.copy())
    decision = agent.move(clock or Clock())
    probabilities = belief.probabilities()
    enemy = slice(_FIRST_BLACK, None) if colour == Colour.WHITE else slice(1, _FIRST_BLACK)
    heat = np.asarray(probabilities[:, enemy].sum(axis=1), dtype=np.float64)
    return Analysis(board, board.observation(colour), decision, heat, probabilities)


def _other(colour: Colour) -> Colour:
    return Colour.BLACK if colour == Colour.WHITE else Colour.WHITE
