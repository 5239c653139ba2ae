"""How likely a position of a belief is, by its value: measured on the games of a match.

At a player's moves the true position is one of those that she holds possible. The likelihood is taken to be
exp(-k max(v, floor)), v being her value of a position before she moves; k, and then both, are fitted to the true
positions. The belief is sampled; its other positions count for as many as they stand for.

    murk match murk zs21 --games 50 --movetime 0.3 --journal match.jsonl
    python benchmarks/plausibility.py match.jsonl --agent murk

prints the mean of -log p for all alike (k = 0), for some k without a floor, and for the best with and without.
"""

import argparse
import json
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.optimize
from rich.progress import track

from murk._core import EmbeddedEvaluator
from murk.darkchess import Board, Colour, Move
from murk.darkchess.evaluators import make_evaluator
from murk.darkchess.tracking import Tracker

SAMPLED = 100
LARGEST = 60_000
"""Positions of a belief with which a game is not followed any further."""
SHOWN = (0.0, 2.0, 4.0, 8.0, 16.0, 24.0, 32.0)


@dataclass(frozen=True)
class Case:
    """The values of the true position (first) and of sampled others, each of which stands for ``stands_for``."""

    values: npt.NDArray[np.float64]
    stands_for: float

    def surprise(self, k: float, floor: float) -> float:
        """Return -log of the probability of the true position."""
        weights = -k * np.maximum(self.values, floor)
        weights[1:] += np.log(self.stands_for)
        return float(np.logaddexp.reduce(weights) - weights[0])


def cases_of(game: dict[str, Any], player: int, seed: int) -> Iterator[Case]:
    """Follow a game with the eyes of one player."""
    evaluator, board = make_evaluator("embedded"), Board(game["fen"])
    assert isinstance(evaluator, EmbeddedEvaluator)
    colour = Colour.WHITE if game["white"] == player else Colour.BLACK
    belief = Tracker(colour, game["fen"], limit=LARGEST, seed=seed)
    for ply in game["plies"]:
        own = board.turn == colour
        if not belief.exact:
            return
        if own and len(belief) > 1:
            drawn = belief.sample(SAMPLED + 1, seed + len(board.moves))
            others = [position for position in drawn if position != board.position][:SAMPLED]
            values = np.array([evaluator.value(position) for position in (board.position, *others)], dtype=np.float64)
            yield Case(values, (len(belief) - 1) / len(others))
        move = Move.from_uci(ply["move"])
        board.push(move)
        if board.position.winner is not None:
            return
        belief.observe(board.observation(colour), move if own else None)


def read_games(path: Path, agent: str) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield the games of a journal with the number of the player whose name begins with ``agent``."""
    with path.open(encoding="utf-8") as lines:
        labels: list[str] = []
        for line in lines:
            entry = json.loads(line)
            if entry["type"] == "match":
                labels = [player["label"] for player in entry["players"]]
                continue
            for player in (entry["white"], entry["black"]):
                if labels[player].startswith(agent):
                    yield entry, player


def mean_surprise(cases: Sequence[Case], k: float, floor: float = -1.0) -> float:
    """Return the mean of -log p over all cases."""
    return float(np.mean([case.surprise(k, floor) for case in cases]))


def main(arguments: Sequence[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Fit how likely positions are by their value.")
    parser.add_argument("journal", type=Path, nargs="+")
    parser.add_argument("--agent", default="murk", help="whose beliefs: the beginning of a player's name")
    parser.add_argument("--games", type=int, default=25, help="games of each journal to follow, drawn at random")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    source = random.Random(options.seed)
    cases: list[Case] = []
    for path in options.journal:
        games = list(read_games(path, options.agent))
        for game, player in track(source.sample(games, min(len(games), options.games)), path.name, transient=True):
            cases.extend(cases_of(game, player, options.seed))
    if not cases:
        print(f"no game of {options.agent!r} in {', '.join(map(str, options.journal))}", file=sys.stderr)
        return 2
    best = scipy.optimize.minimize_scalar(lambda k: mean_surprise(cases, k), bounds=(0.0, 64.0), method="bounded")
    both = scipy.optimize.minimize(lambda x: mean_surprise(cases, *x), (best.x, -0.3), method="Nelder-Mead")
    print(f"{len(cases)} moves")
    for k, floor in (*((k, -1.0) for k in SHOWN), (best.x, -1.0), both.x):
        print(f"k = {k:5.1f}, floor {floor:5.2f}  {mean_surprise(cases, k, floor):.3f} nats")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
