"""Sequence-form strategies (Section 2 of [ZS21]).

``x[s]`` is the probability that the player makes all the choices of sequence ``s``; ``x[0]`` is 1. The behaviour at
an infoset is the ratio to its parent sequence. At infosets the strategy never reaches the behaviour is free: it is
uniform unless said otherwise.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from murk.errors import InputError
from murk.frames import make_frame
from murk.html import html_table, share_bar
from murk.tree.players import MAX, MIN, Player, player_of
from murk.tree.tree import Tree

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Profile", "Strategy", "uniform"]

Floats = npt.NDArray[np.float64]

_FLOW_TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class Strategy:
    """A strategy of one player of one tree.

    Attributes:
        tree: the tree it belongs to.
        player: whose it is.
        sequences: its sequence form, shape ``(tree.num_sequences(player),)``.
    """

    tree: Tree
    player: Player
    sequences: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "player", player_of(self.player))
        values = np.array(self.sequences, dtype=np.float64)  # a copy: the caller's array stays hers to write
        expected = self.tree.num_sequences(self.player)
        if values.shape != (expected,):
            raise InputError(
                f"a strategy of {self.player.name} in {self.tree.name} has {expected} sequences, "
                f"got shape {values.shape}"
            )
        flow = _flow_error(self.tree, self.player, values)
        if not flow <= _FLOW_TOLERANCE:
            raise InputError(
                f"not a strategy of {self.player.name} in {self.tree.name}: probabilities are off by {flow:.3g}, "
                "expected non-negative numbers that sum to their parent at every infoset"
            )
        values.flags.writeable = False
        object.__setattr__(self, "sequences", values)

    @classmethod
    def from_behaviour(cls, tree: Tree, player: int, behaviour: npt.ArrayLike) -> "Strategy":
        """Make a strategy from the probability of each action at its infoset (entry 0 is ignored)."""
        player = player_of(player)
        given = np.array(behaviour, dtype=np.float64)
        if given.shape != (tree.num_sequences(player),):
            raise InputError(
                f"behaviour of {player.name} in {tree.name} needs {tree.num_sequences(player)} entries, "
                f"got shape {given.shape}"
            )
        given[0] = 1.0
        sums = np.bincount(tree.sequence_infoset(player)[1:], weights=given[1:], minlength=tree.num_infosets(player))
        acting = tree.acting_infosets(player)
        if not (
            np.isfinite(given).all()
            and given.min() >= 0
            and np.abs(sums[acting] - 1).max(initial=0.0) <= _FLOW_TOLERANCE
        ):
            raise InputError(
                f"not behaviour of {player.name} in {tree.name}, expected non-negative numbers that sum to 1 "
                "at every infoset"
            )
        return cls(tree, player, _to_sequences(tree, player, given))

    @classmethod
    def from_mapping(cls, tree: Tree, player: int, policy: Mapping[str, Mapping[int, float]]) -> "Strategy":
        """Make a strategy from ``{infoset name: {action label: probability}}``; infosets left out are uniform."""
        player = player_of(player)
        behaviour = np.array(uniform(tree, player).behaviour())
        actions = tree.sequence_actions(player)
        names = tree.infoset_names(player)
        for infoset in tree.acting_infosets(player):
            given = policy.get(names[infoset])
            if given is None:
                continue
            first, count = (
                int(tree.infoset_first(player)[infoset]),
                int(tree.infoset_actions(player)[infoset]),
            )
            legal = actions[first : first + count].tolist()
            unknown = set(given) - set(legal)
            if unknown:
                raise InputError(f"infoset {names[infoset]!r} has no action {min(unknown)}, expected one of {legal}")
            behaviour[first : first + count] = [given.get(a, 0.0) for a in legal]
        return cls.from_behaviour(tree, player, behaviour)

    def behaviour(self) -> Floats:
        """Return the probability of each sequence's last action at its infoset; 1 on the empty sequence."""
        tree, player = self.tree, self.player
        infoset = tree.sequence_infoset(player)[1:]
        reach = self.sequences[tree.infoset_parent(player)[infoset]]
        out = np.ones(len(self.sequences))
        with np.errstate(invalid="ignore", divide="ignore"):
            out[1:] = np.where(reach > 0, self.sequences[1:] / reach, 1.0 / tree.infoset_actions(player)[infoset])
        return out

    def at(self, infoset: int) -> dict[str, float]:
        """Return ``{action name: probability}`` at one infoset."""
        first, count = self._range(infoset)
        names = self.tree.action_names(self.player, infoset)
        return dict(zip(names, self.behaviour()[first : first + count].tolist(), strict=True))

    def to_mapping(self) -> dict[str, dict[int, float]]:
        """Return ``{infoset name: {action label: probability}}``."""
        tree, player = self.tree, self.player
        behaviour, actions, names = (
            self.behaviour(),
            tree.sequence_actions(player),
            tree.infoset_names(player),
        )
        out: dict[str, dict[int, float]] = {}
        for infoset in tree.acting_infosets(player):
            first, count = self._range(int(infoset))
            span = slice(first, first + count)
            out[names[infoset]] = dict(zip(actions[span].tolist(), behaviour[span].tolist(), strict=True))
        return out

    def to_frame(self) -> "pd.DataFrame":
        """Return a pandas table with one row an action: infoset, action, probability, reach."""
        return make_frame(self._rows(), ["infoset", "action", "probability", "reach"])

    def _rows(self) -> list[tuple[str, str, float, float]]:
        behaviour, rows = self.behaviour(), []
        for infoset in self.tree.acting_infosets(self.player):
            first, _ = self._range(int(infoset))
            name = self.tree.infoset_name(self.player, int(infoset))
            for i, action in enumerate(self.tree.action_names(self.player, int(infoset))):
                rows.append((name, action, float(behaviour[first + i]), float(self.sequences[first + i])))
        return rows

    def _range(self, infoset: int) -> tuple[int, int]:
        count = int(self.tree.infoset_actions(self.player)[infoset])
        if count == 0:
            raise InputError(f"{self.player.name} does not act at infoset {infoset}")
        return int(self.tree.infoset_first(self.player)[infoset]), count

    def __repr__(self) -> str:
        return f"<murk.Strategy of {self.player.name} in {self.tree.name!r}: {len(self.sequences)} sequences>"

    def _repr_html_(self) -> str:
        rows = [(name, action, share_bar(share), reach) for name, action, share, reach in self._rows()]
        title = f"Strategy of {self.player.name} in {self.tree.name}"
        return html_table(title, ["infoset", "action", "probability", "reach"], rows)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Floats:
        return np.array(self.sequences, dtype=dtype, copy=copy)


class Profile(NamedTuple):
    """A strategy for each player."""

    max: Strategy
    min: Strategy

    def to_frame(self) -> "pd.DataFrame":
        """Return a pandas table of both: player, infoset, action, probability, reach."""
        rows = [(strategy.player.name, *row) for strategy in self for row in strategy._rows()]
        return make_frame(rows, ["player", "infoset", "action", "probability", "reach"])

    def _repr_html_(self) -> str:
        return self.max._repr_html_() + self.min._repr_html_()


def uniform(tree: Tree, player: int) -> Strategy:
    """Return the strategy that chooses evenly at every infoset."""
    player = player_of(player)
    behaviour = np.ones(tree.num_sequences(player))
    behaviour[1:] = 1.0 / tree.infoset_actions(player)[tree.sequence_infoset(player)[1:]]
    return Strategy(tree, player, _to_sequences(tree, player, behaviour))


def uniform_profile(tree: Tree) -> Profile:
    """Return the profile in which both players choose evenly."""
    return Profile(uniform(tree, MAX), uniform(tree, MIN))


def clean(tree: Tree, player: int, values: Floats) -> Floats:
    """Return an exactly consistent sequence form near ``values``, which a solver left with rounding errors."""
    values = np.maximum(values, 0.0)
    return _to_sequences(tree, player, values)


def _to_sequences(tree: Tree, player: Player | int, weights: Floats) -> Floats:
    """Normalise ``weights`` at every infoset (evenly if all are zero) and multiply them down the tree."""
    infoset = tree.sequence_infoset(player)[1:]
    total = np.bincount(infoset, weights=weights[1:], minlength=tree.num_infosets(player))[infoset]
    behaviour = np.ones(len(weights))
    with np.errstate(invalid="ignore", divide="ignore"):
        behaviour[1:] = np.where(total > 0, weights[1:] / total, 1.0 / tree.infoset_actions(player)[infoset])
    parent = np.zeros(len(weights), dtype=np.int64)
    parent[1:] = tree.infoset_parent(player)[infoset]
    return _multiply_down(parent, behaviour)


def _multiply_down(parent: npt.NDArray[np.int64], factor: Floats) -> Floats:
    """Return the product of ``factor`` along each path to the root, by pointer doubling: log(depth) numpy passes."""
    out = factor.copy()
    out[0] = 1.0
    up = parent.copy()
    while up.any():
        out *= out[up]
        up = up[up]
    return out


def _flow_error(tree: Tree, player: Player, values: Floats) -> float:
    if not np.isfinite(values).all():
        return float("inf")
    acting = tree.acting_infosets(player)
    sums = np.bincount(tree.sequence_infoset(player)[1:], weights=values[1:], minlength=tree.num_infosets(player))
    gap = np.abs(sums[acting] - values[tree.infoset_parent(player)[acting]]).max(initial=0.0)
    return float(max(gap, -values.min(), abs(values[0] - 1.0)))
