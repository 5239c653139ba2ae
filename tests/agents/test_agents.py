"""The simple agents: what they play, and that they keep to their limits."""

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog

from murk._core import look_ahead
from murk.darkchess import BLACK, WHITE, Board, Move, Position
from murk.darkchess.agents import Clock, make_agent
from murk.darkchess.agents.baseline import information_bonus, solve_root
from murk.darkchess.agents.believing import BelievingAgent
from murk.darkchess.evaluators.choose import make_evaluator
from murk.darkchess.referee import Referee, TimeControl
from murk.errors import InputError

EVALUATOR = "evaluator=simple"


def decide(spec: str, fen: str, *, clock: Clock | None = None, seed: int = 0):
    with make_agent(spec) as agent:
        position = Position(fen)
        agent.new_game(position.turn, seed, fen)
        if agent.sees_everything:
            agent.see(Board(fen))
        return agent.move(clock or Clock(nodes=5000))


@pytest.mark.parametrize("name", ["greedy", "pimc", "pimc(choice=vote,{})", "baseline", "cheat"])
def test_a_king_that_can_be_taken_is_taken(name: str) -> None:
    spec = name.format(EVALUATOR) if "{}" in name else f"{name}({EVALUATOR})"
    decision = decide(spec, "4k3/3q4/8/8/8/5P2/4Q3/4K3 w - - 0 1")
    assert str(decision.move) == "e2e8"


@pytest.mark.parametrize("name", ["pimc", "baseline", "cheat"])
def test_a_king_in_danger_is_saved(name: str) -> None:
    decision = decide(f"{name}({EVALUATOR})", "k3r3/8/8/8/8/8/3Q4/4K3 w - - 0 1")
    after = Position("k3r3/8/8/8/8/8/3Q4/4K3 w - -").play(decision.move)
    assert not any(after.piece_at(reply.to_square) == "K" for reply in after.legal_moves)


def test_greedy_takes_the_most_with_the_least() -> None:
    fen = "4k3/8/1q6/2Pn4/4P3/3B4/8/1R2K3 w - - 0 1"
    decision = decide(f"greedy({EVALUATOR})", fen)
    assert str(decision.move) == "c5b6", "the queen, with the pawn and not the rook"
    assert decision.notes["takes"] == 9 - 1 / 100


def test_greedy_asks_when_there_is_nothing_to_take() -> None:
    decision = decide(f"greedy({EVALUATOR})", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1")
    assert decision.nodes
    assert decision.value is not None


def test_random_plays_every_move() -> None:
    moves = {str(decide("random", Board().fen, seed=seed).move) for seed in range(300)}
    assert moves == {str(move) for move in Board().legal_moves}


@pytest.mark.parametrize("name", ["greedy", "pimc", "baseline", "cheat"])
@pytest.mark.parametrize("nodes", [1, 100, 5000])
def test_nodes_are_kept_to(name: str, nodes: int) -> None:
    with make_agent(f"{name}({EVALUATOR})") as agent:
        agent.new_game(WHITE, 0)
        decision = agent.move(Clock(nodes=nodes))
    # One position has to be looked at whatever the limit.
    assert decision.nodes is not None
    assert decision.nodes <= max(nodes, len(Board().legal_moves))


@pytest.mark.parametrize("name", ["greedy", "pimc", "baseline", "cheat"])
def test_games_on_hardly_any_time(name: str) -> None:
    with make_agent(f"{name}({EVALUATOR})") as agent, make_agent("random") as other:
        for control in (TimeControl(movetime=0.001, margin=60), TimeControl(base=0.1, increment=0.001, margin=60)):
            game = Referee(agent, other, control=control, max_plies=16).play()
            assert game.ending.reason in ("length", "king captured")


def test_decisions_say_what_they_are_based_on() -> None:
    with make_agent(f"baseline(particles=20,{EVALUATOR})") as agent:
        assert isinstance(agent, BelievingAgent)
        agent.new_game(BLACK, 3)
        board = Board()
        board.push("d2d4")
        agent.observe(board.observation(BLACK))
        decision = agent.move(Clock(nodes=3000))
    assert decision.belief_size == 20
    assert decision.belief_exact is True
    assert decision.evaluator == "simple"
    assert decision.gadget in ("maxmargin", "resolve")
    assert len(decision.margins) == 20
    assert sum(choice.probability for choice in decision.mixture) == pytest.approx(1)
    assert decision.as_fields()["mixture"][0]["probability"] > 0
    assert decision.seconds is not None


def test_one_legal_move_needs_no_thought() -> None:
    fen = "k7/8/8/8/8/8/1r6/K7 b - - 0 1"
    with make_agent(f"pimc({EVALUATOR})") as agent:
        agent.new_game(WHITE, 0, fen)
        board = Board(fen)
        board.push("b2b8")
        agent.observe(board.observation(WHITE))
        decision = agent.move(Clock(nodes=100))
    assert decision.move in board.legal_moves
    assert (decision.notes == {"only_move": True}) == (len(board.legal_moves) == 1)


@pytest.mark.parametrize(
    "spec",
    [
        "greedy(positions=0)",
        "pimc(positions=0)",
        "baseline(particles=0)",
        "baseline(depth=0)",
        "baseline(information=0)",
        "cheat(depth=0)",
        "pimc(memory=10)",
        "pimc(choice=best)",
        "pimc(evaluator=none)",
    ],
)
def test_options_out_of_range(spec: str) -> None:
    with pytest.raises(InputError):
        make_agent(spec)


# The one-ply root of the baseline.


def test_the_root_is_maxmargin_while_margins_are_positive() -> None:
    # Matching pennies with a bonus: the best mixture is even, its margin 0.1.
    values = np.array([[1.1, -0.9], [-0.9, 1.1]])
    root = solve_root(values, np.zeros(2))
    assert root.gadget == "maxmargin"
    assert root.mixture == pytest.approx([0.5, 0.5])
    assert root.margins == pytest.approx([0.1, 0.1])


def test_the_root_is_resolve_otherwise() -> None:
    # Three particles favour the first move and one the second; no mixture satisfies all.
    values = np.array([[0.5, -0.5], [0.5, -0.5], [0.5, -0.5], [-0.5, 0.5]])
    root = solve_root(values, values.max(axis=1))
    assert root.gadget == "resolve"
    assert root.mixture == pytest.approx([1.0, 0.0])


@pytest.mark.parametrize("seed", range(6))
def test_the_root_is_optimal(seed: int) -> None:
    source = np.random.default_rng(seed)
    particles, moves = 7, 4
    values = source.uniform(-1, 1, (particles, moves))
    alternate = source.uniform(-0.6, 0.4, particles)
    root = solve_root(values, alternate)
    gains = values - alternate[:, None]
    # The opponent's side of the same games, as a check by duality.
    dual = linprog(
        np.append(np.zeros(particles), 1.0),
        A_ub=np.hstack([gains.T, -np.ones((moves, 1))]),
        b_ub=np.zeros(moves),
        A_eq=np.append(np.ones(particles), 0.0)[None],
        b_eq=[1],
        bounds=[(0, None)] * particles + [(None, None)],
    ).fun
    assert root.gadget == ("maxmargin" if dual >= 0 else "resolve")
    if root.gadget == "maxmargin":
        assert root.margins.min() == pytest.approx(dual)
    else:
        best = np.minimum(root.margins, 0).mean()
        for mixture in itertools.product(range(11), repeat=moves):
            if sum(mixture) == 10:
                assert np.minimum(gains @ (np.array(mixture) / 10), 0).mean() <= best + 1e-9


def test_information_is_worth_more_where_more_is_learnt() -> None:
    # The black king is on a8 or on h8. Looking along the eighth rank tells, a step of the king does not.
    particles = [Position("k7/8/8/8/8/8/8/R3K3 w - -"), Position("7k/8/8/8/8/8/8/R3K3 w - -")]
    fens = [position.observation(WHITE).fog_fen for position in particles]
    assert fens[0] != fens[1], "it sees the one, and so they are no particles of one belief; good enough here"
    moves = [Move.from_uci("e1d1"), Move.from_uci("a1b1")]
    told_apart, hidden = information_bonus(particles, moves, 10**6, 1e7)
    assert told_apart == pytest.approx((1 - 2**-1) * 0.1)
    assert hidden == pytest.approx(0.0)
    assert information_bonus(particles, moves, 5, 1e7) == pytest.approx([0.0, 0.0])


# The search of perfect information.


def negamax(evaluator, position: Position, depth: int) -> list[float]:
    """The value of each move by brute force."""
    own = [float(v) for v in evaluator.values(position)]
    if depth == 1:
        return own
    values = []
    for move, value in zip(position.legal_moves, own, strict=True):
        child = position.play(move)
        if child.winner is not None or takes_king(child):
            values.append(value)
        else:
            values.append(-0.9995 * max(negamax(evaluator, child, depth - 1)))
    return values


def takes_king(position: Position) -> bool:
    return any(position.piece_at(move.to_square) in ("k", "K") for move in position.legal_moves)


@pytest.mark.parametrize(
    ("fen", "depth"),
    [
        ("4k3/8/8/8/8/8/4q3/4K2R w K -", 3),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -", 2),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -", 2),
        ("8/5k2/8/8/8/2K5/5P2/8 b - -", 4),
    ],
)
def test_look_ahead_is_negamax(fen: str, depth: int) -> None:
    evaluator, position = make_evaluator("simple"), Position(fen)
    expected = negamax(evaluator, position, depth)
    found, taken = look_ahead(evaluator, position, depth)
    assert found == pytest.approx(expected, abs=1e-6)
    best, fewer = look_ahead(evaluator, position, depth, best_only=True)
    assert best is not None
    assert max(best) == pytest.approx(max(expected), abs=1e-6)
    assert all(b >= e - 1e-6 for b, e in zip(best, expected, strict=True)), "the others are upper bounds"
    assert fewer <= taken


def test_look_ahead_stops() -> None:
    evaluator, position = make_evaluator("simple"), Position()
    assert look_ahead(evaluator, position, 9, values=1000)[0] is None
    assert look_ahead(evaluator, position, 9, values=1000)[1] <= 1000
    assert look_ahead(evaluator, position, 9, seconds=0.01)[0] is None
    assert look_ahead(evaluator, position, 1, seconds=0.0)[0] is None
