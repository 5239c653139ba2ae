"""What a client can say: lines of text to commands.

By the protocol unknown words are passed over: words before a command, and words that a command does not know. Numbers
are read leniently, whatever their size, because programs send such things.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from murk.darkchess.board import START_FEN
from murk.errors import InputError

__all__ = ["COMMANDS", "Command", "Go", "PositionTold", "SetOption", "Simple", "parse_command"]

LARGEST = 10**15
"""A number beyond is as good as this one."""
SHOWN = 60
"""Characters of a line that an error shows."""
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?")
_SIMPLE = ("uci", "isready", "ucinewgame", "stop", "ponderhit", "quit", "register")
COMMANDS = (*_SIMPLE, "debug", "setoption", "position", "go")


@dataclass(frozen=True)
class Simple:
    """A command of one word; ``register`` and ``debug`` have more, of which only ``debug on`` matters."""

    name: str
    on: bool = False


@dataclass(frozen=True)
class SetOption:
    """``setoption name NAME value VALUE``; a button has no value."""

    name: str
    value: str | None = None


@dataclass(frozen=True)
class PositionTold:
    """``position``: where the game began, and its moves as text."""

    fen: str
    moves: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Go:
    """``go`` with its limits; times are in milliseconds, and what was not said is ``None``."""

    wtime: int | None = None
    btime: int | None = None
    winc: int | None = None
    binc: int | None = None
    movestogo: int | None = None
    movetime: int | None = None
    nodes: int | None = None
    depth: int | None = None
    mate: int | None = None
    infinite: bool = False
    ponder: bool = False
    searchmoves: tuple[str, ...] = ()
    ignored: tuple[str, ...] = field(default=(), compare=False)


Command = Simple | SetOption | PositionTold | Go

_GO_NUMBERS = ("wtime", "btime", "winc", "binc", "movestogo", "movetime", "nodes", "depth", "mate")
_GO_WORDS = {*_GO_NUMBERS, "infinite", "ponder", "searchmoves"}


def parse_command(line: str) -> Command | None:
    """Return the command on a line, ``None`` if the line is empty.

    Raises:
        InputError: there is no command on it, or it lacks what it needs.
    """
    words = line.split()
    if not words:
        return None
    start = next((i for i, word in enumerate(words) if word in COMMANDS), None)
    if start is None:
        near = get_close_matches(words[0], COMMANDS, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise InputError(f"unknown command {shown(line)}{hint}")
    name, rest = words[start], words[start + 1 :]
    match name:
        case "debug":
            return Simple("debug", on="on" in rest)
        case "setoption":
            return _set_option(rest)
        case "position":
            return _position(rest)
        case "go":
            return _go(rest)
    return Simple(name)


def shown(text: str) -> str:
    """Return the beginning of a text in quotation marks, safe to print on one line."""
    clean = "".join(c if c.isprintable() else "?" for c in " ".join(text.split()))
    return repr(clean if len(clean) <= SHOWN else clean[:SHOWN] + "...")


def _set_option(words: Sequence[str]) -> SetOption:
    if "name" not in words:
        raise InputError("setoption names no option, expected setoption name NAME value VALUE")
    words = words[words.index("name") + 1 :]
    # A name may have several words, and a value may be the word "value".
    at = words.index("value") if "value" in words else len(words)
    name = " ".join(words[:at])
    if not name:
        raise InputError("setoption names no option, expected setoption name NAME value VALUE")
    return SetOption(name, " ".join(words[at + 1 :]) if at < len(words) else None)


def _position(words: Sequence[str]) -> PositionTold:
    start = next((i for i, word in enumerate(words) if word in ("startpos", "fen")), None)
    if start is None:
        raise InputError("position says neither startpos nor fen")
    at = words.index("moves") if "moves" in words else len(words)
    moves = tuple(words[at + 1 :])
    if words[start] == "startpos":
        return PositionTold(START_FEN, moves)
    fields = words[start + 1 : at]
    if not 4 <= len(fields) <= 6:
        raise InputError(f"the FEN {shown(' '.join(fields))} has {len(fields)} fields, expected four to six")
    return PositionTold(" ".join(fields), moves)


def _go(words: Sequence[str]) -> Go:
    limits: dict[str, int] = {}
    flags: dict[str, bool] = {}
    searchmoves: list[str] = []
    ignored: list[str] = []
    at = 0
    while at < len(words):
        word, at = words[at], at + 1
        if word in ("infinite", "ponder"):
            flags[word] = True
        elif word == "searchmoves":
            while at < len(words) and words[at] not in _GO_WORDS:
                searchmoves.append(words[at])
                at += 1
        elif word in _GO_NUMBERS:
            number = parse_number(words[at]) if at < len(words) else None
            if number is None:
                ignored.append(word)
            else:
                limits[word] = number
                at += 1
        else:
            ignored.append(word)
    return Go(**limits, **flags, searchmoves=tuple(searchmoves), ignored=tuple(ignored))  # type: ignore[arg-type]


def parse_number(text: str) -> int | None:
    """Return a whole number of any size as one between -:data:`LARGEST` and :data:`LARGEST`; ``None`` if it is none."""
    if not _NUMBER.fullmatch(text):
        return None
    digits = text.partition(".")[0]
    sign = -1 if digits.startswith("-") else 1
    digits = digits.lstrip("+-").lstrip("0") or "0"
    size = LARGEST if len(digits) > len(str(LARGEST)) else min(int(digits), LARGEST)
    return sign * size
