"""Affine equilibria (Section 4.3 of [ZS21]): affine combinations of equilibrium strategies.

1-KLSS at every infoset turns an equilibrium strategy into an affine equilibrium (``th:affine-safety``), which
is not always an equilibrium but is a best response to every equilibrium strategy of the opponent
(``pr:aff-eqm``): only by leaving equilibrium herself can she exploit it. :class:`AffineHull` decides whether a
strategy is one, and :func:`is_best_response_to_all_equilibria` what the proposition claims of it.
"""

import numpy as np
import numpy.typing as npt

from murk.errors import InputError, TooLargeError
from murk.solvers.polytope import Face, NashPolytope
from murk.tree.players import MAX, player_of
from murk.tree.strategy import Strategy
from murk.tree.tree import Tree

__all__ = ["AffineHull", "is_best_response_to_all_equilibria"]

Floats = npt.NDArray[np.float64]

LARGEST = 6_000
"""Most columns of a player's linear program for which the hull is found: it takes dense linear algebra."""

_RANK = 1e-9  # singular values below this are rounding; rows have length 1


class AffineHull:
    """The affine hull of one player's equilibrium strategies, in sequence form.

    Args:
        tree: the game.
        player: whose strategies.
        polytope: the game's equilibria, if they are at hand.

    Attributes:
        base: an equilibrium strategy.
        directions: an orthonormal basis of the differences of equilibrium strategies, one a column.

    Raises:
        TooLargeError: the player's program has more than :data:`LARGEST` columns.
        BackendError: the equilibria were not found exactly.
    """

    def __init__(self, tree: Tree, player: int, *, polytope: NashPolytope | None = None) -> None:
        self.tree = tree
        self.player = player_of(player)
        if polytope is not None and polytope.tree is not tree:
            raise InputError(f"the equilibria are of {polytope.tree.name}, expected those of {tree.name}")
        face = (polytope or NashPolytope(tree)).face(player)
        self.base = face.interior
        self.directions = _directions(face)

    @property
    def dimension(self) -> int:
        """The dimension of the hull: 0 if the equilibrium strategy is unique (as a plan)."""
        return int(self.directions.shape[1])

    def distance(self, strategy: Strategy) -> float:
        """Return the Euclidean distance of a strategy's sequence form from the hull.

        Raises:
            InputError: the strategy is of another game or of the other player.
        """
        if strategy.tree is not self.tree or strategy.player is not self.player:
            raise InputError(
                f"the strategy is of {strategy.player.name} in {strategy.tree.name}, "
                f"expected one of {self.player.name} in {self.tree.name}"
            )
        offset = strategy.sequences - self.base.sequences
        return float(np.linalg.norm(offset - self.directions @ (self.directions.T @ offset)))

    def contains(self, strategy: Strategy, tolerance: float = 1e-6) -> bool:
        """Tell whether a strategy is an affine equilibrium, up to rounding."""
        return self.distance(strategy) <= tolerance

    def __repr__(self) -> str:
        return f"<murk.AffineHull of {self.player.name}'s equilibria in {self.tree.name!r}: dimension {self.dimension}>"


def is_best_response_to_all_equilibria(
    strategy: Strategy, tolerance: float = 1e-6, *, polytope: NashPolytope | None = None
) -> bool:
    """Tell whether a strategy loses nothing against any equilibrium strategy of the opponent: ``pr:aff-eqm``.

    Its worst case over the opponent's equilibrium strategies is found by a linear program and compared with the
    value of the game; ``tolerance`` is in the game's payoffs.
    """
    equilibria = polytope or NashPolytope(strategy.tree)
    least, greatest = equilibria.values_against(strategy)
    short = equilibria.value - least if strategy.player == MAX else greatest - equilibria.value
    return short <= tolerance


def _directions(face: Face) -> Floats:
    """Return an orthonormal basis of the x-part of all (x, v) that keep to the face's equations."""
    matrix, _ = face.equations()
    columns = matrix.shape[1]
    if columns > LARGEST:
        raise TooLargeError(
            f"the equilibria of {face.tree.name} take a program of {columns:,} columns, expected at most {LARGEST:,}"
        )
    own = len(face.played)
    free = np.flatnonzero(np.concatenate([face.played, np.ones(columns - own, dtype=np.bool_)]))[1:]
    dense = matrix[:, free].toarray()
    norms = np.linalg.norm(dense, axis=1)
    dense = dense[norms > 0] / norms[norms > 0, None]
    null = _null_space(dense)
    plan = np.zeros((own, null.shape[1]))
    ours = free < own
    plan[free[ours]] = null[ours]
    left, singular, _ = np.linalg.svd(plan, full_matrices=False)
    return np.asarray(left[:, singular > _RANK])


def _null_space(matrix: Floats) -> Floats:
    """Return an orthonormal basis of what ``matrix`` (of rows of length 1) takes to 0."""
    columns = matrix.shape[1]
    if len(matrix) == 0 or columns == 0:
        return np.eye(columns)
    _, singular, right = np.linalg.svd(matrix)
    return np.asarray(right[int((singular > _RANK).sum()) :].T)
