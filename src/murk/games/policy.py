"""Strategies to and from OpenSpiel's policies."""

from typing import TYPE_CHECKING, Any

import numpy as np

from murk.errors import InputError
from murk.games.openspiel import OpenSpielGame, import_pyspiel, load_openspiel
from murk.tree.players import MAX, MIN, NATURE, TERMINAL
from murk.tree.strategy import Profile, Strategy
from murk.tree.tree import Tree

if TYPE_CHECKING:
    from open_spiel.python.policy import TabularPolicy

__all__ = ["from_openspiel_policy", "to_openspiel_policy"]

_SPIEL_PLAYER = {MAX: 0, MIN: 1, NATURE: -1, TERMINAL: -4}


def to_openspiel_policy(profile: Profile, game: "OpenSpielGame | str | Any | None" = None) -> "TabularPolicy":
    """Return a profile as OpenSpiel's ``TabularPolicy``.

    ``game`` is the OpenSpiel game (or its name) the tree was built from; by default the tree's own name.

    Raises:
        InputError: the tree was not built from that game's information states, or these are the same strings for both
            players, which a ``TabularPolicy`` cannot tell apart.
    """
    from open_spiel.python.policy import TabularPolicy

    wrapped = (
        game if isinstance(game, OpenSpielGame) else load_openspiel(game if game is not None else profile.max.tree.name)
    )
    policy = TabularPolicy(wrapped.game)
    for p in (MAX, MIN):
        table, theirs = profile[p].to_mapping(), set(policy.states_per_player[p])
        for state in sorted(theirs ^ table.keys()):
            without = profile.max.tree.name if state in theirs else "OpenSpiel's policy"
            raise InputError(
                f"{without} has no information state {state!r} of {p.name}, expected a tree of {wrapped.name} "
                "in which the players' information states differ"
            )
        for state in theirs:
            row = policy.state_lookup[state]
            policy.action_probability_array[row] = 0.0
            for action, probability in table[state].items():
                policy.action_probability_array[row, action] = probability
    return policy


def from_openspiel_policy(tree: Tree, policy: Any, *, game: "OpenSpielGame | str | Any | None" = None) -> Profile:
    """Return what an OpenSpiel ``Policy`` (or ``TabularPolicy``) plays in ``tree``, for both players.

    The game is walked with the policy; infosets it cannot reach are played evenly.

    Raises:
        InputError: the tree is not of that game.
    """
    import_pyspiel()
    wrapped = game if isinstance(game, OpenSpielGame) else load_openspiel(game if game is not None else tree.name)
    behaviour = [np.zeros(tree.num_sequences(p)) for p in (MAX, MIN)]
    first_child, num_children, player, labels = tree.first_child, tree.num_children, tree.player, tree.action
    stack = [(wrapped.game.new_initial_state(), 0)]
    seen: set[tuple[int, int]] = set()
    while stack:
        state, node = stack.pop()
        children = slice(int(first_child[node]), int(first_child[node]) + int(num_children[node]))
        actions = [] if state.is_terminal() else state.legal_actions()
        if state.current_player() != _SPIEL_PLAYER[player[node]] or actions != labels[children].tolist():
            raise InputError(f"{tree.name} is not a tree of {wrapped.name}: they differ at node {node}")
        mover = int(player[node])
        if mover in (MAX, MIN):
            key = (mover, int(tree.infoset(mover)[node]))
            if key not in seen:
                seen.add(key)
                probabilities = policy.action_probabilities(state)
                behaviour[mover][tree.sequence(mover)[children]] = [
                    max(probabilities.get(action, 0.0), 0.0) for action in actions
                ]
        stack.extend((state.child(a), children.start + i) for i, a in enumerate(actions))
    profile = []
    for p in (MAX, MIN):
        infoset = tree.sequence_infoset(p)[1:]
        sums = np.bincount(infoset, weights=behaviour[p][1:], minlength=tree.num_infosets(p))[infoset]
        with np.errstate(invalid="ignore", divide="ignore"):
            behaviour[p][1:] = np.where(sums > 0, behaviour[p][1:] / sums, 1.0 / tree.infoset_actions(p)[infoset])
        profile.append(Strategy.from_behaviour(tree, p, behaviour[p]))
    return Profile(profile[0], profile[1])
