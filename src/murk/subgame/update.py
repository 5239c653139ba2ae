"""Safety by updating the blueprint: Algorithm 2 of [ZS21] (``al:bp-update``, ``th:inductive-weak``).

Every subgame solution is written into the blueprint for good, but is played only from the next playthrough on.
Each update keeps the blueprint's exploitability or lowers it; what an opponent does now can change which
blueprint she meets later, never how good it is.

Deviations (``docs/errata.md``):

* The pseudocode writes the solution at the sequences that extend the infoset we are at, the theorem in all of
  I^k. For k = 1 they are the same. For k > 1 only the theorem's is safe, because the solution counts on our new
  strategy elsewhere in I^k; it is the default (``scope="set"``).
* Least action probabilities, if there are any, are kept in a subgame only as far as the blueprint itself keeps them.
  (Each solve lifts them at its own infoset; a subgame that the blueprint cannot be played in would not be safe.)
* Play follows an older blueprint than the one that is being updated, so it may come to an infoset which the new
  one avoids. There is no subgame for it (the proof needs x(I) > 0); nothing is solved then.
"""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from murk.errors import InputError
from murk.solvers.lp import checked_lower
from murk.subgame.chain import Chain
from murk.subgame.nested import NestedOptions, Step
from murk.tree.players import Player
from murk.tree.strategy import Strategy
from murk.tree.tree import Tree

__all__ = ["BlueprintUpdater", "Scope", "updated_blueprints", "write_back"]

Scope = Literal["set", "infoset"]


class BlueprintUpdater:
    """What Algorithm 2 maintains as state.

    Args:
        blueprint: the strategy to start from.
        options: how subgames are made and solved; any odd order, resolving or maxmargin.
        scope: where a solution overrides the blueprint: in all of I^k (``"set"``), or only at and after I
            (``"infoset"``, which is not safe for k > 1).

    Attributes:
        blueprint: x*, updated by every solve.
        last: x*_last, the blueprint as it was when this playthrough began: the strategy to play.
        playthroughs: how many playthroughs have ended.
        solves: how many subgames have been solved, in all of them.
    """

    def __init__(self, blueprint: Strategy, options: NestedOptions | None = None, *, scope: Scope = "set") -> None:
        options = options or NestedOptions()
        if scope not in ("set", "infoset"):
            raise InputError(f"scope is {scope!r}, expected 'set' or 'infoset'")
        if options.variant == "kluss":
            raise InputError(
                "KLUSS solves for parts of infosets, which cannot be written back, expected variant 'klss' or 'safe'"
            )
        check_order(options.order)
        self.options = replace(options, lower=_lower_bounds(blueprint, options))
        self.scope: Scope = scope
        self.blueprint = blueprint  # l. 3
        self.last = blueprint  # l. 4
        self.playthroughs = 0
        self.solves = 0
        self._current = Chain(blueprint, self._kept_by(blueprint))  # l. 5-6

    @property
    def tree(self) -> Tree:
        """Γ*, the full game."""
        return self.blueprint.tree  # l. 2

    @property
    def player(self) -> Player:
        """Whose blueprint it is."""
        return self.blueprint.player

    def receive_observation(self, infoset: int) -> bool:
        """Take notice of an infoset of ours that play has come to; tell whether the blueprint was updated.

        Raises:
            InputError: there is no such infoset.
        """
        # Alg. 2, l. 8: the referee tells us the infoset that the observation leads to.
        count = self.tree.num_infosets(self.player)
        if not 0 <= infoset < count:
            raise InputError(
                f"{self.player.name} has no infoset {infoset} in {self.tree.name}, expected 0 to {count - 1}"
            )
        if self.tree.infoset_actions(self.player)[infoset] == 0:  # Alg. 2, l. 9
            return False
        if not self._current.solve(infoset):  # Alg. 2, l. 10-13
            return False
        step = self._current.step
        assert step is not None
        self.blueprint = write_back(self.blueprint, step, scope=self.scope)  # Alg. 2, l. 14
        self.solves += 1
        return True

    def end_playthrough(self) -> None:
        """Go back to the full game; what was learned is played from now on."""
        self.last = self.blueprint  # l. 4
        self._current.options = self._kept_by(self.blueprint)
        self._current.blueprint = self.blueprint  # l. 5-6
        self.playthroughs += 1

    def _kept_by(self, blueprint: Strategy) -> NestedOptions:
        """Return the options with lower bounds that the blueprint keeps: else it would be no way out of a subgame.

        A solve lifts the bounds at its own infoset, so that an updated blueprint may be below them there.
        """
        if self.options.lower is None:
            return self.options
        return replace(self.options, lower=np.minimum(self.options.lower, blueprint.behaviour()))

    def describe(self) -> dict[str, Any]:
        """Return the options as plain values, without the lower bounds."""
        return {name: value for name, value in asdict(self.options).items() if name != "lower"} | {"scope": self.scope}

    def __repr__(self) -> str:
        return (
            f"<murk.BlueprintUpdater of {self.player.name} in {self.tree.name!r}: "
            f"{self.playthroughs:,} playthroughs, {self.solves:,} solves>"
        )


def write_back(blueprint: Strategy, step: Step, *, scope: Scope = "set") -> Strategy:
    """Return the blueprint with a subgame's solution written into it: x*(s) <- x(s) x*(I) (Alg. 2, l. 14).

    As behaviour: at each of our infosets in the subgame that the solution comes to, its probabilities replace
    the blueprint's.
    """
    subgame, x = step.solution.subgame, step.solution.strategy
    gadget, player, tree = subgame.tree, subgame.player, blueprint.tree
    infoset = gadget.sequence_infoset(player)[1:]
    place = np.arange(1, len(x.sequences)) - gadget.infoset_first(player)[infoset]
    comes = x.sequences[gadget.infoset_parent(player)[infoset]] > 0
    written = (step.origin[infoset] >= 0) & comes
    if scope == "infoset":
        written &= _at_or_after(gadget, player, subgame.root_infoset)[infoset]
    target = tree.infoset_first(player)[step.origin[infoset]] + place
    behaviour = blueprint.behaviour()
    behaviour[target[written]] = x.behaviour()[1:][written]
    return Strategy.from_behaviour(tree, player, behaviour)


def updated_blueprints(
    blueprint: Strategy, infosets: Iterable[int], options: NestedOptions | None = None, *, scope: Scope = "set"
) -> Iterator[Strategy]:
    """Yield the blueprint after a solve, from the full game, at each of ``infosets``: ``th:inductive-weak``.

    Where the current blueprint never comes to, nothing is solved and the same blueprint is yielded again.
    """
    updater = BlueprintUpdater(blueprint, options, scope=scope)
    for infoset in infosets:
        updater.receive_observation(int(infoset))
        updater.end_playthrough()
        yield updater.blueprint


def check_order(order: float) -> None:
    """Raise :class:`InputError` unless ``order`` is a k of k-KLSS."""
    if order != np.inf and (order != int(order) or order < 1 or int(order) % 2 == 0):
        raise InputError(f"order is {order!r}, expected an odd number or infinity")


def _lower_bounds(blueprint: Strategy, options: NestedOptions) -> npt.NDArray[np.float64] | None:
    return None if options.lower is None else checked_lower(blueprint.tree, blueprint.player, options.lower)


def _at_or_after(tree: Tree, player: Player, infoset: int) -> npt.NDArray[np.bool_]:
    """Mark the player's infosets that are, or come after, one of hers."""
    parent, owner = tree.infoset_parent(player), tree.sequence_infoset(player)
    out = np.zeros(tree.num_infosets(player), dtype=np.bool_)
    for i in range(len(out)):
        up = i
        while up != infoset and parent[up] > 0:
            up = int(owner[parent[up]])
        out[i] = up == infoset
    return out
