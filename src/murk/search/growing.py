"""Solve and grow at once: predictive CFR+ on a tree that is expanded meanwhile, after [ZS25].

The search is native (``cpp/search/growing``) and generic. Here it runs from the root of any game with a value function,
OpenSpiel's and those written in Python among them, or of a finished :class:`~murk.tree.Tree` with any estimate of the
values of its nodes, which is far faster and how its convergence to equilibrium is shown. Dark chess has its own
instance, the agent ``murk``. See docs/growing.md.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from murk._core import GameSearch, GrowingOptions, TreeSearch
from murk.errors import InputError
from murk.games.protocol import Game
from murk.search.game import SearchGame, Value
from murk.tree.players import MAX, MIN, Player, player_of
from murk.tree.strategy import Profile, Strategy
from murk.tree.tree import Tree

__all__ = ["GrowingSearch", "Grown", "Policy"]

MOST_NODES = 1_000_000
"""Nodes that the search of a game may expand, unless told otherwise."""

Policy = Mapping[Hashable, Mapping[int, float]]
"""What a player does: for what she knows, the probability of each action."""


@dataclass(frozen=True, eq=False)
class Grown:
    """What the search has come to.

    Attributes:
        value: MAX's value by the search itself.
        nodes: expanded nodes.
        infosets: infosets of both players (and nature's nodes).
        iterations: of the solver.
        policies: of both players, by what each knows (see :meth:`murk.search.SearchGame.told`), where the search has
            been; empty after the search of a finished tree.
        profile: both players' strategies on the tree that was searched, uniform where the search has not been; ``None``
            after the search of a game.
        expanded: the nodes of that tree that were expanded, in that order; empty after the search of a game.
    """

    value: float
    nodes: int
    infosets: int
    iterations: int
    policies: Mapping[Player, Policy]
    profile: Profile | None
    expanded: npt.NDArray[np.int32]


class GrowingSearch:
    """The search from the root of a game.

    Args:
        game: a game of murk's protocol, or a finished tree.
        value: of a game: the value function, an estimate of MAX's payoff from a state on; by default the states' own
            ``value()``. Of a tree: an array with MAX's value of each node. Where the game is over the payoff counts.
        player: who searches; she is the one whose strategy is made last.
        threads: one grows and solves by turns, and gives the same result for the same seed and limit of nodes; of more,
            one solves and the others expand. For trees only: Python has one thread.
        seed: of the walks.
        exploration: C of the walks' upper bound.
        one_sided: one player explores in a walk, the other follows her strategy; else both explore.
        best_first: new infosets begin on their best action, else with all actions alike.
        pruning: leave out subtrees that the other side never enters.
        kept_regret: part of the regrets that is kept from one iteration to the next; 1 forgets nothing.
        solver_share: part of the time for the solver, with one thread.
        expansion_cost: of expanding a node, in units of the solver's passing over one.
        max_nodes: nodes that can be expanded; all, of a tree.

    Raises:
        InputError: an argument is out of range, or the values do not fit the game.
    """

    def __init__(
        self,
        game: Game | Tree,
        value: Value | npt.ArrayLike | None = None,
        *,
        player: int = MAX,
        threads: int = 1,
        seed: int = 0,
        exploration: float = 1.0,
        one_sided: bool = True,
        best_first: bool = True,
        pruning: bool = True,
        kept_regret: float = 1.0,
        solver_share: float = 1 / 3,
        expansion_cost: float = 200.0,
        max_nodes: int = MOST_NODES,
    ) -> None:
        if threads < 1:
            raise InputError(f"threads is {threads}, expected at least 1")
        if max_nodes < 1:
            raise InputError(f"max_nodes is {max_nodes}, expected at least 1")
        if not 0 < solver_share < 1:
            raise InputError(f"solver_share is {solver_share}, expected a number between 0 and 1")
        if not 0 < kept_regret <= 1:
            raise InputError(f"kept_regret is {kept_regret}, expected a number above 0 and up to 1")
        options = GrowingOptions()
        options.gadget, options.threads, options.seed = "none", threads, seed
        options.exploration, options.one_sided = exploration, one_sided
        options.best_first, options.pruning, options.kept_regret = best_first, pruning, kept_regret
        options.solver_share, options.expansion_cost = solver_share, expansion_cost
        options.max_nodes = (game.num_nodes if isinstance(game, Tree) else max_nodes) + 16
        options.averaging = True
        self._player = player_of(player)
        self._search: TreeSearch | GameSearch
        if isinstance(game, Tree):
            self._tree: Tree | None = game
            self._search = TreeSearch(game, _estimate(game, value), int(self._player), options)
        else:
            if value is not None and not callable(value):
                raise InputError(f"the value of {game.name} is an array, expected a function of its states")
            if threads > 1:
                raise InputError(f"threads is {threads}, expected 1 for a game that is not a tree")
            self._tree = None
            self._game = SearchGame(game, self._player, value=value)
            self._search = GameSearch(self._game.native, self._game.root(), options)

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
        search = self._search
        value = search.value if self._player == MAX else -search.value
        facts = (value, search.num_nodes, search.num_infosets, search.iterations)
        if isinstance(search, TreeSearch):
            assert self._tree is not None
            behaviours = [search.strategy(int(player), average) for player in (MAX, MIN)]
            profile = Profile(
                *(Strategy.from_behaviour(self._tree, p, b) for p, b in zip((MAX, MIN), behaviours, strict=True))
            )
            return Grown(*facts, {}, profile, search.expanded())
        policies = {player: self._policy(search, player, average) for player in (MAX, MIN)}
        return Grown(*facts, policies, None, np.empty(0, dtype=np.int32))

    def _policy(self, search: GameSearch, player: Player, average: bool) -> Policy:
        # To the search, the searcher is MAX.
        role = MAX if player == self._player else MIN
        keys, actions, strategies = search.strategy(int(role), average)
        return {
            self._game.told(player, key): dict(zip(moves, probabilities, strict=True))
            for key, moves, probabilities in zip(keys, actions, strategies, strict=True)
        }


def _estimate(tree: Tree, value: Value | npt.ArrayLike | None) -> npt.NDArray[np.float64]:
    if value is None or callable(value):
        raise InputError("the value of a tree is a function or missing, expected an array with a value for each node")
    values = np.ascontiguousarray(value, dtype=np.float64)
    if values.shape != (tree.num_nodes,) or not np.isfinite(values).all():
        raise InputError(f"the estimate has shape {values.shape}, expected {tree.num_nodes} finite values, one a node")
    return values
