"""Tokens, numbers and error positions of the `.efg` format.

The format has four kinds of token with white space between them: quoted strings, braces, commas, and bare
words (node types and numbers). Everything here runs in time linear in the text, whatever the text is.
"""

import re
from fractions import Fraction

from murk.errors import FormatError

__all__ = ["CLOSE", "COMMA", "END", "MAX_BITS", "OPEN", "TEXT", "WORD", "Lexer"]

# A longer numerator or denominator is refused. This is far beyond a double (1,075 bits for the smallest
# one) and keeps exact arithmetic cheap on hostile numbers; the other two bounds stop such numbers before
# they are built.
MAX_BITS = 4096
_MAX_NUMBER_LENGTH = 3000
_MAX_EXPONENT = 1200

_next_token = re.compile(r'[ \t\r\n\v\f]*([{},"]|[^ \t\r\n\v\f{},"]+)?').match
_RATIONAL = re.compile(r"[+-]?[0-9]+(?:/[0-9]+)?")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?")
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_ESCAPE = re.compile(r'\\(["\\])')


# The kinds of token; plain integers, because they are compared for every one.
TEXT, WORD, OPEN, CLOSE, COMMA, END = range(6)
_KINDS = {"{": OPEN, "}": CLOSE, ",": COMMA}


class Lexer:
    """A text and the token it stands at: ``kind``, ``value`` and where it starts."""

    __slots__ = ("_numbers", "_position", "kind", "source", "start", "text", "value")

    def __init__(self, text: str, source: str) -> None:
        self.text = text
        self.source = source
        self.kind = END
        self.value = ""
        self.start = 0
        self._position = 0
        self._numbers: dict[str, tuple[Fraction, bool]] = {}
        self.advance()

    def advance(self) -> None:
        """Go to the next token."""
        match = _next_token(self.text, self._position)
        assert match is not None, "the pattern matches the empty string"
        word = match[1]
        if word is None:
            self.start = match.end()
            self.kind, self.value = END, ""
        elif word == '"':
            self.start = match.start(1)
            self._read_text()
        else:
            self.start, self._position = match.span(1)
            self.kind, self.value = _KINDS.get(word, WORD), word

    def _read_text(self) -> None:
        """Read a quoted string, in which a backslash escapes a quote or a backslash and nothing else."""
        text, first = self.text, self.start + 1
        end = text.find('"', first)
        while end >= 0:
            backslashes = end
            while backslashes > first and text[backslashes - 1] == "\\":
                backslashes -= 1
            if (end - backslashes) % 2 == 0:
                break
            end = text.find('"', end + 1)
        if end < 0:
            raise self.error("a closing quote before the end of the file", found="a string that is never closed")
        value = text[first:end]
        self.kind = TEXT
        self.value = _ESCAPE.sub(r"\1", value) if "\\" in value else value
        self._position = end + 1

    def error(self, expected: str, *, found: str | None = None, at: int | None = None) -> FormatError:
        """Return the error that at the current token, or at offset ``at``, something else was expected."""
        where = self.start if at is None else at
        line = self.text.count("\n", 0, where) + 1
        column = where - self.text.rfind("\n", 0, where)
        place = f"{self.source}, line {line}, column {column}"
        return FormatError(f"{place}: found {found or self.describe()}, expected {expected}.")

    def describe(self) -> str:
        """Return the current token as an error message shows it."""
        if self.kind == END:
            return "the end of the file"
        shown = self.value if len(self.value) <= 40 else self.value[:37] + "..."
        return f"the string {shown!r}" if self.kind == TEXT else repr(shown)

    def expect(self, kind: int, expected: str) -> str:
        """Return the current token if it is of ``kind`` and go on, or raise."""
        if self.kind != kind:
            raise self.error(expected)
        value = self.value
        self.advance()
        return value

    def accept(self, kind: int) -> bool:
        """Go on if the current token is of ``kind``, and return whether it was."""
        if self.kind != kind:
            return False
        self.advance()
        return True

    def optional_text(self) -> str | None:
        """Read a quoted string if there is one here."""
        return self.expect(TEXT, "a string in quotes") if self.kind == TEXT else None

    def integer(self, expected: str, *, least: int, most: int | None = None) -> int:
        """Read an integer between ``least`` and ``most``."""
        if self.kind != WORD or _INTEGER.fullmatch(self.value) is None:
            raise self.error(expected)
        number = int(self.value)
        if number < least or (most is not None and number > most):
            raise self.error(expected)
        self.advance()
        return number

    def number(self, expected: str) -> tuple[Fraction, bool]:
        """Read an integer, a rational or a decimal; return its exact value and whether it was a decimal."""
        if self.kind != WORD:
            raise self.error(expected)
        result = self._numbers.get(self.value)
        if result is None:
            result = self._numbers[self.value] = self._exact(expected)
        self.advance()
        return result

    def _exact(self, expected: str) -> tuple[Fraction, bool]:
        word = self.value
        too_long = f"{expected} of fewer digits"
        if len(word) > _MAX_NUMBER_LENGTH:
            raise self.error(too_long)
        rational = _RATIONAL.fullmatch(word) is not None
        if not rational:
            decimal = _DECIMAL.fullmatch(word)
            if decimal is None:
                raise self.error(expected)
            exponent = (decimal[1] or "0").lstrip("+-").lstrip("0")
            if len(exponent) > 4 or int(exponent or "0") > _MAX_EXPONENT:
                raise self.error(too_long)
        try:
            value = Fraction(word)
        except ZeroDivisionError:
            raise self.error("a denominator other than zero") from None
        if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
            raise self.error(too_long)
        try:
            float(value)
        except OverflowError:
            raise self.error(f"{expected} that a double can hold") from None
        return value, not rational
