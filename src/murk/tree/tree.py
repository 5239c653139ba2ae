"""The game tree: the native arrays of ``murk._core.Tree`` with names and a face for people.

Arrays are views of native memory, not copies, and stay valid while the tree grows. Nodes are numbered parents before
children and siblings side by side, so a forward sweep is top-down and a backward sweep bottom-up.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from murk import _core
from murk.errors import GameError, InputError, RecallError, TooLargeError
from murk.tree.drawing import DRAWN_NODES, Shown, draw_tree
from murk.tree.players import MAX, MIN, NATURE, Player, player_of

__all__ = ["Tree", "game_error"]

_NAMES = {MAX: "MAX", MIN: "MIN"}
_NOTEBOOK_NODES = 150
"""Larger trees do not draw themselves; ``to_svg`` does."""


class Tree(_core.Tree):
    """A finished or growing game tree with both players' infosets at every internal node.

    Build one with :func:`murk.build`; ``Tree()`` is an empty tree to grow by hand with ``add_root``, ``add_infoset``
    and ``expand``.
    """

    name: str = "game"
    _sequence_form: _core.SequenceForm | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._infoset_names: list[list[str]] = [[], []]
        self._action_names: list[dict[int, Sequence[str]]] = [{}, {}]

    @classmethod
    def from_arrays(
        cls,
        *,
        parent: npt.ArrayLike,
        player: npt.ArrayLike,
        action: npt.ArrayLike,
        chance: npt.ArrayLike,
        utility: npt.ArrayLike,
        infosets: tuple[npt.ArrayLike, npt.ArrayLike],
        name: str = "game",
        infoset_names: tuple[Sequence[str], Sequence[str]] | None = None,
        action_names: tuple[Mapping[int, Sequence[str]], Mapping[int, Sequence[str]]] | None = None,
    ) -> Self:
        """Build a whole tree from flat arrays, one entry a node.

        ``infosets`` are integer labels for each player, ``infoset_names[p][label]`` their names and
        ``action_names[p][label]`` the names of their actions. Where a player does not act, equal labels after
        different own sequences are told apart.

        Raises:
            GameError: the arrays do not describe a game (and its subclass RecallError if recall is not perfect).
        """
        try:
            tree = cls(
                parent=_column(name, "parent", parent, np.int32),
                player=_column(name, "player", player, np.uint8),
                action=_column(name, "action", action, np.int64),
                chance=_column(name, "chance", chance, np.float64),
                utility=_column(name, "utility", utility, np.float64),
                infoset_max=_column(name, "infosets[0]", infosets[0], np.int32),
                infoset_min=_column(name, "infosets[1]", infosets[1], np.int32),
            )
        except _core.TreeError as error:
            raise game_error(error, name, infoset_names) from None
        tree.name = name
        labels = [tree.infoset_labels(p).tolist() for p in (MAX, MIN)]
        if infoset_names is not None:
            tree._infoset_names = [[infoset_names[p][label] for label in labels[p]] for p in (MAX, MIN)]
        if action_names is not None:
            for p in (MAX, MIN):
                acting, label_of, given = tree.acting_infosets(p).tolist(), labels[p], action_names[p]
                tree._action_names[p] = {i: given[label_of[i]] for i in acting if label_of[i] in given}
        return tree

    @property
    def sequence_form(self) -> _core.SequenceForm:
        """The sequence form of the tree as it is now, made on first use."""
        form = self._sequence_form
        if form is None or form.revision != self.revision:
            form = self._sequence_form = _core.SequenceForm(self)
        return form

    def infoset_name(self, player: int, infoset: int) -> str:
        """Return the name of one of ``player``'s infosets: what the game calls it, or its number."""
        player = player_of(player)
        if not 0 <= infoset < self.num_infosets(player):
            raise InputError(
                f"player {_NAMES[player]} has no infoset {infoset}, expected 0 to {self.num_infosets(player) - 1}"
            )
        names = self._infoset_names[player]
        return names[infoset] if infoset < len(names) else str(infoset)

    def infoset_names(self, player: int) -> list[str]:
        """Return the names of all of ``player``'s infosets."""
        names = self._infoset_names[player_of(player)]
        return names + [str(i) for i in range(len(names), self.num_infosets(player))]

    def action_names(self, player: int, infoset: int) -> list[str]:
        """Return the names of the actions at an infoset: the game's own if it gave any, else the action labels."""
        player = player_of(player)
        names = self._action_names[player].get(infoset)
        if names is not None:
            return list(names)
        first = int(self.infoset_first(player)[infoset])
        count = int(self.infoset_actions(player)[infoset])
        return [str(a) for a in self.sequence_actions(player)[first : first + count]]

    def set_names(self, infosets: Sequence[Sequence[str]], actions: Sequence[Mapping[int, Sequence[str]]]) -> None:
        """Name infosets (by number) and their actions (by infoset number), MAX's first."""
        self._infoset_names = [list(names) for names in infosets]
        self._action_names = [dict(names) for names in actions]

    def acting_infosets(self, player: int) -> npt.NDArray[np.int64]:
        """Return the numbers of the infosets at which ``player`` acts."""
        return np.flatnonzero(self.infoset_actions(player_of(player)))

    def sequence_actions(self, player: int) -> npt.NDArray[np.int64]:
        """Return the game's label of the last action of each sequence, -1 for the empty one."""
        player = player_of(player)
        labels = np.full(self.num_sequences(player), -1, dtype=np.int64)
        parent = self.parent
        children = np.flatnonzero(parent >= 0)
        made = children[self.player[parent[children]] == player]
        labels[self.sequence(player)[made]] = self.action[made]
        return labels

    def chance_probabilities(self) -> npt.NDArray[np.float64]:
        """Return nature's probability of the edge into each node, 1 where nature does not move."""
        out = np.ones(self.num_nodes)
        parent = self.parent
        moved = np.flatnonzero((parent >= 0) & (self.player[parent] == NATURE))
        up = parent[moved]
        reach = self.chance_reach[moved]
        total = np.bincount(up, weights=reach, minlength=self.num_nodes)[up]
        with np.errstate(invalid="ignore", divide="ignore"):
            # By what reaches the children, not the parent: they differ where a tiny reach has been rounded.
            exact = np.abs(total - self.chance_reach[up]) <= 1e-12 * total
            ratio = reach / np.where(exact, self.chance_reach[up], total)
        out[moved] = np.where(total > 0, ratio, 1.0 / self.num_children[up])
        return out

    def utility_range(self) -> tuple[float, float]:
        """Return the lowest and the highest payoff of MAX at a terminal node."""
        leaves = self.utility[self.player == Player.TERMINAL]
        return float(leaves.min()), float(leaves.max())

    def to_svg(self, *, depth: int | None = None, limit: int = DRAWN_NODES, infosets: Shown = "acting") -> str:
        """Return a picture of the tree, see :func:`murk.tree.drawing.draw_tree`."""
        return draw_tree(self, depth=depth, limit=limit, infosets=infosets)

    def _repr_svg_(self) -> str | None:
        if not 0 < self.num_nodes <= _NOTEBOOK_NODES:
            return None  # the text will do
        return self.to_svg()

    def __repr__(self) -> str:
        acting = sum(len(self.acting_infosets(p)) for p in (MAX, MIN))
        return f"<murk.Tree {self.name!r}: {self.num_nodes:,} nodes, {acting:,} infosets>"

    def __reduce__(self) -> Any:
        raise InputError("a Tree cannot be pickled, expected murk.save_tree(tree, path) and murk.load_tree(path)")


def _column(name: str, what: str, values: npt.ArrayLike, dtype: type[np.number[Any]]) -> npt.NDArray[Any]:
    """Return ``values`` as a flat array of the native type, or refuse them if that would change one."""
    try:
        given = np.asarray(values)
        with np.errstate(invalid="ignore"):
            out = np.require(given, dtype=dtype, requirements=("C", "A"))
        same = given.dtype == dtype or np.array_equal(out, given, equal_nan=np.issubdtype(dtype, np.floating))
    except (TypeError, ValueError, OverflowError):
        same = False
    if not same or given.ndim != 1:
        raise GameError(f"{name}: {what} is not a flat array of {np.dtype(dtype).name} numbers, one for each node")
    return out


def game_error(
    error: Exception, name: str, infoset_names: tuple[Sequence[str], Sequence[str]] | None = None
) -> GameError | TooLargeError:
    """Turn a native TreeError into the sentence a user should read."""
    kind, player, subject, text = error.args
    if kind not in ("recall", "absent-minded", "action count"):
        return (TooLargeError if kind == "too large" else GameError)(f"{name}: {text}")
    label = (
        f"infoset {subject}" if infoset_names is None else f"information state {_short(infoset_names[player][subject])}"
    )
    who = f"{name}: player {_NAMES[Player(player)]}'s {label}"
    if kind == "action count":
        return GameError(f"{who} has nodes with different actions, expected the same in the same order at each")
    if kind == "absent-minded":
        return RecallError(f"{who} is met twice on one path (absent-mindedness), expected perfect recall")
    return RecallError(f"{who} joins nodes with different histories of her own, expected perfect recall")


def _short(text: str, limit: int = 60) -> str:
    flat = " ".join(text.split())
    return repr(flat if len(flat) <= limit else flat[: limit - 1] + "…")
