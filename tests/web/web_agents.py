"""Agents for tests of the server, made from specs such as ``web_agents:Scripted(moves='e7e5 d8h4')``."""

import os
import signal
import time
from pathlib import Path

from murk.darkchess import Colour, Move, Observation, Position
from murk.darkchess.agents import Agent, Clock, Decision
from murk.darkchess.board import START_FEN


class Scripted(Agent):
    """Plays the moves it is given, and then the first legal one."""

    name = "scripted"

    def __init__(self, *, moves: str = "") -> None:
        self.moves = moves.split()

    def new_game(self, colour: Colour, seed: int, fen: str = START_FEN) -> None:
        self.view = Position(fen).observation(colour)
        self.played = 0

    def observe(self, observation: Observation, move: Move | None = None) -> None:
        self.view = observation
        self.played += move is not None

    def move(self, clock: Clock) -> Decision:
        if self.played < len(self.moves):
            return Decision(move=Move.from_uci(self.moves[self.played]), value=0.125, nodes=31337)
        return Decision(move=self.view.legal_moves[0])


class Sleeper(Scripted):
    """Thinks for an hour."""

    def move(self, clock: Clock) -> Decision:
        time.sleep(3600)
        raise AssertionError("unreachable")


class Dier(Scripted):
    """Takes its process with it at its second move, as a fault in native code does; once, if there is a ``mark``."""

    def __init__(self, *, mark: str = "") -> None:
        super().__init__()
        self.mark = mark

    def move(self, clock: Clock) -> Decision:
        if self.played == 1 and not (self.mark and Path(self.mark).exists()):
            if self.mark:
                Path(self.mark).touch()
            os.kill(os.getpid(), signal.SIGSEGV)
        return super().move(clock)


class Outlaw(Scripted):
    """Plays what it must not."""

    def move(self, clock: Clock) -> Decision:
        return Decision(move=Move.from_uci("a1h8"))


LATE = 3.0


class LateComer(Scripted):
    """Takes its time to be made, as an agent does that loads weights or starts a program."""

    def __init__(self) -> None:
        super().__init__()
        time.sleep(LATE)
