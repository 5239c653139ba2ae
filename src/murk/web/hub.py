"""All games of a server: those in memory, with who listens to them, and those on disk."""

import asyncio
import contextlib
import json
import logging
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from murk.errors import FormatError, InputError, MurkError
from murk.web.connection import Connection
from murk.web.game import Announce, Game
from murk.web.journal import GameJournal, Store
from murk.web.levels import Level, Offer
from murk.web.limits import Bucket, Limits
from murk.web.review import review
from murk.web.setup import GameSetup
from murk.web.telling import message, state

__all__ = ["Hub", "TooManyError"]

SWEEP_SECONDS = 5.0

_log = logging.getLogger(__name__)


class TooManyError(InputError):
    """There is no room for more."""


@dataclass
class _Table:
    """A game in memory."""

    game: Game
    address: str
    listeners: set[Connection] = field(default_factory=set)
    left_at: float = field(default_factory=time.monotonic)
    review: asyncio.Task[None] | None = None
    progress: tuple[int, int] | None = None

    def tell(self, fields: dict[str, Any]) -> None:
        text = _text(fields)
        for listener in list(self.listeners):
            listener.tell(text)


class Hub:
    """Begins games, finds them again, and puts away those that nobody looks at.

    Args:
        store: where games are kept.
        limits: what is too much.
        reviewer: who thinks through the side that no agent played.
        review_level: how long it may think about a ply.
    """

    def __init__(self, store: Store, limits: Limits, reviewer: Offer, review_level: Level) -> None:
        self._store, self._limits = store, limits
        self._reviewer, self._review_level = reviewer, review_level
        self._tables: dict[str, _Table] = {}
        self._buckets: dict[str, Bucket] = {}
        self._reviews = asyncio.Semaphore(limits.reviews)
        self._loading = asyncio.Lock()
        self._connections = 0
        self._sweeper: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to put games away."""
        self._sweeper = asyncio.create_task(self._sweep())

    async def close(self) -> None:
        """Put all games away."""
        if self._sweeper is not None:
            self._sweeper.cancel()
        for name in list(self._tables):
            await self._put_away(name)
        self._store.close()

    # Games

    async def create(self, setup: GameSetup, address: str) -> str:
        """Begin a game and return its id.

        Raises:
            TooManyError: there are too many, or this address begins too many.
        """
        bucket = self._buckets.setdefault(address, Bucket(self._limits.new_games / 60, self._limits.new_games))
        if not bucket.take():
            raise TooManyError("too many games were begun in the last minute, expected a little patience")
        self._make_room(address)
        name = secrets.token_urlsafe(16)
        seeds = (secrets.randbits(62), secrets.randbits(62))
        journal = await asyncio.to_thread(self._store.create, name, _header(setup, seeds))
        self._tables[name] = _Table(Game(name, setup, seeds, journal, self._announce), address)
        self._tables[name].game.start()
        return name

    async def find(self, name: str, address: str) -> Game | None:
        """Return a game, taken up from its journal if need be; ``None`` if there is none of that id.

        Raises:
            TooManyError: there is no room for it.
            FormatError: its journal is damaged.
        """
        async with self._loading:
            if name not in self._tables:
                try:
                    game = await self._load(name, address)
                except FormatError as error:
                    _log.warning("%s", error)  # which names files, and is for whoever runs the server
                    raise FormatError("the record of this game is damaged") from None
                if game is None:
                    return None
                self._tables[name] = _Table(game, address)
            return self._tables[name].game

    async def _load(self, name: str, address: str) -> Game | None:
        found = await asyncio.to_thread(self._store.open, name)
        if found is None:
            return None
        journal, (header, *lines) = found
        try:
            self._make_room(address)
            return _restored(name, header, lines, journal, self._announce)
        except BaseException:
            journal.close()
            raise

    def _make_room(self, address: str) -> None:
        games = [table for table in self._tables.values() if not self._is_idle(table)]
        if len(games) >= self._limits.games:
            raise TooManyError(f"{len(games)} games are going on, and this server takes no more now")
        if sum(table.address == address for table in games) >= self._limits.games_each:
            raise TooManyError(f"you have {self._limits.games_each} games going on, expected you to end one first")

    # Listeners

    @contextmanager
    def listening(self, name: str, connection: Connection) -> Iterator[None]:
        """Tell a connection everything about a game, from the beginning, while in this context.

        Raises:
            TooManyError: too many listen already.
        """
        table = self._tables[name]
        if self._connections >= self._limits.connections or len(table.listeners) >= self._limits.connections_each:
            raise TooManyError("too many connections are open, expected some to close first")
        self._connections += 1
        table.listeners.add(connection)
        table.game.attend(True)
        table.game.start()
        connection.tell(_text(state(table.game)))
        if table.progress is not None:
            connection.tell(_text(_progress(table)))
        try:
            yield
        finally:
            self._connections -= 1
            table.listeners.discard(connection)
            table.left_at = time.monotonic()
            table.game.attend(bool(table.listeners))

    def receive(self, name: str, fields: dict[str, Any], connection: Connection) -> None:
        """Do what a listener asks: ``move``, ``resign`` or ``review``."""
        table = self._tables[name]
        try:
            match fields.get("type"):
                case "move":
                    table.game.play(fields.get("move"), fields.get("ply"))
                case "resign":
                    table.game.resign()
                case "review":
                    self._begin_review(table)
                case other:
                    raise InputError(f"there is no message {str(other)[:20]!r}, expected move, resign or review")
        except MurkError as error:
            connection.tell(_text({"type": "error", "message": str(error)}))

    def _announce(self, game: Game, event: dict[str, Any]) -> None:
        table = self._tables.get(game.name)
        if table is None or not table.listeners:
            return
        table.tell(event if event["type"] == "failed" else message(game, event["type"]))

    # Reviews

    def _begin_review(self, table: _Table) -> None:
        if table.game.ending is None:
            raise InputError("the game is not over")
        if table.review is None or table.review.done():
            table.review = asyncio.create_task(self._review(table))

    async def _review(self, table: _Table) -> None:
        async with self._reviews:
            try:
                async for step in review(table.game, self._reviewer.spec, self._review_level):
                    table.progress = (step.done, step.of)
                    if step.fields is not None:
                        table.tell({"type": "inside", **step.fields})
                    table.tell(_progress(table))
            except MurkError as error:
                table.tell({"type": "error", "message": f"the review broke off: {error}"})
            finally:
                table.progress = None

    # Putting away

    def _is_idle(self, table: _Table) -> bool:
        return not table.listeners and table.game.waits

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(min(SWEEP_SECONDS, self._limits.idle_seconds))
            late = time.monotonic() - self._limits.idle_seconds
            for name, table in list(self._tables.items()):
                if self._is_idle(table) and table.left_at < late:
                    with contextlib.suppress(MurkError):
                        await self._put_away(name)
            self._buckets = {address: bucket for address, bucket in self._buckets.items() if not bucket.full}

    async def _put_away(self, name: str) -> None:
        async with self._loading:
            table = self._tables.pop(name)
            for listener in table.listeners:
                listener.close()
            if table.review is not None:
                table.review.cancel()
                await asyncio.gather(table.review, return_exceptions=True)
            await table.game.close()


def _header(setup: GameSetup, seeds: tuple[int, int]) -> dict[str, Any]:
    started = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime())
    return {"setup": setup.to_json(), "seeds": list(seeds), "started": started}


def _restored(
    name: str, header: dict[str, Any], lines: list[dict[str, Any]], journal: GameJournal, announce: Announce
) -> Game:
    try:
        seeds = (int(header["seeds"][0]), int(header["seeds"][1]))
        game = Game(name, GameSetup.from_json(header["setup"]), seeds, journal, announce)
        game.started = header["started"]
        game.restore(lines)
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"the journal of a game is damaged: {error}") from None
    return game


def _progress(table: _Table) -> dict[str, Any]:
    assert table.progress is not None
    return {"type": "reviewing", "done": table.progress[0], "of": table.progress[1]}


def _text(fields: dict[str, Any]) -> str:
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
