"""The trunk search on a whole game, from its root: sound, hence a test of everything else.

The value function decides only where the search looks first. When it stops because nothing that either player reaches
is left to expand, its strategies are an equilibrium of the full game, whatever that function was.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from murk import _core
from murk.games.protocol import Game
from murk.search.game import Interest, SearchGame, Value
from murk.search.loop import SearchResult, TrunkSearch
from murk.search.options import Budget, SearchOptions
from murk.tree.players import MAX, MIN, player_of
from murk.tree.strategy import Profile, Strategy, uniform
from murk.tree.tree import Tree

__all__ = ["SolvedTrunk", "current_profile", "solve_trunk"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SolvedTrunk:
    """A trunk of a whole game and what a search found in it.

    Attributes:
        player: for whom it was searched; she is MAX in the trunk.
        trunk: the expanded part.
        result: strategies and figures.
    """

    player: int
    trunk: _core.Trunk
    result: SearchResult

    def strategy(self, tree: Tree, player: int) -> Strategy:
        """Return one player's strategy in the whole game's tree: even where the trunk does not reach.

        ``tree`` must have been built from the same game, so that children come in the same order.
        """
        player = player_of(player)
        role = MAX if player == self.player else MIN
        sequences = self.result.x if role == MAX else self.result.y
        return _in_whole_tree(self.trunk.tree, role, sequences, tree, player)

    def profile(self, tree: Tree) -> Profile:
        """Return both players' strategies in the whole game's tree."""
        return Profile(self.strategy(tree, MAX), self.strategy(tree, MIN))


def solve_trunk(
    game: Game,
    player: int = MAX,
    *,
    value: Value | None = None,
    interest: Interest | None = None,
    options: SearchOptions | None = None,
    budget: Budget | None = None,
    observer: Callable[[TrunkSearch], None] | None = None,
) -> SolvedTrunk:
    """Search a whole game from its root until the budget is used up or an equilibrium of it is found.

    Args:
        game: the game.
        player: from whose side; the equilibrium is both players' all the same.
        value: the value function u~, as MAX's payoff.
        interest: see :class:`SearchGame`.
        options: the hyper-parameters.
        budget: when to stop.
        observer: called after each solve, with the search.
    """
    options = options or SearchOptions()
    search_game = SearchGame(game, player, value=value, interest=interest)
    trunk = _core.Trunk(search_game.native, search_game.root(), options.max_nodes)
    result = TrunkSearch(trunk, options, observer=observer).run(budget)
    return SolvedTrunk(int(player_of(player)), trunk, result)


def _in_whole_tree(small: _core.Tree, role: int, sequences: Floats, tree: Tree, player: int) -> Strategy:
    """Return a strategy of a trunk, walking it beside the whole tree; the whole tree's infosets are ``player``'s."""
    node_of = np.zeros(small.num_nodes, dtype=np.int64)
    behaviour = np.array(uniform(tree, player).behaviour())
    first, count, actor = small.first_child, small.num_children, small.player
    sequence, infoset, parents = small.sequence(role), small.infoset(role), small.infoset_parent(role)
    whole_first, whole_infoset, whole_start = tree.first_child, tree.infoset(player), tree.infoset_first(player)
    for h in np.flatnonzero(count).tolist():
        here, start, children = int(node_of[h]), int(first[h]), int(count[h])
        node_of[start : start + children] = int(whole_first[here]) + np.arange(children)
        if actor[h] != role:
            continue
        own = int(sequence[start])
        if own + children > len(sequences):
            continue  # expanded after the solve
        reach = sequences[parents[infoset[h]]]
        if reach > 0:
            place = int(whole_start[whole_infoset[here]])
            behaviour[place : place + children] = sequences[own : own + children] / reach
    return Strategy.from_behaviour(tree, player, behaviour)


def current_profile(search: TrunkSearch, tree: Tree, player: int = MAX) -> Profile:
    """Return the strategies of a search's last solve in the whole game's tree; ``player`` is for whom it searches."""
    solution = search.solution
    assert solution is not None, "nothing has been solved yet"
    small = search.trunk.tree
    ours = _in_whole_tree(small, MAX, solution.x, tree, player_of(player))
    theirs = _in_whole_tree(small, MIN, solution.y, tree, player_of(1 - int(player)))
    return Profile(ours, theirs) if player == MAX else Profile(theirs, ours)
