"""The agent ``murk``: known positions, endings that must be won, and draws that must not be given away."""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from murk.darkchess import BLACK, START_FEN, WHITE, Board, Colour, Move, Position
from murk.darkchess.agents import Agent, Clock, Decision, make_agent
from murk.darkchess.agents.growing import MurkAgent
from murk.darkchess.evaluators import make_evaluator
from murk.errors import InputError

NODES = 20_000


def thinker(fen: str = START_FEN, colour: Colour = WHITE, *, seed: int = 1, options: str = "") -> Agent:
    agent = make_agent(f"murk({options})")
    agent.new_game(colour, seed, fen)
    return agent


def follow(agent: Agent, board: Board, colour: Colour, *moves: str) -> None:
    """Play moves of both sides and let the agent see what it sees."""
    for text in moves:
        move, own = Move.from_uci(text), board.position.turn == colour
        board.push(move)
        agent.observe(board.observation(colour), move if own else None)


def against_random(fen: str, colour: Colour, *, seed: int, nodes: int, longest: int = 200) -> Board:
    agent, board, source = thinker(fen, colour, seed=seed), Board(f"{fen} 0 1"), random.Random(seed)
    while board.outcome() is None and len(board.moves) < longest:
        own = board.position.turn == colour
        move = agent.move(Clock(nodes=nodes)).move if own else source.choice(board.position.legal_moves)
        board.push(move)
        if board.outcome() is None:
            agent.observe(board.observation(colour), move if own else None)
    return board


def test_the_first_move_is_d4_or_c4_nine_times_in_ten():
    first = Counter(str(thinker(seed=seed).move(Clock(nodes=NODES)).move) for seed in range(20))
    assert first["d2d4"] + first["c2c4"] >= 18


def test_to_remember_values_changes_nothing_but_the_speed():
    """Over several moves with a tree that is carried on, of either colour."""
    line = ("e2e4", "d7d5", "e4d5", "d8d5", "b1c3", "d5a5")
    for colour in (WHITE, BLACK):
        decisions = []
        for remember in ("yes", "no"):
            agent, board, found = thinker(colour=colour, options=f"remember={remember}"), Board(), []
            for move in line:
                if board.position.turn == colour:
                    found.append(replace(agent.move(Clock(nodes=NODES)), seconds=0.0, notes={}))
                follow(agent, board, colour, move)
            decisions.append(found)
        assert decisions[0] == decisions[1]


def test_after_c4_d5_white_mixes_qa4_and_nc3():
    """Black has opened the diagonal to the king and cannot see the queen coming."""
    chosen: Counter[str] = Counter()
    for seed in range(8):
        agent, board = thinker(seed=seed), Board()
        agent.move(Clock(nodes=5_000))
        follow(agent, board, WHITE, "c2c4", "d7d5")
        chosen.update({str(c.move): c.probability / 8 for c in agent.move(Clock(nodes=100_000)).mixture})
    assert 0.02 < chosen["d1a4"] < 0.5
    assert chosen["b1c3"] > 0.1


@pytest.mark.parametrize("fen", ["k7/8/1K6/8/8/8/8/8 w - -", "k7/2K5/8/8/8/8/8/8 w - -", "k7/8/2K5/8/8/8/8/8 w - -"])
def test_king_against_king_in_the_corner_is_worth_more_than_a_draw(fen: str):
    for position, colour in ((Position(fen), WHITE), (Position(fen).mirror(), BLACK)):
        assert thinker(position.fen, colour).move(Clock(nodes=NODES)).value > 0.1


@pytest.mark.parametrize("colour", [WHITE, BLACK])
@pytest.mark.parametrize("seed", range(4))
def test_king_and_queen_beat_king(colour: Colour, seed: int):
    position = Position("8/8/3k4/8/8/8/8/KQ6 w - -")
    fen = position.fen if colour == WHITE else position.mirror().fen
    outcome = against_random(fen, colour, seed=seed, nodes=3_000).outcome()
    assert outcome is not None
    assert outcome.winner == colour


def king_captures(position: Position) -> set[Move]:
    return {move for move in position.legal_moves if position.play(move).winner == position.turn}


def known_positions(number: int) -> Iterator[Position]:
    """Positions from random games in which the king is in danger after some moves, but not after all."""
    source = random.Random(1)
    while number > 0:
        position = Position()
        for _ in range(source.randrange(10, 100)):
            following = position.play(source.choice(position.legal_moves))
            if following.winner is not None:
                break
            position = following
        safe = sum(is_safe(position, move) for move in position.legal_moves)
        if 0 < safe < len(position.legal_moves):
            number -= 1
            yield position


def test_it_never_leaves_its_king_to_a_capture_it_has_seen():
    for position in known_positions(80):
        move = thinker(position.fen, position.turn).move(Clock(nodes=1_500)).move
        assert is_safe(position, move), (position.fen, move)


def test_it_takes_the_king_whenever_every_position_allows_it():
    """Along games against a player who moves at random."""
    taken = 0
    for seed in range(8):
        colour = Colour(seed % 2)
        agent, board, source = thinker(colour=colour, seed=seed), Board(), random.Random(seed)
        while board.outcome() is None and len(board.moves) < 100:
            own = board.position.turn == colour
            if own:
                move = agent.move(Clock(nodes=2_000)).move
                possible = agent.belief.sample(200, 0)  # type: ignore[attr-defined]
                winning = set.intersection(*(king_captures(position) for position in possible))
                if winning and len(possible) == len(agent.belief):  # type: ignore[attr-defined]
                    taken += 1
                    assert move in winning
            else:
                move = source.choice(board.position.legal_moves)
            board.push(move)
            if board.outcome() is None:
                agent.observe(board.observation(colour), move if own else None)
    assert taken >= 3


def is_safe(position: Position, move: Move) -> bool:
    after = position.play(move)
    return after.winner is not None or not king_captures(after)


def repeated(*, draw_cap: bool) -> Decision:
    """White, a queen up, has twice seen what would be seen again after Kd1; Black's king was in the fog all along."""
    fen = "6k1/8/8/8/8/8/2Q5/4K3 w - -"
    agent, board = thinker(fen, options=f"draw_cap={str(draw_cap).lower()}"), Board(f"{fen} 0 1")
    follow(agent, board, WHITE, "e1d1", "g8h8", "d1e1", "h8g8", "e1d1", "g8f8", "d1e1", "f8e8")
    return agent.move(Clock(nodes=6_000))


def test_what_could_be_a_draw_is_worth_one_at_most():
    values = {cap: {str(c.move): c.value for c in repeated(draw_cap=cap).mixture} for cap in (True, False)}
    assert values[True]["e1d1"] <= 0.0  # the view after it would be there for the third time
    assert values[False]["e1d1"] > 0.3
    assert max(values[True].values()) > 0.3


MOVES = ["d2d4", "d7d5", "c1f4", "c8f5", "e2e3", "e7e6", "g1f3", "f8d6", "f4g3", "g8f6", "f1d3", "e8g8"]


@pytest.mark.parametrize(("options", "merged"), [("", True), ("most_roots=0", False)])
def test_a_position_that_came_about_in_many_ways_is_carried_over_once(options: str, merged: bool):
    agent, board = thinker(options=options), Board()
    decisions = []
    for own, reply in zip(MOVES[::2], MOVES[1::2], strict=True):
        decisions.append(agent.move(Clock(nodes=NODES)))
        follow(agent, board, WHITE, own, reply)
    decisions.append(agent.move(Clock(nodes=NODES)))
    assert all(d.belief_exact for d in decisions)
    assert all(d.notes["roots"] <= d.belief_size for d in decisions) == merged
    if merged:
        assert max(d.notes["roots"] for d in decisions) <= 192


def test_only_what_is_certain_is_worth_more_than_any_estimate():
    sure = thinker("8/8/8/8/k7/8/1QQ5/KQ6 w - -").move(Clock(nodes=NODES))
    assert sure.value > 0.95
    hopeful = thinker("4k3/8/8/8/8/8/PPP5/4K3 w - -").move(Clock(nodes=NODES))
    assert 0.5 < hopeful.value <= 0.95


def test_the_decision_says_where_the_time_went():
    decision = thinker().move(Clock(movetime=0.2))
    seconds = decision.notes["seconds"]
    assert set(seconds) == {"evaluating", "walking", "solving"}
    assert all(part > 0 for part in seconds.values())
    assert sum(seconds.values()) <= decision.seconds


@pytest.mark.parametrize("limits", [{"nodes": 1}, {"movetime": 0.001}, {"remaining": 0.01, "increment": 0.0}])
def test_with_nearly_no_time_it_still_moves(limits: dict[str, float]):
    agent, board = thinker(), Board()
    for reply in ("e7e5", "b8c6", "g8f6"):
        move = agent.move(Clock(**limits)).move  # type: ignore[arg-type]
        assert move in board.position.legal_moves
        follow(agent, board, WHITE, str(move), reply)


SLOW = """
from murk.darkchess.evaluators import CustomEvaluator

class Slow(CustomEvaluator):
    asked = 0

    def __init__(self):
        super().__init__("slow")

    def move_values(self, position, moves):
        Slow.asked += 1
        return [0.0] * len(moves)
"""


def test_a_slow_evaluator_is_not_asked_how_plausible_positions_are(tmp_path: Path):
    (tmp_path / "slow.py").write_text(SLOW)
    agent, board = thinker(options=f"positions=16,evaluator={tmp_path / 'slow.py'}:Slow"), Board()
    follow(agent, board, WHITE, "e2e4", "e7e6", "d2d4", "d7d5", "b1c3", "g8f6")
    assert isinstance(agent, MurkAgent)
    assert len(agent.belief) > 100
    decision = agent.move(Clock(nodes=2_000))
    asked = type(agent.evaluator).asked  # type: ignore[attr-defined]
    assert 0 < asked <= decision.notes["expanded"]


@pytest.mark.threads
def test_threads_search_beside_each_other_and_what_they_have_so_far_can_be_asked_for():
    agent, board = thinker(options="threads=3"), Board()
    for reply in ("e7e5", "b8c6", "g8f6", "f8c5"):
        told: list[Decision] = []
        decision = agent.move(Clock(movetime=0.5, progress=told.append))
        assert decision.move in board.position.legal_moves
        assert decision.iterations > 0
        assert decision.nodes > decision.notes["carried_nodes"]
        assert all(so_far.nodes <= decision.nodes for so_far in told)
        follow(agent, board, WHITE, str(decision.move), reply)


@pytest.mark.parametrize(("options", "bluffs"), [("purify=no,prudence=0.1", False), ("purify=no,prudence=2", True)])
def test_it_bluffs_with_a_piece_only_without_prudence(options: str, bluffs: bool):
    """White's queen attacks the knight on e5 and does not see what defends it; some moves only pretend to."""
    evaluator, taken = make_evaluator("embedded"), 0.0
    for seed in range(6):
        agent, board = thinker(colour=BLACK, seed=seed, options=options), Board()
        follow(
            agent, board, BLACK, "c2c4", "c7c5", "b1c3", "b8c6", "g1f3", "e7e5", "f3e5", "c6e5", "d2d4", "c5d4", "d1d4"
        )
        values = dict(zip(board.legal_moves, evaluator.values_of([board.position])[0], strict=True))
        mixture = agent.move(Clock(nodes=60_000)).mixture
        taken += sum(c.probability for c in mixture if values[c.move] < max(values.values()) - 0.5)
    assert taken / 6 > 0.08 if bluffs else taken == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("tremble=1.5", "tremble is 1.5, expected a probability"),
        ("prudence=-1", "prudence is -1"),
        ("plausibility=1000", "plausibility is 1000"),
        ("kept_regret=0", "kept_regret is 0"),
    ],
)
def test_options_out_of_range_are_refused(options: str, message: str):
    with pytest.raises(InputError, match=message):
        make_agent(f"murk({options})")


def test_zs25_is_murk_without_what_goes_beyond_the_reference():
    """The settings of [ZS25] as docs/growing.md lists them."""
    beyond = "most_roots=0,hurry=0,plausibility=0,kept_regret=1,tremble=0,average=no,prudence=2"
    options = f"murk(positions=256,solver_share={1 / 3!r},{beyond})"
    moves = ("e2e4", "c7c5", "g1f3", "d7d6")
    decisions = []
    for spec in ("zs25", options, "murk"):
        agent, board = make_agent(spec), Board()
        agent.new_game(WHITE, 3)
        follow(agent, board, WHITE, *moves)
        decisions.append(agent.move(Clock(nodes=NODES)))
    reference, same, ours = decisions
    assert reference.mixture == same.mixture
    assert reference.notes["roots"] == same.notes["roots"]
    assert reference.mixture != ours.mixture
