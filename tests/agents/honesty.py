"""Pairs of games that look the same to one side and are not: no honest agent may tell them apart.

``twin_games`` searches for them: two lines of play in which one side makes the same moves and sees, after every ply,
exactly the same, while the opponent has made different moves. ``moves_along`` has an agent follow one of the lines and
collects what it would play at each of its turns. Whatever the agent, both lines must give the same.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from murk.darkchess import Board, Colour, Move
from murk.darkchess.agents import Agent, Clock, Decision


@dataclass(frozen=True)
class TwinGames:
    """Two games that ``colour`` cannot tell apart, and that differ at the end."""

    colour: Colour
    one: tuple[Move, ...]
    two: tuple[Move, ...]


def twin_games(seed: int, *, count: int, plies: int = 14) -> Iterator[TwinGames]:
    """Yield twins: both boards go on with the same own moves, and with replies that look the same."""
    source = random.Random(seed)
    found = 0
    while found < count:
        twins = _twins(source, source.choice((Colour.WHITE, Colour.BLACK)), plies)
        if twins is not None:
            found += 1
            yield twins


def _twins(source: random.Random, colour: Colour, plies: int) -> TwinGames | None:
    one, two = Board(), Board()
    for _ in range(plies):
        if one.turn == colour:
            move = source.choice(one.legal_moves)
            one.push(move)
            two.push(move)
            if one.observation(colour) != two.observation(colour):
                return None
        else:
            one.push(source.choice(one.legal_moves))
            alike = [move for move in two.legal_moves if _seen_after(two, move, colour) == one.observation(colour)]
            if not alike:
                return None
            two.push(source.choice(alike))
        if one.outcome() is not None or two.outcome() is not None:
            return None
    if one.position == two.position or one.turn != colour:
        return None
    return TwinGames(colour, tuple(one.moves), tuple(two.moves))


def _seen_after(board: Board, move: Move, colour: Colour) -> object:
    return board.position.observation_after(move, colour)


def moves_along(agent: Agent, moves: tuple[Move, ...], colour: Colour, seed: int, clock: Clock) -> list[Decision]:
    """Show the agent a game as ``colour`` saw it, and return what it would have played at each of its turns."""
    board, decisions = Board(), []
    agent.new_game(colour, seed)
    for move in (*moves, None):
        if board.turn == colour:
            decisions.append(agent.move(clock))
        if move is None:
            break
        mover = board.turn
        board.push(move)
        agent.observe(board.observation(colour), move if mover == colour else None)
    return decisions


def told(decision: Decision) -> dict[str, object]:
    """Return what a decision says, without the time it took."""
    fields = {name: value for name, value in decision.as_fields().items() if name != "seconds"}
    notes = {name: value for name, value in decision.notes.items() if "seconds" not in name}
    return {**fields, "notes": notes}
