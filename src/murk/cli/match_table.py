"""The table of a match: live on a terminal while it is played, and at its end; and the same for machines."""

import math
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from murk.cli.options import Settings
from murk.cli.output import console, count, print_table
from murk.match import FinishedGame, MatchConfig, MatchReport, Standings, Tally

__all__ = ["MatchTable", "print_report", "report_fields"]

COLUMNS = ("agent", "games", "W", "D", "L", "score", "95 %", "Elo", "LOS", "s/move", "longest", "forfeits")
_ENDED = {
    "played": "all games played",
    "sprt": "ended by the SPRT",
    "interrupted": "interrupted",
    "failed": "ended because a game could not be written down",
}


class MatchTable:
    """Shows the standings on standard error while a match is played, if that is a terminal."""

    def __init__(self, config: MatchConfig, settings: Settings) -> None:
        self._config = config
        self._started = time.monotonic()
        self._first: int | None = None
        shown = not settings.quiet and sys.stderr is not None and sys.stderr.isatty()
        target = Console(stderr=True, highlight=False)
        self._live = Live(console=target, transient=True, auto_refresh=False) if shown else None

    def __enter__(self) -> "MatchTable":
        if self._live is not None:
            self._live.start()
            self._live.update(Text("the first game is being played ..."), refresh=True)
        return self

    def __exit__(self, *exception: object) -> None:
        if self._live is not None:
            self._live.stop()

    def update(self, game: FinishedGame, standings: Standings) -> None:
        """Show the standings after a game."""
        if self._live is None:
            return
        if self._first is None:
            self._first = standings.games - 1
        total = self._config.games * len(standings.pairings)
        done = standings.games - self._first
        left = (time.monotonic() - self._started) / done * (total - standings.games)
        title = f"{standings.games} of {total} games, about {_duration(left)} to go; last: {_last(game, self._config)}"
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
        for name in COLUMNS:
            table.add_column(Text(name), no_wrap=True)
        for row in rows(self._config, standings):
            table.add_row(*(Text(cell) for cell in row))
        self._live.update(Group(Text(title, style="bold"), table, *_test(standings)), refresh=True)


def _last(game: FinishedGame, config: MatchConfig) -> str:
    white, black = config.players[game.white].title, config.players[game.black].title
    return f"{white} - {black} {game.result} ({game.reason})"


def _test(standings: Standings) -> list[Text]:
    state = standings.sprt
    if state is None:
        return []
    verdict = f", {state.accepted} accepted" if state.accepted else ""
    return [Text(f"SPRT: LLR {state.llr:.2f} ({state.lower:.2f}, {state.upper:.2f}){verdict}")]


def rows(config: MatchConfig, standings: Standings) -> list[Sequence[str]]:
    """Return a row for each player."""
    out: list[Sequence[str]] = []
    for player, standing in zip(config.players, standings.players, strict=True):
        tally = standing.tally
        forfeits = ", ".join(f"{n} {reason}" for reason, n in sorted(standing.forfeits.items())) or "-"
        mean = f"{standing.seconds / standing.moves:.3f}" if standing.moves else "-"
        longest = f"{standing.longest:.3f} s" if standing.moves else "-"
        out.append((player.title, *_results(tally), mean, longest, forfeits))
    return out


def _results(tally: Tally) -> tuple[str, ...]:
    if tally.games == 0:
        return ("0", "0", "0", "0", "-", "-", "-", "-")
    low, high = tally.interval
    return (
        count(tally.games),
        count(tally.wins),
        count(tally.draws),
        count(tally.losses),
        f"{100 * tally.score:.1f} %",
        f"{100 * low:.1f}-{100 * high:.1f}",
        _elo(tally),
        f"{100 * tally.los:.1f} %",
    )


def _elo(tally: Tally) -> str:
    low, high = tally.elo_interval
    elo = tally.elo
    shown = f"{elo:+.0f}" if math.isfinite(elo) else ("+inf" if elo > 0 else "-inf")
    return f"{shown} ({_bound(low)} to {_bound(high)})"


def _bound(elo: float) -> str:
    return f"{elo:+.0f}" if math.isfinite(elo) else ("+inf" if elo > 0 else "-inf")


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def print_report(report: MatchReport) -> None:
    """Write the table at the end."""
    config, standings = report.config, report.standings
    out = console()
    fits: dict[str, Any] = dict.fromkeys(COLUMNS, "whole")
    titles = [player.title for player in config.players]
    print_table(f"{titles[0]} against {', '.join(titles[1:])}", fits, rows(config, standings))
    if len(standings.pairings) > 1:
        out.print()
        pairs = [
            (f"{titles[first]} - {titles[second]}", *_results(tally))
            for (first, second), tally in standings.pairings.items()
        ]
        print_table("Pairings, from the first one's side", dict.fromkeys(("pairing", *COLUMNS[1:9]), "whole"), pairs)
    out.print()
    reasons = ", ".join(f"{reason} {n}" for reason, n in sorted(standings.reasons.items(), key=lambda item: -item[1]))
    for line in (
        f"{count(standings.games)} games, {config.control.text}, seed {config.seed}: {_ENDED[report.ended]}"
        + (f" ({report.resumed} from the journal)" if report.resumed else ""),
        *([f"endings: {reasons}"] if reasons else []),
        *(
            [f"pairs of games (0, 1/4, 1/2, 3/4, 1): {', '.join(map(str, standings.pairs))}"]
            if _is_duel(config)
            else []
        ),
        *(str(text) for text in _test(standings)),
        *_warnings(config),
    ):
        out.print(Text(line), soft_wrap=True)


def _is_duel(config: MatchConfig) -> bool:
    return len(config.players) == 2


def _warnings(config: MatchConfig) -> list[str]:
    return [f"{p.title}: an upper bound, no player of dark chess" for p in config.players if p.disclosure]


def report_fields(report: MatchReport, journal: Path | None, pgn: Path | None) -> dict[str, Any]:
    """Return what ``--json`` says; it ends with the first agent's results."""
    config, standings = report.config, report.standings
    players = [
        {
            "agent": str(player.spec),
            "label": player.label,
            "sees": player.disclosure or "own observations",
            **_tally_fields(standing.tally),
            "forfeits": standing.forfeits,
            "moves": standing.moves,
            "seconds_per_move": standing.seconds / standing.moves if standing.moves else None,
            "longest_move": standing.longest if standing.moves else None,
            "nodes": standing.nodes,
        }
        for player, standing in zip(config.players, standings.players, strict=True)
    ]
    pairings = [
        {"first": config.players[a].label, "second": config.players[b].label, **_tally_fields(tally)}
        for (a, b), tally in standings.pairings.items()
    ]
    state = standings.sprt
    first = standings.players[0].tally
    return {
        "control": config.control.text,
        "seed": config.seed,
        "openings": len(config.openings),
        "ended": report.ended,
        "resumed": report.resumed,
        "seconds": report.seconds,
        "journal": journal,
        "pgn": pgn,
        "reasons": standings.reasons,
        "pairs": standings.pairs if _is_duel(config) else None,
        "sprt": None
        if state is None
        else {"llr": state.llr, "lower": state.lower, "upper": state.upper, "accepted": state.accepted},
        "agents": players,
        "pairings": pairings,
        **_tally_fields(first, last=True),
    }


def _tally_fields(tally: Tally, *, last: bool = False) -> dict[str, Any]:
    low, high = tally.interval
    elo_low, elo_high = tally.elo_interval
    more = {"elo": tally.elo, "elo_low": elo_low, "elo_high": elo_high, "los": tally.los}
    results = {
        "games": tally.games,
        "wins": tally.wins,
        "draws": tally.draws,
        "losses": tally.losses,
        "score": tally.score,
        "low": low,
        "high": high,
    }
    return {**more, **results} if last else {**results, **more}
