"""What is shown of the insides when a game is over."""

import json

import numpy as np
import pytest
from web_server import Player, Server

from murk.darkchess import BLACK, WHITE, Belief, Board
from murk.web.inside import told_decision, value_lost

GAME = '[White "A"]\n[Black "B"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Nd4 4. Nxe5 Qg5 5. Bxf7 Qxg2 6. Bxe8 1-0'


def reviewed(server: Server, game: str) -> tuple[dict, dict, dict]:
    """Return the first state, the decisions and the beliefs of a game that is over, once it is thought through."""
    player = Player(server, game)
    decisions = dict(player.state["inside"]["decisions"])
    beliefs = {side: dict(found) for side, found in player.state["inside"]["beliefs"].items()}
    player.say(type="review")
    while True:
        fields = player.next("inside", "reviewing")
        if fields["type"] == "inside":
            decisions |= fields["decisions"]
            for side, found in fields["beliefs"].items():
                beliefs[side] |= found
        elif fields["done"] == fields["of"] and len(beliefs["white"]) == len(beliefs["black"]) == plies(player) + 1:
            break
    player.close()
    return player.state, decisions, beliefs


def plies(player: Player) -> int:
    return len(player.state["record"]["lines"]) - 1


@pytest.fixture(scope="module")
def analysed(shared: Server) -> tuple[dict, dict, dict]:
    return reviewed(shared, shared.new(kind="analyse", pgn=GAME))


def test_every_ply_of_a_pgn_has_a_decision(analysed):
    state, decisions, _ = analysed
    assert (state["game"]["white"], state["game"]["black"]) == ("A", "B")
    assert state["ending"]["result"] == "1-0"
    assert sorted(map(int, decisions)) == list(range(11))
    for ply, decision in decisions.items():
        assert decision["reviewed"]
        assert sum(choice["probability"] for choice in decision["mixture"]) == pytest.approx(1, abs=0.01)
        assert -1 <= decision["value"] <= 1
        if int(ply) < 10:
            assert decision["gadget"] in ("resolve", "maxmargin")
        else:  # the king is seen and taken, without a search
            assert (decision["value"], len(decision["mixture"])) == (1, 1)


def test_beliefs_are_those_of_the_observations(analysed):
    """The independent truth is the exact belief."""
    _, _, beliefs = analysed
    board = Board()
    exact = {"white": Belief(WHITE), "black": Belief(BLACK)}
    moves = ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "c6d4", "f3e5", "d8g5", "c4f7", "g5g2"]
    for ply, move in enumerate(["", *moves]):
        if move:
            board.push(move)
        for side, belief in exact.items():
            if move:
                belief.observe(board.observation(belief.colour))
            told = beliefs[side][str(ply)]
            assert (told["size"], told["exact"]) == (len(belief), True)
            theirs = slice(7, 13) if side == "white" else slice(1, 7)
            shares = np.frombuffer(bytes.fromhex(told["pieces"]), np.uint8).reshape(6, 64) / 255
            assert np.abs(shares - belief.probabilities()[:, theirs].T).max() <= 1 / 255


def test_a_review_is_made_once_and_kept(shared: Server, analysed):
    game = shared.new(kind="analyse", pgn="1. e4 e5 *")
    _, decisions, _ = reviewed(shared, game)
    again = Player(shared, game)
    assert again.state["inside"]["decisions"] == decisions
    assert again.state["ending"]["result"] == "*"
    lines = [json.loads(line) for line in (shared.folder / f"{game}.jsonl").read_text().splitlines()]
    assert sum(line["type"] == "review" for line in lines) == 2
    again.close()


def test_the_person_is_reviewed_and_the_agent_is_not(shared: Server):
    player = shared.play(agent="greedy", colour="black", fen="4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1")
    assert player.until_my_turn()
    player.move("e7e5")
    player.until_my_turn()
    player.say(type="resign")
    end = player.next("state")
    assert set(end["inside"]["decisions"]) == {"0", "2"}
    assert set(end["inside"]["beliefs"]["white"]) == {"0", "1", "2", "3"}
    player.close()
    _, decisions, beliefs = reviewed(shared, player.game)
    assert [decisions[ply]["reviewed"] for ply in ("0", "1", "2")] == [False, True, False]
    assert decisions["1"]["lost"] >= 0
    assert len(beliefs["black"]) == 4


def test_value_lost():
    mixture = [{"move": "a", "probability": 1.0, "value": 0.5}, {"move": "b", "probability": 0.0, "value": -0.25}]
    decision = {"move": "a", "mixture": mixture, "value": 0.5, "margins": [0.1, -0.2], "reviewed": True}
    assert value_lost(decision, "b") == 0.75
    assert value_lost(decision, "a") == 0
    assert value_lost(decision, "c") is None
    assert value_lost({"move": "a"}, "a") is None
    told = told_decision(decision, "b")
    assert (told["lost"], told["margin"]) == (0.75, -0.2)
    assert [choice["move"] for choice in told["mixture"]] == ["a", "b"]
    assert told_decision({**decision, "reviewed": False}, "b")["lost"] is None
