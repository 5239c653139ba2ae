"""Between our players and OpenSpiel's: its bots and policies at our table, ours at its own."""

from collections.abc import Callable
from typing import Any

import numpy as np

from murk.errors import InputError
from murk.games.openspiel import OpenSpielGame, import_pyspiel, load_openspiel
from murk.subgame.players import SubgamePlayer, TreePlayer
from murk.tree.players import player_of
from murk.tree.tree import Tree

__all__ = ["OpenSpielPlayer", "to_openspiel_bot"]


class OpenSpielPlayer(TreePlayer):
    """An OpenSpiel bot or policy as a player.

    OpenSpiel hands its players the whole state and trusts them not to look. Here they get *some* state of their
    infoset (the first in the tree, whatever the true one is), so that what they do can depend on what they know
    only. A bot that follows the moves of others by ``inform_action`` is not told of them; to play against such
    a one, take :func:`to_openspiel_bot` and OpenSpiel's own referee.

    Args:
        source: a ``pyspiel.Bot``, a ``pyspiel.Policy`` or ``open_spiel.python.policy.Policy``, or a function that
            makes one from a seed, called before each playthrough.
        tree: the game's tree.
        player: which side.
        game: the OpenSpiel game, or its name, that the tree was built from; by default the tree's own name.

    Raises:
        InputError: the tree is not of that game, or ``source`` is neither a bot nor a policy.
    """

    def __init__(
        self, source: Any, tree: Tree, player: int | str, game: "OpenSpielGame | str | Any | None" = None
    ) -> None:
        super().__init__(tree, player_of(player))
        wrapped = game if isinstance(game, OpenSpielGame) else load_openspiel(game if game is not None else tree.name)
        self._root = wrapped.game.new_initial_state()
        self._states: dict[int, Any] = {}
        self._make: Callable[[int], Any] | None = None
        self._source: Any = None
        if _is_bot(source) or _is_policy(source):
            self._source = source
        elif callable(source):
            self._make = source
        else:
            raise InputError(f"a bot or a policy of OpenSpiel was expected, got {type(source).__name__}")
        nodes = np.flatnonzero(tree.player == self._player)
        infosets, first = np.unique(tree.infoset(self._player)[nodes], return_index=True)
        self._node = dict(zip(infosets.tolist(), nodes[first].tolist(), strict=True))

    def new_game(self, seed: int) -> None:
        """Begin a playthrough."""
        super().new_game(seed)
        if self._make is not None:
            self._source = self._make(seed % 2**31)
        if _is_bot(self._source):
            self._source.restart()

    def act(self) -> int:
        """Let the bot choose, or draw from the policy."""
        if self._infoset is None:
            return super().act()
        state = self._state(self._infoset)
        if _is_bot(self._source):
            return int(self._source.step(state))
        chances = self._source.action_probabilities(state)
        actions = list(chances)
        weights = np.array([max(float(chances[a]), 0.0) for a in actions])
        return int(actions[int(self._rng.choice(len(actions), p=weights / weights.sum()))])

    def _state(self, infoset: int) -> Any:
        """Return a state of the infoset."""
        state = self._states.get(infoset)
        if state is None:
            state = self._root.clone()
            for action in path(self._tree, self._node[infoset]):
                if action not in state.legal_actions():
                    raise self._not_of_this_game()
                state.apply_action(action)
            first = int(self._tree.infoset_first(self._player)[infoset])
            labels = self._labels[first : first + int(self._tree.infoset_actions(self._player)[infoset])].tolist()
            if state.current_player() != self._player or state.legal_actions() != labels:
                raise self._not_of_this_game()
            self._states[infoset] = state
        return state.clone()

    def _not_of_this_game(self) -> InputError:
        return InputError(f"{self._tree.name} is not a tree of {self._root.get_game()}")


def to_openspiel_bot(player: SubgamePlayer, *, seed: int = 0) -> Any:
    """Return one of our players as a ``pyspiel.Bot``, for OpenSpiel's own referees such as ``pyspiel.evaluate_bots``.

    The bot finds its infoset from the state's history and tells the player no more than that. Each ``restart``
    ends a playthrough; seeds are drawn from ``seed``. OpenSpiel does not tell its bots when a game is over: a
    player who learns has learned from the last one after another ``restart``.
    """
    pyspiel = import_pyspiel()

    class Bot(pyspiel.Bot):  # type: ignore[misc, name-defined]  # pyspiel has no types
        """One of murk's players."""

        def __init__(self) -> None:
            super().__init__()
            self.seeds = np.random.default_rng(seed)
            self.playing = False

        def restart(self) -> None:
            if self.playing:
                player.end_game()
            self.playing = False

        def restart_at(self, state: Any) -> None:
            del state  # where it stands is read off the state at the next step
            self.restart()

        def step(self, state: Any) -> int:
            if not self.playing:
                player.new_game(int(self.seeds.integers(2**63)))
                self.playing = True
            node = node_of(player.tree, state.history())
            player.observe(int(player.tree.infoset(player.player)[node]))
            return player.act()

        def player_id(self) -> int:
            return int(player.player)

        def provides_policy(self) -> bool:
            return False

    return Bot()


def path(tree: Tree, node: int) -> list[int]:
    """Return the labels of the moves from the root to a node."""
    out = []
    while tree.parent[node] >= 0:
        out.append(int(tree.action[node]))
        node = int(tree.parent[node])
    return out[::-1]


def node_of(tree: Tree, history: list[int]) -> int:
    """Return the node that a history leads to.

    Raises:
        InputError: there is no such history in the tree.
    """
    node = 0
    for action in history:
        first, count = int(tree.first_child[node]), int(tree.num_children[node])
        here = np.flatnonzero(tree.action[first : first + count] == action)
        if len(here) == 0:
            raise InputError(f"{tree.name} has no history {history}, expected a state of the game it was built from")
        node = first + int(here[0])
    return node


def _is_bot(source: Any) -> bool:
    return hasattr(source, "step") and hasattr(source, "restart")


def _is_policy(source: Any) -> bool:
    return hasattr(source, "action_probabilities")
