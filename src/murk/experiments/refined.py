"""One measurement, of which Table 1 and the studies of ε and of k are made: a blueprint, and what nested subgame solving makes of it.

Exploitability is MAX's alone, value(game) - u*(x), with payoffs mapped affinely to [-1, 1].
"""

import math
import time
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from murk.errors import InputError
from murk.experiments.games import CASES, Case, lower_bounds
from murk.experiments.study import Report, Row, Task, tree_of
from murk.experiments.unsafe import refine_unsafely
from murk.solvers import side_exploitability, solve_lp
from murk.subgame import NestedOptions, refine_everywhere
from murk.tree import MAX, Profile, Strategy, Tree

__all__ = ["NOTHING", "Blueprint", "blueprint_of", "order_of", "refined_row", "refined_task"]

NOTHING = 1e-9
"""Exploitability below this is rounding and counts as 0."""

Method = Literal["klss", "unsafe"]


@dataclass(frozen=True)
class Blueprint:
    """The least exploitable strategy of MAX under a restriction.

    Attributes:
        profile: it, and a strategy of MIN that is optimal against all restricted strategies.
        lower: the least probability of each action.
        value: the value of the game without the restriction.
        scale: what exploitability is multiplied with to be in the units of [-1, 1].
    """

    profile: Profile
    lower: npt.NDArray[np.float64]
    value: float
    scale: float

    def exploitability(self, strategy: Strategy) -> float:
        """Return MAX's exploitability in the units of Table 1; rounding counts as 0."""
        gap = side_exploitability(strategy, self.value) * self.scale
        return gap if gap > NOTHING else 0.0


@lru_cache(maxsize=4)
def blueprint_of(name: str, epsilon: float) -> Blueprint:
    """Return the blueprint of the case of this name, computed once in a process."""
    case = _case(name)
    tree = tree_of(case.spec)
    lower = lower_bounds(tree, case.floor, epsilon)
    low, high = tree.utility_range()
    return Blueprint(solve_lp(tree, MAX, lower=lower).profile, lower, _value(case.spec), 2 / (high - low))


@lru_cache(maxsize=8)
def _value(spec: str) -> float:
    return solve_lp(tree_of(spec)).value


def order_of(order: str | float) -> float:
    """Return k from what a user wrote or a row says: an odd number, or ``inf``.

    Raises:
        InputError: it is neither.
    """
    text = str(order)
    if text == "inf":
        return math.inf
    if not text.isdigit() or int(text) % 2 == 0:
        raise InputError(f"order is {text!r}, expected an odd number or 'inf'")
    return int(text)


def refined_task(
    case: Case,
    *,
    epsilon: float,
    refinement: str = "none",
    kind: str = "maxmargin",
    order: str | float = 1,
    lift: str = "root",
    method: Method = "klss",
) -> Task:
    """Return the task whose row :func:`refined_row` computes."""
    k = order_of(order)
    arguments: dict[str, Any] = {
        "name": case.name, "method": method, "epsilon": float(epsilon), "order": "inf" if k == math.inf else int(k),
        "kind": kind, "refinement": refinement, "lift": lift,
    }  # fmt: skip
    if not 0 <= epsilon <= 1:
        raise InputError(f"epsilon is {epsilon!r}, expected a number from 0 to 1")
    return Task(refined_row, arguments, f"{case.title}, {refinement}", case.spec)


def refined_row(
    *,
    name: str,
    method: Method,
    epsilon: float,
    order: int | str,
    kind: Literal["maxmargin", "resolve"],
    refinement: Literal["none", "sequential"],
    lift: Literal["root", "set"],
    report: Report,
) -> Row:
    """Compute a blueprint, refine it at every infoset, and measure both.

    ``method`` "unsafe" is the baseline that trusts the opponent to have played her side of the blueprint; ``kind`` and ``refinement`` mean
    nothing to it.
    """
    blueprint, count = blueprint_of(name, epsilon), 0

    def progress(done: int, total: int) -> None:
        nonlocal count
        count = done
        report(done / total)

    options = NestedOptions(order=order_of(order), kind=kind, refinement=refinement, lower=blueprint.lower, lift=lift)
    started = time.perf_counter()
    if method == "unsafe":
        strategy = refine_unsafely(blueprint.profile, options, progress=progress)
    else:
        strategy = refine_everywhere(blueprint.profile.max, options, progress=progress)
    seconds = time.perf_counter() - started
    before, after = blueprint.exploitability(blueprint.profile.max), blueprint.exploitability(strategy)
    return {
        "game": _case(name).title, "name": name, "method": method, "epsilon": epsilon, "order": order, "kind": kind,
        "refinement": refinement, "lift": lift, "blueprint": before, "after": after,
        "ratio": before / after if after > 0 else None, "subgames": count, "seconds": seconds,
    }  # fmt: skip


def _case(name: str) -> Case:
    return next(case for case in CASES if case.name == name)
