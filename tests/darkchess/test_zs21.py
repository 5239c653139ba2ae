"""The paper's agent: it plays by the rules, honestly, the same every time, and it sees what is in front of it."""

import math

import pytest

from murk.darkchess import BLACK, WHITE, Board, Colour, Move, Position
from murk.darkchess.agents import Clock, Decision, make_agent
from murk.darkchess.agents.zs21 import ZS21Agent
from murk.errors import InputError
from murk.search.loop import TrunkSearch

NODES = 3_000


def agent(**options: object) -> ZS21Agent:
    made = ZS21Agent(evaluator="simple", **options)  # type: ignore[arg-type]
    assert make_agent("zs21(evaluator=simple)").name == made.name
    return made


def self_play(plies: int, *, seed: int = 3, fen: str | None = None) -> tuple[Board, list[Decision]]:
    board = Board(fen) if fen else Board()
    players = (agent(particles=40), agent(particles=40))
    for colour, player in zip((WHITE, BLACK), players, strict=True):
        player.new_game(colour, seed, board.position.fen)
    decisions = []
    for _ in range(plies):
        if board.outcome() is not None:
            break
        turn = int(board.position.turn)
        decisions.append(players[turn].move(Clock(nodes=NODES)))
        move = decisions[-1].move
        board.push(move)
        for colour, player in zip((WHITE, BLACK), players, strict=True):
            player.observe(board.observation(colour), move if int(colour) == turn else None)
    return board, decisions


def test_a_game_replays_exactly() -> None:
    _, first = self_play(24)
    _, second = self_play(24)
    assert [d.move for d in first] == [d.move for d in second]
    assert [d.mixture for d in first] == [d.mixture for d in second]


def test_decisions_explain_themselves() -> None:
    _, decisions = self_play(16)
    assert any(d.notes["carried"] > 0 for d in decisions)
    assert {d.gadget for d in decisions} <= {"maxmargin", "resolve"}
    for decision in decisions:
        assert sum(choice.probability for choice in decision.mixture) == pytest.approx(1.0)
        assert decision.move in [choice.move for choice in decision.mixture if choice.probability > 0]
        assert decision.value is not None
        assert -1.0 <= decision.value <= 1.0
        assert decision.belief_size is not None
        assert decision.nodes is not None
        assert decision.nodes <= NODES + 500
        assert len(decision.margins) == decision.notes["particles"] <= 40
        smallest = min(decision.margins)
        if decision.gadget == "maxmargin":
            assert smallest == pytest.approx(decision.notes["gadget_value"], abs=1e-6)
        else:
            shortfall = sum(min(0.0, margin) for margin in decision.margins) / len(decision.margins)
            assert shortfall == pytest.approx(decision.notes["gadget_value"], abs=1e-6)


def test_it_sees_observations_only() -> None:
    # Two truths that White cannot tell apart; what she does may depend on nothing else.
    answers = []
    for black_moves in (("a7a6", "b7b6"), ("b7b6", "a7a6"), ("h7h6", "g7g6")):
        player, board = agent(particles=40), Board()
        player.new_game(WHITE, 11)
        seen = []
        for white, black in zip(("h2h3", "a2a3"), black_moves, strict=True):
            for move, own in ((Move.from_uci(white), True), (Move.from_uci(black), False)):
                board.push(move)
                seen.append(board.observation(WHITE))
                player.observe(seen[-1], move if own else None)
        decision = player.move(Clock(nodes=NODES))
        answers.append((seen, decision.move, decision.mixture, decision.value))
    assert answers[0] == answers[1] == answers[2]


@pytest.mark.parametrize(
    ("fen", "moves"),
    [
        ("4k3/8/8/8/8/8/8/4R1K1 w - -", {"e1e8"}),  # the king is there for the taking
        ("6k1/5ppp/8/8/8/8/q7/K6R w - -", {"a1a2"}),  # a queen gives check and hangs
    ],
)
def test_it_takes_what_is_there(fen: str, moves: set[str]) -> None:
    player = agent()
    player.new_game(WHITE, 1, fen)
    assert str(player.move(Clock(nodes=NODES)).move) in moves


def test_it_plays_either_colour_and_wins_a_won_ending() -> None:
    board, decisions = self_play(60, fen="4k3/8/8/8/8/8/5Q2/Q3K3 b - -")
    outcome = board.outcome()
    assert outcome is not None
    assert outcome.winner == WHITE
    assert len(decisions) < 60


@pytest.mark.parametrize("seconds", [0.0, 0.05])
def test_it_always_has_a_move(seconds: float) -> None:
    player, board = agent(), Board()
    player.new_game(WHITE, 1)
    for reply in ("e7e5", "d7d6", "g8f6"):
        decision = player.move(Clock(movetime=seconds))
        assert decision.move in board.position.legal_moves
        for move, own in ((decision.move, True), (Move.from_uci(reply), False)):
            board.push(move)
            player.observe(board.observation(Colour.WHITE), move if own else None)


def test_memory_is_bounded() -> None:
    player, board = agent(particles=20, max_nodes=10_000), Board()
    player.new_game(WHITE, 1)
    sizes = []
    shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"]
    for ply in range(24):
        if ply % 2 == 0:
            player.move(Clock(nodes=4_000))
            sizes.append((player._search.trunk.nbytes, player._game.nbytes))  # type: ignore[union-attr]
        move = Move.from_uci(shuffle[ply % 4])
        board.push(move)
        player.observe(board.observation(WHITE), move if ply % 2 == 0 else None)
    assert max(tree for tree, _ in sizes) < 4_000_000
    assert max(states for _, states in sizes) < 8_000_000


def test_wrong_options() -> None:
    with pytest.raises(InputError, match="particles is 0"):
        make_agent("zs21(evaluator=simple,particles=0)")
    with pytest.raises(InputError, match="gadget"):
        make_agent("zs21(evaluator=simple,gadget=none)")


def test_it_has_a_mixture_without_time_for_the_second_gadget(monkeypatch: pytest.MonkeyPatch) -> None:
    solve = TrunkSearch._solve
    monkeypatch.setattr(
        TrunkSearch, "_solve", lambda self, clock: None if self.gadget == "resolve" else solve(self, clock)
    )
    player = agent(particles=40)
    player.new_game(WHITE, 1, "3qk3/8/8/8/8/8/8/4K3 w - -")
    decision = player.move(Clock(nodes=500))
    assert decision.gadget == "maxmargin"
    assert sum(choice.probability for choice in decision.mixture) == pytest.approx(1)


@pytest.mark.parametrize("name", ["murk", "zs21", "baseline"])
def test_agents_stop_when_asked_and_tell_how_far_they_are(name: str) -> None:
    told: list[Decision] = []
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > 40 or len(told) > 1

    with make_agent(name) as player:
        player.new_game(WHITE, 1)
        decision = player.move(Clock(movetime=math.inf, stop=stop, progress=told.append))
    assert decision.move in Position().legal_moves
    assert asked >= 1
    assert all(early.belief_size == 1 and early.move in Position().legal_moves for early in told)
