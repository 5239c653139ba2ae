"""How good an agent's moves are, by Stockfish in the true position: measured on the games of a match.

Matches of a hundred games tell apart little. Here agents follow recorded games in one player's place, from her
observations alone, and at each of her moves give their mixtures; Stockfish values every move of the true position.

    murk match murk zs21 --games 20 --movetime 0.3 --journal match.jsonl
    python benchmarks/regret.py match.jsonl --agent murk --agent "murk(tremble=1)" --agent pimc --nodes 40000

prints how much worse than the best move the mixtures are on the average, with the standard error, and the difference
to the first agent in pairs. --plies 4 43 looks at a part of the games, --within 0.6 at moves at which neither side is
lost, and --player "" at the moves of both. It is a measure for one who sees everything: what a move hides or finds out
counts for nothing. Stockfish's values go to a file (--cache) and are not asked for again.
"""

import argparse
import json
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from plausibility import read_games
from rich.progress import track

from murk.darkchess import Board, Colour, Move, Position
from murk.darkchess.agents.base import Clock
from murk.darkchess.agents.believing import BelievingAgent
from murk.darkchess.agents.spec import make_agent
from murk.darkchess.evaluators import make_evaluator
from murk.errors import MurkError
from murk.tree.files import write_atomically

LARGEST = 150_000
"""Positions of a belief with which a game is not followed any further."""
BAD = 0.2

Values = dict[str, dict[str, float]]


def judge(positions: Sequence[Position], depth: int, cache: Path | None) -> Values:
    """Return Stockfish's value of each move of each position, by FEN and move."""
    known: Values = json.loads(cache.read_text(encoding="utf-8")) if cache is not None and cache.exists() else {}
    wanted = {position.fen: position for position in positions if position.fen not in known}
    evaluator = make_evaluator("stockfish", depth=depth)
    for fen, position in track(wanted.items(), "Stockfish", transient=True):
        values = evaluator.values(position)
        known[fen] = {str(move): float(value) for move, value in zip(position.legal_moves, values, strict=True)}
    if cache is not None:
        write_atomically(cache, [json.dumps(known).encode()])
    return known


def own_positions(game: dict[str, Any], player: int, plies: range) -> Iterator[Position]:
    """Yield the positions of some plies in which a player had a choice."""
    board = Board(game["fen"])
    for number, ply in enumerate(game["plies"][: plies.stop]):
        mover = game["white"] if board.turn == Colour.WHITE else game["black"]
        if number in plies and mover == player and len(board.legal_moves) > 1:
            yield board.position
        board.push(Move.from_uci(ply["move"]))


def regrets(
    spec: str, game: dict[str, Any], player: int, nodes: int, values: Values, plies: range, within: float
) -> Iterator[float]:
    """Follow a game in a player's place and yield by how much each mixture is worse than the best move."""
    board, agent = Board(game["fen"]), make_agent(spec)
    colour = Colour.WHITE if game["white"] == player else Colour.BLACK
    agent.new_game(colour, 1, game["fen"])
    for number, ply in enumerate(game["plies"][: plies.stop]):
        own = board.turn == colour
        if isinstance(agent, BelievingAgent) and len(agent.belief) > LARGEST:
            return
        worth = values.get(board.position.fen, {}) if number in plies and own else {}
        if len(worth) > 1 and abs(max(worth.values())) <= within:
            mixture = agent.move(Clock(nodes=nodes)).mixture
            yield max(worth.values()) - sum(c.probability * worth[str(c.move)] for c in mixture)
        move = Move.from_uci(ply["move"])
        board.push(move)
        if board.position.winner is not None:
            return
        agent.observe(board.observation(colour), move if own else None)


def table(found: dict[str, list[npt.NDArray[np.float64]]]) -> Iterator[str]:
    """Yield the lines of the table, over the moves that all agents got to."""
    names = list(found)
    shortest = [min(map(len, games)) for games in zip(*found.values(), strict=True)]
    moves = {name: np.concatenate([game[:n] for game, n in zip(found[name], shortest, strict=True)]) for name in names}
    first = moves[names[0]]
    yield f"{len(first)} moves"
    for name in names:
        these, difference = moves[name], moves[name] - first
        error, paired = (x.std() / np.sqrt(len(first)) for x in (these, difference))
        yield (
            f"{name:48}  {these.mean():.4f} +- {error:.4f}  over {BAD:g}: {(these > BAD).mean():5.1%}  "
            f"to the first {difference.mean():+.4f} +- {paired:.4f}"
        )


def main(arguments: Sequence[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Compare agents' moves with Stockfish's in the true positions.")
    parser.add_argument("journal", type=Path, nargs="+")
    parser.add_argument("--agent", action="append", help="an agent to measure, several times (murk and pimc)")
    parser.add_argument("--player", default="murk", help="whose place they take: the beginning of a player's name")
    parser.add_argument("--games", type=int, default=10, help="games of each journal to follow, drawn at random")
    parser.add_argument(
        "--plies", type=int, nargs=2, metavar=("FIRST", "LAST"), default=(0, 10_000), help="of the games"
    )
    parser.add_argument("--within", type=float, default=1.0, help="leave out moves that are worth more, to either side")
    parser.add_argument("--nodes", type=int, default=40_000, help="positions valued a move")
    parser.add_argument("--depth", type=int, default=8, help="of Stockfish's searches")
    parser.add_argument("--cache", type=Path, help="file of Stockfish's values, read and written")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    source = random.Random(options.seed)
    games: list[tuple[dict[str, Any], int]] = []
    for path in options.journal:
        there = list(read_games(path, options.player))
        games.extend(source.sample(there, min(len(there), options.games)))
    if not games:
        print(f"no game of {options.player!r} in {', '.join(map(str, options.journal))}", file=sys.stderr)
        return 2
    plies = range(options.plies[0], options.plies[1] + 1)
    try:
        values = judge([p for game in games for p in own_positions(*game, plies)], options.depth, options.cache)
        found: dict[str, list[npt.NDArray[np.float64]]] = {}
        for spec in options.agent or ["murk", "pimc"]:
            followed = track(games, spec, transient=True)
            found[spec] = [
                np.array(list(regrets(spec, *game, options.nodes, values, plies, options.within)), dtype=np.float64)
                for game in followed
            ]
    except MurkError as error:
        print(error, file=sys.stderr)
        return 2
    print("\n".join(table(found)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
