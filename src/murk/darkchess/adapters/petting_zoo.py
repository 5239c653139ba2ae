"""Dark chess as a PettingZoo AEC environment, ``murk_dark_chess_v0``.

``env()`` has the agents ``player_0``, who is White, and ``player_1``. What an agent is given is ``observation``, the
planes of :mod:`~murk.darkchess.adapters.planes` as (8, 8, 20) booleans, and ``action_mask`` over the actions of
:mod:`~murk.darkchess.adapters.actions`, which is empty while the other side is to move. Both come from the agent's own
observation and from nothing else; ``infos`` stay empty. The reward is 1, -1 or 0 at the end.

Draws are declared by the environment. ``max_plies`` cuts a game off: it is then truncated, with no reward.
"""

from typing import Any

import numpy as np

from murk._core import Colour
from murk.darkchess.adapters.actions import NUM_ACTIONS, action_of, move_of
from murk.darkchess.adapters.planes import PLANES, observation_planes
from murk.darkchess.board import START_FEN, Board
from murk.errors import IllegalMoveError, InputError, MissingDependencyError

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError:
    raise MissingDependencyError(
        "this environment needs PettingZoo, which is not installed: pip install 'murk[pettingzoo]'"
    ) from None

__all__ = ["AGENTS", "DarkChessEnv", "env", "raw_env"]

AGENTS = ("player_0", "player_1")
"""White and Black, named as PettingZoo recommends."""
RENDER_MODES = ("ansi", "white", "black")


def env(**options: Any) -> Any:
    """Return the environment with PettingZoo's usual wrappers; an illegal action loses the game.

    The options are those of :class:`DarkChessEnv`.
    """
    wrapped = wrappers.TerminateIllegalWrapper(raw_env(**options), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


def raw_env(**options: Any) -> "DarkChessEnv":
    """Return the environment without wrappers; an illegal action is an error."""
    return DarkChessEnv(**options)


class DarkChessEnv(AECEnv):
    """The environment.

    Args:
        fen: where games begin.
        max_plies: where a game is cut off; 0 is nowhere.
        render_mode: ``ansi`` draws the true board as text, ``white`` and ``black`` what that side sees.
    """

    metadata = {  # noqa: RUF012 - the way PettingZoo declares it
        "name": "murk_dark_chess_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(self, *, fen: str = START_FEN, max_plies: int = 0, render_mode: str | None = None) -> None:
        super().__init__()
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise InputError(f"render_mode is {render_mode!r}, expected one of {', '.join(RENDER_MODES)}")
        if max_plies < 0:
            raise InputError(f"max_plies is {max_plies}, expected a number of plies, or 0 for no limit")
        self.board = Board(fen)  # a bad FEN is found out now
        self.fen = fen
        self.max_plies = max_plies
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        shape = (8, 8, len(PLANES))
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, shape, dtype=np.bool_),
                    "action_mask": spaces.Box(0, 1, (NUM_ACTIONS,), dtype=np.int8),
                }
            )
            for agent in AGENTS
        }
        self.action_spaces = {agent: spaces.Discrete(NUM_ACTIONS) for agent in AGENTS}

    def observation_space(self, agent: str) -> Any:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Set up a new game. Nothing is random, so the seed changes nothing."""
        self.board = Board(self.fen)
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self.agent_selection = AGENTS[int(self.board.turn)]
        self._end_if_over()

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what ``agent`` sees and may do."""
        observation = self.board.observation(Colour(AGENTS.index(agent)))
        mask = np.zeros(NUM_ACTIONS, dtype=np.int8)
        if not self.terminations[agent] and not self.truncations[agent]:
            mask[[action_of(move, observation.colour) for move in observation.legal_moves]] = 1
        planes = observation_planes(observation, np.bool_)
        return {"observation": np.ascontiguousarray(planes.transpose(1, 2, 0)), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Play an action of the agent whose turn it is.

        Raises:
            IllegalMoveError: the agent cannot make that move.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise IllegalMoveError("the action is None, expected a move: the game is not over")
        self.board.push(move_of(int(action), self.board.turn))
        self._cumulative_rewards[agent] = 0
        self.agent_selection = AGENTS[int(self.board.turn)]
        self._clear_rewards()
        self._end_if_over()
        self._accumulate_rewards()

    def _end_if_over(self) -> None:
        outcome = self.board.outcome()
        if outcome is not None:
            self.terminations = dict.fromkeys(AGENTS, True)
            if outcome.winner is not None:
                winner = AGENTS[int(outcome.winner)]
                self.rewards = {agent: 1 if agent == winner else -1 for agent in AGENTS}
        elif self.max_plies and len(self.board.moves) >= self.max_plies:
            self.truncations = dict.fromkeys(AGENTS, True)

    def render(self) -> str | None:
        """Return the board as text, of the kind that ``render_mode`` asks for."""
        if self.render_mode is None:
            return None
        if self.render_mode == "ansi":
            return str(self.board)
        return str(self.board.observation(Colour.WHITE if self.render_mode == "white" else Colour.BLACK))

    def close(self) -> None:
        """Release nothing: there is nothing to release."""
