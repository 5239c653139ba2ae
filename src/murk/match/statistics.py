"""What the results of games say: score, interval, Elo, likelihood of superiority.

A game is worth 1, 1/2 or 0 to a player. The intervals are Wilson's, carried over to draws: all scores s with
``|observed - s| <= z sqrt((s (1 - s) - d / 4) / n)``, where d is the share of draws, shrunk as if z^2 decisive games
had been played as well. Without draws this is Wilson's interval; it has a width after 100 wins out of 100, and after
100 draws.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist

__all__ = ["Tally", "elo_of", "likelihood_of_superiority", "score_interval", "score_of"]

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Tally:
    """Wins, draws and losses of one side."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        """How many games there were."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """A win is one, a draw a half."""
        return self.wins + self.draws / 2

    @property
    def score(self) -> float:
        """Points a game; not a number without games."""
        return self.points / self.games if self.games else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of the score at 95 %; everything without games."""
        return score_interval(self)

    @property
    def elo(self) -> float:
        """The difference in Elo that the score amounts to, infinite at its ends."""
        return elo_of(self.score)

    @property
    def elo_interval(self) -> tuple[float, float]:
        """The interval of the score as Elo."""
        low, high = self.interval
        return elo_of(low), elo_of(high)

    @property
    def los(self) -> float:
        """The likelihood that this side is the stronger one."""
        return likelihood_of_superiority(self)

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)

    def reversed(self) -> "Tally":
        """Return the same games from the other side."""
        return Tally(self.losses, self.draws, self.wins)


def score_interval(tally: Tally, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return the lowest and the highest score that the games do not rule out."""
    if tally.games == 0:
        return 0.0, 1.0
    z2 = NormalDist().inv_cdf((1 + confidence) / 2) ** 2
    n, observed = tally.games, tally.score
    draws = tally.draws / (n + z2)
    # (observed - s)^2 = z2 (s - s^2 - draws / 4) / n, a quadratic in s.
    a, b, c = 1 + z2 / n, -(2 * observed + z2 / n), observed**2 + z2 * draws / (4 * n)
    half = math.sqrt(max(0.0, b * b - 4 * a * c))
    return max(0.0, (-b - half) / (2 * a)), min(1.0, (-b + half) / (2 * a))


def elo_of(score: float) -> float:
    """Return the Elo difference at which ``score`` is expected."""
    if math.isnan(score):
        return math.nan
    if score <= 0:
        return -math.inf
    if score >= 1:
        return math.inf
    return -400 * math.log10(1 / score - 1)


def score_of(elo: float) -> float:
    """Return the score expected at an Elo difference."""
    return 1 / (1 + 10 ** (-elo / 400))


def likelihood_of_superiority(tally: Tally) -> float:
    """Return the probability that the side is stronger, given equal odds before; draws say nothing.

    The normal approximation that all testers of engines use.
    """
    decisive = tally.wins + tally.losses
    if decisive == 0:
        return 0.5
    return 0.5 * (1 + math.erf((tally.wins - tally.losses) / math.sqrt(2 * decisive)))
