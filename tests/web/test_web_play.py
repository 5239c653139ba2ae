"""Whole games over the wire, and what the server answers to what cannot be."""

import random

import pytest
from web_server import Player, Server, gone

from murk.darkchess import Board, pgn


@pytest.mark.parametrize("colour", ["white", "black"])
def test_a_whole_game(shared: Server, colour: str):
    player = shared.play(agent="random", colour=colour)
    assert player.state["game"] == {
        "kind": "play",
        "colour": colour,
        "white": "You" if colour == "white" else "random",
        "black": "random" if colour == "white" else "You",
        "fair": True,
        "level": {"name": "Test", "seconds": 0.01},
        "control": None,
        "fen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    }
    assert shared.ask(f"/api/games/{player.game}/pgn") == (409, {"error": "the game is not over"})
    end = player.play_out(random.Random(7))
    moves = [line["move"] for line in end["record"]["lines"][1:]]
    board = Board()
    for move, fields in zip(moves, end["record"]["full"][1:], strict=True):
        board.push(move)
        assert board.fen.split()[0] == fields["fen"]
    outcome = board.outcome()
    assert outcome is not None
    assert (end["ending"]["result"], end["ending"]["reason"]) == (outcome.result, outcome.reason)
    status, text = shared.ask(f"/api/games/{player.game}/pgn")
    assert status == 200
    game = pgn.parse_game(text)
    assert [str(move) for move in game.moves] == moves
    assert game.result == outcome.result
    player.close()


def test_the_lines_of_a_player_are_her_moves_and_what_she_saw(shared: Server):
    player = shared.play(agent="random", colour="white", fen="4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
    assert player.state["sheet"]["lines"] == []
    assert player.move("e2e4")["line"] == {"by": "w", "text": "e4", "squares": ["e2", "e4"], "took": ""}
    assert player.next("ply")["line"]["text"] == "?"
    player.close()


def test_resigning_while_the_agent_thinks(odd: Server):
    player = odd.play(agent="sleeper", colour="white")
    player.move("e2e4")
    assert player.next("time")["thinking"]["seconds"] == pytest.approx(0.01)
    player.say(type="resign")
    end = player.next("state")
    assert end["ending"] == {"result": "0-1", "winner": "black", "reason": "resignation", "detail": ""}
    player.say(type="resign")
    assert player.next("error")["message"] == "there is nothing to resign"
    player.close()


WRONG = [
    ({"type": "move", "move": "e2e5", "ply": 0}, "'e2e5' is not a legal move here"),
    ({"type": "move", "move": "e2e4", "ply": 7}, "the board has changed since that move was made"),
    ({"type": "move", "move": "nonsense" * 50, "ply": 0}, "'nonsense' is not a legal move here"),
    ({"type": "move", "move": "zzzz", "ply": 0}, "bad move"),
    ({"type": "move", "move": {"a": 1}, "ply": 0}, "is not a legal move here"),
    ({"type": "move", "move": {"a": 1}, "ply": None}, "the board has changed"),
    ({"type": "move"}, "the board has changed"),
    ({"type": "review"}, "the game is not over"),
    ({"type": "takeback"}, "there is no message 'takeback', expected move, resign or review"),
    ({"type": ["x"]}, "there is no message"),
    ({}, "there is no message 'None'"),
]


def test_what_cannot_be_is_answered_and_the_game_goes_on(shared: Server):
    player = shared.play(agent="random", colour="white")
    for fields, message in WRONG:
        player.say(**fields)
        assert message in player.next("error")["message"]
    for text in ("", "{", "[]", "1", '"move"', "null", "[" * 1000, "\u0000", '{"a": 1e999}', '{"a": NaN}', "é" * 500):
        player.socket.send(text)
        assert player.next("error")["message"]
    assert player.move("e2e4")["type"] == "ply"
    player.close()


def test_moving_out_of_turn_or_after_the_end(odd: Server):
    player = odd.play(agent="sleeper", colour="black")
    player.say(type="move", move="e7e5", ply=0)
    assert player.next("error")["message"] == "it is not your move"
    player.say(type="resign")
    player.next("state")
    player.say(type="move", move="e7e5", ply=0)
    assert player.next("error")["message"] == "the game is over"
    player.close()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "the kind of game is 'None'"),
        ([], "not a JSON object"),
        (b"{", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        ({"kind": "play", "agent": "nobody"}, "there is no agent 'nobody' here"),
        ({"kind": "play", "agent": "uci(command='touch /tmp/owned')"}, "there is no agent"),
        ({"kind": "play", "agent": ["random"]}, "there is no agent"),
        ({"kind": "play", "agent": "random", "colour": "green"}, "the colour is 'green'"),
        ({"kind": "play", "agent": "random", "colour": "white", "level": 99}, "the level is '99'"),
        ({"kind": "play", "agent": "random", "colour": "white", "level": True}, "the level is 'True'"),
        ({"kind": "play", "agent": "random", "colour": "white", "level": 0, "control": [0, 0]}, "the clock is 0+0 s"),
        ({"kind": "play", "agent": "random", "colour": "white", "level": 0, "control": "x"}, "not a pair of numbers"),
        ({"kind": "play", "agent": "random", "colour": "white", "level": 0, "fen": "8/8 w"}, "bad FEN"),
        ({"kind": "play", "agent": "random", "colour": "white", "level": 0, "fen": 7}, "is no FEN"),
        ({"kind": "watch", "white": "random", "black": "nobody"}, "there is no agent 'nobody'"),
        ({"kind": "analyse"}, "there is no PGN"),
        ({"kind": "analyse", "pgn": "1. e5"}, "is not legal"),
        ({"kind": "analyse", "pgn": "*"}, "no moves"),
        ({"kind": "analyse", "pgn": "nonsense"}, "PGN"),
    ],
)
def test_games_that_cannot_be(shared: Server, fields, message: str):
    status, answer = shared.ask("/api/games", fields)
    assert status == 400
    assert message in answer["error"]


def test_games_that_are_not_there(shared: Server):
    assert shared.ask("/api/games/AAAAAAAAAAAAAAAAAAAAAA/pgn")[0] == 404
    assert shared.ask("/api/games/..%2f..%2fsecret/pgn")[0] == 404
    for name in ("AAAAAAAAAAAAAAAAAAAAAA", "lock", "x" * 500):
        with shared.join(name) as socket:
            assert gone(socket) == (4404, "there is no such game")


def test_two_browsers_at_one_game(shared: Server):
    first = shared.play(agent="random", colour="white")
    second = Player(shared, first.game)
    first.move("e2e4")
    assert second.next("ply")["line"]["text"] == "e4"
    first.until_my_turn()
    third = Player(shared, first.game)
    assert [view["fen"] for view in third.views] == [view["fen"] for view in first.views]
    assert third.state["sheet"]["lines"][0]["text"] == "e4"
    for player in (first, second, third):
        player.close()


def test_watching_two_agents(shared: Server):
    game = shared.new(kind="watch", white="greedy", black="random", fen="4k3/8/8/8/8/8/PPPPPPPP/QQQQKQQQ w - - 0 1")
    player = Player(shared, game)
    plies = 0
    while (fields := player.next("ply", "state"))["type"] == "ply":
        plies += 1
        assert set(fields) == {"type", "ply", "latest", "clocks", "thinking"}
        assert set(fields["latest"]) == {"lines", "full", "white", "black", "white_lines", "black_lines"}
        truth, white = fields["latest"]["lines"], fields["latest"]["white_lines"]
        assert white["took"] == truth["took"]
        assert white["text"] == truth["text"] if white["by"] == "w" else "move" not in white
    assert fields["over"]
    assert len(fields["record"]["black_lines"]) == len(fields["record"]["lines"])
    known = len(player.state["record"]["lines"]) - 1
    assert len(fields["record"]["full"]) == 1 + known + plies + 1  # the start, and the last ply with the end
    assert set(fields["inside"]["beliefs"]["white"]) >= {"0", "1", "2"}
    greedy = fields["inside"]["decisions"]["0"]
    assert greedy["belief_size"] == 1
    assert not greedy["reviewed"]
    player.say(type="move", move="e2e4", ply=0)
    assert player.next("error")["message"] == "the game is over"
    player.close()
