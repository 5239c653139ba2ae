"""Games outlive the server, the agents and each other."""

import json
import random
import time

import pytest
from web_agents import LATE
from web_server import Player, Server, eventually, gone


def test_a_killed_server_brings_games_back(serve, tmp_path):
    server: Server = serve(agents=["pimc(positions=4,label=pimc4)"], limits={"messages": 1000.0})
    players = [server.play(agent=agent, colour=colour) for agent, colour in (("pimc4", "white"), ("random", "black"))]
    for player in players:
        for _ in range(3):
            assert player.until_my_turn()
            assert player.move(player.views[-1]["moves"][0])["type"] == "ply"
        assert player.until_my_turn()
    server.kill()
    with (server.folder / f"{players[0].game}.jsonl").open("ab") as journal:
        journal.write(b'{"type":"ply","move":"e2')  # torn by a power cut
    server.start()
    for before in players:
        after = Player(server, before.game)
        assert after.views == before.views
        assert [line["text"] for line in after.state["sheet"]["lines"]] == lines_of(before)
        end = after.play_out(random.Random(3))
        assert end["over"]
        assert len(end["record"]["full"]) > len(before.views)
        agent = "black" if end["game"]["colour"] == "white" else "white"
        assert len(end["inside"]["beliefs"][agent]) >= len(before.views)
        after.close()
        before.close()


def lines_of(player: Player) -> list[str]:
    """Return all moves as the player was told them one by one."""
    told = [json.loads(text) for text in player.sent]
    return [message["line"]["text"] for message in told if message["type"] == "ply"]


def test_a_killed_server_while_the_agent_thinks(serve):
    server = serve(agents=["web_agents:Sleeper(label=sleeper)"])
    player = server.play(agent="sleeper", colour="white")
    player.move("e2e4")
    player.next("time")
    server.kill()
    server.start()
    again = Player(server, player.game)
    assert [line["text"] for line in again.state["sheet"]["lines"]] == ["e4"]
    if again.state["thinking"] is None:
        assert again.next("time")["thinking"]["seconds"] == pytest.approx(0.01)
    again.close()
    player.close()


def test_a_damaged_game_harms_no_other(serve):
    server = serve()
    player = server.play(agent="random", colour="white")
    server.kill()
    path = server.folder / f"{player.game}.jsonl"
    path.write_bytes(b'{"type":"game"\n' + path.read_bytes())
    server.start()
    with server.join(player.game) as socket:
        code, reason = gone(socket)
    assert (code, reason) == (1013, "the record of this game is damaged")
    assert server.play(agent="random", colour="white").move("e2e4")["type"] == "ply"
    player.close()


def test_the_games_are_private(shared: Server):
    player = shared.play(agent="random", colour="white")
    assert (shared.folder / f"{player.game}.jsonl").stat().st_mode & 0o077 == 0
    player.close()


def test_games_that_nobody_looks_at_are_put_away_and_come_back(serve):
    server = serve(limits={"idle_seconds": 0.2, "games": 1})
    player = server.play(agent="random", colour="white")
    player.move("e2e4")
    assert player.until_my_turn()
    player.close()
    # With room for one, another game fits only when the first was put away.
    eventually(lambda: server.ask("/api/games", {"kind": "analyse", "pgn": "1. e4 *"})[0] == 201)
    again = Player(server, player.game)
    assert again.views == player.views
    assert again.move(again.views[-1]["moves"][0])["type"] == "ply"
    again.close()


def test_one_game_does_not_hold_up_another(odd: Server):
    stuck = odd.play(agent="sleeper", colour="black")
    quick = odd.play(agent="random", colour="black")
    assert quick.play_out(random.Random(2))["over"]
    stuck.say(type="move", move="e7e5", ply=0)
    assert stuck.next("error")["message"] == "it is not your move"
    for player in (stuck, quick):
        player.close()


def test_an_agent_that_dies_once_is_made_again(serve, tmp_path):
    mark = tmp_path / "died"
    server = serve(agents=[f"web_agents:Dier(mark='{mark}',label=dier)"])
    player = server.play(agent="dier", colour="white")
    for move in ("e2e4", "d2d4", "a2a3"):
        assert player.until_my_turn()
        player.move(move)
    assert player.until_my_turn()
    assert mark.exists()
    player.close()


@pytest.mark.parametrize(("agent", "reason"), [("dier", "crash"), ("outlaw", "illegal move")])
def test_an_agent_that_fails_loses(odd: Server, agent: str, reason: str):
    player = odd.play(agent=agent, colour="white")
    for move in ("e2e4", "d2d4"):
        if not player.until_my_turn() or player.move(move)["type"] == "state":
            break
    while (end := json.loads(player.sent[-1]))["type"] != "state" or not end["over"]:
        player.read()
    assert (end["ending"]["winner"], end["ending"]["reason"]) == ("white", reason)
    player.close()


def test_clocks_run_out(odd: Server):
    person = odd.play(agent="random", colour="white", control=[1, 0])
    agent = odd.play(agent="sleeper", colour="black", control=[1, 0])
    assert person.next("time")["clocks"]["running"] == "white"
    end = person.next("state")
    assert (end["ending"]["winner"], end["ending"]["reason"]) == ("black", "time forfeit")
    assert end["clocks"] == {"white": 0, "black": 1, "running": None}
    end = agent.next("state")
    assert (end["ending"]["winner"], end["ending"]["reason"]) == ("black", "time forfeit")
    assert end["clocks"] == {"white": 0, "black": 1, "running": None}
    for player in (person, agent):
        player.close()


def test_an_agents_clock_tells_nothing_but_its_budget(serve):
    """It is charged the time it may take, in tenths of a second, however fast it was."""
    server = serve(movetime=0.25)
    player = server.play(agent="pimc", colour="white", control=[600, 5])
    player.move("e2e4")
    clocks = player.next("ply")["clocks"]
    assert clocks["running"] == "white"
    spent = 605 - clocks["black"]
    assert spent >= 0.25
    assert round(10 * spent, 6) == round(10 * spent)
    assert 604 < clocks["white"] <= 605
    player.close()


def test_clocks_stay_where_they_were_at_the_end(serve):
    server = serve(agents=["random"])
    player = server.play(agent="random", colour="white", control=[600, 5])
    assert player.next("time")["clocks"]["running"] == "white"
    time.sleep(0.05)
    player.say(type="resign")
    clocks = player.next("state")["clocks"]
    assert 590 < clocks["white"] < 600
    assert clocks | {"white": 0} == {"white": 0, "black": 600, "running": None}
    player.close()
    server.kill()
    server.start()
    again = Player(server, player.game)
    assert again.state["clocks"] == clocks
    again.close()


def test_starting_an_agent_is_not_on_its_clock(serve):
    server = serve(agents=["web_agents:LateComer(label=late)"], movetime=0.01)
    player = server.play(agent="late", colour="black", control=[600, 0])
    clocks = player.next("ply")["clocks"]
    assert clocks["white"] > 600 - LATE
    player.close()
