"""Best responses, exploitability and values (Section 2 of [ZS21]).

Three numbers are easily confused, so each has its own name:

* :func:`nash_conv` of a profile: what both players together could gain by best-responding. 0 exactly in equilibrium.
* :func:`exploitability` of a profile: half of that, as in OpenSpiel.
* :func:`side_exploitability` of one strategy: how much less than the value of the game it guarantees. This is the
  paper's.

Everything is in MAX's payoff: MAX's best responses maximise, MIN's minimise.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from murk.errors import InputError
from murk.tree.players import MAX, MIN, Player, opponent
from murk.tree.strategy import Profile, Strategy
from murk.tree.tree import Tree

__all__ = [
    "BestResponse",
    "best_response",
    "best_response_value",
    "expected_value",
    "exploitability",
    "nash_conv",
    "side_exploitability",
]

Floats = npt.NDArray[np.float64]


def best_response_value(strategy: Strategy) -> float:
    """Return MAX's payoff when the opponent best-responds to ``strategy``: the paper's u*(x)."""
    return strategy.tree.sequence_form.best_response_value(opponent(strategy.player), strategy.sequences)


def expected_value(profile: Profile) -> float:
    """Return MAX's payoff when both play ``profile``: u(x, y)."""
    return _tree_of(profile).sequence_form.expected_value(profile[0].sequences, profile[1].sequences)


def nash_conv(profile: Profile) -> float:
    """Return what both players together could gain by best-responding to the other's strategy."""
    return _tree_of(profile).sequence_form.nash_conv(profile[0].sequences, profile[1].sequences)


def exploitability(profile: Profile) -> float:
    """Return half of :func:`nash_conv`, which is what OpenSpiel calls exploitability."""
    return nash_conv(profile) / 2


def side_exploitability(strategy: Strategy, value: float) -> float:
    """Return how much less than ``value``, the value of the game, ``strategy`` guarantees its player.

    This is the exploitability of Table 1 of [ZS21] (there after mapping payoffs to [-1, 1]).
    """
    gap = value - best_response_value(strategy)
    return gap if strategy.player == MAX else -gap


@dataclass(frozen=True, eq=False)
class BestResponse:
    """Everything about best-responding to one strategy.

    Attributes:
        player: who responds.
        value: MAX's payoff then, u*(x).
        strategy: a pure best response.
        sequence_values: for each of the responder's sequences ``Ia``, her best value from there on, not normalised:
            the inner minimum (for MIN) of the definition of u*(x | Ia).
        infoset_values: the same at each infoset, over its actions; 0 where the responder does not act.
        reach: for each of the responder's infosets, the reach of chance and of the given strategy, which normalises.
    """

    player: Player
    value: float
    strategy: Strategy
    sequence_values: Floats
    infoset_values: Floats
    reach: Floats

    def counterfactual(self) -> Floats:
        """Return u*(x | Ia) for each of the responder's sequences; NaN at infosets that are never reached.

        The entry of the empty sequence is u*(x). Where extra payoffs B are in the game they count as payoffs of the
        sequence they stand on.
        """
        tree = self.strategy.tree
        out = np.full(len(self.sequence_values), np.nan)
        out[0] = self.value
        reach = self.reach[tree.sequence_infoset(self.player)[1:]]
        np.divide(self.sequence_values[1:], reach, out=out[1:], where=reach > 0)
        return out

    def counterfactual_infosets(self) -> Floats:
        """Return u*(x | I) for each of the responder's infosets; NaN where it is never reached or she does not act."""
        tree = self.strategy.tree
        out = np.full(len(self.infoset_values), np.nan)
        acting = tree.infoset_actions(self.player) > 0
        np.divide(self.infoset_values, self.reach, out=out, where=acting & (self.reach > 0))
        return out


def best_response(strategy: Strategy) -> BestResponse:
    """Return the opponent's best response to ``strategy`` with all its counterfactual values."""
    tree, responder = strategy.tree, opponent(strategy.player)
    value, sequences, infosets, pure = tree.sequence_form.best_response(tree, responder, strategy.sequences)
    reach = tree.infoset_reach(responder, strategy.player, strategy.sequences)
    return BestResponse(responder, value, Strategy(tree, responder, pure), sequences, infosets, reach)


def _tree_of(profile: Profile) -> Tree:
    x, y = profile
    if x.player != MAX or y.player != MIN:
        raise InputError(f"a profile is (MAX's strategy, MIN's strategy), got ({x.player.name}, {y.player.name})")
    if x.tree is not y.tree:
        raise InputError(f"the strategies belong to different trees: {x.tree.name} and {y.tree.name}")
    return x.tree
