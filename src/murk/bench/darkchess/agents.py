"""A long game of each agent: what a move costs, whether memory stays bounded, and a signature of all it decides.

In a process of its own for each agent: ``python -m murk.bench.darkchess.agents SPEC MOVES nodes|movetime LIMIT``
answers with JSON. The game is made so that it does not end: next to nothing is taken, and what would draw it is
ignored. The agent is asked at each of its moves, and follows the game whatever it says. It does so twice, with a limit
of work, which gives the same decisions every time, and in a hurry, as a fast match is played.
"""

import hashlib
import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace

from murk.bench.darkchess import Settings
from murk.bench.darkchess.belief_memory import peak, reset_peak
from murk.bench.report import Row, make_row
from murk.darkchess import Board, Colour, Move, Position
from murk.darkchess.agents import Clock, Decision, make_agent
from murk.errors import BackendError

__all__ = ["AGENTS", "LongGame", "endless_game", "follow", "measure"]

AGENTS = ("murk", "zs21", "baseline", "pimc", "greedy")
FULL, QUICK = 300, 60
NODES = 2000
MOVETIME = 0.05
SEED = 1
_SETTLED = 3  # by a third of the game everything is as large as it will be


@dataclass(frozen=True, kw_only=True)
class LongGame:
    """What a long game was like.

    Attributes:
        moves: how often the agent was asked.
        seconds: of CPU time for each of its moves, taking in observations included.
        longest: the most seconds that a move took by the clock, taking in observations included.
        growth: bytes by which the peak of memory was higher in the rest of the game than in its first third.
        signature: a hash of every decision: the move, the mixture, the belief's size, the nodes.
    """

    moves: int
    seconds: float
    longest: float
    growth: int
    signature: str


def endless_game(moves: int, seed: int = SEED) -> list[Move]:
    """Return a game of so many moves of both sides in which nothing is taken that need not be, and no king hangs."""
    source, position = random.Random(seed), Position()
    played: list[Move] = []
    while len(played) < 2 * moves:
        safe = [move for move in position.legal_moves if not _king_hangs(position.play(move))]
        quiet = [move for move in safe if position.piece_at(move.to_square) is None]
        if not safe:
            raise BackendError(f"the game of seed {seed} cannot go on after {len(played)} plies")
        played.append(source.choice(quiet or safe))
        position = position.play(played[-1])
    return played


def _king_hangs(position: Position) -> bool:
    return any(str(position.piece_at(move.to_square)) in "Kk" for move in position.legal_moves)


def follow(spec: str, moves: int, limit: Clock) -> Iterator[tuple[Decision, float]]:
    """Show an agent the game as White sees it, and yield what it would play at each of its moves, and how long it took.

    As in a match, taking in observations is on the time of the move that follows.
    """
    board, spent = Board(), 0.0
    with make_agent(spec) as agent:
        agent.new_game(Colour.WHITE, SEED)
        for move in endless_game(moves):
            mover, started = board.turn, time.perf_counter()
            if mover == Colour.WHITE:
                left = None if limit.movetime is None else max(0.0, limit.movetime - spent)
                decision = agent.move(replace(limit, movetime=left))
                yield decision, spent + time.perf_counter() - started
                spent = 0.0
            board.push(move)
            seen, started = board.observation(Colour.WHITE), time.perf_counter()
            agent.observe(seen, move if mover == Colour.WHITE else None)
            spent += time.perf_counter() - started


def play(spec: str, moves: int, limit: Clock) -> LongGame:
    """Play the game in this process."""
    digest, started, early, longest = hashlib.sha256(), time.process_time(), 0, 0.0
    for number, (decision, seconds) in enumerate(follow(spec, moves, limit)):
        mixture = [(str(choice.move), round(choice.probability, 6)) for choice in decision.mixture]
        told = [str(decision.move), sorted(mixture), decision.belief_size, decision.nodes]
        digest.update(json.dumps(told).encode())
        longest = max(longest, seconds)
        if number == moves // _SETTLED:
            early = peak()
            reset_peak()
    return LongGame(
        moves=moves,
        seconds=(time.process_time() - started) / moves,
        longest=longest,
        growth=peak() - early,
        signature=digest.hexdigest()[:16],
    )


def measure(settings: Settings) -> Iterator[Row]:
    """Yield four rows for each agent."""
    moves = QUICK if settings.quick else FULL
    for spec in AGENTS:
        settings.progress(f"{spec}, a game of {moves} moves")
        game = _in_a_process(spec, moves, Clock(nodes=NODES))
        note = f"signature {game.signature}"
        case = f"{spec}, {moves} moves"
        yield make_row("agent_seconds_per_move", case=case, nodes=NODES, ours=game.seconds, note=note)
        yield make_row("agent_memory_growth", case=case, nodes=NODES, ours=game.growth, method="whole process")
        settings.progress(f"{spec}, a game of {moves} moves in a hurry")
        game = _in_a_process(spec, moves, Clock(movetime=MOVETIME))
        case = f"{spec}, {moves} moves of {MOVETIME:g} s"
        yield make_row("agent_longest_move", case=case, nodes=0, ours=game.longest)
        yield make_row("agent_memory_growth", case=case, nodes=0, ours=game.growth, method="whole process")


def _in_a_process(spec: str, moves: int, limit: Clock) -> LongGame:
    kind, most = ("nodes", limit.nodes) if limit.movetime is None else ("movetime", limit.movetime)
    command = [sys.executable, "-m", "murk.bench.darkchess.agents", spec, str(moves), kind, str(most)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise BackendError(f"a game of {moves} moves of {spec} failed: {last}")
    return LongGame(**json.loads(done.stdout))


def _limit(kind: str, most: str) -> Clock:
    return Clock(nodes=int(most)) if kind == "nodes" else Clock(movetime=float(most))


if __name__ == "__main__":
    json.dump(asdict(play(sys.argv[1], int(sys.argv[2]), _limit(*sys.argv[3:5]))), sys.stdout)
