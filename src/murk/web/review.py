"""Thinking a game through afterwards: what an agent in the place of a side that no agent played would have done.

The reviewer is shown what that side saw, ply by ply, and is asked at each of its turns. Its decisions and beliefs are
written to the journal, so that they are worked out once.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from murk._core import Colour
from murk.darkchess.board import Board
from murk.web.agent_process import AgentProcess
from murk.web.game import Game
from murk.web.inside import told_decision
from murk.web.levels import Level
from murk.web.setup import COLOURS, colour_name

__all__ = ["ReviewStep", "review"]

SEED = 0
"""Reviews are the same every time, as far as time allows."""


@dataclass(frozen=True)
class ReviewStep:
    """How far the review has come, and what is new, as the browser is told."""

    done: int
    of: int
    fields: dict[str, Any] | None = None


async def review(game: Game, spec: str, level: Level) -> AsyncIterator[ReviewStep]:
    """Think through the plies of a finished game that have no decision, and yield after each.

    Raises:
        AgentError: the reviewer broke down.
    """
    reviewed = [colour for colour in COLOURS if game.setup.kind == "analyse" or game.setup.agents[colour] is None]
    board = Board(game.setup.fen)
    moves = game.board.moves
    turns = [COLOURS[(board.turn + ply) % 2] for ply in range(len(moves))]
    todo = [ply for ply, turn in enumerate(turns) if turn in reviewed and ply not in game.inside.decisions]
    yield ReviewStep(0, len(todo))
    if not todo:
        return
    seats = {colour: _seat(game, spec, colour) for colour in reviewed}
    done = 0
    try:
        for ply, move in enumerate(moves):
            turn = turns[ply]
            if ply in todo:
                decision = await seats[turn].move(game.seen_by(turn)[: ply + 1], level.clock(None, 0.0), board)
                decision["reviewed"] = True
                await game.write({"type": "review", "ply": ply, "decision": decision})
                game.inside.decisions[ply] = decision
                done += 1
                yield ReviewStep(done, len(todo), _news(game, ply, turn))
            board.push(move)
        for colour, seat in seats.items():
            await seat.catch_up(game.seen_by(colour))
            yield ReviewStep(done, len(todo), {"decisions": {}, "beliefs": {colour_name(colour): _late(game, colour)}})
    finally:
        for seat in seats.values():
            seat.close()


def _seat(game: Game, spec: str, colour: Colour) -> AgentProcess:
    def believe(ply: int, belief: dict[str, Any]) -> None:
        game.believe(colour, ply, belief)

    return AgentProcess(spec, colour, seed=SEED, fen=game.setup.fen, on_belief=believe)


def _news(game: Game, ply: int, turn: Colour) -> dict[str, Any]:
    """Return the decision at a ply, and the beliefs since the side's turn before."""
    beliefs = game.inside.beliefs[turn]
    recent = {at: beliefs[at] for at in (ply - 1, ply) if at in beliefs}
    decision = told_decision(game.inside.decisions[ply], str(game.board.moves[ply]))
    return {"decisions": {ply: decision}, "beliefs": {colour_name(turn): recent}}


def _late(game: Game, colour: Colour) -> dict[int, dict[str, Any]]:
    """Return the beliefs of the last two plies."""
    last = len(game.board.moves)
    beliefs = game.inside.beliefs[colour]
    return {at: beliefs[at] for at in (last - 1, last) if at in beliefs}
