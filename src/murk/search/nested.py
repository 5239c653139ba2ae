"""Nested 1-KLSS with only a value function: Algorithm 4 of [ZS21], over any game.

:class:`NestedSearch` keeps the algorithm's state between our moves: the expanded trunk and its equilibrium. Our
infoset I is the caller's (a belief, or a list of states), because only the game knows how to maintain it.
"""

import math
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from murk import _core
from murk.search.loop import SearchResult, TrunkSearch
from murk.search.options import Budget, Deadline, SearchOptions

__all__ = ["NestedSearch", "Possible", "root_mixture"]

_ALL = 1 << 62
_ROOTS = 0.5  # part of the time that evaluating new root states, or solving what was carried, may take
_FADING = 0.8  # a slow solve is remembered for some moves


class Possible(Protocol):
    """Our full current infoset I: every state we hold possible, transpositions merged."""

    def __len__(self) -> int: ...

    def sample(self, count: int, seed: int) -> Sequence[int]:
        """Return ``count`` of its states in random order, without replacement, as transposition keys; all if fewer."""

    def seeds(self, states: Sequence[int], key: int, seconds: float | None) -> Sequence[_core.Seed]:
        """Return sampled states ready to be searched, ``key`` standing for what we know: as many as time allows.

        At least one, whatever the time.
        """


class NestedSearch:
    """Algorithm 4: search at each of our moves, carrying the subgame over from one to the next.

    Args:
        game: the native game.
        options: the hyper-parameters.
        seed: of what is drawn.

    Attributes:
        trunk: Γ, the expanded part of the current subgame.
        result: what the last search found: (x, y) and more.
        carried: how many root states of the present trunk come from the one before.
        found: how many states of our infoset the trunk before had.
        carried_nodes: nodes of the trunk before anything was expanded.
        observer: if set, called after each solve with the search, whose state :func:`root_mixture` reads.
    """

    def __init__(self, game: _core.SearchGame, options: SearchOptions | None = None, *, seed: int = 0) -> None:
        self.game = game
        self.options = options or SearchOptions()
        self.trunk: _core.Trunk | None = None
        self.result: SearchResult | None = None
        self.carried = 0
        self.found = 0
        self.carried_nodes = 0
        self.observer: Callable[[TrunkSearch], None] | None = None
        self._random = np.random.default_rng(seed)
        self._pace = 0.0  # see TrunkSearch

    def forget(self) -> None:
        """Drop the current subgame, as before a playthrough."""
        self.trunk = self.result = None

    def receive_observation(
        self, key: int, possible: Possible, budget: Budget | Deadline | None = None
    ) -> SearchResult:
        """Search at our infoset and return what was found; play an action drawn from :meth:`mixture`.

        Args:
            key: what we know, as the trunk's nodes have it.
            possible: I, the states we hold possible (Alg. 4, l. 9 is the caller's).
            budget: when to stop.
        """
        clock = budget if isinstance(budget, Deadline) else (budget or Budget()).start()
        plan = self._find(key)  # Alg. 4, l. 11
        value = math.inf if plan is None else plan.value  # Alg. 4, l. 12-13
        self.trunk = self._make_subgame(plan, key, possible, value, clock)  # Alg. 4, l. 14-20
        self.carried_nodes = self.trunk.num_nodes
        search = TrunkSearch(
            self.trunk, self.options, infoset_size=len(possible), observer=self.observer, pace=self._pace
        )
        self.result = search.run(clock)  # Alg. 4, l. 21-41
        self._pace = _FADING * search.pace
        return self.result

    def mixture(self) -> list[tuple[int, float, float]]:
        """Return (action, probability, value) of each action at our infoset: Alg. 4, l. 42 draws from it."""
        assert self.trunk is not None, "there is no search to draw from yet"
        assert self.result is not None
        return root_mixture(self.trunk, self.result.x, self.result.action_values)

    def draw(self) -> int:
        """Return an action drawn from :meth:`mixture`."""
        mixture = self.mixture()
        return int(mixture[int(self._random.choice(len(mixture), p=[p for _, p, _ in mixture]))][0])

    def _find(self, key: int) -> "_core.CarryPlan | None":
        """Find our current infoset I' in the trunk, with what MakeSubgame needs; ``None`` if it is not there."""
        if self.trunk is None or self.result is None:
            return None
        options = self.options
        plan = _core.plan_carry(
            self.trunk, key, self.result.x, self.result.y, reach=options.reach, root_gifts=options.root_gifts,
            merge=options.merge_transpositions, resolve=self.result.gadget == "resolve", seed=self._seed(),
            limit=_ALL if options.max_particles is None else options.max_particles,
        )  # fmt: skip
        return plan if plan.found else None

    def _make_subgame(
        self, plan: "_core.CarryPlan | None", key: int, possible: Possible, value: float, clock: Deadline
    ) -> _core.Trunk:
        options, left = self.options, clock.left()
        if plan is None:
            self.game.clear()  # nothing of the old trunk is needed any more
        kept = [] if plan is None or self.trunk is None else plan.states(self.trunk)
        lost: list[_core.Seed] = []
        if len(kept) < options.particles and len(kept) < len(possible):  # Alg. 4, l. 15
            known = {self.game.transposition(state) for state in kept}
            sampled = possible.sample(options.particles, self._seed())
            fresh = [state for state in sampled if state not in known]
            seconds = None if left is None else max(0.0, _ROOTS * left)
            lost = list(possible.seeds(fresh[: options.particles - len(kept)], key, seconds))  # l. 16-18
        alternates = [min(value, seed.value) for seed in lost]  # Alg. 4, l. 19
        self.carried = len(kept)
        self.found = 0 if plan is None else plan.found
        if plan is None or self.trunk is None or self.result is None:
            return _core.Trunk(self.game, lost, alternates, options.max_nodes)
        limit = options.max_carried
        if left is not None and self._pace > 0:
            limit = min(limit, int(_ROOTS * max(left, 0.0) / self._pace))  # what is carried has to be solved at once
        return _core.carry(self.trunk, plan, self.result.x, lost, alternates, options.max_nodes, limit)

    def _seed(self) -> int:
        return int(self._random.integers(2**63))


def root_mixture(
    trunk: _core.Trunk, x: npt.NDArray[np.float64], values: npt.NDArray[np.float64]
) -> list[tuple[int, float, float]]:
    """Return (action, probability, value) of each action at our infoset, given our strategy."""
    tree = trunk.tree
    node = trunk.root_nodes[0]
    first, count = int(tree.first_child[node]), int(tree.num_children[node])
    probabilities = np.array([x[tree.sequence(0)[child]] for child in range(first, first + count)])
    probabilities = probabilities / probabilities.sum()
    actions = tree.action[first : first + count]
    return list(zip(actions.tolist(), probabilities.tolist(), values.tolist(), strict=True))
