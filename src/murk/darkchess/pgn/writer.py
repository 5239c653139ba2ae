"""From games to PGN: the export format of the standard, lines of at most 79 characters."""

import os
import re
from collections.abc import Iterable, Iterator
from io import StringIO
from typing import IO

from murk._core import Colour
from murk.darkchess.board import START_FEN, Board
from murk.darkchess.pgn.record import VARIANT, GameRecord, Ply
from murk.errors import InputError
from murk.tree.files import write_atomically

__all__ = ["format_game", "write_games"]

_ROSTER = {"Event": "?", "Site": "?", "Date": "????.??.??", "Round": "?", "White": "?", "Black": "?"}
_WIDTH = 79
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_+#=:-]*")


def write_games(games: Iterable[GameRecord], target: str | os.PathLike[str] | IO[str]) -> int:
    """Write games to a file, given by its path (then whole or not at all) or opened, and return how many.

    Raises:
        InputError: a comment or a tag holds what PGN cannot express, or the file cannot be written.
    """
    count = 0
    handle = StringIO() if isinstance(target, str | os.PathLike) else target
    for game in games:
        handle.write(format_game(game) + "\n")
        count += 1
    if isinstance(target, str | os.PathLike):
        assert isinstance(handle, StringIO)
        write_atomically(target, [handle.getvalue().encode()])
    return count


def format_game(game: GameRecord) -> str:
    """Return a game as PGN, ending in a new line.

    Raises:
        InputError: a comment or a tag holds what PGN cannot express.
    """
    tags = "".join(f'[{name} "{_escaped(value)}"]\n' for name, value in _tags(game))
    return f"{tags}\n{_wrapped(_words(game))}"


def _tags(game: GameRecord) -> Iterator[tuple[str, str]]:
    given = dict(game.tags)
    for name, default in _ROSTER.items():
        yield name, given.pop(name, default)
    yield "Result", game.result
    yield "Variant", VARIANT
    if game.fen != START_FEN:
        yield from (("SetUp", "1"), ("FEN", game.fen))
    for name, value in given.items():
        if name in ("Result", "Variant", "SetUp", "FEN"):
            raise InputError(f"the tag {name} is written from the game itself, expected it not to be given")
        if not _NAME.fullmatch(name):
            raise InputError(f"the tag is called {name!r}, expected letters, digits and signs of _+#=:-")
        yield name, value


def _escaped(value: str) -> str:
    if any(c in value for c in "\r\n"):
        raise InputError(f"the tag value {value!r} has more than one line, expected one")
    return value.replace("\\", "\\\\").replace('"', '\\"')


def _words(game: GameRecord) -> Iterator[str]:
    """Yield what stands between spaces."""
    board = Board(game.fen)
    number, numbered = _first_number(game.fen), False
    yield from _comment(game.comment)
    for ply in game.plies:
        white = board.position.turn == Colour.WHITE
        if white:
            yield f"{number}."
        elif not numbered:
            yield f"{number}..."
        yield board.position.san(ply.move)
        yield from (f"${nag}" for nag in ply.nags)
        note = list(_comment(_with_clock(ply)))
        yield from note
        board.push(ply.move)
        number += not white
        numbered = white and not note
    yield game.result


def _first_number(fen: str) -> int:
    fields = fen.split()
    return int(fields[5]) if len(fields) == 6 else 1


def _with_clock(ply: Ply) -> str:
    if ply.clock is None:
        return ply.comment
    tenths = round(ply.clock * 10)
    minutes, rest = divmod(tenths, 600)
    seconds = f"{rest // 10:02d}" + (f".{rest % 10}" if rest % 10 else "")
    return f"[%clk {minutes // 60}:{minutes % 60:02d}:{seconds}] {ply.comment}".strip()


def _comment(text: str) -> Iterator[str]:
    if not text:
        return
    if "}" in text:
        raise InputError(f"the comment {text[:40]!r} has a closing brace, which PGN cannot express")
    # A line that begins with a per cent sign is an escape, so no line may be broken before one.
    yield from re.split(r" (?!%)", "{" + " ".join(text.split()) + "}")


def _wrapped(words: Iterable[str]) -> str:
    lines, line = [], ""
    for word in words:
        if line and len(line) + 1 + len(word) > _WIDTH:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    lines.append(line)
    return "".join(f"{line}\n" for line in lines)
