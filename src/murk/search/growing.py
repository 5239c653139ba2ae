"""Solve and grow at once: predictive CFR+ on a tree that is expanded meanwhile, after [ZS25].

The search is native (``cpp/search/growing``) and generic; here it runs on a finished :class:`~murk.tree.Tree` with any
estimate of the values of its nodes, which is how its convergence to equilibrium is shown on games with a known answer.
Dark chess has its own instance, the agent ``murk``. See docs/growing.md.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from murk._core import GrowingOptions, TreeSearch
from murk.errors import InputError
from murk.tree.players import MAX, MIN
from murk.tree.strategy import Profile, Strategy
from murk.tree.tree import Tree

__all__ = ["GrowingSearch", "Grown"]


@dataclass(frozen=True, eq=False)
class Grown:
    """What the search has come to.

    Attributes:
        profile: both players' strategies, uniform at infosets that the search has not been to.
        value: MAX's value by the search itself.
        nodes: expanded nodes.
        infosets: infosets of both players (and nature's nodes).
        iterations: of the solver.
    """

    profile: Profile
    value: float
    nodes: int
    infosets: int
    iterations: int


class GrowingSearch:
    """The search from the root of a finished tree.

    Args:
        tree: the game.
        estimate: MAX's value of each node, by which unexpanded ones are judged. At terminal nodes the payoff counts.
        threads: one grows and solves by turns, and gives the same result for the same seed and limit of nodes; of more,
            one solves and the others expand.
        seed: of the walks.
        exploration: C of the walks' upper bound.
        one_sided: one player explores in a walk, the other follows her strategy; else both explore.
        solver_share: part of the time for the solver, with one thread.
        expansion_cost: of expanding a node, in units of the solver's passing over one.

    Raises:
        InputError: an argument is out of range, or the estimate does not fit the tree.
    """

    def __init__(
        self,
        tree: Tree,
        estimate: npt.ArrayLike,
        *,
        threads: int = 1,
        seed: int = 0,
        exploration: float = 1.0,
        one_sided: bool = True,
        solver_share: float = 1 / 3,
        expansion_cost: float = 200.0,
    ) -> None:
        values = np.ascontiguousarray(estimate, dtype=np.float64)
        if values.shape != (tree.num_nodes,) or not np.isfinite(values).all():
            raise InputError(
                f"the estimate has shape {values.shape}, expected {tree.num_nodes} finite values, one a node"
            )
        if threads < 1:
            raise InputError(f"threads is {threads}, expected at least 1")
        if not 0 < solver_share < 1:
            raise InputError(f"solver_share is {solver_share}, expected a number between 0 and 1")
        options = GrowingOptions()
        options.gadget, options.threads, options.seed = "none", threads, seed
        options.exploration, options.one_sided = exploration, one_sided
        options.solver_share, options.expansion_cost = solver_share, expansion_cost
        options.max_nodes = tree.num_nodes + 16
        options.averaging = True
        self._tree = tree
        self._search = TreeSearch(tree, values, int(MAX), options)

    def run(self, *, seconds: float | None = None, nodes: int | None = None, iterations: int | None = None) -> None:
        """Search on until a limit is met: of time, of nodes expanded, or of iterations.

        Raises:
            InputError: there is no limit.
        """
        limits = {"seconds": seconds, "nodes": nodes, "iterations": iterations}
        given = {name: limit for name, limit in limits.items() if limit is not None}
        if not given:
            raise InputError("the search has no limit: give it seconds, nodes or iterations")
        self._search.run(**given)  # type: ignore[arg-type]

    def result(self, *, average: bool = False) -> Grown:
        """Return the strategies of now: the last iterate, or the average of all (later ones weigh more)."""
        profile = Profile(
            *(
                Strategy.from_behaviour(self._tree, player, self._search.strategy(int(player), average))
                for player in (MAX, MIN)
            )
        )
        search = self._search
        return Grown(profile, search.value, search.num_nodes, search.num_infosets, search.iterations)
