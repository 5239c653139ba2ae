"""How much one visitor, and all of them together, may ask of the server."""

import time
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Bucket", "Limits"]


@dataclass(frozen=True)
class Limits:
    """What is too much.

    Attributes:
        games: games in memory, each with its agents' processes.
        games_each: of these, for one address.
        connections: WebSockets.
        connections_each: of these, for one game.
        reviews: games that are thought through at a time.
        message: bytes of a message from a browser.
        body: bytes of a request, such as a PGN.
        messages: messages a second for one connection, and
        burst: how many at once.
        new_games: games a minute that one address may begin.
        backlog: messages that may wait for a slow browser before its connection is dropped.
        send_seconds: how long one of them may take.
        request_seconds: how long a request may take to arrive.
        idle_seconds: after so long without anybody a game is put away, to be taken up from its journal.
    """

    games: int = 32
    games_each: int = 16
    connections: int = 128
    connections_each: int = 16
    reviews: int = 2
    message: int = 4096
    body: int = 256 * 1024
    messages: float = 10.0
    burst: int = 30
    new_games: float = 20.0
    backlog: int = 256
    send_seconds: float = 20.0
    request_seconds: float = 10.0
    idle_seconds: float = 60.0


class Bucket:
    """Lets through ``rate`` things a second, and ``burst`` at once."""

    def __init__(self, rate: float, burst: float, now: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._now = rate, burst, now
        self._level, self._at = float(burst), now()

    def take(self) -> bool:
        """Take one, and return whether there was one."""
        now = self._now()
        self._level = min(self._burst, self._level + (now - self._at) * self._rate)
        self._at = now
        if self._level < 1:
            return False
        self._level -= 1
        return True

    @property
    def full(self) -> bool:
        """Whether nothing was taken for long."""
        return self._level + (self._now() - self._at) * self._rate >= self._burst
