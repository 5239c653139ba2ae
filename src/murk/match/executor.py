"""Where games are played: on this machine, each in a process of its own.

An executor turns jobs into finished games, in whatever order they end. Another one, for a cluster, needs no more than
:class:`Executor` asks for.
"""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from multiprocessing.connection import Connection, wait
from typing import Any, Protocol

from murk._core import Colour
from murk.darkchess.referee import Ending, PlayedGame, PlayedPly
from murk.errors import BackendError, InputError
from murk.match.config import MatchConfig
from murk.match.records import FinishedGame, ply_from_json
from murk.match.schedule import GameJob

__all__ = ["Executor", "LocalExecutor"]

GRACE = 5.0
"""Seconds beyond its time after which a player counts as hung and its process is ended."""
START_SECONDS = 120.0


class Executor(Protocol):
    """Plays games."""

    def play(self, config: MatchConfig, jobs: Iterable[GameJob]) -> Iterator[FinishedGame]:
        """Yield each game once it is over. Jobs are taken only as there is room; closing the iterator ends all."""


class LocalExecutor:
    """Plays so many games at a time in as many processes.

    Args:
        concurrency: how many.
        grace: seconds beyond its time after which a player counts as hung.
    """

    def __init__(self, concurrency: int = 1, *, grace: float = GRACE) -> None:
        if not 1 <= concurrency <= 1024:
            raise InputError(f"concurrency is {concurrency}, expected a number from 1 to 1024")
        self._concurrency, self._grace = concurrency, grace

    def play(self, config: MatchConfig, jobs: Iterable[GameJob]) -> Iterator[FinishedGame]:
        """Play the jobs; see :class:`Executor`."""
        waiting = iter(jobs)
        workers: list[_Worker] = []
        try:
            while True:
                self._fill(workers, waiting, config)
                busy = [worker for worker in workers if worker.job is not None]
                if not busy:
                    return
                for worker in _heard(busy):
                    game = worker.listen()
                    if game is not None:
                        yield game
                for worker in [w for w in workers if w.job is not None and time.monotonic() > w.deadline]:
                    yield worker.give_up("time forfeit", "did not answer")
                workers = [worker for worker in workers if worker.alive]
        finally:
            for worker in workers:
                worker.end()

    def _fill(self, workers: list["_Worker"], waiting: Iterator[GameJob], config: MatchConfig) -> None:
        """Give each idle process a game, and start processes for more."""
        idle = [worker for worker in workers if worker.job is None]
        while idle or len(workers) < self._concurrency:
            job = next(waiting, None)
            if job is None:
                return
            if not idle:
                workers.append(_Worker(config, self._grace))
                idle = [workers[-1]]
            idle.pop().start(job)


def _heard(busy: list["_Worker"]) -> list["_Worker"]:
    """Wait until a process says something or oversteps its time, and return those that said something."""
    seconds = max(0.0, min(worker.deadline for worker in busy) - time.monotonic())
    ready = wait([worker.pipe for worker in busy], min(seconds, 1.0) + 0.01)
    return [worker for worker in busy if worker.pipe in ready]


class _Worker:
    """One process, and what is known about the game that it plays."""

    def __init__(self, config: MatchConfig, grace: float) -> None:
        self._config, self._grace = config, grace
        self.job: GameJob | None = None
        self.alive = True
        self.deadline = 0.0
        self._ready = False
        self._forget()
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "murk.match.worker", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        self.pipe: Connection[Any, Any] = Connection(ours.detach())

    def _forget(self) -> None:
        self._plies: list[PlayedPly] = []
        self._turn = Colour.WHITE
        self._started = datetime.now(UTC).isoformat(timespec="seconds")

    def start(self, job: GameJob) -> None:
        """Have a game played."""
        self.job = job
        self._forget()
        self.deadline = time.monotonic() + START_SECONDS
        players = self._config.players
        specs = (players[job.white].spec, players[job.black].spec)
        # If it has died since its last game, listening tells.
        with contextlib.suppress(OSError):
            controls = self._config.controls(job.white, job.black)
            self.pipe.send((job, specs, controls, self._config.max_plies))

    def listen(self) -> FinishedGame | None:
        """Take in what the process said, and return the game if it is over."""
        while self.pipe.poll():
            try:
                message = self.pipe.recv()
            except (EOFError, OSError):
                return self._died()
            if message["type"] == "done":
                self.job = None
                return FinishedGame.from_json(message["game"])
            self._take(message)
        return None

    def _take(self, message: dict[str, Any]) -> None:
        if message["type"] == "ready":
            self._ready = True
        elif message["type"] == "ply":
            self._plies.append(ply_from_json(message["ply"]))
        else:
            self._turn = Colour(message["colour"])
            seconds = message["seconds"]
            self.deadline = time.monotonic() + (self._config.stall if seconds is None else seconds + self._grace)

    def _died(self) -> FinishedGame:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)
        code = self._process.poll()
        if not self._ready:
            raise BackendError(f"the process that plays games did not start: it ended with code {code}")
        if code is not None and code < 0:
            how = f"was ended by {signal.Signals(-code).name}"
        else:
            how = "closed its connection" if code is None else f"ended with code {code}"
        return self.give_up("crash", f"the process {how}")

    def give_up(self, reason: str, detail: str) -> FinishedGame:
        """End the process, and return the game as lost by the player that was to move."""
        assert self.job is not None
        self.end()
        winner = Colour.BLACK if self._turn == Colour.WHITE else Colour.WHITE
        game = PlayedGame(self.job.opening.fen, tuple(self._plies), Ending(winner, reason, detail))
        finished, self.job = FinishedGame.of(self.job, game, started=self._started), None
        return finished

    def end(self) -> None:
        """End the process."""
        self.alive = False
        self._process.kill()
        self._process.wait()
        self.pipe.close()
