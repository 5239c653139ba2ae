"""Trunks that tests start from: expanded by hand, without any solver."""

import numpy as np
import numpy.typing as npt

from murk import _core
from murk.games.protocol import Game
from murk.search import SearchGame
from murk.tree import Tree

Floats = npt.NDArray[np.float64]


def nothing(state: object) -> float:
    """The crudest value function there is."""
    return 0.0


def whole_trunk(game: Game, player: int) -> tuple[SearchGame, _core.Trunk]:
    """Return the trunk of a game with everything expanded."""
    search_game = SearchGame(game, player, value=nothing)
    trunk = _core.Trunk(search_game.native, search_game.root(), 200_000)
    while True:
        x, y = (np.ones(trunk.tree.num_sequences(p)) for p in (0, 1))
        expanded, _, _ = trunk.grow(x, y, rule="pseudocode", depth=1 << 30, nodes=1 << 30, seconds=None)
        if not expanded:
            return search_game, trunk


def node_map(trunk: _core.Trunk, tree: Tree) -> npt.NDArray[np.int64]:
    """Return the node of the whole tree for each of the trunk's."""
    small = trunk.tree
    out = np.zeros(small.num_nodes, dtype=np.int64)
    for h in range(small.num_nodes):
        first, count = int(small.first_child[h]), int(small.num_children[h])
        out[first : first + count] = int(tree.first_child[out[h]]) + np.arange(count)
    return out


def random_strategy(tree: _core.Tree, player: int, rng: np.random.Generator) -> Floats:
    """Return a strategy in sequence form that plays everything."""
    out = np.zeros(tree.num_sequences(player))
    out[0] = 1.0
    for infoset in range(tree.num_infosets(player)):
        count = int(tree.infoset_actions(player)[infoset])
        if count:
            first = int(tree.infoset_first(player)[infoset])
            out[first : first + count] = rng.dirichlet(np.ones(count)) * out[tree.infoset_parent(player)[infoset]]
    return out
