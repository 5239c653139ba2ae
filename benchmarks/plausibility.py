"""How likely a position of a belief is, by its value: measured on the games of a match.

At a player's moves the true position is one of those that she holds possible. An opponent is taken to get to a position
with a likelihood of exp(-k max(s, floor) - h g). Here s is our player's value of it as it stands, g what she gains by
taking what hangs, both before she moves, and the floor is a little below what she expected when she moved last.
Opponents are a mixture of such, whose shares are fitted to the true positions. The belief is sampled; its other
positions count for as many as they stand for.

    murk match murk zs21 --games 50 --movetime 0.3 --journal match.jsonl
    python benchmarks/plausibility.py match.jsonl --agent murk

prints the mean of -log p of the true position for all positions alike, for single k = h, for the mixture that was
measured, for the agent's, which is less strict, and for the best shares; and, for the best single k and the mixture
that was measured, how often the true position is among those that hold 90 % of the weight, by how large a part of the
belief these are.
"""

import argparse
import itertools
import json
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.progress import track

from murk._core import EmbeddedEvaluator
from murk.darkchess import Board, Colour, Move
from murk.darkchess.evaluators import make_evaluator
from murk.darkchess.tracking import Tracker

SAMPLED = 200
LARGEST = 60_000
"""Positions of a belief with which a game is not followed any further."""
SURPRISE = 0.1
"""How much less than what was expected counts."""
LADDER = (0.0, 3.0, 7.5, 15.0, 30.0, 60.0)
MEASURED = {(60.0, 30.0): 0.35, (15.0, 3.0): 0.5, (7.5, 7.5): 0.15}
"""A mixture of opponents: strictness about what stands and about what hangs, and share."""
AGENT = {(20.0, 20.0): 0.45, (5.0, 5.0): 0.42, (1.0, 1.0): 0.13}
"""The agent murk's mixture. Less strict than the best fit, and about both alike, see docs/growing-tried.md."""
SINGLE = {(15.0, 15.0): 1.0}
PARTS = (0.01, 0.03, 0.1, 0.3, 1.0)

Opponents = Mapping[tuple[float, float], float]


@dataclass(frozen=True)
class Case:
    """The values of the true position (first) and of sampled others, and how many each of them stands for."""

    values: npt.NDArray[np.float64]
    standing: npt.NDArray[np.float64]
    stands_for: npt.NDArray[np.float64]
    expected: float

    def shares(self, standing: float, hanging: float) -> npt.NDArray[np.float64]:
        """Return the probability of each position if the opponent is so strict."""
        stands = np.maximum(self.standing, self.expected - SURPRISE)
        cost = standing * stands + hanging * np.maximum(0.0, self.values - stands)
        likely = np.exp(cost.min() - cost)
        return np.asarray(likely / (likely @ self.stands_for))

    def mixture(self, opponents: Opponents) -> npt.NDArray[np.float64]:
        """Return the probability of each position if the opponent is one of several."""
        return np.asarray(sum(share * self.shares(*strictness) for strictness, share in opponents.items()))


def cases_of(game: dict[str, Any], player: int, seed: int) -> Iterator[Case]:
    """Follow a game with the eyes of one player."""
    evaluator, board = make_evaluator("embedded"), Board(game["fen"])
    assert isinstance(evaluator, EmbeddedEvaluator)
    colour = Colour.WHITE if game["white"] == player else Colour.BLACK
    belief = Tracker(colour, game["fen"], limit=LARGEST, seed=seed)
    expected: float | None = None
    for ply in game["plies"]:
        own = board.turn == colour
        if not belief.exact:
            return
        if own and len(belief) > 1 and expected is not None:
            drawn = belief.sample(SAMPLED + 1, seed + len(board.moves))
            others = [position for position in drawn if position != board.position][:SAMPLED]
            positions = (board.position, *others)
            values = np.array([evaluator.value(position) for position in positions], dtype=np.float64)
            standing = np.array([evaluator.static_value(position) for position in positions], dtype=np.float64)
            stands_for = np.full(len(values), (len(belief) - 1) / len(others))
            stands_for[0] = 1.0
            yield Case(values, standing, stands_for, expected)
        if own and ply.get("decision") is not None:
            expected = float(ply["decision"]["value"])
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


def surprise(cases: Sequence[Case], opponents: Opponents) -> float:
    """Return the mean of -log p of the true position over all cases."""
    return float(np.mean([-np.log(case.mixture(opponents)[0]) for case in cases]))


def fit_shares(
    cases: Sequence[Case], kinds: Sequence[tuple[float, float]], rounds: int = 300
) -> dict[tuple[float, float], float]:
    """Return the likeliest shares of opponents, by expectation maximisation."""
    likely = np.array([[case.shares(*kind)[0] for kind in kinds] for case in cases])
    shares = np.full(len(kinds), 1.0 / len(kinds))
    for _ in range(rounds):
        who = likely * shares
        shares = (who / who.sum(axis=1, keepdims=True)).mean(axis=0)
    return dict(zip(kinds, shares.tolist(), strict=True))


def calibration(cases: Sequence[Case], opponents: Opponents) -> Iterator[tuple[float, int, float, float]]:
    """Yield by parts that hold 90 % of the weight: moves, how often the true position is there, weight there."""
    rows: dict[float, list[tuple[bool, float]]] = {part: [] for part in PARTS}
    for case in cases:
        weights = case.mixture(opponents) * case.stands_for
        order = np.argsort(-weights / case.stands_for, kind="stable")
        held = order[: int(np.searchsorted(np.cumsum(weights[order]), 0.9)) + 1]
        part = case.stands_for[held].sum() / case.stands_for.sum()
        row = next(limit for limit in PARTS if part <= limit + 1e-9)
        rows[row].append((bool((held == 0).any()), float(weights[held].sum())))
    for part, found in rows.items():
        if found:
            true, weight = np.mean(np.array(found, dtype=np.float64), axis=0)
            yield part, len(found), float(true), float(weight)


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
    same = [(k, k) for k in LADDER]
    print(f"{len(cases)} moves")
    for kind in same:
        print(f"{f'k = {kind[0]:g}':36}{surprise(cases, {kind: 1.0}):.3f} nats")
    print(f"{'what was measured':36}{surprise(cases, MEASURED):.3f} nats")
    print(f"{'the agent':36}{surprise(cases, AGENT):.3f} nats")
    for title, kinds in (("best shares of k", same), ("of k and h", list(itertools.product(LADDER, LADDER)))):
        best = fit_shares(cases, kinds)
        shares = ", ".join(f"{k:g}, {h:g}: {p:.2f}" for (k, h), p in best.items() if p >= 0.01)
        print(f"{title:36}{surprise(cases, best):.3f} nats: {shares}")
    print("90 % of the weight on up to               moves   true there   weight there")
    for title, opponents in (("k = 15", SINGLE), ("measured", MEASURED), ("agent", AGENT)):
        for part, moves, true, weight in calibration(cases, opponents):
            print(f"{title:12}{part:24.0%} {moves:10} {true:12.3f} {weight:14.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
