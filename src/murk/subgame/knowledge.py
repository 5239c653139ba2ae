"""Knowledge: the infoset hypergraph, order-k knowledge sets, common knowledge (Sections 3 and 4.2 of [ZS21]).

If we know that the true node is in our infoset I, the opponent knows that it is in I^2, we know that she knows that
it is in I^3, and so on; it is common knowledge that it is in I^∞. The text of the paper defines I^k as all nodes at
distance at most k - 1 from I, which is what :meth:`Knowledge.order` gives; its Table 2 counts balls of radius k round
a *node*, which is what :meth:`Knowledge.statistics` gives (``docs/errata.md``).
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse

from murk import _core
from murk.errors import InputError
from murk.tree.players import Player, opponent, player_of
from murk.tree.tree import Tree

__all__ = ["Knowledge", "KnowledgeStatistics"]

Nodes = npt.NDArray[np.int32]


@dataclass(frozen=True)
class KnowledgeStatistics:
    """One row of Table 2.

    Attributes:
        nodes: number of nodes of the tree.
        infosets: number of infosets at which somebody acts.
        diameter: of the infoset hypergraph: the least k from which on no knowledge set grows.
        average: mean size of the ball of radius k = 1, 2, ..., diameter round a decision node; the last is the mean
            size of I^∞.
    """

    nodes: int
    infosets: int
    diameter: int
    average: tuple[float, ...]


class Knowledge:
    """What the players of one tree know about what they know."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.hypergraph = _core.Hypergraph(tree)

    def nodes(self, player: int, infoset: int) -> Nodes:
        """Return the nodes of one of ``player``'s infosets, ascending."""
        self._check(player_of(player), infoset)
        return self.hypergraph.nodes(player, infoset)

    def order(self, player: int, infoset: int, k: float = 1) -> Nodes:
        """Return the order-k knowledge set I^k of one of ``player``'s infosets; ``k`` may be ``math.inf``."""
        start = self.nodes(player, infoset)
        if k == math.inf:
            return self.hypergraph.ball(start, np.iinfo(np.int32).max)
        if k != int(k) or k < 1:
            raise InputError(f"order is {k!r}, expected a whole number from 1 on or infinity")
        return self.hypergraph.ball(start, int(k) - 1)

    def closure(self, player: int, infoset: int) -> Nodes:
        """Return the common-knowledge closure I^∞."""
        return self.order(player, infoset, math.inf)

    def components(self) -> Nodes:
        """Return the number of the common-knowledge closure each node is in, -1 at terminal nodes."""
        return self.hypergraph.components()

    def graph(self, player: int) -> "scipy.sparse.csr_array":
        """Return the graph G' of ``player``'s infosets as a symmetric 0-1 matrix.

        Two infosets at which she acts are joined if they contain nodes of one infoset of the opponent.
        """
        player, tree = player_of(player), self.tree
        acting = np.flatnonzero(tree.player == player)
        ours, theirs = tree.infoset(player)[acting], tree.infoset(opponent(player))[acting]
        shape = (tree.num_infosets(player), tree.num_infosets(opponent(player)))
        meets = scipy.sparse.csr_array((np.ones(len(acting)), (ours, theirs)), shape=shape)
        joined = (meets @ meets.T).tocsr()
        joined.setdiag(0)
        joined.eliminate_zeros()
        joined.data[:] = 1
        return joined

    def closure_infosets(self, player: int, infoset: int) -> npt.NDArray[np.int64]:
        """Return the infosets in I^∞ at which ``player`` acts: the vertices of G'[I^∞]."""
        nodes = self.closure(player, infoset)
        acting = nodes[self.tree.player[nodes] == player]
        return np.unique(self.tree.infoset(player)[acting]).astype(np.int64)

    def statistics(self) -> KnowledgeStatistics:
        """Return this game's row of Table 2."""
        average = tuple(self.hypergraph.mean_ball_sizes().tolist())
        infosets = sum(len(self.tree.acting_infosets(p)) for p in (0, 1))
        return KnowledgeStatistics(self.tree.num_nodes, infosets, len(average), average)

    def _check(self, player: Player, infoset: int) -> None:
        count = self.tree.num_infosets(player)
        if not 0 <= infoset < count:
            raise InputError(f"{player.name} has no infoset {infoset} in {self.tree.name}, expected 0 to {count - 1}")
