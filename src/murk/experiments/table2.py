"""Table 2 of [ZS21]: how large the games are, and how large their order-k knowledge sets.

The averages are over decision nodes. The paper's dark hex figures leave out 24 of them. A rule that does so, and takes
nothing from the other six games, is: leave out a node with a single legal action that is its own common-knowledge
closure, so that there is nothing to decide and nothing unknown. ``average_unforced`` follows it.
"""

import time
from collections.abc import Sequence

import numpy as np

from murk.experiments.games import GAMES, Case
from murk.experiments.study import Report, Row, Task, tree_of
from murk.subgame import Knowledge
from murk.tree import MAX, MIN

__all__ = ["table2_row", "tasks", "with_paper"]


def tasks(cases: Sequence[Case] = GAMES) -> list[Task]:
    """Return the rows of the table."""
    return [Task(table2_row, {"name": case.name}, case.title, case.spec) for case in cases]


def table2_row(*, name: str, report: Report) -> Row:
    """Compute one row."""
    case = _case(name)
    tree = tree_of(case.spec)
    started = time.perf_counter()
    knowledge = Knowledge(tree)
    found = knowledge.statistics()
    seconds = time.perf_counter() - started
    deciding = (tree.player == MAX) | (tree.player == MIN)
    count = int(deciding.sum())
    left_out = _forced_and_known(knowledge)
    return {
        "game": case.title, "name": name, "nodes": found.nodes, "infosets": found.infosets, "diameter": found.diameter,
        "average": list(found.average),
        # Each node left out is alone in its sets of every order.
        "average_unforced": [(mean * count - left_out) / (count - left_out) for mean in found.average],
        "decision_nodes": count, "forced_nodes": left_out, "seconds": seconds,
    }  # fmt: skip


def _forced_and_known(knowledge: Knowledge) -> int:
    """Return the number of nodes with one legal action that are their own common-knowledge closure."""
    tree, component = knowledge.tree, knowledge.components()
    size = np.bincount(component[component >= 0])
    forced = ((tree.player == MAX) | (tree.player == MIN)) & (tree.num_children == 1)
    return int((forced & (size[component] == 1)).sum())


def with_paper(row: Row) -> Row:
    """Return a row with the paper's beside ours; ``paper_average`` is as printed, for k = 1, 2, 3, 4 and ∞ at most."""
    paper = _case(row["name"]).statistics
    assert paper is not None
    return {
        **row, "paper_nodes": paper.nodes, "paper_infosets": paper.infosets, "paper_diameter": paper.diameter,
        "paper_average": [figure.value for figure in paper.average],
    }  # fmt: skip


def _case(name: str) -> Case:
    return next(case for case in GAMES if case.name == name)
