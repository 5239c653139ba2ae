"""The paper's baseline: its own algorithm with one ply of imperfect information, and perfect information below.

[ZS21], section 6: "the same algorithm as our agent, except that it only performs imperfect-information search to depth
1, and after that uses Stockfish's perfect-information evaluation with iterative deepening". The appendix that is to
describe it further does not. So this is Algorithm 4 with a trunk that is never expanded below our own move:

- L = 200 particles are drawn from the belief (there is nothing to carry over: no node of the trunk lies below the
  opponent's next move, so the estimate u^ of Alg. 4, l. 12 is infinite);
- u(h a) is the evaluator's value, then that of a search of perfect information 2, 3, ... plies deep, particle by
  particle, while time lasts;
- the alternate payoff of particle h is u~(h), its value at depth 1 (l. 19);
- the root is Maxmargin if all margins can be made positive and Resolve otherwise (ll. 24-29), both linear programs
  with a row for each particle, and the move is drawn from the mixture.
"""

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog

from murk._core import Colour, Move, Position, look_ahead
from murk.darkchess.agents.base import Choice, Decision
from murk.darkchess.agents.believing import BELIEF_MEMORY, SAFETY, BelievingAgent, Deadline, evaluate, in_order
from murk.darkchess.board import START_FEN
from murk.errors import InputError

__all__ = ["BaselineAgent", "RootSolution", "information_bonus", "solve_root"]

INFORMATION = 1e7
"""The paper's M: the larger, the less the agent cares to find something out."""
SMALL = 1e-6
"""Probabilities below are noise of the linear program."""
ROOT_SECONDS = 0.02
"""What the linear programs of the root take before they have been measured."""
NEGLIGIBLE = 1e-4
"""An information term below changes nothing, and is not computed."""

Values = npt.NDArray[np.float64]


class BaselineAgent(BelievingAgent):
    """The paper's baseline.

    Args:
        particles: the paper's L: how many positions of the belief are looked at.
        depth: plies of the search of perfect information at most.
        information: the paper's M, of the information-discovery term.
        evaluator: the value function by name.
        memory: bytes of the belief.
    """

    name = "baseline"

    def __init__(
        self,
        *,
        particles: int = 200,
        depth: int = 20,
        information: float = INFORMATION,
        evaluator: str = "embedded",
        memory: int = BELIEF_MEMORY,
    ) -> None:
        super().__init__(evaluator=evaluator, memory=memory)
        for name, value in (("particles", particles), ("depth", depth)):
            if value < 1:
                raise InputError(f"{name} is {value}, expected at least 1")
        if not information > 0:
            raise InputError(f"information is {information}, expected a positive number")
        self._particles, self._depth, self._information = particles, depth, information

    def new_game(self, colour: Colour, seed: int, fen: str = START_FEN) -> None:
        """Begin a game."""
        super().new_game(colour, seed, fen)
        self._root_seconds = ROOT_SECONDS

    @property
    def reserve(self) -> float:
        """Seconds for the linear programs at the end: a little more than the slowest of late have taken."""
        return SAFETY + 1.5 * self._root_seconds

    def decide(self, moves: Sequence[Move], deadline: Deadline) -> Decision:
        """Deepen while there is time, then solve the root."""
        particles = self.sample(self._particles)
        values = evaluate(self.evaluator, particles, moves, deadline)
        particles = particles[: len(values)]
        alternate = values.max(axis=1)
        bonus = information_bonus(particles, moves, len(self.belief), self._information)
        depth, done = self._deepen(particles, moves, values, deadline)
        root = self._solve_root(values + bonus, alternate, deadline)
        move = draw(moves, root.mixture, self._random)
        worth = values.mean(axis=0)
        order = sorted(range(len(moves)), key=lambda i: (-root.mixture[i], -worth[i]))
        return Decision(
            move=move,
            mixture=tuple(Choice(moves[i], float(root.mixture[i]), float(worth[i])) for i in order),
            value=float(worth @ root.mixture),
            margins=tuple(float(margin) for margin in np.sort(root.margins)),
            gadget=root.gadget,
            nodes=deadline.spent,
            infosets=len(particles) + 1,
            depth=depth,
            iterations=depth,
            notes={"particles": len(particles), "particles_at_depth": done},
        )

    def _tell(self, moves: Sequence[Move], values: Values, depth: int, deadline: Deadline) -> None:
        """Tell how deep it has come, and what is best on average so far."""
        if deadline.progress is not None:
            worth = values.mean(axis=0)
            best = int(worth.argmax())
            deadline.progress(
                Decision(
                    move=moves[best], value=float(worth[best]), nodes=deadline.spent, depth=depth, iterations=depth
                )
            )

    def _deepen(
        self, particles: Sequence[Position], moves: Sequence[Move], values: Values, deadline: Deadline
    ) -> tuple[int, int]:
        """Search particle after particle ever deeper, in place; return the last depth begun and how many got there."""
        most = 2 if deadline.unlimited else self._depth
        depth, done = 1, len(particles)
        for deeper in range(2, min(most, self._depth) + 1):
            for row, particle in enumerate(particles):
                if deadline.stopped():  # a shallow search is over before it asks
                    return depth, done
                found, taken = look_ahead(
                    self.evaluator,
                    particle,
                    deeper,
                    seconds=deadline.seconds,
                    values=deadline.values,
                    stop=deadline.stopped,
                )
                deadline.spent += taken
                if found is None:
                    return depth, done
                depth, done = deeper, row + 1
                values[row] = in_order(particle, found, moves)
            self._tell(moves, values, depth, deadline)
        return depth, done

    def _solve_root(self, values: Values, alternate: Values, deadline: Deadline) -> "RootSolution":
        """Solve the root in the time that was reserved for it, and note how long it takes."""
        started = time.perf_counter()
        limit = None if deadline.seconds is None else deadline.seconds + self.reserve
        root = solve_root(values, alternate, seconds=limit)
        self._root_seconds = max(time.perf_counter() - started, 0.9 * self._root_seconds)
        return root


@dataclass(frozen=True)
class RootSolution:
    """What the linear program of the root says: the mixture, the margin of each particle, and the gadget."""

    mixture: Values
    margins: Values
    gadget: str


def solve_root(values: Values, alternate: Values, *, seconds: float | None = None) -> RootSolution:
    """Solve the one-ply subgame: rows are particles, which the opponent knows, columns are our moves.

    Args:
        values: u(h a) for each particle and move, shape (particles, moves).
        alternate: what the opponent could have had instead of each particle.
        seconds: what may be used. If they do not suffice, the move of the highest mean value is played.
    """
    gains = values - alternate[:, None]
    deadline = None if seconds is None else time.perf_counter() + seconds
    mixture = _maxmargin(gains, deadline)
    gadget = "maxmargin"
    if (gains @ mixture).min() < 0:
        mixture, gadget = _resolve(gains, deadline), "resolve"
    return RootSolution(mixture, gains @ mixture, gadget)


def _maxmargin(gains: Values, deadline: float | None) -> Values:
    """Maximise the smallest margin: max t with t <= (gains x)(h) for all h."""
    rows, columns = gains.shape
    objective = np.zeros(columns + 1)
    objective[-1] = -1.0
    bounds = [(0.0, None)] * columns + [(None, None)]
    return _solve(objective, np.hstack([-gains, np.ones((rows, 1))]), bounds, columns, deadline)


def _resolve(gains: Values, deadline: float | None) -> Values:
    """Maximise the mean of min(0, margin): nature draws the particle, and the opponent may leave for nothing."""
    rows, columns = gains.shape
    if gains.max() <= 0:
        # She never leaves to her profit: the objective is linear, and a pure move is best.
        return _best_on_average(gains)
    objective = np.concatenate([np.zeros(columns), np.full(rows, -1.0 / rows)])
    bounds = [(0.0, None)] * columns + [(None, 0.0)] * rows
    return _solve(objective, np.hstack([-gains, np.eye(rows)]), bounds, columns, deadline)


def _solve(
    objective: Values,
    above: Values,
    bounds: Sequence[tuple[float | None, float | None]],
    columns: int,
    deadline: float | None,
) -> Values:
    total = np.zeros((1, above.shape[1]))
    total[0, :columns] = 1.0
    left = np.inf if deadline is None else deadline - time.perf_counter()
    if left <= 0:
        return _best_on_average(-above[:, :columns])
    result = linprog(
        objective, A_ub=above, b_ub=np.zeros(len(above)), A_eq=total, b_eq=[1.0], bounds=bounds, method="highs-ds",
        options={"time_limit": left},
    )  # fmt: skip
    if result.status != 0:
        return _best_on_average(-above[:, :columns])
    mixture = np.where(result.x[:columns] < SMALL, 0.0, result.x[:columns])
    return np.asarray(mixture / mixture.sum(), dtype=np.float64)


def _best_on_average(gains: Values) -> Values:
    """Return the pure strategy that is best if all particles are equally likely."""
    mixture = np.zeros(gains.shape[1])
    mixture[int(gains.mean(axis=0).argmax())] = 1.0
    return mixture


def information_bonus(particles: Sequence[Position], moves: Sequence[Move], belief: int, scale: float) -> Values:
    """Return ``(1 - 2^-H(a)) |I| / M`` of each move, H the entropy in bits of what is then seen (Alg. 4, l. 20)."""
    if belief / scale < NEGLIGIBLE or len(particles) < 2:
        return np.zeros(len(moves))
    colour = particles[0].turn
    bonuses = []
    for move in moves:
        keys = [position.observation_after(move, colour).key for position in particles]
        _, counts = np.unique(np.array(keys, dtype=np.uint64), return_counts=True)
        share = counts / counts.sum()
        bonuses.append((1.0 - 2.0 ** float(np.sum(share * np.log2(share)))) * belief / scale)
    return np.array(bonuses)


def draw(moves: Sequence[Move], mixture: Values, source: random.Random) -> Move:
    """Draw a move from a mixture."""
    return source.choices(moves, weights=[float(p) for p in mixture])[0]
