"""The journal of a match: JSON lines, the truth about which games were played.

The first line says which match it is, each other line is one game. A line is written with one call, then the file is
synchronised, so that after a kill or a power cut at most the last line is torn; on resuming that line is cut off and
its game played again. If a line cannot be written whole (a full disk), the file is cut back to where it was. A file is
locked while it is written to. The PGN is made from the journal, and made again on resuming.
"""

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from murk import __version__
from murk.errors import BackendError, FormatError, InputError
from murk.match.config import MatchConfig
from murk.match.records import FinishedGame
from murk.tree.files import write_atomically

try:
    import fcntl
except ImportError:  # pragma: no cover - there are no such locks on Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["AppendFile", "Journal", "JournalError", "PgnFile", "read_journal"]

FORMAT = "murk match 1"


class JournalError(BackendError):
    """What was played cannot be written down."""


class AppendFile:
    """A file to which whole pieces of text are added, or nothing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
        try:
            self._file = os.open(path, flags, 0o666)
        except OSError as error:
            raise InputError(f"cannot write {path}: {error.strerror or error}") from None
        try:
            self._lock()
        except BaseException:
            os.close(self._file)
            raise

    def _lock(self) -> None:
        if fcntl is None:
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(f"{self.path} is in use by another match") from None

    def append(self, text: str) -> None:
        """Add ``text`` and wait until it is on the disk.

        Raises:
            JournalError: it cannot be written. The file is as it was.
        """
        size = os.fstat(self._file).st_size
        data = memoryview(text.encode())
        try:
            while data:
                data = data[os.write(self._file, data) :]
            os.fsync(self._file)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, size)
            raise JournalError(f"cannot write {self.path}: {error.strerror or error}") from None

    def cut(self, size: int) -> None:
        """Drop everything beyond ``size`` bytes."""
        os.ftruncate(self._file, size)
        os.fsync(self._file)

    def close(self) -> None:
        """Close and unlock the file."""
        os.close(self._file)


class Journal:
    """The journal of one match, open for adding games.

    Args:
        path: the file.
        config: the match.
        resume: go on with what is there; otherwise there must be nothing.

    Raises:
        InputError: the file is there and is not to be resumed, or is of another match, or cannot be written.
        FormatError: it is damaged, other than by a torn last line.
    """

    def __init__(self, path: Path, config: MatchConfig, *, resume: bool = False) -> None:
        self.games: dict[str, FinishedGame] = {}
        there = path.exists() and path.stat().st_size > 0
        if there and not resume:
            raise InputError(f"{path} exists: --resume goes on with that match, or name another file")
        self._file = AppendFile(path)
        try:
            if there:
                self._take_up(config)
            if not self._begun:
                self._file.append(_line({"type": "match", "format": FORMAT, "murk": __version__, **config.identity()}))
        except BaseException:
            self._file.close()
            raise

    _begun = False

    def _take_up(self, config: MatchConfig) -> None:
        path = self._file.path
        header, games, size = read_journal(path)
        self._file.cut(size)
        if header is None:
            return
        given, there = config.identity(), {key: header.get(key) for key in config.identity()}
        for key, value in given.items():
            if there[key] != value:
                raise InputError(f"{path} is of another match: its {key} is {there[key]}, and not {value}")
        self._begun = True
        self.games = {game.key: game for game in games}

    def add(self, game: FinishedGame) -> None:
        """Write a game down.

        Raises:
            JournalError: it cannot be written; then it does not count either.
        """
        if game.key in self.games:
            raise AssertionError(f"game {game.key} is already in the journal")
        self._file.append(_line(game.to_json()))
        self.games[game.key] = game

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class PgnFile:
    """The games as PGN, in the order in which they ended.

    Args:
        path: the file. What is there is replaced by the games given.
        config: the match.
        games: those already played.
    """

    def __init__(self, path: Path, config: MatchConfig, games: list[FinishedGame]) -> None:
        self._config = config
        write_atomically(path, [(game.to_pgn(config) + "\n").encode() for game in games])
        self._file = AppendFile(path)

    def add(self, game: FinishedGame) -> None:
        """Write a game down."""
        self._file.append(game.to_pgn(self._config) + "\n")

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def read_journal(path: Path) -> tuple[dict[str, Any] | None, list[FinishedGame], int]:
    """Return the header (``None`` if it is torn), the games, and the bytes of all whole lines.

    Raises:
        InputError: the file cannot be read.
        FormatError: a line that is not the last is damaged, or the file is no journal.
    """
    header: dict[str, Any] | None = None
    games: list[FinishedGame] = []
    size = 0
    for number, (line, end, whole) in enumerate(_lines(path), 1):
        try:
            fields = json.loads(line)
            if not isinstance(fields, dict):
                raise ValueError("it is no object")
        except ValueError as error:
            if not whole:
                break
            raise FormatError(f"{path}, line {number} is damaged: {error}") from None
        if not whole:
            break
        if header is None:
            if fields.get("format") != FORMAT:
                raise FormatError(f"{path} is not a journal of a match that this murk can read")
            header = fields
        else:
            games.append(FinishedGame.from_json(fields))
        size = end
    keys = [game.key for game in games]
    if len(set(keys)) != len(keys):
        raise FormatError(f"{path} has a game twice")
    return header, games, size


def _lines(path: Path) -> Iterator[tuple[bytes, int, bool]]:
    """Yield each line, where it ends, and whether it is whole."""
    try:
        with path.open("rb") as handle:
            end = 0
            for line in handle:
                end += len(line)
                yield line, end, line.endswith(b"\n")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None


def _line(fields: dict[str, Any]) -> str:
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")) + "\n"
