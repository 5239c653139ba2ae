"""A slow, obvious walk of a game, sharing nothing with the library but the two protocols.

A player's infoset is written out in full: the tuple of her observations and own actions so far, as in Section
2 of [ZS21]. The value comes from a dense sequence-form linear program (Koller, Megiddo and von Stengel,
1994).
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import linprog

from murk.games.protocol import MAX, MIN, NATURE, TERMINAL, Game, State

History = tuple[Hashable, ...]


@dataclass(frozen=True)
class Visit:
    """A node: its state, the labels leading to it, nature's probability of it, and the players' histories."""

    state: State
    path: tuple[int, ...]
    reach: float
    history: tuple[History, History]
    sequence: tuple[History, History]


@dataclass
class Walk:
    """All nodes of a game, parents before children."""

    visits: list[Visit] = field(default_factory=list)

    def at(self, player: int) -> list[Visit]:
        """Return the nodes where ``player`` moves (or nature, or nobody)."""
        return [visit for visit in self.visits if visit.state.player() == player]

    def infosets(self, player: int) -> dict[History, list[Visit]]:
        """Return the infosets at which ``player`` acts."""
        found: dict[History, list[Visit]] = {}
        for visit in self.at(player):
            found.setdefault(visit.history[player], []).append(visit)
        return found


def walk(game: Game) -> Walk:
    """Return every node of ``game``."""
    found = Walk()
    _visit(found, game.root(), (), 1.0, ((), ()), ((), ()))
    return found


def _visit(
    found: Walk,
    state: State,
    path: tuple[int, ...],
    reach: float,
    before: tuple[History, History],
    sequence: tuple[History, History],
) -> None:
    mover = state.player()
    if mover == TERMINAL:
        found.visits.append(Visit(state, path, reach, before, sequence))
        return
    seen = (*before[0], ("saw", state.observation(MAX))), (*before[1], ("saw", state.observation(MIN)))
    found.visits.append(Visit(state, path, reach, seen, sequence))
    chances = state.chance() if mover == NATURE else [1.0] * len(state.actions())
    for action, chance in zip(state.actions(), chances, strict=True):
        after = tuple((*s, ("did", action)) if p == mover else s for p, s in enumerate(seen))
        own = tuple(after[p] if p == mover else s for p, s in enumerate(sequence))
        _visit(found, state.child(action), (*path, action), reach * chance, after, own)


def worst_payoff(found: Walk, strategy: Callable[[History, int], float]) -> float:
    """Return what MAX's behavioural ``strategy(infoset, action)`` gets against a best response of MIN."""
    by_path = {visit.path: visit for visit in found.visits}
    gains: dict[History, float] = {}
    for leaf in found.at(TERMINAL):
        gain = leaf.reach * leaf.state.utility()
        for length, action in enumerate(leaf.path):
            node = by_path[leaf.path[:length]]
            if node.state.player() == MAX:
                gain *= strategy(node.history[MAX], action)
        gains[leaf.sequence[MIN]] = gains.get(leaf.sequence[MIN], 0.0) + gain
    infosets = found.infosets(MIN)
    for infoset in sorted(infosets, key=len, reverse=True):
        first = infosets[infoset][0]
        best = min(gains.get((*infoset, ("did", action)), 0.0) for action in first.state.actions())
        gains[first.sequence[MIN]] = gains.get(first.sequence[MIN], 0.0) + best
    return gains.get((), 0.0)


def solve(found: Walk) -> tuple[float, dict[History, float]]:
    """Return the value of the game and an optimal realisation plan of MAX, by sequence."""
    sequences = [_sequences(found, player) for player in (MAX, MIN)]
    payoff = np.zeros((len(sequences[0]), len(sequences[1])))
    for leaf in found.at(TERMINAL):
        row, column = sequences[0][leaf.sequence[0]], sequences[1][leaf.sequence[1]]
        payoff[row, column] += leaf.reach * leaf.state.utility()
    max_flow, max_total = _constraints(found, MAX, sequences[0])
    min_flow, min_total = _constraints(found, MIN, sequences[1])
    # max over x, v of <min_total, v> subject to min_flow' v <= payoff' x, max_flow x = max_total, x >= 0
    result = linprog(
        c=np.concatenate([np.zeros(payoff.shape[0]), -min_total]),
        A_ub=np.hstack([-payoff.T, min_flow.T]),
        b_ub=np.zeros(payoff.shape[1]),
        A_eq=np.hstack([max_flow, np.zeros((len(max_flow), len(min_total)))]),
        b_eq=max_total,
        bounds=[(0, None)] * payoff.shape[0] + [(None, None)] * len(min_total),
    )
    assert result.status == 0, result.message
    return -float(result.fun), {sequence: float(result.x[i]) for sequence, i in sequences[0].items()}


def _sequences(found: Walk, player: int) -> dict[History, int]:
    numbered: dict[History, int] = {(): 0}
    for infoset, visits in found.infosets(player).items():
        for action in visits[0].state.actions():
            numbered.setdefault((*infoset, ("did", action)), len(numbered))
    return numbered


def _constraints(found: Walk, player: int, numbered: dict[History, int]) -> tuple[np.ndarray, np.ndarray]:
    infosets = found.infosets(player)
    flow = np.zeros((1 + len(infosets), len(numbered)))
    flow[0, 0] = 1
    for row, (infoset, visits) in enumerate(infosets.items(), start=1):
        flow[row, numbered[visits[0].sequence[player]]] = -1
        for action in visits[0].state.actions():
            flow[row, numbered[*infoset, ("did", action)]] = 1
    return flow, np.eye(len(flow))[0]
