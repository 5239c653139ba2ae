"""Runs a match: plays what is not yet in the journal, writes down each game as it ends, and counts."""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Literal

from murk.frames import make_frame
from murk.html import html_table
from murk.match.config import MatchConfig
from murk.match.executor import Executor, LocalExecutor
from murk.match.journal import Journal, JournalError, PgnFile
from murk.match.records import FinishedGame
from murk.match.schedule import pairings, schedule
from murk.match.standings import Standings

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MatchReport", "run_match"]

Ended = Literal["played", "sprt", "interrupted", "failed"]
OnGame = Callable[[FinishedGame, Standings], None]


@dataclass(frozen=True)
class MatchReport:
    """What came out.

    Attributes:
        config: the match.
        standings: the counts, those of games played earlier included.
        ended: all games ``played``, the ``sprt`` was decided, ``interrupted`` by Ctrl-C, or ``failed`` because a game
            could not be written down.
        resumed: how many games were there already.
        seconds: how long it took this time.
        error: what failed.
    """

    config: MatchConfig
    standings: Standings
    ended: Ended
    resumed: int
    seconds: float
    error: str = ""

    def to_frame(self) -> "pd.DataFrame":
        """Return the pairings as a pandas table; results are the first player's."""
        return make_frame(self._rows(), _COLUMNS)

    def _rows(self) -> list[tuple[Any, ...]]:
        rows = []
        for (first, second), tally in self.standings.pairings.items():
            labels = (self.config.players[first].label, self.config.players[second].label)
            counts = (tally.games, tally.wins, tally.draws, tally.losses)
            rows.append((*labels, *counts, tally.score, *tally.interval, tally.elo, tally.los))
        return rows

    def _repr_html_(self) -> str:
        return html_table(f"Match, {self.config.control.text}, {self.ended}", _COLUMNS, self._rows())


_COLUMNS = ("first", "second", "games", "wins", "draws", "losses", "score", "low", "high", "elo", "los")


def run_match(
    config: MatchConfig,
    *,
    executor: Executor | None = None,
    journal: Path | None = None,
    pgn: Path | None = None,
    resume: bool = False,
    on_game: OnGame | None = None,
) -> MatchReport:
    """Play a match.

    Args:
        config: the match.
        executor: where; by default one game at a time in another process.
        journal: a file to write each game to, and to go on from with ``resume``.
        pgn: a file for the games as PGN. It is written anew from the journal on resuming.
        resume: go on with the journal, which must be of this very match.
        on_game: told about each game that counts.

    Raises:
        InputError: a file is in the way, or cannot be written, or is of another match.
        FormatError: the journal is damaged.
    """
    started = time.perf_counter()
    standings = Standings(config)
    with ExitStack() as stack:
        book = None
        played: dict[str, FinishedGame] = {}
        if journal is not None:
            book = stack.enter_context(closing(Journal(journal, config, resume=resume)))
            played = _belonging(book.games, config)
        sheet = None
        if pgn is not None:
            sheet = stack.enter_context(closing(PgnFile(pgn, config, list(played.values()))))
        standings.add_all(played.values())
        resumed = len(played)
        ended, error = _play(config, executor or LocalExecutor(), played, book, sheet, standings, on_game)
    return MatchReport(config, standings, ended, resumed, time.perf_counter() - started, error)


def _play(
    config: MatchConfig,
    executor: Executor,
    played: dict[str, FinishedGame],
    journal: Journal | None,
    pgn: PgnFile | None,
    standings: Standings,
    on_game: OnGame | None,
) -> tuple[Ended, str]:
    if _decided(standings):
        return "sprt", ""
    jobs = schedule(len(config.players), config.games, config.openings, config.seed, config.form)
    games = executor.play(config, (job for job in jobs if job.key not in played))
    try:
        with closing(games):  # type: ignore[type-var]  # a generator
            for game in games:
                with _uninterrupted():
                    # First the journal: what is not in it does not count.
                    if journal is not None:
                        journal.add(game)
                    standings.add(game)
                    if pgn is not None:
                        pgn.add(game)
                if on_game is not None:
                    on_game(game, standings)
                if _decided(standings):
                    return "sprt", ""
    except KeyboardInterrupt:
        return "interrupted", ""
    except JournalError as error:
        return "failed", str(error)
    return "played", ""


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Keep Ctrl-C waiting, so that a game is either written down and counted, or neither."""
    if threading.current_thread() is not threading.main_thread():
        yield  # Ctrl-C comes to the main thread alone
        return
    came: list[tuple[int, FrameType | None]] = []
    # Not a mask of signals: each thread has its own, and numpy's threads would take the signal for us.
    before = signal.signal(signal.SIGINT, lambda number, frame: came.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came and callable(before):
            before(*came[0])


def _decided(standings: Standings) -> bool:
    state = standings.sprt
    return state is not None and state.accepted is not None


def _belonging(games: dict[str, FinishedGame], config: MatchConfig) -> dict[str, FinishedGame]:
    """Return the games of a journal that are of this match; it may have been longer before."""
    pairs = set(pairings(len(config.players), config.form))
    return {key: game for key, game in games.items() if tuple(sorted((game.white, game.black))) in pairs}
