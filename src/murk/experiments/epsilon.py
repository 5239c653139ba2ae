"""Beyond Table 1: how much there is to gain, and to lose, as the blueprint gets worse.

ε = 0 is the paper's other experiment: the blueprint is an exact equilibrium, and subgame solving need only not ruin
it. The paper found that it never did; which equilibria the solver returns decides that (``docs/errata.md``).
"""

from collections.abc import Sequence

from murk.experiments.games import CASES, EPSILON, Case
from murk.experiments.refined import refined_task
from murk.experiments.study import Row, Task
from murk.experiments.table1 import REFINEMENTS

__all__ = ["EPSILONS", "tasks", "with_paper"]

EPSILONS = (0.0, 0.05, 0.1, 0.25, 0.5)


def tasks(
    cases: Sequence[Case] = CASES,
    *,
    epsilons: Sequence[float] = EPSILONS,
    refinements: Sequence[str] = REFINEMENTS,
    kind: str = "maxmargin",
) -> list[Task]:
    """Return the rows, ε by ε for each game and refinement. Without a restriction the ε-bet and ε-fold variants are
    the game itself and are left out.
    """
    return [
        refined_task(case, epsilon=epsilon, refinement=refinement, kind=kind)
        for case in cases
        for refinement in refinements
        for epsilon in epsilons
        if epsilon > 0 or case.floor.action is None
    ]


def with_paper(row: Row) -> Row:
    """Return a row with what the paper says beside it: Table 1 at ε = 0.25, and that nothing is ruined at ε = 0."""
    case = next(case for case in CASES if case.name == row["name"])
    printed = {EPSILON: (case.blueprint.value, case.after.value), 0.0: (0.0, 0.0)}
    before, after = printed.get(row["epsilon"], (None, None))
    return {**row, "paper_blueprint": before, "paper_after": after}
