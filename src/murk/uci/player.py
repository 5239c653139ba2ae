"""Agents and what they have been shown of the game, kept in step with what the client tells.

If what the side to move saw goes on from what an agent was shown before, the agent is shown the rest; otherwise it
begins anew. Only observations are compared, so the truth cannot show in what is done.
"""

import secrets
from collections.abc import Callable

from murk._core import Colour, Move, Observation
from murk.darkchess.agents import Agent, AgentSpec, Clock, Decision, make_agent
from murk.darkchess.agents.believing import BelievingAgent
from murk.uci.told import SeenPly, Told

__all__ = ["Player", "Players", "restricted"]


class Player:
    """Keeps an agent in step.

    Args:
        spec: the agent.
        seed: of every game; 0 draws another one each time.
        assumed: the opponent's pieces, where a game begins from a view with fog.
    """

    def __init__(self, spec: AgentSpec, *, seed: int = 0, assumed: str = "mirror") -> None:
        self.agent: Agent = make_agent(spec)
        if isinstance(self.agent, BelievingAgent):
            self.agent.assumed = assumed
        self._seed = seed
        self.forget()

    def forget(self) -> None:
        """Begin anew with the next game."""
        self._start: tuple[Colour, Observation, str] | None = None
        self._shown: list[SeenPly] = []

    def steps(self, told: Told) -> int:
        """Return how much of the game the agent was shown: the start and so many plies; 0 if it was shown another."""
        in_step = self._start == _start_of(told) and told.seen()[: len(self._shown)] == self._shown
        return 1 + len(self._shown) if in_step else 0

    def follow(self, told: Told, stop: Callable[[], bool], *, without: int = 0) -> bool:
        """Show the agent what it has not seen yet; return whether it now knows all, or was stopped on the way.

        Args:
            told: the game.
            stop: whether to stop.
            without: plies at the end that are not shown.
        """
        seen = told.seen()
        seen = seen[: len(seen) - without]
        if not 0 < self.steps(told) <= 1 + len(seen):
            self.forget()
            self.agent.new_game(told.colour, self._seed or 1 + secrets.randbits(62), told.fen)
            self._start = _start_of(told)
        for ply in seen[len(self._shown) :]:
            if stop():
                return False
            self.agent.observe(ply.observation, ply.move)
            self._shown.append(ply)
        return True

    def decide(self, clock: Clock) -> Decision:
        """Ask the agent."""
        return self.agent.move(clock)

    def close(self) -> None:
        """Let go of the agent."""
        self.agent.close()


class Players:
    """Who plays, and who ponders.

    To ponder is to think about a move that the opponent may not make. The agent that plays is left where the game
    really is, and another one, made when it is first needed, thinks ahead. Whoever is in step with what the side to
    move saw goes on: the one that pondered if the guess was right, or looks the same; else the one that played, with
    its belief and its tree.

    Args:
        make: makes a player.
    """

    def __init__(self, make: Callable[[], Player]) -> None:
        self._make = make
        self._players = [make()]

    def seat(self, told: Told, stop: Callable[[], bool], *, ponder: bool) -> Player:
        """Return who thinks about a game as it was told, with a last move that was only guessed if ``ponder``."""
        self._players.sort(key=lambda player: -player.steps(told))
        if not ponder or not told.seen():
            return self._players[0]
        if len(self._players) == 1:
            self._players.append(self._make())
        playing, pondering = self._players
        playing.follow(told, stop, without=1)
        return pondering

    def forget(self) -> None:
        """Begin anew with the next game."""
        for player in self._players:
            player.forget()

    def close(self) -> None:
        """Let go of the agents."""
        for player in self._players:
            player.close()


def _start_of(told: Told) -> tuple[Colour, Observation, str]:
    # A FEN without fog is known to both; of one with fog only the view is known, and it is all of the FEN.
    return told.colour, told.first_view(), told.fen


def restricted(decision: Decision, allowed: list[Move]) -> Move:
    """Return the decision's move, or of the moves that are allowed the likeliest of the mixture, then the best."""
    if not allowed or decision.move in allowed:
        return decision.move
    order = {choice.move: (-choice.probability, -(choice.value or -1.0)) for choice in decision.mixture}
    return min(allowed, key=lambda move: order.get(move, (1.0, 0.0)))
