"""Any game of murk's protocol as a search sees it: from the searcher's side, with a value function.

What a player knows at a state is numbered as she comes to know it, so two states have equal keys exactly if she
cannot tell them apart.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from murk import _core
from murk.errors import InputError
from murk.games.protocol import Game
from murk.tree.players import MAX, MIN, NATURE, TERMINAL, Player, player_of

__all__ = ["Interest", "SearchGame", "Value"]

Value = Callable[[Any], float]
"""A value function u~: an estimate of MAX's payoff from a state on."""

Interest = Callable[[Any, Any], float]


@dataclass(frozen=True)
class _Place:
    """A state, and the last of each player's own choices before it (what she was told and what she did)."""

    state: Any
    own: tuple[Hashable, Hashable]


@dataclass(frozen=True)
class _Step:
    """How a player came to know what she knows: from an earlier key by an action of hers and something told.

    If ``whole``, what she is told is all she knows.
    """

    before: int
    action: int | None
    told: Hashable
    whole: bool


class SearchGame:
    """A game with a value function, ready to be searched.

    Args:
        game: any game of murk's protocol; OpenSpiel games too.
        player: for whom to search.
        value: the value function u~, as MAX's payoff; by default the state's own ``value()``.
        interest: how interesting a child is (state, child) -> number; by default its value to who moves.
    """

    def __init__(
        self,
        game: Game,
        player: int = MAX,
        *,
        value: Value | None = None,
        interest: Interest | None = None,
    ) -> None:
        if value is None and not hasattr(game.root(), "value"):
            raise InputError(f"{game.name} has no value function of its own, expected value=")
        self.game = game
        self.player: Player = player_of(player)
        self._rules = _Rules(self.player, value if value is not None else _own_value, interest)
        self.native = _core.PythonGame(self._rules.expand, self._rules.transposition)

    def root(self) -> _core.Seed:
        """Return the game's initial state."""
        place, ours, theirs = self._rules.root(self.game.root())
        return _core.Seed(self.native.add(place), ours, theirs, self._rules.payoff(place.state))

    def told(self, player: int, key: int) -> Hashable:
        """Return what a player knows by her key.

        Her information where the states give it; else the history of her own actions (``None`` for another's turn)
        and observations.
        """
        return self._rules.told(player, key)


def _own_value(state: Any) -> float:
    return float(state.value())


class _Rules:
    """What the native side asks for. It knows nothing of the native game, which keeps it alive."""

    def __init__(self, player: Player, value: Value, interest: Interest | None) -> None:
        self._sides = (int(player), 1 - int(player))
        self._value = value
        self._interest = interest
        self._labels: tuple[dict[Hashable, int], dict[Hashable, int]] = ({}, {})
        self._steps: tuple[list[_Step], list[_Step]] = ([], [])
        self._transpositions: dict[Hashable, int] = {}

    def root(self, state: Any) -> tuple[_Place, int, int]:
        """Return the initial state with both players' keys, the searcher's first."""
        ours, theirs = (self._key(player, state, 0, None, 0) for player in self._sides)
        return _Place(state, (0, 0)), ours, theirs

    def payoff(self, state: Any) -> float:
        """Return the searcher's payoff, or its estimate."""
        value = float(state.utility()) if state.player() == TERMINAL else float(self._value(state))
        return value if self._sides[0] == MAX else -value

    def _key(self, player: int, state: Any, before: int, action: int | None, own: Hashable) -> int:
        labels = self._labels[player]
        information = getattr(state, "information", None)
        over = state.player() == TERMINAL
        whole = information is not None and not over
        seen: Hashable = "over" if over else information(player) if information else state.observation(player)
        told = (seen, own, state.player() == player) if whole else (before, action, seen)
        key = labels.setdefault((whole, *told), len(labels) + 1)
        if key > len(self._steps[player]):
            self._steps[player].append(_Step(before, action, seen, whole))
        return key

    def told(self, player: int, key: int) -> Hashable:
        """Return what a player knows by her key."""
        history: list[Hashable] = []
        while key:
            step = self._steps[player][key - 1]
            if step.whole:
                return step.told
            history.append((step.action, step.told))
            key = step.before
        return tuple(reversed(history))

    def expand(self, place: _Place, ours: int, theirs: int) -> tuple[Any, ...]:
        """Return all children of a state, as ``cpp/bindings/bind_search.cpp`` takes them."""
        state, sides = place.state, self._sides
        mover = state.player()
        actions = [int(a) for a in state.actions()]
        chance = [float(p) for p in state.chance()] if mover == NATURE else []
        children = [state.child(a) for a in actions]
        before = (ours, theirs)
        keys: tuple[list[int], list[int]] = ([], [])
        places: list[_Place | None] = []
        for action, child in zip(actions, children, strict=True):
            own = list(place.own)
            for side, player in enumerate(sides):
                acted = mover == player
                if acted:
                    own[side] = (before[side], action)
                keys[side].append(self._key(player, child, before[side], action if acted else None, own[side]))
            places.append(None if child.player() == TERMINAL else _Place(child, (own[0], own[1])))
        values = [self.payoff(child) for child in children]
        role = int(NATURE) if mover == NATURE else sides.index(int(mover))
        return role, actions, chance, values, self._interests(state, children, values, role), places, keys[0], keys[1]

    def _interests(self, state: Any, children: Sequence[Any], values: list[float], role: int) -> list[float]:
        if self._interest is not None:
            return [float(self._interest(state, child)) for child in children]
        sign = -1.0 if role == MIN else 1.0
        return [sign * value for value in values]

    def transposition(self, place: _Place) -> int:
        """Return a number equal for transpositions; a game that knows of none has none."""
        key = getattr(place.state, "transposition_key", None)
        told: Hashable = key() if key is not None else id(place)
        return self._transpositions.setdefault(told, len(self._transpositions))
