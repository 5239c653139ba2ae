"""Beyond the paper: k-KLSS for 1 < k < ∞, which its conclusion asks for, with both readings of its restriction.

The paper lifts the blueprint's restriction "at every infoset except the root" of a subgame. For k = 1 that is the
infoset we are at. For k > 1 it may be that infoset alone (``lift="root"``) or all of ours in I^k (``"set"``).

Beside them stand KLUSS, which leaves our strategy in I^{k+1} open too; Safe-1-KLSS, which improves on the blueprint
against every strategy of the opponent; and unsafe subgame solving, which trusts the opponent's blueprint.
"""

from collections.abc import Iterator, Sequence

from murk.errors import InputError
from murk.experiments.games import CASES, EPSILON, Case
from murk.experiments.refined import VARIANTS, order_of, refined_task
from murk.experiments.study import Task

__all__ = ["DEFAULT", "LIFTS", "ORDERS", "tasks"]

ORDERS = ("1", "3", "5", "inf")
LIFTS = ("root", "set")

DEFAULT = ("dark_hex", "goofspiel_random", "goofspiel_increasing", "kuhn", "leduc", "liars_dice", "matching_pennies")
"""Games that are studied unless others are asked for: the other rows of Table 1 restrict a single action only."""


def tasks(
    cases: Sequence[Case] | None = None,
    *,
    epsilon: float = EPSILON,
    orders: Sequence[str] = ORDERS,
    variants: Sequence[str] = VARIANTS,
    lifts: Sequence[str] = LIFTS,
    refinements: Sequence[str] = ("sequential",),
    kind: str = "maxmargin",
) -> list[Task]:
    """Return the rows: for each game the variants, and for each of them the orders it is defined for."""
    chosen = [case for case in CASES if case.name in DEFAULT] if cases is None else cases
    for order in orders:
        order_of(order)
    found = [
        refined_task(case, epsilon=epsilon, variant=variant, order=order, lift=lift, refinement=refinement, kind=kind)
        for case in chosen
        for refinement in refinements
        for variant in variants
        for order, lift in _settings(variant, orders, lifts)
    ]
    if not found:
        raise InputError("there is nothing to study: the safe variant and KLUSS are of order 1")
    return found


def _settings(variant: str, orders: Sequence[str], lifts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the orders and readings that differ: for one infoset the two readings are the same."""
    for order in orders:
        if order == "1":
            yield order, "root"
        elif variant in ("klss", "unsafe"):
            yield from ((order, lift) for lift in lifts)
