"""What a player knows at the nodes where she does not act.

An `.efg` file partitions each player's own nodes and says nothing about the others. A tree of murk needs
both players' information everywhere, so at the nodes where a player *waits* it is derived here, as coarse
as her later information sets allow: she has seen her own moves and the depth of the tree, and beyond that
only what tells her next information sets apart.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from murk.games.efg.labels import Namespace
from murk.games.protocol import TERMINAL

__all__ = ["Information", "information_of"]


@dataclass(frozen=True, slots=True)
class Information:
    """A player's information at every node.

    ``ids`` is -1 at terminal nodes. Where she acts it is the index of the information set in the file; the
    ids after those belong to nodes where she waits. ``names[i]`` is a readable name of id ``i``; names are
    distinct.
    """

    ids: list[int]
    names: list[str]


class _Nodes(Protocol):
    @property
    def parent(self) -> list[int]: ...
    @property
    def player(self) -> list[int]: ...
    @property
    def action(self) -> list[int]: ...
    @property
    def infoset(self) -> list[int]: ...


class _Infoset(Protocol):
    @property
    def number(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def actions(self) -> tuple[str, ...]: ...


def information_of(player: int, nodes: _Nodes, infosets: Sequence[_Infoset]) -> Information:
    """Return the information of ``player`` at every node.

    Two nodes where she waits have the same information exactly if

    - her own last action (infoset and action) and the depth are the same, and
    - she acts again after neither, or their next infosets of hers are *linked*: both can come after one and
      the same node where she waits, at this depth or deeper and with the same last action; or there is a
      chain of infosets, each linked to the next.

    If each infoset of hers lies at one depth, this is: two nodes are merged if they lead to a common future
    infoset, and so on transitively. The work is one union-find over the infosets, from the deepest level
    up, because links that hold at one depth hold at every smaller one.
    """
    ids = [-1] * len(nodes.parent)
    sequence = _sequences(player, nodes, infosets)
    levels = _levels(nodes.parent)
    waiting: dict[tuple[int, int, int], int] = {}

    # A token is one of her infosets as reached by one of her sequences; ``token[h]`` is one that can come
    # next after h, itself if she acts at h, or -1. Tokens that can come after one waiting node are joined.
    token = [-1] * len(ids)
    token_of: dict[tuple[int, int], int] = {}
    leader: list[int] = []
    for depth in range(len(levels) - 1, -1, -1):
        level = levels[depth]
        for node in level:
            if nodes.player[node] == player:
                ids[node] = nodes.infoset[node]
                token[node] = token_of.setdefault((ids[node], sequence[node]), len(leader))
                if token[node] == len(leader):
                    leader.append(token[node])
            elif nodes.player[node] != TERMINAL:
                # The links of all nodes from this depth down are in, those of the nodes above are not.
                linked = -1 if token[node] < 0 else _find(leader, token[node])
                group = (sequence[node], depth, linked)
                ids[node] = len(infosets) + waiting.setdefault(group, len(waiting))
        for node in level:
            above = nodes.parent[node]
            if above >= 0 and token[node] >= 0 and nodes.player[above] != player:
                token[above] = token[node] if token[above] < 0 else _join(leader, token[above], token[node])
    return Information(ids, _names(infosets, len(waiting)))


def _sequences(player: int, nodes: _Nodes, infosets: Sequence[_Infoset]) -> list[int]:
    """Return the player's last action on the way to each node, as one number; 0 if she has not acted."""
    first = [1]
    for infoset in infosets:
        first.append(first[-1] + len(infoset.actions))
    sequence = [0] * len(nodes.parent)
    for node, above in enumerate(nodes.parent):
        if above >= 0:
            own = nodes.player[above] == player
            sequence[node] = first[nodes.infoset[above]] + nodes.action[node] if own else sequence[above]
    return sequence


def _levels(parent: list[int]) -> list[list[int]]:
    """Return the nodes at each depth."""
    depth = [0] * len(parent)
    levels: list[list[int]] = []
    for node, above in enumerate(parent):
        if above >= 0:
            depth[node] = depth[above] + 1
        if depth[node] == len(levels):
            levels.append([])
        levels[depth[node]].append(node)
    return levels


def _find(leader: list[int], element: int) -> int:
    while leader[element] != element:
        leader[element] = leader[leader[element]]
        element = leader[element]
    return element


def _join(leader: list[int], first: int, second: int) -> int:
    first, second = _find(leader, first), _find(leader, second)
    leader[second] = first
    return first


def _names(infosets: Sequence[_Infoset], num_waiting: int) -> list[str]:
    names = Namespace()
    acting = [names.claim(infoset.name or f"infoset {infoset.number}") for infoset in infosets]
    return acting + [names.claim(f"waiting {index}") for index in range(1, num_waiting + 1)]
