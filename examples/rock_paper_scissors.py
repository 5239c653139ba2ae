"""A game written in Python: rock, paper, scissors, where any round with a rock in it counts double.

Rock is the risky choice, so in equilibrium it is played only one time in five, paper and scissors two in five
each. Nothing is registered anywhere: an object with a ``name`` and a ``root()`` is a game.
"""

from dataclasses import dataclass

from murk.games.protocol import MAX, MIN, TERMINAL, Player

ROCK, PAPER, SCISSORS = 0, 1, 2


@dataclass(frozen=True)
class Round:
    """A state holds what has been chosen so far. States are immutable; ``child`` makes a new one."""

    chosen: tuple[int, ...] = ()

    def player(self) -> Player:
        # A simultaneous move is two moves in a row, the second made without seeing the first.
        return (MAX, MIN, TERMINAL)[len(self.chosen)]

    def actions(self) -> tuple[int, ...]:
        return (ROCK, PAPER, SCISSORS)

    def chance(self) -> tuple[float, ...]:
        raise NotImplementedError("nature never moves in this game")

    def child(self, action: int) -> "Round":
        return Round((*self.chosen, action))

    def utility(self) -> float:
        first, second = self.chosen
        result = (0.0, 1.0, -1.0)[(first - second) % 3]  # each choice beats the one before it in the cycle
        return 2 * result if ROCK in self.chosen else result

    def observation(self, player: int) -> str:
        # All that anybody learns is whose turn it is: MIN must not be told what MAX chose.
        return "your move" if self.player() == player else "wait"

    def action_name(self, action: int) -> str:
        return ("rock", "paper", "scissors")[action]


class RockPaperScissors:
    """A game needs a name and a root."""

    name = "rock_paper_scissors"

    def root(self) -> Round:
        return Round()
