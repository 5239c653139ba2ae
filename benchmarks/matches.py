"""Puts together what several matches of the same players came to, and shortens their journals.

A long match may be played in parts, each with a seed of its own, so that no game is counted twice:

    murk match murk zs21 --games 100 --movetime 0.3 --seed 1 --journal first.jsonl
    murk match murk zs21 --games 200 --movetime 0.3 --seed 2 --journal second.jsonl
    python benchmarks/matches.py first.jsonl second.jsonl

prints a row for each pairing at each limit: the first player's games, score and interval, who forfeited, the longest
moves played (one that came too late is not), and how much memory the process held at most. `--shorten DIRECTORY` writes
the journals there without what the players thought; `murk match --resume` goes on from such a file as from a whole one.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from murk.darkchess import Colour, Position
from murk.errors import InputError, MurkError
from murk.match.journal import read_journal
from murk.match.records import FinishedGame
from murk.match.statistics import Tally
from murk.tree.files import write_atomically

MIB = 1 << 20


@dataclass
class Row:
    """Two players at one limit."""

    tally: Tally = field(default_factory=Tally)
    seeds: set[int] = field(default_factory=set)
    forfeits: list[int] = field(default_factory=lambda: [0, 0])
    longest: list[float] = field(default_factory=lambda: [0.0, 0.0])
    memory: int = 0

    def add(self, game: FinishedGame, first: int) -> None:
        """Count a game for the first of the two."""
        points = game.points_of(first)
        self.tally += Tally(int(points == 1), int(points == 0.5), int(points == 0))
        if game.forfeit and game.loser is not None:
            self.forfeits[int(game.loser != first)] += 1
        movers = (game.white, game.black) if Position(game.fen).turn == Colour.WHITE else (game.black, game.white)
        for number, ply in enumerate(game.plies):
            side = int(movers[number % 2] != first)
            self.longest[side] = max(self.longest[side], ply.seconds or 0.0)
        self.memory = max(self.memory, game.memory or 0)


def limit_of(header: dict[str, Any]) -> str:
    """Return how long the players had, in words."""
    if header["nodes"] is not None:
        return f"{header['nodes']:,} nodes"
    if header["movetime"] is not None:
        return f"{header['movetime']:g} s a move"
    return f"{header['base']:g} s + {header['increment']:g} s"


def rows_of(paths: Sequence[Path]) -> dict[tuple[str, str, str], Row]:
    """Return a row for each two players and limit, of all games of all journals."""
    rows: dict[tuple[str, str, str], Row] = {}
    seen: set[tuple[Any, ...]] = set()
    for path in paths:
        header, games, _ = read_journal(path)
        if header is None:
            raise InputError(f"{path} has no whole line, expected the journal of a match")
        for game in games:
            numbers = sorted((game.white, game.black))
            names = [header["players"][number]["label"] for number in numbers]
            same = (*names, limit_of(header), header["openings"], header["seed"], game.key)
            if same in seen:
                raise InputError(f"{path} has a game of another journal again: seed {header['seed']}, {game.key}")
            seen.add(same)
            row = rows.setdefault((names[0], names[1], limit_of(header)), Row())
            row.seeds.add(header["seed"])
            row.add(game, numbers[0])
    return rows


def table(rows: dict[tuple[str, str, str], Row]) -> Iterator[str]:
    """Yield the lines of a Markdown table."""
    heads = ("", "against", "limit", "seeds", "won", "drawn", "lost", "score", "forfeits", "longest moves", "memory")
    yield f"| {' | '.join(heads)} |"
    yield "| --- " * len(heads) + "|"
    for (first, second, limit), row in rows.items():
        tally, (low, high) = row.tally, row.tally.interval
        score = f"{tally.score:.1%} of {tally.games}, {100 * low:.1f} to {100 * high:.1f}"
        longest = " / ".join(f"{seconds:.3f} s" for seconds in row.longest)
        yield (
            f"| `{first}` | `{second}` | {limit} | {', '.join(map(str, sorted(row.seeds)))} | {tally.wins} "
            f"| {tally.draws} | {tally.losses} | {score} | {row.forfeits[0]} / {row.forfeits[1]} | {longest} "
            f"| {row.memory / MIB:,.0f} MiB |"
        )


def shortened(path: Path) -> bytes:
    """Return a journal without what the players thought."""
    lines = []
    for text in path.read_text(encoding="utf-8").splitlines(keepends=True):
        if not text.endswith("\n"):
            break  # torn
        fields = json.loads(text)
        for ply in fields.get("plies", ()):
            ply.pop("decision", None)
        lines.append(json.dumps(fields, separators=(",", ":")) + "\n")
    return "".join(lines).encode()


def main(arguments: Sequence[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Put together what matches came to, from their journals.")
    parser.add_argument("journal", type=Path, nargs="+")
    parser.add_argument("--shorten", type=Path, metavar="DIRECTORY", help="write the journals there, shortened")
    options = parser.parse_args(arguments)
    try:
        print("\n".join(table(rows_of(options.journal))))
        if options.shorten is not None:
            options.shorten.mkdir(parents=True, exist_ok=True)
            for path in options.journal:
                write_atomically(options.shorten / path.name, [shortened(path)])
    except (MurkError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
