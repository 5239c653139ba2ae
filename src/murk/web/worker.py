"""The process in which one agent plays one side of one game: ``python -m murk.web.worker FD``.

It is told what its side sees, in lines of JSON on FD, and never holds the board (unless the agent declares that it sees
everything). Whatever an agent does here, a crash included, it does to this process alone. What it believes is worked
out after each observation: the agent's own belief if it has one, else what anybody in its place could believe.
"""

import json
import signal
import socket
import sys
from typing import Any, TextIO

import numpy as np

from murk._core import Colour, Move, Observation
from murk.darkchess.agents.base import Agent, Clock
from murk.darkchess.agents.spec import make_agent
from murk.darkchess.agents.uci_engine import die_with_parent
from murk.darkchess.board import Board
from murk.darkchess.tracking import Tracker
from murk.errors import MurkError

__all__ = ["Seat", "serve"]

TRACKED = 20_000
"""Positions to hold for an agent that holds none."""
_SCALE = 255
_WHITE_PIECES, _BLACK_PIECES = slice(1, 7), slice(7, 13)


class Seat:
    """An agent at the board, and what it believes."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self._tracker: Tracker | None = None

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Do what the server asks."""
        match request["do"]:
            case "new_game":
                colour, fen, seed = Colour(request["colour"]), request["fen"], request["seed"]
                self.agent.new_game(colour, seed, fen)
                self._tracker = None if self._own() else Tracker(colour, fen, limit=TRACKED, seed=seed)
                return {"belief": self._belief(), "shown": self.agent.sees_everything}
            case "observe":
                observation = Observation(request["view"])
                move = None if request["move"] is None else Move.from_uci(request["move"])
                self.agent.observe(observation, move)
                if self._tracker is not None and observation.winner is None:
                    self._tracker.observe(observation, move)
                return {"belief": self._belief()}
            case "move":
                if self.agent.sees_everything:
                    self.agent.see(_board(request["board"]))
                return {"decision": self.agent.move(Clock(**request["clock"])).as_fields()}
        raise AssertionError(f"the request is {request['do']}")

    def _own(self) -> Tracker | None:
        belief = getattr(self.agent, "belief", None)
        return belief if isinstance(belief, Tracker) else None

    def _belief(self) -> dict[str, Any]:
        own = self._own()
        belief = own or self._tracker
        assert belief is not None
        theirs = _BLACK_PIECES if belief.colour == Colour.WHITE else _WHITE_PIECES
        shares = np.rint(belief.probabilities()[:, theirs].T * _SCALE).astype(np.uint8)
        return {"size": len(belief), "exact": belief.exact, "own": own is not None, "pieces": shares.tobytes().hex()}


def _board(fields: dict[str, Any]) -> Board:
    board = Board(fields["fen"])
    for move in fields["moves"]:
        board.push(move)
    return board


def serve(spec: str, requests: TextIO, answers: TextIO) -> None:
    """Answer until the server hangs up."""
    seat: Seat | None = None
    for line in requests:
        try:
            if seat is None:
                seat = Seat(make_agent(spec))
            answer = seat.answer(json.loads(line))
        except MurkError as error:
            answer = {"error": str(error)}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer, separators=(",", ":"), default=_plain) + "\n")
        answers.flush()
    if seat is not None:
        seat.agent.close()


def _plain(value: object) -> object:
    """Return a number of numpy as JSON has it; anything else that an agent notes as text."""
    return value.item() if isinstance(value, np.generic) else str(value)


def main(arguments: list[str]) -> None:
    """Run as a process of its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends us
    die_with_parent()
    with socket.socket(fileno=int(arguments[0])) as pipe, pipe.makefile("rw", encoding="utf-8") as stream:
        serve(arguments[1], stream, stream)


if __name__ == "__main__":
    main(sys.argv[1:])
