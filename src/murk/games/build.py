"""From a game to its tree.

A depth-first walk over states that numbers siblings side by side. What a player knows at a node is her parent's
infoset, her own action if she made one, and the new observation; a state with
:class:`~murk.games.protocol.HasInformation` says it outright, and perfect recall is then checked.
"""

import gc
from array import array
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import cast

from murk.errors import GameError, TooLargeError
from murk.games.protocol import Game, State
from murk.tree.players import MAX, MIN, NATURE, TERMINAL, Player
from murk.tree.tree import Tree

__all__ = ["DEFAULT_MAX_NODES", "Progress", "TreeRecorder", "build_tree", "paused_gc", "too_large"]

Progress = Callable[[int], None]
"""Called now and then with the number of nodes made so far."""

DEFAULT_MAX_NODES = 10_000_000
REPORT_EVERY = 1 << 14


class TreeRecorder:
    """The flat arrays a walk fills in."""

    def __init__(self, name: str, max_nodes: int, progress: Progress | None) -> None:
        self.name = name
        self.max_nodes = max_nodes
        self.progress = progress
        self.parent = array("i", [-1])
        self.player = array("B", [TERMINAL])
        self.action = array("q", [-1])
        self.chance = array("d", [1.0])
        self.utility = array("d", [0.0])
        self.infosets = (array("i", [-1]), array("i", [-1]))
        self.action_names: tuple[dict[int, list[str]], dict[int, list[str]]] = ({}, {})
        self._next_report = REPORT_EVERY

    def add_children(self, node: int, actions: list[int], chance: list[float] | None) -> int:
        """Append the children of ``node`` and return the number of the first."""
        first, count = len(self.parent), len(actions)
        if first + count > self.max_nodes:
            raise too_large(self.name, self.max_nodes)
        self.parent.extend([node] * count)
        self.player.extend([TERMINAL] * count)
        self.action.extend(actions)
        self.chance.extend(chance if chance is not None else [1.0] * count)
        self.utility.extend([0.0] * count)
        self.infosets[0].extend([-1] * count)
        self.infosets[1].extend([-1] * count)
        if self.progress is not None and first >= self._next_report:
            self._next_report = first + REPORT_EVERY
            self.progress(first)
        return first

    def finish(self, names: tuple[list[str], list[str]]) -> Tree:
        """Check everything and return the native tree."""
        if self.progress is not None:
            self.progress(len(self.parent))
        return Tree.from_arrays(
            parent=self.parent,
            player=self.player,
            action=self.action,
            chance=self.chance,
            utility=self.utility,
            infosets=self.infosets,
            name=self.name,
            infoset_names=names,
            action_names=self.action_names,
        )


def too_large(name: str, max_nodes: int) -> TooLargeError:
    """Return the error for a game that outgrows its limit."""
    return TooLargeError(
        f"{name} has more than {max_nodes:,} nodes: raise --max-nodes (max_nodes=) if it is finite and memory allows"
    )


@contextmanager
def paused_gc() -> Iterator[None]:
    """Pause cyclic garbage collection: a walk makes millions of objects and no cycles."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def build_tree(game: Game, *, max_nodes: int = DEFAULT_MAX_NODES, progress: Progress | None = None) -> Tree:
    """Walk ``game`` from its root and return the whole tree.

    Raises:
        GameError: the game is ill-formed (a decision without actions, NaN payoffs, probabilities that do not sum to 1).
        RecallError: its information states do not have perfect recall.
        TooLargeError: it has more than ``max_nodes`` nodes.
    """
    with paused_gc():
        return _Walk(game, max_nodes, progress).run()


class _Walk:
    def __init__(self, game: Game, max_nodes: int, progress: Progress | None) -> None:
        self.game = game
        self.record = TreeRecorder(game.name, max_nodes, progress)
        self.labels: tuple[dict[Hashable, int], dict[Hashable, int]] = ({}, {})

    def run(self) -> Tree:
        stack: list[tuple[State, int]] = [(self.game.root(), 0)]
        while stack:
            state, node = stack.pop()
            children = self.visit(state, node)
            stack.extend(children)
        names = tuple([_name(key) for key in self.labels[p]] for p in (MAX, MIN))
        return self.record.finish(cast(tuple[list[str], list[str]], names))

    def visit(self, state: State, node: int) -> list[tuple[State, int]]:
        record = self.record
        player = state.player()
        if player == TERMINAL:
            record.utility[node] = float(state.utility())
            return []
        if player not in (MAX, MIN, NATURE):
            raise GameError(
                f"{record.name}: player is {player!r} at node {node}, expected MAX, MIN, NATURE or TERMINAL"
            )
        actions = [int(a) for a in state.actions()]
        chance = [float(p) for p in state.chance()] if player == NATURE else None
        if not actions:
            raise GameError(f"{record.name}: no action at node {node}, expected at least one or a terminal state")
        if chance is not None and len(chance) != len(actions):
            raise GameError(f"{record.name}: {len(chance)} probabilities for {len(actions)} actions at node {node}")
        if len(set(actions)) != len(actions):
            raise GameError(f"{record.name}: an action is listed twice at node {node}")
        record.player[node] = player
        for p in (MAX, MIN):
            record.infosets[p][node] = self.label(state, node, p)
        name = getattr(state, "action_name", None)  # isinstance(state, HasActionNames) takes longer than all the rest
        if player != NATURE and name is not None:
            label = record.infosets[player][node]
            if label not in record.action_names[player]:
                record.action_names[player][label] = [name(a) for a in actions]
        first = record.add_children(node, actions, chance)
        return [(state.child(a), first + i) for i, a in enumerate(actions)]

    def label(self, state: State, node: int, p: int) -> int:
        """Return the label of what ``p`` knows at ``node``."""
        labels, record = self.labels[p], self.record
        key: Hashable
        information = getattr(state, "information", None)
        if information is not None:
            key = information(p)
        else:
            up = record.parent[node]
            acted = up >= 0 and record.player[up] == p
            before = record.infosets[p][up] if up >= 0 else -1
            key = (before, record.action[node] if acted else None, state.observation(p))
        try:
            return labels.setdefault(key, len(labels))
        except TypeError:
            told = type(key[-1] if isinstance(key, tuple) else key).__name__
            raise GameError(
                f"{record.name}: what {Player(p).name} learns at node {node} is a {told}, expected something hashable"
            ) from None


def _name(key: Hashable) -> str:
    return key if isinstance(key, str) else repr(key)
