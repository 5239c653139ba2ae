"""Games on disk, line by line as they are played, so that a killed server can go on with them.

Each game is a file of JSON lines named by its id: first the setup with the agents' seeds, then plies, what agents
believed and decided, and the end. A line is on the disk before anybody is told of it; a torn last line is cut off.
The files hold what must stay hidden until the end, so only their owner can read them.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from murk import __version__
from murk.errors import FormatError, InputError
from murk.match.journal import AppendFile

__all__ = ["GameJournal", "Store", "is_id"]

FORMAT = "murk game 1"
ENDING = ".jsonl"
_ID = re.compile(r"[A-Za-z0-9_-]{22}")


def is_id(text: str) -> bool:
    """Tell whether a text can be the id of a game: 128 bits in base 64."""
    return _ID.fullmatch(text) is not None


class GameJournal:
    """The file of one game, open for adding lines; see :class:`Store`."""

    def __init__(self, path: Path) -> None:
        self._file = AppendFile(path)
        path.chmod(0o600)

    def add(self, fields: dict[str, Any]) -> None:
        """Write a line and wait until it is on the disk.

        Raises:
            JournalError: it cannot be written.
        """
        self._file.append(json.dumps(fields, ensure_ascii=False, separators=(",", ":")) + "\n")

    def cut(self, size: int) -> None:
        """Drop a torn line."""
        self._file.cut(size)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class Store:
    """A directory of games. Only one server may use it at a time.

    Args:
        folder: made if it is not there.
        most: how many games to keep; beyond that the ones that were touched longest ago go.

    Raises:
        InputError: it cannot be used, or another server does.
    """

    def __init__(self, folder: Path, *, most: int = 2000) -> None:
        self.folder, self._most = folder, most
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            reason = error.strerror or error
            raise InputError(f"cannot keep games in {folder}: {reason}; --data names another folder") from None
        try:
            self._lock = AppendFile(folder / "lock")
        except InputError as error:
            if "in use" not in str(error):
                raise
            raise InputError(
                f"another murk play keeps its games in {folder}: name another folder with --data"
            ) from None

    def create(self, game: str, fields: dict[str, Any]) -> GameJournal:
        """Begin the file of a new game."""
        self._drop_oldest()
        journal = GameJournal(self._path(game))
        journal.add({"type": "game", "format": FORMAT, "murk": __version__, **fields})
        return journal

    def open(self, game: str) -> tuple[GameJournal, list[dict[str, Any]]] | None:
        """Open the file of a game again and return its lines; ``None`` if there is no such game.

        Raises:
            FormatError: the file is damaged.
        """
        path = self._path(game)
        if not is_id(game) or not path.is_file():
            return None
        lines, size = _read(path)
        journal = GameJournal(path)
        journal.cut(size)
        return journal, lines

    def unfinished(self) -> int:
        """Return how many games can go on."""
        return sum(_can_go_on(path) for path in self._files())

    def close(self) -> None:
        """Let another server use the directory."""
        self._lock.close()

    def _path(self, game: str) -> Path:
        return self.folder / f"{game}{ENDING}"

    def _files(self) -> list[Path]:
        return [path for path in self.folder.glob(f"*{ENDING}") if is_id(path.stem)]

    def _drop_oldest(self) -> None:
        files = self._files()
        if len(files) >= self._most:
            files.sort(key=lambda path: path.stat().st_mtime)
            for path in files[: len(files) - self._most + 1]:
                path.unlink(missing_ok=True)


def _read(path: Path) -> tuple[list[dict[str, Any]], int]:
    """Return the whole lines of a game, and their bytes."""
    lines: list[dict[str, Any]] = []
    size = 0
    for number, (raw, end) in enumerate(_whole_lines(path), 1):
        try:
            fields = json.loads(raw)
        except ValueError as error:
            raise FormatError(f"{path}, line {number} is damaged: {error}") from None
        if not isinstance(fields, dict) or (number == 1 and fields.get("format") != FORMAT):
            raise FormatError(f"{path} is not a game that this murk can read")
        lines.append(fields)
        size = end
    if not lines:
        raise FormatError(f"{path} is not a game that this murk can read")
    return lines, size


def _whole_lines(path: Path) -> Iterator[tuple[bytes, int]]:
    end = 0
    with path.open("rb") as handle:
        for line in handle:
            if not line.endswith(b"\n"):
                return
            end += len(line)
            yield line, end


def _can_go_on(path: Path) -> bool:
    try:
        lines, _ = _read(path)
    except (FormatError, OSError):
        return False
    return lines[0].get("setup", {}).get("kind") != "analyse" and not any(line["type"] == "end" for line in lines)
