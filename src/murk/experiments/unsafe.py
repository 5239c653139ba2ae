"""Nested unsafe subgame solving, as a baseline: the opponent is trusted to have played her side of the blueprint.

Where the two blueprints never come to an infoset together there is nothing to condition on, and our strategy stays as
it was.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from murk.errors import InputError
from murk.solvers import SequenceLp
from murk.subgame import NestedOptions, Subgame, make_unsafe_subgame
from murk.subgame.nested import RefineProgress
from murk.tree import Profile, Strategy, Tree

__all__ = ["refine_unsafely"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Place:
    """One of our infosets, in the subgame that has replaced the game."""

    tree: Tree
    profile: Profile
    infoset: int
    origin: npt.NDArray[np.int64]  # of each of our infosets in `tree`: that of the full game, -1 for none
    lower: Floats


def refine_unsafely(profile: Profile, options: NestedOptions, *, progress: RefineProgress | None = None) -> Strategy:
    """Return MAX's strategy if she solves an unsafe subgame at every infoset she comes to.

    Of the options ``order``, ``lower`` and ``lift`` count.
    """
    blueprint = profile.max
    tree, player = blueprint.tree, blueprint.player
    behaviour = blueprint.behaviour()
    total = len(tree.acting_infosets(player))
    for done, (infoset, probabilities) in enumerate(_solves(profile, options), start=1):
        first = int(tree.infoset_first(player)[infoset])
        behaviour[first : first + len(probabilities)] = probabilities
        if progress is not None:
            progress(done, total)
    return Strategy.from_behaviour(tree, player, behaviour)


def _solves(profile: Profile, options: NestedOptions) -> Iterator[tuple[int, Floats]]:
    x = profile.max
    tree, player = x.tree, x.player
    lower = np.zeros(tree.num_sequences(player)) if options.lower is None else np.asarray(options.lower, dtype=float)
    acting = tree.acting_infosets(player)
    reached = tree.infoset_reach(player, player, x.sequences) > 0
    here = np.arange(tree.num_infosets(player))
    stack = [
        _Place(tree, profile, i, here, lower)
        for i in acting[(tree.infoset_parent(player)[acting] == 0) & reached[acting]].tolist()
    ]
    while stack:
        place = stack.pop()
        try:
            subgame = make_unsafe_subgame(place.tree, place.profile, player, place.infoset, order=options.order)
        except InputError:  # the blueprints never come here together
            continue
        if place.infoset not in subgame.infosets[player]:  # others of the knowledge set are reached, but not this one
            continue
        solved, origin, kept = _solve(subgame, place, options)
        here_now = subgame.root_infoset
        yield int(origin[here_now]), _behaviour_at(solved.max, here_now)
        parent = subgame.tree.infoset_parent(player)
        following = [int(i) for i in subgame.next_infosets(here_now) if solved.max.sequences[parent[i]] > 0]
        stack.extend(_Place(subgame.tree, solved, i, origin, kept) for i in following)


def _solve(subgame: Subgame, place: _Place, options: NestedOptions) -> tuple[Profile, npt.NDArray[np.int64], Floats]:
    tree, player = subgame.tree, subgame.player
    own = subgame.infosets[player]
    origin = np.where(own >= 0, place.origin[own], -1)
    kept = subgame.translate(place.lower)
    applied = kept.copy()
    for infoset in [subgame.root_infoset] if options.lift == "root" else subgame.first_infosets().tolist():
        first = int(tree.infoset_first(player)[infoset])
        applied[first : first + int(tree.infoset_actions(player)[infoset])] = 0.0
    return SequenceLp(tree, player, lower=applied).solve().profile, origin, kept


def _behaviour_at(strategy: Strategy, infoset: int) -> Floats:
    tree, player = strategy.tree, strategy.player
    first = int(tree.infoset_first(player)[infoset])
    return strategy.behaviour()[first : first + int(tree.infoset_actions(player)[infoset])]
