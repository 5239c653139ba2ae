"""From PGN to games, one at a time."""

import io
import os
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from murk._core import Move, Position
from murk.darkchess.board import START_FEN
from murk.darkchess.pgn.lines import Limits, Lines
from murk.darkchess.pgn.notation import parse_move
from murk.darkchess.pgn.record import RESULTS, GameRecord, Ply
from murk.darkchess.pgn.tokens import Lexer, Token, shown
from murk.errors import FormatError, InputError

__all__ = ["parse_game", "parse_games", "read_games"]

OnError = Callable[[FormatError], None]
DEFAULT_LIMITS = Limits()

_VARIANTS = {"fogofwar", "fogofwarchess", "darkchess", "fow"}
_CLOCK = re.compile(r"\[%clk\s+([0-9]{1,4}):([0-9]{1,2}):([0-9]{1,2}(?:\.[0-9]{1,9})?)\s*\]")
_DERIVED_TAGS = {"variant", "setup", "fen", "result"}


def read_games(
    source: str | os.PathLike[str] | IO[str] | IO[bytes],
    *,
    on_error: OnError | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Iterator[GameRecord]:
    """Yield the games of a file, given by its path or opened.

    With ``on_error`` a game that cannot be read is reported to it and left out; the reader goes on at the next tags
    after an empty line. Without, it raises.

    Raises:
        FormatError: a game is malformed, not of dark chess, has an illegal move or is beyond the ``limits``.
        InputError: there is no such file.
    """
    with _opened(source) as handle:
        name = source if isinstance(source, str | os.PathLike) else getattr(handle, "name", "PGN")
        yield from _Reader(Lines(handle, str(name), limits)).games(on_error)


def parse_games(text: str, *, on_error: OnError | None = None, limits: Limits = DEFAULT_LIMITS) -> Iterator[GameRecord]:
    """Yield the games of a text, as :func:`read_games` does those of a file."""
    yield from _Reader(Lines(io.StringIO(text), "PGN", limits)).games(on_error)


def parse_game(text: str) -> GameRecord:
    """Return the first game of a text.

    Raises:
        FormatError: there is none, or it is malformed.
    """
    for game in parse_games(text):
        return game
    raise FormatError("PGN: found no game, expected at least one")


@contextmanager
def _opened(source: str | os.PathLike[str] | IO[str] | IO[bytes]) -> Iterator[IO[str] | IO[bytes]]:
    if not isinstance(source, str | os.PathLike):
        yield source
        return
    with ExitStack() as stack:
        try:
            handle = stack.enter_context(Path(source).open("rb"))
        except OSError as error:
            raise InputError(f"cannot read {source}: {error.strerror or error}") from None
        yield handle


class _Reader:
    """Puts games together from tokens. A variation is skipped by counting brackets, so depth costs nothing."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.lexer = Lexer(lines)
        self.ahead: Token | None = None

    def games(self, on_error: OnError | None) -> Iterator[GameRecord]:
        while True:
            try:
                game = self._game()
            except FormatError as error:
                if on_error is None:
                    raise
                on_error(error)
                self.ahead = None
                self.lexer.skip_game()
                continue
            if game is None:
                return
            yield game

    def _take(self) -> Token:
        token, self.ahead = self.ahead or self.lexer.next(), None
        return token

    def _game(self) -> GameRecord | None:
        self.lexer.new_game()
        token = self._take()
        if token.kind == "end":
            return None
        tags: dict[str, Token] = {}
        first = token.line
        while token.kind == "tag":
            self._add_tag(tags, token)
            token = self._take()
        fen, position = self._start(tags)
        self.ahead = token
        return self._moves(tags, fen, position, first)

    def _add_tag(self, tags: dict[str, Token], token: Token) -> None:
        if len(tags) >= self.lines.limits.tags:
            raise self.lines.error(f"the game has more than {self.lines.limits.tags} tags", token.line)
        tags.setdefault(token.name, token)

    def _start(self, tags: dict[str, Token]) -> tuple[str, Position]:
        """Return the position the game begins from, as a FEN with its clocks and as itself."""
        by_name = {name.lower(): token for name, token in tags.items()}
        variant = by_name.get("variant")
        if variant is not None and re.sub(r"[^a-z]", "", variant.text.lower()) not in _VARIANTS:
            raise self.lines.error(
                f'the variant is {shown(variant.text)}, expected "Fog of War", "Dark Chess" or none', variant.line
            )
        fen = by_name.get("fen")
        if fen is None:
            return START_FEN, Position()
        try:
            return fen.text, Position(fen.text)
        except InputError as error:
            raise self.lines.error(str(error), fen.line) from None

    def _moves(self, tags: dict[str, Token], fen: str, position: Position, first: int) -> GameRecord:
        plies: list[_Noted] = [_Noted()]  # the zeroth holds what is said before the first move
        depth, opened, result = 0, 0, None
        while True:
            token = self._take()
            if token.kind == "end" or (token.kind == "tag" and depth == 0):
                if depth:
                    raise self.lines.error("a variation is opened here and never closed", opened)
                self.ahead = token
                break
            if token.kind == "open":
                opened = token.line if depth == 0 else opened
                depth += 1
            elif token.kind == "close":
                if depth == 0:
                    raise self.lines.error("found ')', expected a move or a result", token.line)
                depth -= 1
            elif depth == 0 and token.kind == "result":
                result = token.text
                break
            elif depth == 0:
                position = self._note(plies, token, position)
        return self._record(tags, fen, plies, result, first)

    def _note(self, plies: list["_Noted"], token: Token, position: Position) -> Position:
        """Take a move, a NAG or a comment into ``plies`` and return the position after it."""
        if token.kind == "comment":
            plies[-1].add_comment(token.text)
        elif token.kind == "nag":
            plies[-1].nags.append(int(token.text))
        else:
            if len(plies) > self.lines.limits.plies:
                raise self.lines.error(f"the game has more than {self.lines.limits.plies:,} plies", token.line)
            try:
                move = parse_move(position, token.text)
            except InputError as error:
                raise self.lines.error(str(error), token.line) from None
            plies.append(_Noted(move))
            return position.play(move)
        return position

    def _record(
        self, tags: dict[str, Token], fen: str, plies: list["_Noted"], result: str | None, first: int
    ) -> GameRecord:
        told = next((token.text for name, token in tags.items() if name.lower() == "result"), "*")
        return GameRecord(
            plies=tuple(noted.ply() for noted in plies[1:]),
            # The tag is what was agreed; the end of the moves is often just a star.
            result=result if result not in (None, "*") else (told if told in RESULTS else "*"),
            fen=fen,
            tags={name: token.text for name, token in tags.items() if name.lower() not in _DERIVED_TAGS},
            comment=plies[0].comment,
            line=first,
        )


class _Noted:
    """A move under construction."""

    def __init__(self, move: Move | None = None) -> None:
        self.move = move
        self.nags: list[int] = []
        self.comment = ""
        self.clock: float | None = None

    def add_comment(self, text: str) -> None:
        if clock := _CLOCK.search(text):
            hours, minutes, seconds = clock.groups()
            self.clock = 3600 * int(hours) + 60 * int(minutes) + float(seconds)
            text = " ".join((text[: clock.start()] + " " + text[clock.end() :]).split())
        self.comment = f"{self.comment} {text}".strip()

    def ply(self) -> Ply:
        assert self.move is not None, "only the zeroth has no move"
        return Ply(self.move, tuple(self.nags), self.comment, self.clock)
