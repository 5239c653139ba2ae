"""Games and positions as arguments of commands: a FEN, ``start``, a PGN file, or ``-`` for PGN on standard input."""

import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import click

from murk.darkchess import START_FEN
from murk.darkchess.pgn import GameRecord, read_games
from murk.errors import InputError

__all__ = ["game_option", "is_pgn", "open_game", "open_source"]

game_option = click.option(
    "--game", "number", type=click.IntRange(min=1), metavar="N", default=1, help="Which game of the file.  [default: 1]"
)


def is_pgn(text: str) -> bool:
    """Return whether ``text`` names a PGN rather than being a FEN."""
    return text == "-" or text.lower().endswith(".pgn") or Path(text).is_file()


def open_source(text: str, number: int) -> GameRecord:
    """Return the game in a PGN, or the game of no moves that begins from a FEN.

    Raises:
        InputError: it is neither, or there are fewer games.
    """
    if is_pgn(text):
        return open_game(text, number)
    if number != 1:
        raise InputError(f"--game {number} is for a PGN, and {text!r} is a FEN")
    record = GameRecord(fen=START_FEN if text == "start" else text)
    try:
        record.board()
    except InputError as error:
        raise InputError(f"{error}; nor is it a file") from None
    return record


def open_game(text: str, number: int) -> GameRecord:
    """Return game ``number`` of a PGN file, or of standard input if that is ``-``.

    Raises:
        InputError: there is no such file, it is malformed, or it has fewer games.
    """
    games: Iterator[GameRecord] = read_games(sys.stdin if text == "-" else Path(text))
    found = 0
    for record in islice(games, number):
        found += 1
        if found == number:
            return record
    have = f"{found} game{'s' * (found != 1)}" if found else "no game"
    raise InputError(f"{'standard input' if text == '-' else text} has {have}, expected at least {number}")
