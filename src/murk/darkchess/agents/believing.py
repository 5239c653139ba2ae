"""What agents with a belief share: they keep it up to date, sample from it and know their evaluator."""

import math
import random
import time
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from murk._core import Colour, Evaluator, Move, Observation, Position
from murk.darkchess.agents.base import Agent, Choice, Clock, Decision
from murk.darkchess.belief import BYTES_PER_BOARD
from murk.darkchess.board import START_FEN
from murk.darkchess.evaluators.choose import make_evaluator
from murk.darkchess.fog_start import first_view
from murk.darkchess.tracking import Tracker
from murk.errors import InputError

__all__ = ["BelievingAgent", "Deadline", "evaluate", "in_order", "point_mixture"]

BELIEF_MEMORY = 8 << 20
"""Bytes of a belief by default: 131,072 positions."""
POSITIONS_PER_SECOND = 150_000
"""Positions that are held for each second of a move, fewer if to update them takes too long."""
FEWEST_POSITIONS = 5_000
SAFETY = 0.02
"""Seconds of a budget that no agent uses: to return, and for the clock of a busy machine."""
BATCH = 16
"""Positions that are evaluated between two looks at the clock."""


class Deadline:
    """When to stop: at a time, after so many values, or when asked to.

    Args:
        clock: the limits of the move.
        started: when thinking began, as :func:`time.perf_counter` has it.
        reserve: seconds to stop earlier.
    """

    def __init__(self, clock: Clock, started: float, reserve: float = SAFETY) -> None:
        budget = clock.budget()
        self._end = None if budget is None else started + max(0.0, budget - reserve)
        self._nodes = clock.nodes
        self._stop = clock.stop
        self.progress = clock.progress
        self.spent = 0

    @property
    def seconds(self) -> float | None:
        """Seconds left, ``None`` if time is not limited."""
        return None if self._end is None or math.isinf(self._end) else max(0.0, self._end - time.perf_counter())

    @property
    def values(self) -> int | None:
        """Values left, ``None`` if they are not limited."""
        return None if self._nodes is None else max(0, self._nodes - self.spent)

    @property
    def unlimited(self) -> bool:
        """Whether there is no limit at all, so that the agent must set its own."""
        return self._end is None and self._nodes is None

    @property
    def passed(self) -> bool:
        """Whether it is time to stop."""
        return self.seconds == 0 or self.values == 0 or self.stopped()

    @property
    def stoppable(self) -> bool:
        """Whether the agent may be asked to stop at any time."""
        return self._stop is not None

    def stopped(self) -> bool:
        """Return whether the agent was asked to stop."""
        return self._stop is not None and self._stop()


class BelievingAgent(Agent):
    """An agent that holds a belief: the positions that agree with all it has seen.

    A subclass decides in :meth:`decide`; the belief is then up to date, and there are at least two moves.

    Args:
        evaluator: the value function by name, see :func:`murk.darkchess.evaluators.make_evaluator`.
        memory: bytes of the belief, as many again for positions put aside, and as many for those that need not be
            looked at again. Beyond them it is a sample, and the decision says so. On a clock it is kept smaller, so
            that it does not eat up the time to think.

    Attributes:
        assumed: the opponent's pieces if the game begins from a view with fog, see :mod:`murk.darkchess.fog_start`.
        observing: part of a move's time that updating the belief may take.
    """

    assumed: str = "mirror"
    observing: float = 0.25

    def __init__(self, *, evaluator: str = "embedded", memory: int = BELIEF_MEMORY) -> None:
        if memory < BYTES_PER_BOARD:
            raise InputError(f"memory is {memory} bytes, expected at least {BYTES_PER_BOARD}")
        self._capacity = memory // BYTES_PER_BOARD
        self.evaluator: Evaluator = make_evaluator(evaluator)

    def new_game(self, colour: Colour, seed: int, fen: str = START_FEN) -> None:
        """Begin a game with a belief of one position, or of a sample if ``fen`` is a view with fog."""
        self._random = random.Random(seed)
        self._view = first_view(fen, colour)
        self.belief = Tracker(colour, fen, limit=self._capacity, seed=seed, assumed=self.assumed)
        self._observing = 0.0  # seconds since the last move
        self._room = 1.0  # part of the positions that there was time for
        self._patience = math.inf  # seconds that an update may take

    def observe(self, observation: Observation, move: Move | None = None) -> None:
        """Take an observation into the belief."""
        started = time.perf_counter()
        self._view = observation
        if observation.winner is None:
            self.belief.observe(observation, move, seconds=self._patience)
        self._observing += time.perf_counter() - started

    def move(self, clock: Clock) -> Decision:
        """Decide; with a single legal move, or a king to take, there is nothing to think about."""
        started = time.perf_counter()
        observing = self._observing
        self.belief.limit = self._limit(clock)
        self._catch_up(clock, observing)
        moves = self._view.legal_moves
        facts: dict[str, Any] = {
            "belief_size": len(self.belief),
            "belief_exact": self.belief.exact,
            "evaluator": self.evaluator.name,
        }
        if (tell := clock.progress) is not None:
            clock = replace(clock, progress=lambda decision: tell(replace(decision, **facts)))
        if len(moves) == 1:
            decision = Decision(move=moves[0], mixture=(Choice(moves[0], 1.0),), notes={"only_move": True})
        elif (taking := self._takes_king(moves)) is not None:
            decision = Decision(move=taking, mixture=(Choice(taking, 1.0, 1.0),), value=1.0, notes={"takes_king": True})
        else:
            decision = self.decide(moves, Deadline(clock, started, self.reserve))
        if self.belief.repaired:
            facts["notes"] = {**decision.notes, "repaired": self.belief.repaired}
        return replace(decision, **facts, seconds=time.perf_counter() - started)

    def _takes_king(self, moves: Sequence[Move]) -> Move | None:
        """Return a move that takes the opponent's king: where one can be taken, it is seen."""
        king = "k" if self._view.colour == Colour.WHITE else "K"
        return next((move for move in moves if self._view.piece_at(move.to_square) == king), None)

    def _limit(self, clock: Clock) -> int:
        """Return how many positions to hold from now on: no more than there is time to update."""
        observing, self._observing = self._observing, 0.0
        budget = clock.budget()
        if budget is None:
            return self._capacity
        budget += observing  # which has been taken off already
        fitting = self.observing * budget / max(observing, 1e-6)
        self._room = min(1.0, self._room * min(2.0, fitting))
        return int(min(self._capacity, max(FEWEST_POSITIONS, self._room * POSITIONS_PER_SECOND * budget)))

    def _catch_up(self, clock: Clock, observing: float) -> None:
        """Go back to positions that there was no time for, if there is some left now."""
        budget = clock.budget()
        if budget is None or math.isinf(budget):
            self._patience = math.inf
            self.belief.catch_up(most=self.belief.limit)
            return
        self._patience = self.observing * (budget + observing)
        self.belief.catch_up(seconds=self._patience - observing)

    @property
    def reserve(self) -> float:
        """Seconds of its budget that it keeps for what it does after its last look at the clock."""
        return SAFETY

    @abstractmethod
    def decide(self, moves: Sequence[Move], deadline: Deadline) -> Decision:
        """Choose among ``moves``, of which there are two or more."""

    def sample(self, count: int) -> list[Position]:
        """Draw different positions from the belief."""
        return list(self.belief.sample(count, self._random.getrandbits(63)))


def evaluate(
    evaluator: Evaluator,
    positions: Sequence[Position],
    moves: Sequence[Move],
    deadline: Deadline,
) -> npt.NDArray[np.float64]:
    """Return the value of each of ``moves`` (columns) in each position (rows).

    Fewer rows than positions if it is time to stop; but always one, for a move has to be made.
    """
    rows: list[npt.NDArray[np.float64]] = []
    each = 0.0  # the most seconds that a position has taken so far
    while len(rows) < len(positions):
        started, left = time.perf_counter(), deadline.seconds
        batch = list(positions[len(rows) : len(rows) + (BATCH if rows else 1)])
        if rows and (deadline.passed or (left is not None and left < each * len(batch))):
            break
        if rows and deadline.values is not None:
            batch = batch[: deadline.values // len(moves)]
        if not batch:
            break
        for position, values in zip(batch, evaluator.values_of(batch), strict=True):
            rows.append(in_order(position, values, moves))
        deadline.spent += len(batch) * len(moves)
        each = max(each, (time.perf_counter() - started) / len(batch))
    return np.array(rows)


def in_order(position: Position, values: npt.NDArray[np.float32], moves: Sequence[Move]) -> npt.NDArray[np.float64]:
    """Return the values of a position's legal moves in the order of ``moves``, which are the same."""
    by_move = dict(zip(position.legal_moves, values, strict=True))
    return np.array([by_move[move] for move in moves], dtype=np.float64)


def point_mixture(moves: Sequence[Move], values: npt.NDArray[np.float64], chosen: Move) -> tuple[Choice, ...]:
    """Return the mixture of a player who does not mix: the chosen move first, the others by value."""
    order = sorted(range(len(moves)), key=lambda i: (moves[i] != chosen, -values[i]))
    return tuple(Choice(moves[i], float(moves[i] == chosen), float(values[i])) for i in order)
