"""What Table 1 and the studies of ε and of k are made of: a blueprint, and what nested subgame solving makes of it.

Exploitability is MAX's alone, value(game) - u*(x), with payoffs mapped affinely to [-1, 1].
"""

import math
import time
from functools import lru_cache
from typing import Any, Literal

from murk.errors import InputError
from murk.experiments.blueprint import Blueprint, make_blueprint
from murk.experiments.games import CASES, Case, lower_bounds
from murk.experiments.study import Report, Row, Task, tree_of
from murk.experiments.unsafe import refine_unsafely
from murk.solvers import solve_lp
from murk.subgame import NestedOptions, refine_everywhere
from murk.subgame.solve import Refinement

__all__ = ["VARIANTS", "blueprint_of", "order_of", "refined_row", "refined_task"]

Variant = Literal["klss", "kluss", "safe", "unsafe"]

VARIANTS: tuple[Variant, ...] = ("klss", "kluss", "safe", "unsafe")
"""Those of :class:`murk.subgame.NestedOptions`, and as a baseline unsafe subgame solving."""


@lru_cache(maxsize=4)
def blueprint_of(name: str, epsilon: float, refinement: Refinement = "none") -> Blueprint:
    """Return the blueprint of the case of this name, computed once in a process."""
    case = _case(name)
    tree = tree_of(case.spec)
    return make_blueprint(tree, lower_bounds(tree, case.floor, epsilon), _value(case.spec), refinement)


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
    variant: str = "klss",
) -> Task:
    """Return the task whose row :func:`refined_row` computes."""
    k = order_of(order)
    arguments: dict[str, Any] = {
        "name": case.name, "variant": variant, "epsilon": float(epsilon), "order": "inf" if k == math.inf else int(k),
        "kind": kind, "refinement": refinement, "lift": lift,
    }  # fmt: skip
    if not 0 <= epsilon <= 1:
        raise InputError(f"epsilon is {epsilon!r}, expected a number from 0 to 1")
    return Task(refined_row, arguments, f"{case.title}, {refinement}", case.spec)


def refined_row(
    *,
    name: str,
    variant: Variant,
    epsilon: float,
    order: int | str,
    kind: Literal["maxmargin", "resolve"],
    refinement: Refinement,
    lift: Literal["root", "set"],
    report: Report,
) -> Row:
    """Compute a blueprint, refine it at every infoset, and measure both.

    Variant "unsafe" trusts the opponent to have played her side of the blueprint; ``kind`` means nothing to it, and
    ``refinement`` is that of the blueprint.
    """
    blueprint, count = blueprint_of(name, epsilon, refinement), 0

    def progress(done: int, total: int) -> None:
        nonlocal count
        count = done
        report(done / total)

    options = NestedOptions(
        variant="klss" if variant == "unsafe" else variant, order=order_of(order), kind=kind, refinement=refinement,
        lower=blueprint.lower, lift=lift,
    )  # fmt: skip
    started = time.perf_counter()
    if variant == "unsafe":
        strategy = refine_unsafely(blueprint.profile, options, progress=progress)
    else:
        strategy = refine_everywhere(blueprint.profile.max, options, progress=progress)
    seconds = time.perf_counter() - started
    before, after = blueprint.exploitability(blueprint.profile.max), blueprint.exploitability(strategy)
    return {
        "game": _case(name).title, "name": name, "variant": variant, "epsilon": epsilon, "order": order, "kind": kind,
        "refinement": refinement, "lift": lift, "blueprint": before, "after": after,
        "ratio": before / after if after > 0 else None, "subgames": count, "seconds": seconds,
    }  # fmt: skip


def _case(name: str) -> Case:
    return next(case for case in CASES if case.name == name)
