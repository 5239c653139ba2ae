"""Table 1 of [ZS21]: exploitability of ten blueprints before and after nested 1-KLSS at every infoset."""

from collections.abc import Sequence

from murk.experiments.games import CASES, EPSILON, Case
from murk.experiments.refined import refined_task
from murk.experiments.study import Row, Task

__all__ = ["KINDS", "REFINEMENTS", "tasks", "with_paper"]

REFINEMENTS = ("none", "sequential")
KINDS = ("maxmargin", "resolve")


def tasks(
    cases: Sequence[Case] = CASES,
    *,
    epsilon: float = EPSILON,
    refinements: Sequence[str] = REFINEMENTS,
    kinds: Sequence[str] = ("maxmargin",),
) -> list[Task]:
    """Return the rows of the table, refinement by refinement for each game."""
    return [
        refined_task(case, epsilon=epsilon, refinement=refinement, kind=kind)
        for case in cases
        for kind in kinds
        for refinement in refinements
    ]


def with_paper(row: Row) -> Row:
    """Return a row with the paper's figures beside ours, where it has any: they are for ε = 0.25."""
    case = next(case for case in CASES if case.name == row["name"])
    there = row["epsilon"] == EPSILON
    return {
        **row,
        "paper_blueprint": case.blueprint.value if there else None,
        "paper_after": case.after.value if there else None,
        "paper_ratio": case.ratio.value if there and case.ratio is not None else None,
    }
