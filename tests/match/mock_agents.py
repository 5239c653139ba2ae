"""Players that misbehave, for the runner to survive. Made from specs such as ``mock_agents:Crasher(ply=3)``."""

import os
import signal
import time

from murk.darkchess import Colour, Move, Observation, Position
from murk.darkchess.agents import Agent, Clock, Decision
from murk.darkchess.board import START_FEN


class First(Agent):
    """Plays the first legal move; at a given move of its own it does something else."""

    name = "first"

    def __init__(self, *, at: int = 3) -> None:
        self.at = at

    def new_game(self, colour: Colour, seed: int, fen: str = START_FEN) -> None:
        self.played = 0
        self.view = Position(fen).observation(colour)

    def observe(self, observation: Observation, move: Move | None = None) -> None:
        self.view = observation

    def move(self, clock: Clock) -> Decision:
        self.played += 1
        if self.played == self.at:
            return self.misbehave(clock)
        return Decision(move=self.view.legal_moves[0])

    def misbehave(self, clock: Clock) -> Decision:
        return Decision(move=self.view.legal_moves[0])


class Raiser(First):
    def misbehave(self, clock: Clock) -> Decision:
        raise ZeroDivisionError("dividing by\nnothing")


class Dier(First):
    """Takes its process with it, as a fault in native code does."""

    def misbehave(self, clock: Clock) -> Decision:
        os.kill(os.getpid(), signal.SIGSEGV)
        raise AssertionError("unreachable")


class Hanger(First):
    def misbehave(self, clock: Clock) -> Decision:
        time.sleep(3600)
        raise AssertionError("unreachable")


class Dawdler(First):
    """Oversteps its time by more than a second."""

    def misbehave(self, clock: Clock) -> Decision:
        assert clock.movetime is not None
        time.sleep(clock.movetime + 1.3)
        return Decision(move=self.view.legal_moves[0])


class Cheater(First):
    """Plays an illegal move."""

    def misbehave(self, clock: Clock) -> Decision:
        return Decision(move=Move.from_uci("a1h8"))


class Mute(First):
    """Answers with nothing at all."""

    def misbehave(self, clock: Clock) -> Decision:
        return None  # type: ignore[return-value]


class Flooder(First):
    """Writes to its standard output and error without end."""

    def misbehave(self, clock: Clock) -> Decision:
        for _ in range(2000):
            os.write(1, b"x" * 4096)
            os.write(2, b"y" * 4096)
        return Decision(move=self.view.legal_moves[0])


class Stillborn(First):
    """Can be made where the match begins, and not where it is played."""

    def __init__(self, *, pid: int) -> None:
        super().__init__()
        if os.getpid() != pid:
            raise OSError("no more of them")
