"""The process that plays games: ``python -m murk.match.worker FD``, one game at a time, told what to do by FD.

Whatever an agent does here, it does to this process alone. Before an agent is called the parent is told whose turn it
is and how long that may take, so that it can end a process that hangs, and knows who is to blame when one dies.
"""

import contextlib
import gc
import resource
import signal
import sys
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from murk._core import Colour
from murk.darkchess.agents.base import Agent
from murk.darkchess.agents.spec import AgentSpec, make_agent
from murk.darkchess.agents.uci_engine import die_with_parent
from murk.darkchess.referee import Ending, PlayedGame, PlayedPly, Referee, TimeControl
from murk.match.records import FORFEITS, FinishedGame, ply_to_json
from murk.match.schedule import GameJob

__all__ = ["GameTask", "serve"]

GameTask = tuple[GameJob, tuple[AgentSpec, AgentSpec], tuple[TimeControl, TimeControl], int | None]
"""A game, the specs of White and Black, their clocks, and the most plies."""

START_SECONDS = 60.0
"""How long an agent may take to be made."""


class _Stable:
    """Agents that were made here, kept from game to game; one that failed is not used again."""

    def __init__(self) -> None:
        self._agents: dict[tuple[str, int], Agent] = {}

    def get(self, spec: AgentSpec, seat: int) -> Agent:
        """Return an agent of that spec; the two of one game differ even if their specs do not."""
        key = (repr(spec), seat)
        if key not in self._agents:
            self._agents[key] = make_agent(spec)
            # What is loaded by now stays: looking through it for garbage would take 50 ms of somebody's move.
            gc.collect()
            gc.freeze()
        return self._agents[key]

    def drop(self, spec: AgentSpec, seat: int) -> None:
        agent = self._agents.pop((repr(spec), seat), None)
        if agent is not None:
            with contextlib.suppress(Exception):
                agent.close()

    def close(self) -> None:
        for agent in self._agents.values():
            with contextlib.suppress(Exception):
                agent.close()


def serve(pipe: Connection) -> None:
    """Play games until the parent hangs up."""
    stable = _Stable()
    pipe.send({"type": "ready"})
    try:
        while (task := pipe.recv()) is not None:
            pipe.send({"type": "done", "game": _play(task, stable, pipe).to_json()})
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass
    finally:
        stable.close()


def _play(task: GameTask, stable: _Stable, pipe: Connection) -> FinishedGame:
    job, specs, controls, max_plies = task

    def turn(colour: Colour, seconds: float | None) -> None:
        pipe.send({"type": "turn", "colour": int(colour), "seconds": seconds})

    def ply(played: PlayedPly) -> None:
        pipe.send({"type": "ply", "ply": ply_to_json(played)})

    started = datetime.now(UTC).isoformat(timespec="seconds")
    agents: list[Agent] = []
    for colour, spec in zip((Colour.WHITE, Colour.BLACK), specs, strict=True):
        turn(colour, START_SECONDS)
        try:
            agents.append(stable.get(spec, int(colour)))
        except Exception as error:
            winner = Colour.BLACK if colour == Colour.WHITE else Colour.WHITE
            ending = Ending(winner, "crash", f"{type(error).__name__}: {error}"[:300])
            return FinishedGame.of(job, PlayedGame(job.opening.fen, (), ending), started=started)
    game = Referee(
        *agents,
        fen=job.opening.fen,
        opening=job.opening.moves,
        seeds=job.seeds,
        control=controls,
        max_plies=max_plies,
        on_turn=turn,
        on_ply=ply,
    ).play()
    finished = FinishedGame.of(job, game, started=started, memory=_resident())
    if game.ending.reason in FORFEITS:
        loser = Colour.BLACK if game.ending.winner == Colour.WHITE else Colour.WHITE
        stable.drop(specs[loser], int(loser))
    return finished


def _resident() -> int | None:
    """Return the bytes of memory that this process holds, where the system tells."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    except OSError:
        return None


def main(arguments: list[str]) -> None:
    """Run as a process of its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends us
    die_with_parent()
    pipe: Connection[Any, Any] = Connection(int(arguments[0]))
    serve(pipe)


if __name__ == "__main__":
    main(sys.argv[1:])
