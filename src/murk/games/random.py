"""Random games, for tests: small trees with everything that trips a solver up.

No paper's games. A tree has nature, one or both players, moves that the other sees, does not see or sees in
part, forced moves, ties in payoffs, and outcomes of nature with probability zero, so that some infosets are
out of reach. Nothing is drawn while walking: each number is a hash of the seed and of where in the tree it is
needed, so a game is the same whatever the order, the process or the machine it is walked in.

Perfect recall comes for free: an observation tells the player a signal and, if it is her move, how many
actions she has, and her infoset is put together from those. Several nodes share an infoset because whole
*levels* of the tree share a shape (who moves, with how many actions) and signals are few.
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, fields
from functools import cached_property
from hashlib import blake2b
from typing import NamedTuple

from murk.errors import InputError
from murk.games.protocol import MAX, MIN, NATURE, TERMINAL, Player

__all__ = ["RandomGame", "RandomState"]


@dataclass(frozen=True)
class RandomGame:
    """A random game, wholly determined by its parameters.

    Args:
        seed: any integer; another seed is another game.
        depth: length of the longest possible path, in moves.
        max_actions: most actions at a node.
        chance: probability that a node is nature's.
        merge: probability that a node has the shape of its level, not one of its own; more merges infosets.
        signals: number of different signals; at 1 a player learns only her turn and her number of actions.
        stop: probability that a path ends before its full depth, at each of its nodes.
        forced: probability of a single action.
        zeros: probability that a draw of nature has an impossible outcome.
        ties: probability that a payoff is one of -2, -1, 0, 1, 2, and not any number from [-2, 2).
        solo: probability that one of the players never moves.

    Raises:
        InputError: if a parameter is out of its range.
    """

    seed: int
    _: KW_ONLY
    depth: int = 6
    max_actions: int = 3
    chance: float = 0.2
    merge: float = 0.9
    signals: int = 2
    stop: float = 0.15
    forced: float = 0.1
    zeros: float = 0.1
    ties: float = 0.5
    solo: float = 0.05

    def __post_init__(self) -> None:
        for name in ("depth", "max_actions", "signals"):
            if (value := getattr(self, name)) < 1:
                raise InputError(f"{name} of a random game must be at least 1, not {value}")
        for name in ("chance", "merge", "stop", "forced", "zeros", "ties", "solo"):
            if not 0 <= (value := getattr(self, name)) <= 1:
                raise InputError(f"{name} of a random game is a probability, which {value} is not")

    @property
    def name(self) -> str:
        """``random(seed=...)``, with the parameters that differ from their defaults."""
        given = [(f.name, getattr(self, f.name), f.default) for f in fields(self)]
        shown = [f"{name}={value}" for name, value, default in given if value != default]
        return f"random({','.join(shown)})"

    def root(self) -> "RandomState":
        """Return the root state, which is never terminal."""
        return RandomState(self, (), self._shape(()))

    def uniform(self, *where: object) -> float:
        """Return the number from [0, 1) that belongs to this seed and to this place."""
        digest = blake2b(repr((self.seed, *where)).encode(), digest_size=8).digest()
        return (int.from_bytes(digest) >> 11) / 2**53

    def below(self, limit: int, *where: object) -> int:
        """Return the integer from 0..limit-1 that belongs to this seed and to this place."""
        return int(self.uniform(*where) * limit)

    @cached_property
    def _absent(self) -> Player | None:
        """The player who never moves, if there is one."""
        if self.uniform("solo") >= self.solo:
            return None
        return Player(self.below(2, "absent"))

    def _shape(self, path: tuple[int, ...]) -> "_Shape":
        """Return who moves after ``path`` and with how many actions."""
        if path and (len(path) >= self.depth or self.uniform("stop", path) < self.stop):
            return _Shape(TERMINAL, 0)
        where: object = len(path) if self.uniform("merge", path) < self.merge else path
        many = self.max_actions > 1 and self.uniform("forced", where) >= self.forced
        count = 2 + self.below(self.max_actions - 1, "count", where) if many else 1
        if self.uniform("chance", where) < self.chance:
            return _Shape(NATURE, count)
        mover = Player(self.below(2, "mover", where))
        if mover == self._absent:
            mover = MIN if mover == MAX else MAX
        return _Shape(mover, count)


class _Shape(NamedTuple):
    """Who moves at a node, and the number of actions."""

    mover: Player
    num_actions: int


@dataclass(frozen=True, slots=True)
class RandomState:
    """A state of a random game: the labels of all moves so far."""

    game: RandomGame
    path: tuple[int, ...]
    shape: _Shape

    def player(self) -> Player:
        """Return who moves."""
        return self.shape.mover

    def actions(self) -> Sequence[int]:
        """Return the labels of the m actions: m..2m-1, which no code should confuse with their numbers."""
        return range(self.shape.num_actions, 2 * self.shape.num_actions)

    def chance(self) -> Sequence[float]:
        """Return nature's probabilities: small integer weights, one of them perhaps zero, over their sum."""
        game, path, count = self.game, self.path, self.shape.num_actions
        weights = [1 + game.below(4, "weight", path, i) for i in range(count)]
        if count > 1 and game.uniform("zero", path) < game.zeros:
            weights[game.below(count, "impossible", path)] = 0
        return [weight / sum(weights) for weight in weights]

    def child(self, action: int) -> "RandomState":
        """Return the state after ``action``."""
        path = (*self.path, action)
        return RandomState(self.game, path, self.game._shape(path))

    def utility(self) -> float:
        """Return MAX's payoff."""
        if self.game.uniform("tie", self.path) < self.game.ties:
            return float(self.game.below(5, "payoff", self.path) - 2)
        return 4 * self.game.uniform("payoff", self.path) - 2

    def observation(self, player: int) -> tuple[int, int]:
        """Return the player's signal, and her number of actions if it is her move (else 0)."""
        return self._signal(player), self.shape.num_actions if self.shape.mover == player else 0

    def _signal(self, player: int) -> int:
        """Return the player's signal. What it tells is the same on a whole level: mostly nothing."""
        kind = self.game.below(4, "kind", len(self.path), player)
        if kind == 0 and self.path:
            return self.path[-1] % self.game.signals
        if kind != 1:
            return 0
        return self.game.below(self.game.signals, "signal", self.path, player)
