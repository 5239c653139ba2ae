"""A place to print and to ask: a terminal, or a pipe."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from rich.console import Console
from rich.text import Text

from murk.cli.output import console as output_console

__all__ = ["Terminal"]


class Terminal:
    """Prints to a console and reads answers, one a line.

    Args:
        source: where answers come from; standard input by default.
        console: where to print; standard output by default.
    """

    def __init__(self, source: IO[str] | None = None, console: Console | None = None) -> None:
        self._source = source
        self.console = console or output_console()

    @property
    def interactive(self) -> bool:
        """Whether a person sits at both ends."""
        source = self._source if self._source is not None else sys.stdin
        return self.console.is_terminal and source is not None and source.isatty()

    def print(self, *lines: str | Text) -> None:
        """Print lines."""
        for line in lines:
            self.console.print(line, soft_wrap=True)

    def ask(self, question: str) -> str | None:
        """Return an answer without spaces round it, ``None`` at the end of the input."""
        source = self._source if self._source is not None else sys.stdin
        if source is None:
            return None
        self.console.print(Text(f"{question} ", style="bold"), end="")
        self.console.file.flush()
        try:
            line = source.readline()
        except (OSError, ValueError, UnicodeDecodeError):
            return None
        if not line:
            self.console.print()
            return None
        answer = line.strip()
        if not self.interactive:
            self.console.print(Text(answer), soft_wrap=True)  # so that what was typed stands in the transcript
        return answer

    @contextmanager
    def waiting(self, text: str) -> Iterator[None]:
        """Show that something takes time, at a terminal only."""
        if self.console.is_terminal:
            with self.console.status(Text(text)):
                yield
        else:
            yield
