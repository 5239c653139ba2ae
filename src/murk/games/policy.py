"""Strategies to and from OpenSpiel's policies."""

from typing import TYPE_CHECKING, Any

import numpy as np

from murk.errors import InputError
from murk.games.openspiel import OpenSpielGame, import_pyspiel, load_openspiel
from murk.tree.players import MAX, MIN
from murk.tree.strategy import Profile, Strategy
from murk.tree.tree import Tree

if TYPE_CHECKING:
    from open_spiel.python.policy import TabularPolicy

__all__ = ["from_openspiel_policy", "to_openspiel_policy"]


def to_openspiel_policy(profile: Profile, game: "OpenSpielGame | str | Any | None" = None) -> "TabularPolicy":
    """Return a profile as OpenSpiel's ``TabularPolicy``.

    ``game`` is the OpenSpiel game (or its name) the tree was built from; by default the tree's own name.

    Raises:
        InputError: the tree was not built from that game's information states.
    """
    from open_spiel.python.policy import TabularPolicy

    wrapped = (
        game if isinstance(game, OpenSpielGame) else load_openspiel(game if game is not None else profile.max.tree.name)
    )
    policy = TabularPolicy(wrapped.game)
    for p in (MAX, MIN):
        table = profile[p].to_mapping()
        for state, row in policy.state_lookup.items():
            if state not in policy.states_per_player[p]:
                continue
            if state not in table:
                raise InputError(
                    f"{profile.max.tree.name} has no information state {state!r} of {p.name}, "
                    f"expected a tree of {wrapped.name}"
                )
            policy.action_probability_array[row] = 0.0
            for action, probability in table[state].items():
                policy.action_probability_array[row, action] = probability
    return policy


def from_openspiel_policy(tree: Tree, policy: Any, *, game: "OpenSpielGame | str | Any | None" = None) -> Profile:
    """Return what an OpenSpiel ``Policy`` (or ``TabularPolicy``) plays in ``tree``, for both players.

    The game is walked with the policy; infosets it cannot reach are played evenly.
    """
    import_pyspiel()
    wrapped = game if isinstance(game, OpenSpielGame) else load_openspiel(game if game is not None else tree.name)
    behaviour = [np.zeros(tree.num_sequences(p)) for p in (MAX, MIN)]
    first_child, player = tree.first_child, tree.player
    stack = [(wrapped.game.new_initial_state(), 0)]
    seen: set[tuple[int, int]] = set()
    while stack:
        state, node = stack.pop()
        if state.is_terminal():
            continue
        actions = state.legal_actions()
        mover = int(player[node])
        if mover in (MAX, MIN):
            key = (mover, int(tree.infoset(mover)[node]))
            if key not in seen:
                seen.add(key)
                probabilities = policy.action_probabilities(state, mover)
                for i, action in enumerate(actions):
                    sequence = int(tree.sequence(mover)[first_child[node] + i])
                    behaviour[mover][sequence] = max(probabilities.get(action, 0.0), 0.0)
        stack.extend((state.child(a), int(first_child[node]) + i) for i, a in enumerate(actions))
    profile = []
    for p in (MAX, MIN):
        infoset = tree.sequence_infoset(p)[1:]
        sums = np.bincount(infoset, weights=behaviour[p][1:], minlength=tree.num_infosets(p))[infoset]
        with np.errstate(invalid="ignore", divide="ignore"):
            behaviour[p][1:] = np.where(sums > 0, behaviour[p][1:] / sums, 1.0 / tree.infoset_actions(p)[infoset])
        profile.append(Strategy.from_behaviour(tree, p, behaviour[p]))
    return Profile(profile[0], profile[1])
