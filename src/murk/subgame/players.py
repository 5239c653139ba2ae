"""Players: one interface for a blueprint, nested subgame solving and its two safe forms, Algorithms 2 and 3.

A player is told which of her own infosets play has come to (its number in the tree, which stands for her
sequence of observations) and nothing else; :func:`play` is the referee and alone knows the node. What a player
does depends on what she was told, on her seed, and on earlier playthroughs if she learns.
"""

import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from murk.errors import InputError
from murk.subgame.allocate import Allocation, check_allocating
from murk.subgame.chain import Chain
from murk.subgame.files import load_updater, save_updater
from murk.subgame.nested import NestedOptions
from murk.subgame.update import BlueprintUpdater, Scope, check_order
from murk.tree.players import MAX, MIN, NATURE, TERMINAL, Player
from murk.tree.strategy import Strategy
from murk.tree.tree import Tree

__all__ = [
    "AllocatingPlayer",
    "BlueprintPlayer",
    "MatchResult",
    "NestedPlayer",
    "SubgamePlayer",
    "TreePlayer",
    "UpdatingPlayer",
    "play",
]

Floats = npt.NDArray[np.float64]
MatchProgress = Callable[[int, int], None]
"""Called with the number of games played so far and the number there will be."""

_KEPT = 1000  # solved subgames a player remembers between playthroughs


class SubgamePlayer(Protocol):
    """What the referee asks of a player."""

    @property
    def tree(self) -> Tree:
        """The game she plays."""

    @property
    def player(self) -> Player:
        """Which side she is."""

    def new_game(self, seed: int) -> None:
        """Begin a playthrough; all its randomness comes from ``seed``."""

    def observe(self, infoset: int) -> None:
        """Take notice of an infoset of hers that play has come to, whether she acts there or not."""

    def act(self) -> int:
        """Return an action at the infoset last observed, as the game labels it."""

    def end_game(self) -> None:
        """Take notice that the playthrough is over."""


class TreePlayer:
    """What our own players have in common. A subclass says what it plays at an infoset.

    Args:
        tree: the game.
        player: which side.
    """

    def __init__(self, tree: Tree, player: Player) -> None:
        self._tree = tree
        self._player = player
        self._labels = tree.sequence_actions(player)
        self._infoset: int | None = None
        self._rng = np.random.default_rng(0)

    @property
    def tree(self) -> Tree:
        """The game she plays."""
        return self._tree

    @property
    def player(self) -> Player:
        """Which side she is."""
        return self._player

    def new_game(self, seed: int) -> None:
        """Begin a playthrough."""
        self._rng = np.random.default_rng(seed)
        self._infoset = None

    def observe(self, infoset: int) -> None:
        """Take notice of an infoset of hers that play has come to.

        Raises:
            InputError: she has no such infoset.
        """
        count = self._tree.num_infosets(self._player)
        if not 0 <= infoset < count:
            raise InputError(
                f"{self._player.name} has no infoset {infoset} in {self._tree.name}, expected 0 to {count - 1}"
            )
        self._infoset = infoset if self._tree.infoset_actions(self._player)[infoset] else None
        if self._infoset is not None:
            self.arrive(infoset)

    def act(self) -> int:
        """Draw an action at the infoset last observed.

        Raises:
            InputError: it is not her move.
        """
        if self._infoset is None:
            raise InputError(f"{self._player.name} was asked to act in {self._tree.name} when it is not her move")
        first = int(self._tree.infoset_first(self._player)[self._infoset])
        probabilities = self.probabilities(self._infoset)
        return int(self._labels[first + int(self._rng.choice(len(probabilities), p=probabilities))])

    def end_game(self) -> None:
        """Take notice that the playthrough is over."""
        self._infoset = None

    def arrive(self, infoset: int) -> None:
        """Get ready to act at an infoset of hers."""

    def probabilities(self, infoset: int) -> Floats:
        """Return how likely each action is, at an infoset she has arrived at."""
        raise NotImplementedError


class BlueprintPlayer(TreePlayer):
    """Plays a fixed strategy."""

    def __init__(self, strategy: Strategy) -> None:
        super().__init__(strategy.tree, strategy.player)
        self.strategy = strategy
        self._behaviour = strategy.behaviour()

    def probabilities(self, infoset: int) -> Floats:
        """Return what the strategy plays."""
        return _at(self._tree, self._player, self._behaviour, infoset)


class NestedPlayer(TreePlayer):
    """Solves at every infoset she comes to, nested in the solve before, and plays the solution: plain k-KLSS.

    Not safe for finite k.     Over many playthroughs she plays what :func:`murk.subgame.refine_everywhere` returns.
    """

    def __init__(self, blueprint: Strategy, options: NestedOptions | None = None, *, kept: int = _KEPT) -> None:
        super().__init__(blueprint.tree, blueprint.player)
        self._chain = Chain(blueprint, options, kept=kept)
        check_order(self._chain.options.order)

    def new_game(self, seed: int) -> None:
        """Begin a playthrough."""
        super().new_game(seed)
        self._chain.reset()

    def arrive(self, infoset: int) -> None:
        """Solve."""
        self._chain.solve(infoset)

    def probabilities(self, infoset: int) -> Floats:
        """Return what the last solution plays."""
        return self._chain.behaviour(infoset)


class UpdatingPlayer(TreePlayer):
    """Algorithm 2: writes each subgame's solution into her blueprint and plays it from the next playthrough on.

    Args:
        blueprint: the strategy to start from, or an updater to go on with.
        options: as for :class:`~murk.subgame.update.BlueprintUpdater`.
        scope: likewise.
        path: a file in which to keep what was learned, written after every playthrough.
    """

    def __init__(
        self,
        blueprint: Strategy | BlueprintUpdater,
        options: NestedOptions | None = None,
        *,
        scope: Scope = "set",
        path: str | os.PathLike[str] | None = None,
    ) -> None:
        if isinstance(blueprint, BlueprintUpdater):
            if options is not None:
                raise InputError("an updater has options of its own, expected none beside it")
            self.updater = blueprint
        else:
            self.updater = BlueprintUpdater(blueprint, options, scope=scope)
        super().__init__(self.updater.tree, self.updater.player)
        self.path = None if path is None else Path(path)
        self._playing = False
        self._behaviour = self.updater.last.behaviour()

    @classmethod
    def resume(cls, path: str | os.PathLike[str], tree: Tree) -> "UpdatingPlayer":
        """Return a player who goes on with what ``path`` holds, and keeps it there.

        Raises:
            InputError: the file cannot be read or is of another game (FormatError, if it is spoilt).
        """
        return cls(load_updater(path, tree), path=path)

    def new_game(self, seed: int) -> None:
        """Begin a playthrough, which ends the one before."""
        if self._playing:
            self.end_game()
        super().new_game(seed)
        self._playing = True
        self._behaviour = self.updater.last.behaviour()

    def arrive(self, infoset: int) -> None:
        """Solve, for later."""
        self.updater.receive_observation(infoset)

    def probabilities(self, infoset: int) -> Floats:
        """Return what the blueprint played when this playthrough began."""
        return _at(self._tree, self._player, self._behaviour, infoset)  # Alg. 2, l. 16

    def end_game(self) -> None:
        """From now on play what was learned; save it if there is a file for it."""
        if not self._playing:
            return
        super().end_game()
        self._playing = False
        self.updater.end_playthrough()
        if self.path is not None:
            save_updater(self.updater, self.path)


class AllocatingPlayer(TreePlayer):
    """Algorithm 3: solves as long as she is at infosets of an independent set drawn for the playthrough.

    Over many playthroughs she plays what :func:`murk.subgame.expected_strategy` returns.

    Args:
        blueprint: the strategy to start from.
        options: how subgames are made and solved; order 1.
        allocation: of her infosets, if it is at hand.
    """

    def __init__(
        self,
        blueprint: Strategy,
        options: NestedOptions | None = None,
        *,
        allocation: Allocation | None = None,
        kept: int = _KEPT,
    ) -> None:
        super().__init__(blueprint.tree, blueprint.player)
        self._chain = Chain(blueprint, options, kept=kept)  # Alg. 3, l. 2-3
        check_allocating(self._chain.options)
        self.allocation = allocation or Allocation(blueprint.tree, blueprint.player)
        if self.allocation.tree is not blueprint.tree or self.allocation.player is not blueprint.player:
            raise InputError(
                f"the allocation is of {self.allocation.player.name} in {self.allocation.tree.name}, "
                f"expected one of {blueprint.player.name} in {blueprint.tree.name}"
            )
        self.running = True  # Alg. 3, l. 4-5: RunningKLSS
        self._draw = 0

    def new_game(self, seed: int) -> None:
        """Begin a playthrough: draw its independent set."""
        super().new_game(seed)
        self._draw = int(np.random.default_rng((seed, 1)).integers(2**63))  # apart from the draws of actions
        self._chain.reset()
        self.running = True

    def arrive(self, infoset: int) -> None:
        """Solve, if the allocation lets us (Alg. 3, l. 9-15)."""
        if self.running and not self.allocation.allows(infoset, self._draw):  # l. 9, 11
            self.running = False
        if self.running:  # l. 12
            self._chain.solve(infoset)  # l. 13-14

    def probabilities(self, infoset: int) -> Floats:
        """Return what the last solution plays, or the blueprint if there is none (Alg. 3, l. 16)."""
        return self._chain.behaviour(infoset)


@dataclass(frozen=True, eq=False)
class MatchResult:
    """What came out of a number of games.

    Attributes:
        payoffs: MAX's payoff in each game.
        seed: what all randomness came from.
    """

    payoffs: Floats
    seed: int

    @property
    def games(self) -> int:
        """How many games were played."""
        return len(self.payoffs)

    @property
    def mean(self) -> float:
        """MAX's mean payoff."""
        return float(self.payoffs.mean())

    @property
    def standard_error(self) -> float:
        """The standard error of ``mean``, NaN for a single game."""
        if self.games < 2:
            return math.nan
        return float(self.payoffs.std(ddof=1) / math.sqrt(self.games))

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain numbers."""
        return {"games": self.games, "mean": self.mean, "standard_error": self.standard_error, "seed": self.seed}

    def __repr__(self) -> str:
        return f"<murk.MatchResult: {self.games:,} games, mean {self.mean:.4g} ± {self.standard_error:.2g}>"


def play(
    tree: Tree,
    max_player: SubgamePlayer,
    min_player: SubgamePlayer,
    games: int = 1,
    seed: int = 0,
    *,
    progress: MatchProgress | None = None,
) -> MatchResult:
    """Let two players play ``games`` playthroughs of ``tree``; the same seed and fresh players give the same games.

    Raises:
        InputError: a player is of another game or side, or plays an action that is not legal.
    """
    if games < 1:
        raise InputError(f"games is {games!r}, expected at least 1")
    for given, side in ((max_player, MAX), (min_player, MIN)):
        if given.tree is not tree or given.player is not side:
            raise InputError(
                f"a player of {given.player.name} in {given.tree.name} was given, expected {side.name} in {tree.name}"
            )
    if any(tree.extra(p) for p in (MAX, MIN)):
        raise InputError(f"{tree.name} has extra payoffs, expected a game whose payoffs are at its ends")
    referee = _Referee(tree, (max_player, min_player))
    payoffs = np.zeros(games)
    for game in range(games):
        payoffs[game] = referee.playthrough(np.random.SeedSequence((seed, game)))
        if progress is not None:
            progress(game + 1, games)
    return MatchResult(payoffs, seed)


class _Referee:
    """Holds the node; tells each player her infosets and nothing else."""

    def __init__(self, tree: Tree, players: tuple[SubgamePlayer, SubgamePlayer]) -> None:
        self.tree = tree
        self.players = players
        self.chance = tree.chance_probabilities()

    def playthrough(self, seed: np.random.SeedSequence) -> float:
        tree, players = self.tree, self.players
        nature, *seeds = seed.spawn(3)
        rng = np.random.default_rng(nature)
        for player, own in zip(players, seeds, strict=True):
            player.new_game(int(own.generate_state(1, np.uint64)[0] >> 1))
        node = 0
        while (mover := int(tree.player[node])) != TERMINAL:
            for p in (MAX, MIN):
                players[p].observe(int(tree.infoset(p)[node]))
            first, count = int(tree.first_child[node]), int(tree.num_children[node])
            if mover == NATURE:
                weights = self.chance[first : first + count]
                node = first + int(rng.choice(count, p=weights / weights.sum()))
            else:
                node = first + self._chosen(mover, first, count)
        for player in players:
            player.end_game()
        return float(tree.utility[node])

    def _chosen(self, mover: int, first: int, count: int) -> int:
        action = self.players[mover].act()
        legal: list[int] = self.tree.action[first : first + count].tolist()
        if action not in legal:
            raise InputError(f"{Player(mover).name} played {action!r}, expected one of the legal actions {legal}")
        return legal.index(action)


def _at(tree: Tree, player: Player, behaviour: Floats, infoset: int) -> Floats:
    first, count = int(tree.infoset_first(player)[infoset]), int(tree.infoset_actions(player)[infoset])
    values = behaviour[first : first + count]
    return np.asarray(values / values.sum())
