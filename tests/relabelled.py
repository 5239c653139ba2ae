"""The same game with its actions and nodes in another order."""

import numpy as np

from murk.tree import MAX, MIN, Tree


def relabelled(tree: Tree, seed: int) -> Tree:
    """Return the tree with the actions of every infoset, and nature's at every node, in another order."""
    rng = np.random.default_rng(seed)
    order, parent = [0], [-1]
    shuffled: dict[tuple[int, int], list[int]] = {}
    first, count, player = tree.first_child.tolist(), tree.num_children.tolist(), tree.player.tolist()
    labels = [tree.infoset(p).tolist() for p in (MAX, MIN)]
    for i, h in enumerate(order):  # grows as it goes
        if count[h]:
            p = player[h]
            key = (p, labels[p][h]) if p in (MAX, MIN) else (p, h)
            if key not in shuffled:
                shuffled[key] = rng.permutation(count[h]).tolist()
            order.extend(first[h] + a for a in shuffled[key])
            parent.extend([i] * count[h])
    picked = np.array(order)
    names = tuple(
        {i: [tree.action_names(p, i)[a] for a in shuffled[p, i]] for i in tree.acting_infosets(p).tolist()}
        for p in (MAX, MIN)
    )
    return Tree.from_arrays(
        parent=parent, player=tree.player[picked], action=tree.action[picked],
        chance=tree.chance_probabilities()[picked], utility=tree.utility[picked],
        infosets=(tree.infoset(MAX)[picked], tree.infoset(MIN)[picked]), name=tree.name,
        infoset_names=(tree.infoset_names(MAX), tree.infoset_names(MIN)), action_names=names,
    )  # fmt: skip
