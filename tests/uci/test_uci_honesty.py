"""The engine is told everything, and answers from its own side's observations alone.

Two games that are different and look the same to one side: every byte that the engine sends to that side is the same,
but for what the wall clock says.
"""

import random
import re
import subprocess

import pytest
from uci_client import COMMAND

from murk.darkchess import BLACK, WHITE, Colour, Move, Position

TIMES = re.compile(rb"nps [0-9]+ time [0-9]+")


def twin_games(colour: Colour, plies: int, seed: int) -> tuple[list[Move], list[Move]]:
    """Return two games that look the same to ``colour``, in which the opponent's moves differ."""
    source = random.Random(seed)
    positions, games = (Position(), Position()), ([], [])
    for _ in range(plies):
        first, second = positions
        pairs = [
            (a, b)
            for a in source.sample(first.legal_moves, len(first.legal_moves))
            for b in source.sample(second.legal_moves, len(second.legal_moves))
            if (a == b) == (first.turn == colour)
            and first.observation_after(a, colour) == second.observation_after(b, colour)
        ]
        if not pairs:
            break
        for game, move in zip(games, pairs[0], strict=True):
            game.append(move)
        positions = tuple(p.play(m) for p, m in zip(positions, pairs[0], strict=True))
    return games


def answers(agent: str, colour: Colour, game: list[Move]) -> bytes:
    script = [f"setoption name Agent value {agent}", "setoption name Seed value 11", "setoption name MultiPV value 9"]
    script += ["debug on", "setoption name InfoInterval value 0", "uci", "isready"]
    for ply in range(len(game) + 1):
        if ply % 2 == colour:
            script += [f"position startpos moves {' '.join(map(str, game[:ply]))}", "go nodes 900"]
    return _run(script)


def _run(script: list[str]) -> bytes:
    """Send the lines one after the other; what follows a search waits for its end."""
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as engine:
        assert engine.stdin is not None
        assert engine.stdout is not None
        said = b""
        for line in script:
            engine.stdin.write(line.encode() + b"\n")
            engine.stdin.flush()
            while line.startswith("go") and (heard := engine.stdout.readline()):
                said += heard
                if heard.startswith(b"bestmove"):
                    break
        engine.stdin.close()
        said += engine.stdout.read()
    return TIMES.sub(b"", said)


@pytest.mark.parametrize("agent", ["murk", "zs21", "pimc"])
@pytest.mark.parametrize("colour", [WHITE, BLACK])
def test_equal_observations_give_equal_bytes(agent: str, colour: Colour) -> None:
    first, second = twin_games(colour, 12, seed=2 + colour)
    assert len(first) >= 8
    assert first != second
    heard = answers(agent, colour, first)
    assert heard == answers(agent, colour, second)
    assert heard.count(b"bestmove") == sum(ply % 2 == colour for ply in range(len(first) + 1))
    assert b"error" not in heard


def test_other_observations_give_other_bytes() -> None:
    """The comparison above can fail."""
    first, second = twin_games(WHITE, 12, seed=2)
    assert answers("pimc", BLACK, first) != answers("pimc", BLACK, second)


def test_a_take_back_that_is_not_seen_is_not_noticed() -> None:
    """Another hidden move at the same place is no new game to a side that saw neither."""
    first, second = twin_games(WHITE, 7, seed=2)
    lines = [f"position startpos moves {' '.join(map(str, game[:6]))}" for game in (first, second)]
    setup = ["setoption name Agent value pimc", "setoption name Seed value 3", "setoption name InfoInterval value 0"]
    plain = _run([*setup, lines[0], "go nodes 300", lines[0], "go nodes 300"])
    changed = _run([*setup, lines[0], "go nodes 300", lines[1], "go nodes 300"])
    assert plain == changed
