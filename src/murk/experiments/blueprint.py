"""Blueprints: the least exploitable strategies of MAX that play certain actions at least so often ([ZS21], Section 7).

There are many in most games, and which one is refined changes what comes out of it. With ``refinement="none"`` it is
whatever vertex the simplex method ends at. With ``"sequential"`` it is chosen in the way the equilibria of gadgets are
(:mod:`murk.subgame.solve`), so that a result depends neither on the solver nor on the order of its columns: among the
least exploitable strategies those that do best if MIN's hand trembles evenly at each of her infosets, in the limit as
the tremble vanishes; and of those the one nearest to the uniform strategy.
"""

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from murk.solvers import SequenceLp, best_response_value, side_exploitability
from murk.solvers.lp import Program, checked_lower
from murk.subgame.solve import Refinement
from murk.subgame.solve import _Face as Face
from murk.tree import MAX, MIN, TERMINAL, Profile, Strategy, Tree, uniform
from murk.tree.strategy import clean

__all__ = ["NOTHING", "Blueprint", "make_blueprint"]

Floats = npt.NDArray[np.float64]

NOTHING = 1e-9
"""Exploitability below this is rounding and counts as 0."""
_LOSS = 1e-8
"""Part of the range of payoffs by which a refined blueprint may miss the best guarantee."""


@dataclass(frozen=True)
class Blueprint:
    """A blueprint and what it is measured against.

    Attributes:
        profile: it, and a strategy of MIN that is optimal against all restricted strategies.
        lower: the least probability of each of MAX's actions.
        value: the value of the game without the restriction.
        scale: what exploitability is multiplied with to be in the units of payoffs in [-1, 1].
    """

    profile: Profile
    lower: Floats
    value: float
    scale: float

    def exploitability(self, strategy: Strategy) -> float:
        """Return MAX's exploitability in the units of Table 1; rounding counts as 0."""
        gap = side_exploitability(strategy, self.value) * self.scale
        return gap if gap > NOTHING else 0.0


def make_blueprint(tree: Tree, lower: Floats, value: float, refinement: Refinement = "none") -> Blueprint:
    """Return the blueprint under ``lower`` of a game of which ``value`` is the value."""
    low, high = tree.utility_range()
    program = SequenceLp(tree, MAX, lower=lower)
    profile = program.solve().profile
    if refinement == "sequential":
        profile = Profile(_refined(profile.max, lower, program), profile.min)
    return Blueprint(profile, lower, value, 2 / (high - low) if high > low else 1.0)


def _refined(vertex: Strategy, lower: Floats, solved: SequenceLp) -> Strategy:
    tree = vertex.tree
    count = tree.num_sequences(MAX)
    face = Face(Program(*tree.sequence_form.assemble_lp(MAX, checked_lower(tree, MAX, lower))), tree.name)
    face.highs.setBasis(solved.basis)
    face.maximise(face.program.cost)
    face.maximise(np.concatenate([_against_uniform(tree), np.zeros(face.program.columns - count)]))
    near = Strategy(tree, MAX, clean(tree, MAX, face.nearest(uniform(tree, MAX).sequences)))
    low, high = tree.utility_range()
    if best_response_value(near) > best_response_value(vertex) - _LOSS * (high - low):
        return near
    # Too large a quadratic program to be solved that well: leave the choice to a lot that depends on names alone.
    face.maximise(np.concatenate([_lots(tree), np.zeros(face.program.columns - count)]))
    return Strategy(tree, MAX, clean(tree, MAX, face.point[:count]))


def _lots(tree: Tree) -> Floats:
    """Return a number from [0, 1) for each of MAX's sequences, drawn by the names of its infoset and its action."""
    out, names = np.zeros(tree.num_sequences(MAX)), tree.infoset_names(MAX)
    for infoset in tree.acting_infosets(MAX).tolist():
        first = int(tree.infoset_first(MAX)[infoset])
        for i, action in enumerate(tree.action_names(MAX, infoset)):
            digest = blake2b(f"{names[infoset]}\0{action}".encode(), digest_size=6).digest()
            out[first + i] = int.from_bytes(digest) / 2**48
    return out


def _against_uniform(tree: Tree) -> Floats:
    """Return the payoff of each of MAX's sequences against the uniform strategy of MIN: A y."""
    leaves = np.flatnonzero(tree.player == TERMINAL)
    y = uniform(tree, MIN).sequences[tree.sequence(MIN)[leaves]]
    weights = tree.utility[leaves] * tree.chance_reach[leaves] * y
    return np.bincount(tree.sequence(MAX)[leaves], weights=weights, minlength=tree.num_sequences(MAX)).astype(
        np.float64
    )
