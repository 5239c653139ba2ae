"""An agent and what it has been shown of the game, kept in step with what the client tells.

If what the side to move saw goes on from what the agent was shown before, the agent is shown the rest; otherwise it
begins anew. Only observations are compared, so the truth cannot show in what is done.
"""

import secrets
from collections.abc import Callable

from murk._core import Colour, Move, Observation
from murk.darkchess.agents import Agent, AgentSpec, Clock, Decision, make_agent
from murk.darkchess.agents.believing import BelievingAgent
from murk.uci.told import SeenPly, Told

__all__ = ["Player"]


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

    def follow(self, told: Told, stop: Callable[[], bool]) -> bool:
        """Show the agent what it has not seen yet; return whether it now knows all, or was stopped on the way."""
        seen = told.seen()
        # A FEN without fog is known to both; of one with fog only the view is known, and it is all of the FEN.
        start = (told.colour, told.first_view(), told.fen)
        if start != self._start or seen[: len(self._shown)] != self._shown:
            self.forget()
            self.agent.new_game(told.colour, self._seed or 1 + secrets.randbits(62), told.fen)
            self._start = start
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


def restricted(decision: Decision, allowed: list[Move]) -> Move:
    """Return the decision's move, or of the moves that are allowed the likeliest of the mixture, then the best."""
    if not allowed or decision.move in allowed:
        return decision.move
    order = {choice.move: (-choice.probability, -(choice.value or -1.0)) for choice in decision.mixture}
    return min(allowed, key=lambda move: order.get(move, (1.0, 0.0)))
