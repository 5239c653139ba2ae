"""Lines of a PGN file, one at a time and never more than was allowed."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from murk.errors import FormatError

__all__ = ["Limits", "Lines"]


@dataclass(frozen=True)
class Limits:
    """How much one game may ask for. The defaults are far beyond any real game."""

    line: int = 1 << 20
    """Characters of a line."""
    game: int = 4 << 20
    """Characters of a game."""
    tags: int = 256
    """Tags of a game."""
    plies: int = 20_000
    """Plies of a game; under the rules none is longer than 12,700."""


class Lines:
    """The lines of a file with their numbers. Bytes are UTF-8, or, as the standard has it, Latin-1."""

    def __init__(self, handle: IO[str] | IO[bytes], source: str, limits: Limits) -> None:
        self.source = source
        self.limits = limits
        self.number = 0
        self._handle = handle

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        raw = self._handle.readline(self.limits.line + 1)
        if not raw:
            raise StopIteration
        self.number += 1
        if len(raw) > self.limits.line:
            self._drop_rest(raw)
            raise self.error(f"the line has more than {self.limits.line:,} characters")
        text = _decode(raw) if isinstance(raw, bytes) else raw
        return text.removeprefix("\ufeff") if self.number == 1 else text

    def _drop_rest(self, raw: str | bytes) -> None:
        while raw and raw[-1] not in ("\n", 10):
            raw = self._handle.readline(self.limits.line)

    def error(self, sentence: str, line: int | None = None) -> FormatError:
        """Return the error that ``sentence`` is true of a line, by default the current one."""
        return FormatError(f"{self.source}, line {self.number if line is None else line}: {sentence}")


def _decode(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")
