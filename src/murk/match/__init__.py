"""Matches between agents of dark chess: schedules, clocks, processes, statistics, journals.

>>> from murk.match import MatchConfig, make_players, run_match
>>> config = MatchConfig(players=make_players(["random", "random"]), games=2, max_plies=20)
>>> run_match(config).standings.games
2
"""

from murk.match.config import MatchConfig, Player, make_players
from murk.match.executor import Executor, LocalExecutor
from murk.match.journal import JournalError, read_journal
from murk.match.openings import Opening, load_openings
from murk.match.records import FinishedGame
from murk.match.runner import MatchReport, run_match
from murk.match.schedule import GameJob, schedule
from murk.match.sprt import Sprt
from murk.match.standings import Standings
from murk.match.statistics import Tally

__all__ = [
    "Executor",
    "FinishedGame",
    "GameJob",
    "JournalError",
    "LocalExecutor",
    "MatchConfig",
    "MatchReport",
    "Opening",
    "Player",
    "Sprt",
    "Standings",
    "Tally",
    "load_openings",
    "make_players",
    "read_journal",
    "run_match",
    "schedule",
]
