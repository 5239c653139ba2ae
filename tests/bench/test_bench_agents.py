"""A long game of each agent: the same every time, and no larger at its end than at its beginning."""

import itertools
import json
import subprocess
import sys

import pytest

from murk.bench.darkchess import Settings, agents
from murk.darkchess import Board
from murk.darkchess.agents import Clock
from murk.errors import BackendError

MEGABYTE = 1 << 20
SMALL = {
    "zs21": "zs21(particles=40,evaluator=simple,memory=64000)",
    "baseline": "baseline(particles=20,evaluator=simple,memory=64000)",
    "murk": "murk(positions=40,evaluator=simple,memory=64000)",
}


def test_the_game_does_not_end_and_hides_what_happens() -> None:
    board, taken = Board(), 0
    for move in agents.endless_game(100):
        assert move in board.legal_moves
        taken += board.position.piece_at(move.to_square) is not None
        board.push(move)
        assert board.position.winner is None
    assert taken <= 4
    assert len(board.moves) == 200


@pytest.mark.parametrize("spec", SMALL.values(), ids=SMALL)
def test_memory_is_bounded_over_300_moves(spec: str) -> None:
    command = [sys.executable, "-m", "murk.bench.darkchess.agents", spec, "300", "nodes", "150"]
    told = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert told["moves"] == 300
    # Keeping no more than the positions of each move would come to 11 megabytes.
    assert told["growth"] < 4 * MEGABYTE


def test_rows_have_a_signature_that_is_the_same_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agents, "QUICK", 4)
    monkeypatch.setattr(agents, "AGENTS", (SMALL["zs21"], "greedy(evaluator=simple)"))
    rows = list(agents.measure(Settings(quick=True)))
    both = ["agent_seconds_per_move", "agent_memory_growth", "agent_longest_move", "agent_memory_growth"]
    assert [row.metric for row in rows] == both * 2
    again = agents.play(SMALL["zs21"], 4, Clock(nodes=agents.NODES))
    assert rows[0].note == f"signature {again.signature}"
    assert rows[0].ours > 0


def test_what_was_seen_before_a_move_is_on_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agents.time, "perf_counter", itertools.count().__next__)  # each look at the clock takes 1 s
    budgets: list[float | None] = []

    class Player(agents.make_agent("random").__class__):
        def move(self, clock: Clock) -> agents.Decision:
            budgets.append(clock.movetime)
            return agents.Decision(move=agents.endless_game(1)[0])

    monkeypatch.setattr(agents, "make_agent", lambda spec: Player())
    seconds = [seconds for _, seconds in agents.follow("nobody", 3, Clock(movetime=10.0))]
    assert budgets == [10.0, 8.0, 8.0]  # two observations between two moves
    assert seconds == [1.0, 3.0, 3.0]


def test_an_agent_that_fails_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agents, "AGENTS", ("nobody",))
    with pytest.raises(BackendError, match=r"a game of 60 moves of nobody failed: .*there is no agent"):
        list(agents.measure(Settings(quick=True)))
