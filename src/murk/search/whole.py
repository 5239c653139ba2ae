"""The trunk search on a whole game, from its root: sound, hence a test of everything else.

The value function decides only where the search looks first. When it stops because nothing that either player reaches
is left to expand, its strategies are an equilibrium of the full game, whatever that function was.
"""

from dataclasses import dataclass

import numpy as np

from murk import _core
from murk.games.protocol import Game
from murk.search.game import Interest, SearchGame, Value
from murk.search.loop import SearchResult, TrunkSearch
from murk.search.options import Budget, SearchOptions
from murk.tree.players import MAX, MIN, player_of
from murk.tree.strategy import Profile, Strategy, uniform
from murk.tree.tree import Tree

__all__ = ["SolvedTrunk", "solve_trunk"]


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
        small = self.trunk.tree
        node_of = np.full(small.num_nodes, -1, dtype=np.int64)
        node_of[0] = 0
        behaviour = np.array(uniform(tree, player).behaviour())
        first, count = small.first_child, small.num_children
        actor, sequence, infoset = small.player, small.sequence(role), small.infoset(role)
        parents = small.infoset_parent(role)
        big_first, big_infoset, big_start = tree.first_child, tree.infoset(player), tree.infoset_first(player)
        for h in range(small.num_nodes):
            children = int(count[h])
            if children == 0:
                continue
            at = int(node_of[h])
            node_of[int(first[h]) : int(first[h]) + children] = int(big_first[at]) + np.arange(children)
            if actor[h] != role:
                continue
            reach = sequences[parents[infoset[h]]]
            if reach > 0:
                start = int(sequence[int(first[h])])
                here = int(big_start[big_infoset[at]])
                behaviour[here : here + children] = sequences[start : start + children] / reach
        return Strategy.from_behaviour(tree, player, behaviour)

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
) -> SolvedTrunk:
    """Search a whole game from its root until the budget is used up or an equilibrium of it is found.

    Args:
        game: the game.
        player: from whose side; the equilibrium is both players' all the same.
        value: the value function u~, as MAX's payoff.
        interest: see :class:`SearchGame`.
        options: the hyper-parameters.
        budget: when to stop.
    """
    options = options or SearchOptions()
    search_game = SearchGame(game, player, value=value, interest=interest)
    trunk = _core.Trunk(search_game.native, search_game.root(), options.max_nodes)
    result = TrunkSearch(trunk, options).run(budget)
    return SolvedTrunk(int(player_of(player)), trunk, result)
