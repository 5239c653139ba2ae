"""Time control: what no agent may begin when there is hardly any time. No test here looks at a clock on the wall."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from murk import _core
from murk.darkchess import WHITE, Board, Position
from murk.darkchess.agents import Clock, make_agent
from murk.darkchess.agents.baseline import solve_root
from murk.darkchess.agents.believing import FEWEST_POSITIONS, BelievingAgent, Deadline, evaluate
from murk.darkchess.evaluators.choose import make_evaluator
from murk.darkchess.referee import Referee, TimeControl
from murk.search import Budget, SearchOptions, TrunkSearch
from murk.search.lp import TrunkSolution
from murk.search.options import Deadline as SearchDeadline

AGENTS = ["zs21", "baseline", "pimc", "greedy", "murk"]
CLOCKS = {
    "one second": TimeControl(base=1, increment=0.1, margin=60),
    "half a second in all": TimeControl(base=0.5, margin=60),
    "more to gain than there is": TimeControl(base=0.05, increment=0.3, margin=60),
    "next to nothing": TimeControl(base=0.01, margin=60),
    "a millisecond a move": TimeControl(movetime=0.001, margin=60),
}


def positions(count: int) -> list[Position]:
    board = Board()
    found = [board.position]
    for move in board.legal_moves[: count - 1]:
        found.append(board.position.play(move).mirror())
    return found


@pytest.mark.parametrize("name", AGENTS)
@pytest.mark.parametrize("control", CLOCKS.values(), ids=CLOCKS)
def test_games_on_small_clocks_are_played(name: str, control: TimeControl) -> None:
    with make_agent(f"{name}(evaluator=simple)") as agent, make_agent("random") as other:
        game = Referee(agent, other, control=control, max_plies=14).play()
    assert game.ending.reason in ("length", "king captured")


@given(
    remaining=st.floats(0, 1e5),
    increment=st.floats(0, 1e3),
    movetime=st.none() | st.floats(0, 1e3),
    taken=st.floats(0, 0.05),
)
def test_a_clock_never_runs_dry(remaining: float, increment: float, movetime: float | None, taken: float) -> None:
    # A player who takes her budget, and a twentieth of a second more, comes to her next move with time on the clock.
    clock = Clock(remaining=remaining, increment=increment, movetime=movetime)
    budget = clock.budget()
    assert budget is not None
    assert 0 <= budget <= (remaining if movetime is None else movetime)
    assert budget == 0 or budget + taken <= remaining + 1e-9


def test_positions_are_added_as_time_allows() -> None:
    game = _core.ChessGame(WHITE, make_evaluator("simple"))
    assert len(game.add_positions(positions(20), 7, 0.0)) == 1
    assert len(game.add_positions(positions(20), 7, None)) == 20
    before = game.evaluations
    batch = game.add_positions(positions(20), 7)
    taken = game.evaluations - before
    for position, seed in zip(positions(20), batch, strict=True):
        alone = game.add_position(position, 7)
        assert (alone.value, alone.keys) == (seed.value, seed.keys)
    assert game.evaluations - before == 2 * taken


def test_evaluating_stops_and_never_before_the_first() -> None:
    evaluator, moves = make_evaluator("simple"), Board().legal_moves
    late = Deadline(Clock(movetime=0.0), started=0.0)
    assert evaluate(evaluator, positions(20), moves, late).shape == (1, len(moves))
    assert evaluate(evaluator, positions(20), moves, Deadline(Clock(), started=0.0)).shape == (20, len(moves))


def test_the_baseline_looks_up_between_particles() -> None:
    """A search of two plies is over before it asks whether to stop, but there are many of them."""
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > 40

    board = Board()
    with make_agent("baseline(particles=60)") as agent:
        agent.new_game(WHITE, 1)
        for name in ("e4", "e5", "Nf3", "Nc6", "Bc4", "Nf6", "a3", "a6"):
            own = board.turn == WHITE
            move = board.push(name)
            agent.observe(board.observation(WHITE), move if own else None)
        decision = agent.move(Clock(movetime=math.inf, stop=stop))
    assert decision.belief_size > 60
    assert decision.depth == 2
    assert 0 < decision.notes["particles_at_depth"] < 40
    assert asked == 41


def trunk_search(clock: Budget) -> TrunkSearch:
    game = _core.ChessGame(WHITE, make_evaluator("simple"))
    seeds = game.add_positions(positions(5), 7)
    trunk = _core.Trunk(game, seeds, [0.0] * len(seeds), 100_000)
    search = TrunkSearch(trunk, SearchOptions(growth=2.0, growth_floor=100))
    search.run(clock)
    return search


def test_without_time_the_roots_are_solved_at_most() -> None:
    search = trunk_search(Budget(seconds=0.0))
    assert search.trunk.max_depth <= 1
    assert search.trunk.num_nodes > 5


def test_a_switch_of_gadgets_without_time_leaves_a_whole_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    solve, gadgets = TrunkSearch._solve, []

    def one_solve_only(search: TrunkSearch, clock: SearchDeadline) -> TrunkSolution | None:
        gadgets.append(search.gadget)
        return solve(search, clock) if len(gadgets) == 1 else None

    monkeypatch.setattr(TrunkSearch, "_solve", one_solve_only)
    game = _core.ChessGame(WHITE, make_evaluator("simple"))
    seeds = game.add_positions(positions(5), 7)
    trunk = _core.Trunk(game, seeds, [0.5] * len(seeds), 100_000)  # more than can be had: all margins are negative
    result = TrunkSearch(trunk).run(Budget(nodes=400))
    assert gadgets == ["maxmargin", "resolve"]
    assert (result.gadget, result.iterations) == ("maxmargin", 0)
    assert len(result.action_values) == len(Board().legal_moves)
    assert len(result.margins) == 5


def test_no_round_begins_that_cannot_end() -> None:
    search = trunk_search(Budget(nodes=400))
    assert search.solution is not None
    size, slow = search.trunk.num_nodes, dataclasses.replace(search.solution, seconds=1.0)

    def growth(seconds: float | None) -> int:
        return search._growth(SearchDeadline(Budget(seconds=seconds), SearchDeadline(Budget(), 0.0).elapsed()))

    search.solution = slow
    assert growth(None) == 2 * size
    assert growth(1e6) == 2 * size
    assert growth(1.2) == 0, "a solve of 1 s, and a tenth more to solve"
    assert 0.1 * size <= growth(2.0) + 1 < 0.5 * size
    assert growth(1.5) <= growth(3.0) <= growth(6.0)
    search.solution = dataclasses.replace(slow, seconds=0.0)
    search._timings.expand = 1000.0
    assert growth(10.0) == 0, "expanding alone takes longer"


def test_a_root_without_time_is_a_pure_move() -> None:
    values = np.array([[0.1, 0.5, 0.2], [0.3, 0.4, -0.9]])
    root = solve_root(values, np.zeros(2), seconds=0.0)
    assert root.mixture.tolist() == [0.0, 1.0, 0.0]


def test_a_belief_shrinks_if_it_takes_too_long() -> None:
    with make_agent("pimc(evaluator=simple)") as agent:
        assert isinstance(agent, BelievingAgent)
        agent.new_game(WHITE, 0)
        roomy = agent._limit(Clock(movetime=0.5))
        agent._observing = 0.5
        crowded = agent._limit(Clock(movetime=0.0))
        agent._observing = 0.05
        again = agent._limit(Clock(movetime=0.45))
    assert FEWEST_POSITIONS <= crowded < roomy / 2
    assert crowded < again <= roomy
