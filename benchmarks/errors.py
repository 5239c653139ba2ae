"""How far evaluators are from Stockfish on the positions of a match, and what an error of some size costs.

    python benchmarks/errors.py match.jsonl --evaluator embedded --evaluator embedded:benchmarks/nets/scores.bin

prints, over all moves of positions of the games that are not decided, the mean and median difference from Stockfish at
depth 1, and by how much the evaluator's best move is worse than the best by Stockfish at greater depth. Positions that
strong players came to are harder than those of other games.

    murk match "murk(evaluator=benchmarks/errors.py:Noisy)" "murk(evaluator=stockfish)" --games 100 --nodes 5000

plays with Stockfish's values and noise added, which is always the same for the same position: a mean error of 0.08.
"""

import argparse
import random
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path
from statistics import NormalDist

import numpy as np
from rich.progress import track

from murk.darkchess import Board, Move, Position
from murk.darkchess.evaluators import CustomEvaluator, make_evaluator
from murk.errors import MurkError
from murk.match.journal import read_journal

DECIDED = 0.98
"""A move that is worth more, to either side, is left out."""


class Noisy(CustomEvaluator):
    """Stockfish at depth 1, and noise: a part for each move, and a part for all moves of a position together."""

    def __init__(self) -> None:
        super().__init__("noisy", {"move": "0.071", "position": "0.066"}, "GPL-3.0")
        self._stockfish = make_evaluator("stockfish")

    def move_values(self, position: Position, moves: Sequence[Move]) -> list[float]:
        """Return noisy values."""
        exact = dict(zip(position.legal_moves, map(float, self._stockfish.values(position)), strict=True))
        together = 0.066 * _noise(position.fen)
        return [
            exact[move]
            if abs(exact[move]) >= DECIDED
            else min(0.999, max(-0.999, exact[move] + together + 0.071 * _noise(f"{position.fen} {move}")))
            for move in moves
        ]


def _noise(name: str) -> float:
    """Return a standard normal number that depends on nothing but the name."""
    return NormalDist().inv_cdf((zlib.crc32(name.encode()) + 0.5) / 2**32)


def main(arguments: Sequence[str]) -> int:
    """Print a line for each evaluator."""
    parser = argparse.ArgumentParser(description="Compare evaluators with Stockfish on the positions of a match.")
    parser.add_argument("journal", type=Path, nargs="+")
    parser.add_argument("--evaluator", action="append", help="one to measure, several times (embedded)")
    parser.add_argument("--positions", type=int, default=1_000, help="drawn from the games at random")
    parser.add_argument("--depth", type=int, default=8, help="of Stockfish's searches that say which move is best")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    try:
        positions: dict[str, Position] = {}
        for path in options.journal:
            for game in read_journal(path)[1]:
                board = Board(game.fen)
                for ply in game.plies:
                    positions[board.position.fen] = board.position
                    board.push(ply.move)
        drawn = sorted(positions)
        random.Random(options.seed).shuffle(drawn)
        chosen = [positions[fen] for fen in drawn[: options.positions]]
        shallow, deep = make_evaluator("stockfish"), make_evaluator("stockfish", depth=options.depth)
        truth = [
            (np.asarray(shallow.values(p), dtype=np.float64), np.asarray(deep.values(p), dtype=np.float64))
            for p in track(chosen, "Stockfish", transient=True)
        ]
        print(f"{len(chosen)} positions")
        for name in options.evaluator or ["embedded"]:
            evaluator = make_evaluator(name)
            errors, regrets = [], []
            for position, (near, far) in zip(chosen, truth, strict=True):
                values = np.asarray(evaluator.values(position), dtype=np.float64)
                errors.append(np.abs(values - near)[np.abs(near) < DECIDED])
                regrets.append(far.max() - far[values.argmax()])
            of_all = np.concatenate(errors)
            print(
                f"{name:48}  from depth 1: mean {of_all.mean():.4f}, median {np.median(of_all):.4f}  "
                f"its best move is worse by {np.mean(regrets):.4f}"
            )
    except (MurkError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
