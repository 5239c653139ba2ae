"""A game of dark chess between two players who see only their own view, kept as PGN.

Each player is a function from an observation to a move. One moves at random; the other takes the most valuable piece it
sees, the king above all, and else moves at random. The referee alone holds the board. Beside each move stands how many
positions the player who made it then held possible.

    python examples/dark_chess_game.py [seed]
"""

import random
import sys
from collections.abc import Callable

from murk.darkchess import BLACK, WHITE, Belief, Board, Move, Observation, pgn

Player = Callable[[Observation, random.Random], Move]

WORTH = {"p": 1, "n": 3, "b": 3, "r": 5, "q": 9, "k": 100}


def random_player(view: Observation, rng: random.Random) -> Move:
    return rng.choice(view.legal_moves)


def greedy_player(view: Observation, rng: random.Random) -> Move:
    def gain(move: Move) -> int:
        return WORTH[piece.lower()] if (piece := view.piece_at(move.to_square)) else 0

    best = max(gain(move) for move in view.legal_moves)
    return rng.choice([move for move in view.legal_moves if gain(move) == best])


def play(white: Player, black: Player, seed: int) -> pgn.GameRecord:
    rng, board = random.Random(seed), Board()
    players, beliefs = (white, black), (Belief(WHITE, memory=64 << 20), Belief(BLACK, memory=64 << 20))
    plies = []
    while (outcome := board.outcome()) is None and len(plies) < 60:
        mover = int(board.turn)
        move = players[mover](board.observation(board.turn), rng)
        board.push(move)
        for belief in beliefs:
            belief.observe(board.observation(belief.colour))
        plies.append(pgn.Ply(move, comment=f"{len(beliefs[mover]):,}"))
    tags = {"White": white.__name__, "Black": black.__name__}
    return pgn.GameRecord(tuple(plies), outcome.result if outcome else "*", tags=tags)


def main(seed: int = 4) -> str:
    text = pgn.format_game(play(greedy_player, random_player, seed))
    (game,) = pgn.parse_games(text)
    return f"{text}\n{game.board()}\n"


if __name__ == "__main__":
    print(main(*map(int, sys.argv[1:2])))
