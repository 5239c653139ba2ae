"""The sequential probability ratio test between two Elo differences, on pairs of games.

Both games of a pair have the same opening and the same seeds, with colours swapped, so the pair is the unit: it scores
0, 1/4, 1/2, 3/4 or 1 (the "pentanomial" model). The log-likelihood ratio is that of the generalised test: under each
hypothesis the five probabilities are the likeliest ones whose mean is the hypothesis's score (M. Van den Bergh, "The
generalized maximum likelihood ratio for the expectation value of a distribution"). With that mean the likeliest
probabilities are p_i = q_i / (1 + theta (a_i - s)), q_i being the observed ones and theta the root of
sum q_i (a_i - s) / (1 + theta (a_i - s)) = 0.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from murk.errors import InputError
from murk.match.statistics import score_of

__all__ = ["PAIR_SCORES", "Sprt", "SprtState", "log_likelihood_ratio"]

PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
REGULARISED = 1e-3
"""Pairs that a count of zero is taken for, so that no outcome is held impossible."""
_BISECTIONS = 100


@dataclass(frozen=True)
class Sprt:
    """A test of H1 (the difference is ``elo1``) against H0 (it is ``elo0``).

    Attributes:
        elo0, elo1: the differences in logistic Elo; ``elo0 < elo1``.
        alpha: how often H1 may be accepted although H0 holds.
        beta: how often H0 may be accepted although H1 holds.
    """

    elo0: float = 0.0
    elo1: float = 10.0
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise InputError(f"elo0 and elo1 are {self.elo0:g} and {self.elo1:g}, expected elo0 to be the smaller")
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise InputError(f"{name} is {getattr(self, name):g}, expected a number between 0 and 0.5")

    @classmethod
    def parse(cls, text: str) -> "Sprt":
        """Read ``elo0=0,elo1=10,alpha=0.05,beta=0.05``; what is left out has its default.

        Raises:
            InputError: it is malformed.
        """
        values: dict[str, float] = {}
        for part in filter(None, (part.strip() for part in text.replace(",", " ").split())):
            name, equals, number = part.partition("=")
            try:
                if not equals or name not in cls.__dataclass_fields__ or name in values:
                    raise ValueError
                values[name] = float(number)
            except ValueError:
                raise InputError(
                    f"cannot read {part!r} in --sprt, expected elo0=0,elo1=10,alpha=0.05,beta=0.05"
                ) from None
        return cls(**values)

    @property
    def bounds(self) -> tuple[float, float]:
        """Below the first H0 is accepted, above the second H1 (Wald)."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def state(self, pairs: Sequence[int]) -> "SprtState":
        """Return where the test stands after so many pairs of each score."""
        ratio = log_likelihood_ratio(pairs, score_of(self.elo0), score_of(self.elo1))
        lower, upper = self.bounds
        accepted: Literal["H0", "H1"] | None = "H1" if ratio >= upper else "H0" if ratio <= lower else None
        return SprtState(ratio, lower, upper, accepted)


@dataclass(frozen=True)
class SprtState:
    """The log-likelihood ratio, its bounds, and the hypothesis accepted, if any."""

    llr: float
    lower: float
    upper: float
    accepted: Literal["H0", "H1"] | None


def log_likelihood_ratio(pairs: Sequence[int], score0: float, score1: float) -> float:
    """Return the log-likelihood ratio of mean ``score1`` to mean ``score0`` given counts of pair scores."""
    if sum(pairs) == 0:
        return 0.0
    counts = [max(float(count), REGULARISED) for count in pairs]
    total = sum(counts)
    shares = [count / total for count in counts]
    p0, p1 = (_likeliest(shares, score) for score in (score0, score1))
    return total * sum(q * (math.log(b) - math.log(a)) for q, a, b in zip(shares, p0, p1, strict=True))


def _likeliest(shares: Sequence[float], mean: float) -> list[float]:
    """Return the probabilities with this mean under which the observed shares are likeliest."""
    distances = [score - mean for score in PAIR_SCORES]
    low, high = -1 / distances[-1], -1 / distances[0]  # theta keeps all probabilities positive in between

    def slope(theta: float) -> float:
        return sum(q * d / (1 + theta * d) for q, d in zip(shares, distances, strict=True))

    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if slope(middle) > 0:  # it falls from plus to minus infinity
            low = middle
        else:
            high = middle
    theta = (low + high) / 2
    return [q / (1 + theta * d) for q, d in zip(shares, distances, strict=True)]
