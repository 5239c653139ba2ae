"""Table 2 of [ZS21]: the numbers of nodes and of infosets at which somebody acts."""

import pytest
from samples import DARK_HEX, GOOFSPIEL, GOOFSPIEL_UP, KUHN, LEDUC, LIARS_DICE, PENNIES, named_tree

from murk.tree import MAX, MIN

TABLE_2 = {
    DARK_HEX: (471, 94),
    GOOFSPIEL: (26773, 3608),
    GOOFSPIEL_UP: (1077, 162),
    KUHN: (58, 12),
    LEDUC: (9457, 936),
    LIARS_DICE: (51181, 5120),
    PENNIES: (701, 101),
}


@pytest.mark.parametrize("name", TABLE_2)
def test_table2_nodes_and_infosets(name):
    tree = named_tree(name)
    assert (tree.num_nodes, sum(len(tree.acting_infosets(p)) for p in (MAX, MIN))) == TABLE_2[name]


@pytest.mark.parametrize("name", TABLE_2)
def test_a_node_takes_at_most_64_bytes(name):
    tree = named_tree(name)
    assert tree.nbytes >= tree.num_nodes * tree.bytes_per_node
    assert tree.nbytes <= 64 * tree.num_nodes
