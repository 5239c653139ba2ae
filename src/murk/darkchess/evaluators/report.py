"""How well the embedded evaluator agrees with Stockfish, beside simpler value functions.

All are compared on labelled positions (best: of held-out games) in tanh units: the net with its quiescence search, the
net alone, material, and material with piece-square tables. The latter two have the best weights there can be for the
task, fitted on one half of the very games and tested on the other, in turn.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from murk._core import Network, QuiescenceLimits, predict
from murk.darkchess.evaluators.records import TAU, Records, as_rows
from murk.darkchess.evaluators.scores import Scores

__all__ = ["GROUPS", "Report", "make_report"]

IN_CHECK, HANGING_QUEEN, FEW_PIECES, KING_EN_PRISE, QUIET = 1, 2, 4, 8, 16
"""Bits of the traits that :func:`murk._core.predict` returns (``cpp/eval/dataset.h``)."""

GROUPS: dict[str, Callable[[NDArray[np.uint8]], NDArray[np.bool_]]] = {
    "all": lambda traits: np.ones(len(traits), bool),
    "quiet": lambda traits: traits & QUIET != 0,
    "not quiet": lambda traits: traits & QUIET == 0,
    "in check": lambda traits: traits & IN_CHECK != 0,
    "hanging queen": lambda traits: traits & HANGING_QUEEN != 0,
    "endgames": lambda traits: traits & FEW_PIECES != 0,
}
"""Kinds of position that are reported by themselves."""


@dataclass(frozen=True)
class Report:
    """Scores by group of positions and by value function.

    Attributes:
        scores: ``scores[group][function]``, where the functions are ``embedded``, ``net only``, ``material + PST`` and
            ``material``.
        nodes: positions that a quiescence search looked at, on average.
    """

    scores: dict[str, dict[str, Scores]]
    nodes: float

    def to_json(self) -> dict[str, Any]:
        """Return the same as plain dictionaries."""
        return asdict(self)


def make_report(records: Records, network: Network, *, threads: int = 1) -> Report:
    """Compare the value functions on labelled positions."""
    targets, static, full, traits, nodes = predict(as_rows(records), network, QuiescenceLimits(), threads)
    board = _piece_squares(records)
    functions = {
        "embedded": full,
        "net only": static,
        "material + PST": _cross_fitted(board, records),
        "material": _cross_fitted(_material(board), records),
    }
    scores = {
        group: {name: Scores.of(values[chosen], targets[chosen]) for name, values in functions.items()}
        for group, choose in GROUPS.items()
        for chosen in [choose(traits)]
    }
    return Report(scores, nodes / max(len(records), 1))


def _piece_squares(records: Records) -> sparse.csr_matrix:
    """Return a matrix of 6 x 64 columns: own pieces less the other side's, seen from the side to move."""
    occupied = np.unpackbits(
        np.ascontiguousarray(records["occupied"]).view(np.uint8).reshape(-1, 8), axis=1, bitorder="little"
    )
    rows, squares = np.nonzero(occupied)
    nibbles = np.stack([records["pieces"] & 15, records["pieces"] >> 4], axis=2).reshape(len(records), 32)
    counts = occupied.sum(axis=1)
    pieces = nibbles[np.arange(32) < counts[:, None]]
    turn = (records["turn_castling"] & 1)[rows]
    kinds, colours = pieces & 7, pieces >> 3
    own = colours == turn
    # Each side's pieces are seen from its own back rank.
    columns = kinds.astype(np.int64) * 64 + (squares ^ np.where(colours == 1, 56, 0))
    return sparse.csr_matrix((np.where(own, 1.0, -1.0), (rows, columns)), shape=(len(records), 6 * 64))


def _material(board: sparse.csr_matrix) -> sparse.csr_matrix:
    return board @ sparse.csr_matrix(np.kron(np.eye(6)[:, :5], np.ones((64, 1))))


def _cross_fitted(features: sparse.csr_matrix, records: Records) -> NDArray[np.float64]:
    """Return tanh of the best linear function, fitted on the other half of the games for each half."""
    goal = np.tanh(records["label"] / TAU)
    half = records["game"] % 2 == 0
    values = np.empty(len(records))
    for test in (half, ~half):
        weights = _fit(features[~test], goal[~test])
        values[test] = np.tanh(features[test] @ weights)
    return values


def _fit(features: sparse.csr_matrix, goal: NDArray[np.float64]) -> NDArray[np.float64]:
    """Minimise the squared error of tanh(features @ weights) by damped Gauss-Newton steps."""
    weights = np.zeros(features.shape[1])
    for _ in range(8):
        guess = np.tanh(features @ weights)
        slope = sparse.diags(1 - guess**2)
        jacobian = slope @ features
        normal = (jacobian.T @ jacobian).toarray() + np.eye(len(weights))
        weights = weights + np.linalg.solve(normal, jacobian.T @ (goal - guess))
    return weights
