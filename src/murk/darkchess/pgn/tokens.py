"""The tokens of PGN, in time linear in the text.

The lexer hands out tags, moves, NAGs, comments, brackets of variations and results. Numbers of moves, dots and escaped
lines (``%``) go no further than here.
"""

import re
from dataclasses import dataclass
from typing import Literal

from murk.darkchess.pgn.lines import Lines
from murk.errors import FormatError

__all__ = ["Kind", "Lexer", "Token", "shown"]

Kind = Literal["tag", "move", "nag", "comment", "open", "close", "result", "end"]

_TAG = re.compile(r'\[\s*([A-Za-z0-9_][A-Za-z0-9_+#=:-]*)\s*"((?:[^"\\]|\\.)*)"\s*\]')
_SLOPPY_TAG = re.compile(r'\[\s*([A-Za-z0-9_][A-Za-z0-9_+#=:-]*)\s*"(.*)"\s*\]\s*$')
_RESULT = re.compile(r"(1-0|0-1|1/2-1/2|1/2|½-½|\*)(?![^\s(){};\[$])")
_NUMBER = re.compile(r"[0-9]+(?:\.[.…]*|…)|[0-9]+(?=\s|$)|[.…]+")
_NAG = re.compile(r"\$([0-9]{1,3})(?![0-9])")
_MARK = re.compile(r"[!?]{1,2}(?![!?])")
_WORD = re.compile(r"[^\s(){};$\[!?]+")
_SPACE = re.compile(r"\s*")

_MARKS = {"!": "1", "?": "2", "!!": "3", "??": "4", "!?": "5", "?!": "6"}
_RESULT_NAMES = {"1/2": "1/2-1/2", "½-½": "1/2-1/2"}


@dataclass(frozen=True, slots=True)
class Token:
    """A token, where it begins, and for a tag its name."""

    kind: Kind
    text: str
    line: int
    name: str = ""


class Lexer:
    """Reads tokens off lines."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self._text = ""
        self._at = 0
        self._used = 0
        self._after_blank = True

    def new_game(self) -> None:
        """Begin to count the characters of another game."""
        self._used = len(self._text) - self._at

    def next(self) -> Token:
        """Return the next token, ``end`` at the end of the file.

        Raises:
            FormatError: there is none to be made out.
        """
        while True:
            space = _SPACE.match(self._text, self._at)
            assert space is not None, "the pattern matches the empty string"
            self._at = space.end()
            if self._at == len(self._text):
                if not self._next_line():
                    return Token("end", "", self.lines.number)
            elif self._text[self._at] == ";":
                return self._rest_of_line()
            elif not self._skip_number():
                return self._read()

    def _read(self) -> Token:
        text, start, line = self._text, self._at, self.lines.number
        first = text[start]
        if first == "{":
            return self._braces()
        if first == "[":
            return self._tag()
        if first in "()":
            self._at += 1
            return Token("open" if first == "(" else "close", first, line)
        for kind, pattern in (("nag", _NAG), ("nag", _MARK), ("result", _RESULT), ("move", _WORD)):
            match = pattern.match(text, start)
            if match is not None:
                self._at = match.end()
                value = match[1] if pattern is _NAG or pattern is _RESULT else match[0]
                if pattern is _MARK:
                    value = _MARKS[value]
                return Token(kind, _RESULT_NAMES.get(value, value), line)  # type: ignore[arg-type]
        raise self.lines.error(f"found {shown(text[start : start + 20])}, expected a tag, a move or a result")

    def _skip_number(self) -> bool:
        if self._text[self._at] not in "0123456789.…":
            return False
        if _RESULT.match(self._text, self._at):
            return False
        match = _NUMBER.match(self._text, self._at)
        if match is None:
            return False
        self._at = match.end()
        return True

    def _tag(self) -> Token:
        match = _TAG.match(self._text, self._at)
        if match is not None:
            value = re.sub(r"\\(.)", r"\1", match[2]) if "\\" in match[2] else match[2]
        else:
            match = _SLOPPY_TAG.match(self._text, self._at)
            if match is None:
                rest = self._text[self._at :].strip()
                raise self.lines.error(f'found {shown(rest)}, expected a tag as in [White "name"]')
            value = match[2]
        self._at = match.end()
        return Token("tag", " ".join(value.split()), self.lines.number, match[1])

    def _rest_of_line(self) -> Token:
        # In braces, where all comments are written, one of the two could not stand.
        comment = self._text[self._at + 1 :].replace("}", ")")
        self._at = len(self._text)
        return Token("comment", " ".join(comment.split()), self.lines.number)

    def _braces(self) -> Token:
        opened = self.lines.number
        self._at += 1
        parts = []
        while (end := self._text.find("}", self._at)) < 0:
            parts.append(self._text[self._at :])
            self._at = len(self._text)
            if not self._next_line(escapes=False):
                raise self.lines.error("a comment is opened here and never closed", opened)
        parts.append(self._text[self._at : end])
        self._at = end + 1
        return Token("comment", " ".join(" ".join(parts).split()), opened)

    def _next_line(self, *, escapes: bool = True) -> bool:
        """Go to the next line and return whether there is one; skip those that begin with ``%``."""
        while True:
            self._after_blank = not self._text.strip()
            self._text, self._at = "", 0
            text = next(self.lines, None)
            if text is None:
                return False
            self._used += len(text)
            if self._used > self.lines.limits.game:
                raise self.lines.error(f"the game has more than {self.lines.limits.game:,} characters")
            self._text = text
            if not (escapes and text.startswith("%")):
                return True

    def skip_game(self) -> None:
        """Go to the first tag that follows an empty line, where the next game begins, or to the end."""
        while True:
            self.new_game()
            try:
                if not self._next_line(escapes=False):
                    return
            except FormatError:
                continue
            if self._after_blank and _TAG.match(self._text):
                self.new_game()
                return


def shown(text: str) -> str:
    """Return a piece of the file as an error message shows it."""
    return repr(text if len(text) <= 40 else text[:37] + "...")
