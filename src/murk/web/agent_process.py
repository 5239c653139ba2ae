"""An agent as the server knows it: a process that is told what its side sees and asked for moves.

A process can be ended at any time. The next call starts another one and tells it all observations again; so a game goes
on after a crash of the agent or of the server, and a game that nobody looks at costs nothing.
"""

import asyncio
import contextlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from murk._core import Colour, Move, Observation
from murk.darkchess.agents import Clock
from murk.darkchess.board import Board
from murk.errors import AgentError

__all__ = ["AgentProcess", "Seen"]

LONGEST_ANSWER = 1 << 22
PATIENCE = 120.0
"""Seconds beyond its time after which an agent counts as hung."""

Seen = tuple[Observation, Move | None]
"""What a side sees after a ply, and the move if it was its own. The first is the start."""
OnBelief = Callable[[int, dict[str, Any]], None]


class AgentProcess:
    """One side of one game.

    Args:
        spec: the agent.
        colour: its side.
        seed: of the agent.
        fen: where the game begins.
        on_belief: told the ply, and what the agent believes after it.
    """

    def __init__(self, spec: str, colour: Colour, *, seed: int, fen: str, on_belief: OnBelief | None = None) -> None:
        self.colour = colour
        self._spec, self._seed, self._fen = spec, seed, fen
        self._on_belief = on_belief
        self._lock = asyncio.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._told = 0
        self._shown = False

    async def prepare(self) -> None:
        """Start the process if there is none.

        Raises:
            AgentError: it broke down.
        """
        async with self._lock:
            await self._begin()

    async def catch_up(self, seen: Sequence[Seen]) -> None:
        """Tell the agent all that its side has seen since it was last told.

        Raises:
            AgentError: it broke down.
        """
        async with self._lock:
            await self._catch_up(seen)

    async def move(self, seen: Sequence[Seen], clock: Clock, board: Board) -> dict[str, Any]:
        """Return the decision as :meth:`Decision.as_fields` has it. ``board`` is shown to those that see everything.

        Raises:
            AgentError: it broke down.
        """
        async with self._lock:
            await self._catch_up(seen)
            request: dict[str, Any] = {"do": "move", "clock": asdict(clock)}
            if self._shown:
                request["board"] = {"fen": self._fen, "moves": [str(move) for move in board.moves]}
            answer = await self._ask(request, (clock.budget() or 0.0) + PATIENCE)
            return dict(answer["decision"])

    async def _begin(self) -> None:
        if self._process is not None:
            return
        await self._start()
        fields = {"do": "new_game", "colour": int(self.colour), "seed": self._seed, "fen": self._fen}
        answer = await self._ask(fields, PATIENCE)
        self._shown = answer["shown"]
        self._believe(answer)

    async def _catch_up(self, seen: Sequence[Seen]) -> None:
        await self._begin()
        while self._told < len(seen):
            view, move = seen[self._told]
            answer = await self._ask(
                {"do": "observe", "view": view.text, "move": None if move is None else str(move)}, PATIENCE
            )
            self._believe(answer)

    def _believe(self, answer: dict[str, Any]) -> None:
        if self._on_belief is not None:
            self._on_belief(self._told, answer["belief"])
        self._told += 1

    async def _start(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "murk.web.worker", str(theirs.fileno()), self._spec],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        self._reader, self._writer = await asyncio.open_connection(sock=ours, limit=LONGEST_ANSWER)
        self._told = 0

    async def _ask(self, request: dict[str, Any], patience: float) -> dict[str, Any]:
        assert self._writer is not None
        try:
            async with asyncio.timeout(patience):
                self._writer.write(json.dumps(request, separators=(",", ":")).encode() + b"\n")
                await self._writer.drain()
                line = await self._reader.readline()
            answer = json.loads(line) if line.endswith(b"\n") else {"error": "its process ended"}
        except TimeoutError:
            answer = {"error": "it did not answer"}
        except (OSError, ValueError) as error:
            answer = {"error": str(error) or type(error).__name__}
        except BaseException:
            self.close()  # cancelled in the middle of an answer: what follows would be out of step
            raise
        if "error" in answer:
            self.close()
            raise AgentError(f"the agent {self._spec} broke down: {answer['error']}"[:300])
        return dict(answer)

    def close(self) -> None:
        """End the process. The next call starts another."""
        process, self._process = self._process, None
        if process is None:
            return
        if self._writer is not None:
            with contextlib.suppress(OSError):
                self._writer.close()
        process.kill()
        process.wait()
