"""What a match has come to: tallies of players, pairings and pairs of games."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from murk.match.config import MatchConfig
from murk.match.records import FinishedGame
from murk.match.schedule import pairings
from murk.match.sprt import PAIR_SCORES, SprtState
from murk.match.statistics import Tally

__all__ = ["PlayerStanding", "Standings"]


@dataclass
class PlayerStanding:
    """One player's games.

    Attributes:
        tally: results.
        forfeits: how often it lost by ``time forfeit``, ``illegal move`` or ``crash``.
        moves: how many it thought about.
        seconds: how long all of them took.
        longest: how long the longest took.
        nodes: the sum of what it said it searched.
    """

    tally: Tally = field(default_factory=Tally)
    forfeits: dict[str, int] = field(default_factory=dict)
    moves: int = 0
    seconds: float = 0.0
    longest: float = 0.0
    nodes: int = 0


class Standings:
    """Counts games as they come."""

    def __init__(self, config: MatchConfig) -> None:
        self._config = config
        self.players = [PlayerStanding() for _ in config.players]
        self.pairings = {pair: Tally() for pair in pairings(len(config.players), config.form)}
        self._halves: dict[tuple[str, int, int], float] = {}
        self.pairs = [0] * len(PAIR_SCORES)
        """Pairs of games by the first player's score, from 0 to 1 in quarters."""
        self.reasons: dict[str, int] = {}

    @property
    def games(self) -> int:
        """How many games were counted."""
        return sum(tally.games for tally in self.pairings.values())

    @property
    def sprt(self) -> SprtState | None:
        """Where the test stands, if there is one."""
        return None if self._config.sprt is None else self._config.sprt.state(self.pairs)

    def add_all(self, games: Iterable[FinishedGame]) -> None:
        """Count games."""
        for game in games:
            self.add(game)

    def add(self, game: FinishedGame) -> None:
        """Count a game."""
        first, second = sorted((game.white, game.black))
        tally = _tally(game.points_of(first))
        self.pairings[first, second] += tally
        self.players[first].tally += tally
        self.players[second].tally += tally.reversed()
        self.reasons[game.reason] = self.reasons.get(game.reason, 0) + 1
        if game.forfeit and game.loser is not None:
            forfeits = self.players[game.loser].forfeits
            forfeits[game.reason] = forfeits.get(game.reason, 0) + 1
        self._add_pair(game, first, second)
        self._add_times(game)

    def _add_pair(self, game: FinishedGame, first: int, second: int) -> None:
        key = (game.key.split(".")[0], first, second)
        points = game.points_of(first)
        if key in self._halves:
            self.pairs[round(2 * (self._halves.pop(key) + points))] += 1
        else:
            self._halves[key] = points

    def _add_times(self, game: FinishedGame) -> None:
        white_first = " w " in f" {game.fen} "
        for number, ply in enumerate(game.plies):
            if ply.seconds is None:
                continue
            player = self.players[game.white if (number % 2 == 0) == white_first else game.black]
            player.moves += 1
            player.seconds += ply.seconds
            player.longest = max(player.longest, ply.seconds)
            player.nodes += ply.decision.get("nodes") or 0


def _tally(points: float) -> Tally:
    return Tally(int(points == 1), int(points == 0.5), int(points == 0))
