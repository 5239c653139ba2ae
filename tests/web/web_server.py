"""Servers as processes of their own, and a player who talks to them as the page does."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

HERE = Path(__file__).parent
WAIT = 60.0
"""Seconds after which a test has hung."""


class Server:
    """A server; ``options`` are those of ``serve_for_tests.py``."""

    def __init__(self, folder: Path, **options: Any) -> None:
        self.folder, self.options = folder, options
        self.port = 0
        self.start()

    def start(self) -> None:
        path = os.pathsep.join([str(HERE), *filter(None, sys.path)])
        self.process = subprocess.Popen(
            [
                sys.executable,
                str(HERE / "serve_for_tests.py"),
                str(self.folder),
                str(self.port),
                json.dumps(self.options),
            ],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": path},
        )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        assert self.address, "the server did not start"
        self.port = int(self.address.rstrip("/").rpartition(":")[2])
        self.origin = self.address.rstrip("/")

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            assert self.process.wait(WAIT) == 0
        self.process.stdout.close()

    def ask(self, path: str, fields: object = None, **headers: str) -> tuple[int, Any]:
        """Return the status and the answer; a POST if there are ``fields``."""
        data = None if fields is None else fields if isinstance(fields, bytes) else json.dumps(fields).encode()
        given = {"Origin": self.origin, **{name.replace("_", "-"): value for name, value in headers.items()}}
        request = urllib.request.Request(self.origin + path, data, given)
        try:
            with urllib.request.urlopen(request, timeout=WAIT) as answer:
                return answer.status, _decoded(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, _decoded(error)

    def new(self, **fields: Any) -> str:
        status, answer = self.ask("/api/games", {"level": 0, "control": None, **fields})
        assert status == 201, answer
        return str(answer["id"])

    def join(self, game: str, **options: Any) -> ClientConnection:
        url = f"{self.address.replace('http', 'ws')}api/games/{game}"
        return connect(url, origin=options.pop("origin", self.origin), proxy=None, max_size=None, **options)

    def play(self, **fields: Any) -> "Player":
        """Begin a game and sit down at it."""
        return Player(self, self.new(kind="play", **fields))


def _decoded(answer: Any) -> Any:
    body = answer.read()
    return json.loads(body) if "json" in answer.headers.get("Content-Type", "") else body.decode()


class Player:
    """A person at a game, who keeps everything she was sent."""

    def __init__(self, server: Server, game: str) -> None:
        self.server, self.game = server, game
        self.sent: list[str] = []
        self.socket = server.join(game).__enter__()  # closed by close()
        self.state = self.next("state")
        self.views: list[dict[str, Any]] = list(self.state["sheet"]["views"]) if "sheet" in self.state else []

    def read(self) -> dict[str, Any]:
        text = self.socket.recv(WAIT)
        assert isinstance(text, str)
        self.sent.append(text)
        return json.loads(text)

    def next(self, *kinds: str) -> dict[str, Any]:
        """Return the next message of one of these kinds."""
        while True:
            fields = self.read()
            if fields["type"] == "ply" and "view" in fields:
                self.views.append(fields["view"])
            if fields["type"] in kinds:
                return fields

    def say(self, **fields: Any) -> None:
        self.socket.send(json.dumps(fields))

    @property
    def ply(self) -> int:
        return len(self.views) - 1

    @property
    def mine(self) -> str:
        return self.state["game"]["colour"][0]

    def move(self, move: str) -> dict[str, Any]:
        """Make a move and return what came of it: the ply, an error, or the end."""
        self.say(type="move", move=move, ply=self.ply)
        return self.next("ply", "error", "state")

    def until_my_turn(self) -> bool:
        """Read on until it is her move, or return false if the game is over."""
        while self.views[-1]["turn"] != self.mine or not self.views[-1]["moves"]:
            if self.next("ply", "state")["type"] == "state":
                return False
        return True

    def play_out(self, source: random.Random) -> dict[str, Any]:
        """Play at random to the end and return the final state."""
        while self.until_my_turn():
            if self.move(source.choice(self.views[-1]["moves"]))["type"] == "state":
                break
        return json.loads(self.sent[-1])

    def close(self) -> None:
        self.socket.close()


def gone(socket: ClientConnection) -> tuple[int, str]:
    """Read until the server closes, and return why."""
    with contextlib.suppress(ConnectionClosed):
        while True:
            socket.recv(WAIT)
    assert socket.close_code is not None
    return socket.close_code, socket.close_reason or ""


def eventually(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    end = time.monotonic() + WAIT
    while not holds():
        assert time.monotonic() < end, "it never came to hold"
        time.sleep(0.02)
