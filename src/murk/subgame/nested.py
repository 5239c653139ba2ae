"""Nested subgame solving: the gadget replaces the game, and the process repeats at our next infoset.

A playthrough visits a chain of our infosets, each solved in the gadget of the one before, so the strategy of a player
who refines at every
infoset she reaches is well defined as a whole: her behaviour at an infoset is what the chain of solves that leads to
    it ends with.
:func:`refine_everywhere` computes it, chain by chain; it is the "after 1-KLSS" column of Table 1.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from murk.errors import InputError
from murk.subgame.gadget import Subgame, make_dominating_subgame, make_subgame
from murk.subgame.knowledge import Knowledge
from murk.subgame.solve import Refinement, SubgameSolution, solve_subgame
from murk.tree.strategy import Strategy

__all__ = ["NestedOptions", "RefineProgress", "Step", "refine_everywhere", "start_chain", "step_chain"]

Floats = npt.NDArray[np.float64]

RefineProgress = Callable[[int, int], None]
"""Called with the number of subgames solved so far and the number of infosets there are."""


@dataclass(frozen=True, kw_only=True)
class NestedOptions:
    """How each subgame of a chain is made and solved.

    Attributes:
        variant: ``"klss"``; ``"kluss"``, which leaves our strategy in I^{k+1} open too; or ``"safe"``, which improves
            on the blueprint against every strategy of the opponent (order 1 only).
        order: k of k-KLSS.
        kind: ``"maxmargin"`` or ``"resolve"``.
        reach: give back the opponent's gifts (Reach).
        refinement: which equilibrium of the gadget, see :mod:`murk.subgame.solve`.
        lower: least action probabilities in the full game, one a sequence of ours; kept in every subgame except where
            lifted.
        lift: where they are lifted: at the infoset the subgame is made for (``"root"``, as in the paper), or at all
            of ours in I^k (``"set"``; the same for k = 1).
        method: ``"lp"`` or one of the CFR family (which takes no lower bounds).
    """

    variant: Literal["klss", "kluss", "safe"] = "klss"
    order: float = 1
    kind: Literal["maxmargin", "resolve"] = "maxmargin"
    reach: bool = False
    refinement: Refinement = "none"
    lower: npt.ArrayLike | None = None
    lift: Literal["root", "set"] = "root"
    method: str = "lp"

    def __post_init__(self) -> None:
        choices = {
            "variant": ("klss", "kluss", "safe"),
            "kind": ("maxmargin", "resolve"),
            "lift": ("root", "set"),
            "refinement": ("none", "sequential"),
        }
        for name, allowed in choices.items():
            if getattr(self, name) not in allowed:
                raise InputError(f"{name} is {getattr(self, name)!r}, expected one of {', '.join(map(repr, allowed))}")
        if self.variant == "safe" and (self.order != 1 or self.reach):
            raise InputError("the safe variant is of order 1 and without Reach")


@dataclass(frozen=True, eq=False)
class Step:
    """One solve of a chain.

    Attributes:
        solution: of the gadget.
        origin: for each of our infosets in the gadget, that of the full game, -1 for none.
        lower: the least action probabilities in the gadget before any were lifted.
    """

    solution: SubgameSolution
    origin: npt.NDArray[np.int64]
    lower: Floats | None

    @property
    def infoset(self) -> int:
        """The infoset solved for, in the full game."""
        return int(self.origin[self.solution.subgame.root_infoset])

    def next_infosets(self) -> list[int]:
        """Return our next infosets that this step's strategy comes to, in its gadget."""
        subgame = self.solution.subgame
        player = subgame.player
        reach = subgame.tree.infoset_reach(player, player, self.solution.strategy.sequences)
        return [int(i) for i in subgame.next_infosets(subgame.root_infoset) if reach[i] > 0]


def start_chain(
    blueprint: Strategy, infoset: int, options: NestedOptions, *, knowledge: Knowledge | None = None
) -> Step:
    """Solve at one of our infosets of the full game."""
    subgame = _make(blueprint, infoset, options, knowledge)
    lower = None if options.lower is None else np.asarray(options.lower, dtype=np.float64)
    return _solve(subgame, np.arange(blueprint.tree.num_infosets(blueprint.player)), lower, options)


def step_chain(step: Step, infoset: int, options: NestedOptions) -> Step:
    """Solve at one of our later infosets, within the gadget of ``step`` and starting from its solution."""
    return _solve(_make(step.solution.strategy, infoset, options, None), step.origin, step.lower, options)


def _make(strategy: Strategy, infoset: int, options: NestedOptions, knowledge: Knowledge | None) -> Subgame:
    if options.variant == "safe":
        return make_dominating_subgame(strategy.tree, strategy, infoset, knowledge=knowledge)
    return make_subgame(
        strategy.tree, strategy, infoset, order=options.order, unfrozen=options.variant == "kluss", reach=options.reach,
        knowledge=knowledge,
    )  # fmt: skip


def _solve(subgame: Subgame, origin: npt.NDArray[np.int64], lower: Floats | None, options: NestedOptions) -> Step:
    own = subgame.infosets[subgame.player]
    here = np.where(own >= 0, origin[own], -1)
    kept = None if lower is None else subgame.translate(lower)
    applied = None
    if kept is not None:
        applied = kept.copy()
        lifted = [subgame.root_infoset] if options.lift == "root" else subgame.first_infosets().tolist()
        for infoset in lifted:
            first = int(subgame.tree.infoset_first(subgame.player)[infoset])
            applied[first : first + int(subgame.tree.infoset_actions(subgame.player)[infoset])] = 0.0
    if options.kind == "resolve":
        subgame = subgame.to_resolve()
    solution = solve_subgame(subgame, lower=applied, refinement=options.refinement, method=options.method)
    return Step(solution, here, kept)


def refine_everywhere(
    blueprint: Strategy, options: NestedOptions | None = None, *, progress: RefineProgress | None = None
) -> Strategy:
    """Return the strategy of a player who solves a nested subgame at every infoset she comes to.

    Infosets her refined strategy never comes to keep the blueprint's behaviour.

    Raises:
        InputError: an option is wrong.
    """
    options = options or NestedOptions()
    tree, player = blueprint.tree, blueprint.player
    behaviour = blueprint.behaviour()
    total = len(tree.acting_infosets(player))
    for done, step in enumerate(all_steps(blueprint, options), start=1):
        first = int(tree.infoset_first(player)[step.infoset])
        probabilities = step.solution.behaviour()
        behaviour[first : first + len(probabilities)] = probabilities
        if progress is not None:
            progress(done, total)
    return Strategy.from_behaviour(tree, player, behaviour)


def all_steps(blueprint: Strategy, options: NestedOptions) -> Iterator[Step]:
    """Yield every solve of every chain, each before the ones nested in it."""
    tree, player = blueprint.tree, blueprint.player
    knowledge = Knowledge(tree)
    acting = tree.acting_infosets(player)
    parent = tree.infoset_parent(player)
    reached = tree.infoset_reach(player, player, blueprint.sequences) > 0
    for infoset in acting[(parent[acting] == 0) & reached[acting]].tolist():
        stack = [start_chain(blueprint, infoset, options, knowledge=knowledge)]
        while stack:
            step = stack.pop()
            yield step
            stack.extend(step_chain(step, i, options) for i in reversed(step.next_infosets()))
