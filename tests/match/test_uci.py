"""UCI engines as players: good ones, and those that crash, hang, cheat and flood."""

import pytest

from murk.darkchess import WHITE, Board
from murk.darkchess.agents import Clock, make_agent
from murk.darkchess.agents.uci_engine import UciEngine
from murk.darkchess.evaluators.stockfish import find_stockfish
from murk.darkchess.referee import Referee, TimeControl
from murk.errors import AgentError, AgentTimeoutError, InputError
from murk.match import make_players


def test_an_engine_plays_and_is_labelled(engine: str) -> None:
    (player,) = make_players([f"uci(command='{engine} good',Hash=32,label=mock)"])
    assert player.title == "mock (sees everything)"
    with make_agent(player.spec) as agent:
        game = Referee(agent, make_agent("random"), max_plies=10).play()
        assert game.ending.reason == "length"
        assert game.plies[0].decision["evaluator"] == "mock engine"
        again = Referee(make_agent("random"), agent, max_plies=10, control=TimeControl(base=5, increment=0.1)).play()
        assert again.ending.reason == "length"


def test_an_engine_of_dark_chess_is_told_the_game_and_labelled(engine: str) -> None:
    (player,) = make_players([f"uci(command='{engine} fog')"])
    assert player.disclosure == "told everything, plays fogofwar"
    with make_agent(player.spec) as agent:
        assert Referee(agent, make_agent("random"), max_plies=9).play().ending.reason == "length"


@pytest.mark.parametrize(
    ("mode", "reason", "detail"),
    [
        ("crash", "crash", "ended with code 3"),
        ("hang", "time forfeit", "did not answer"),
        ("illegal", "illegal move", "a1h8"),
        ("nonsense", "crash", "no move"),
        ("long", "crash", "a line of more than"),
        ("flood", "time forfeit", "did not answer"),
    ],
)
def test_an_engine_that_misbehaves_loses(engine: str, mode: str, reason: str, detail: str) -> None:
    with make_agent(f"uci(command='{engine} {mode}')") as agent:
        # Who never answers is waited for; the others need not hurry.
        seconds = 0.2 if reason == "time forfeit" else 20.0
        game = Referee(agent, make_agent("random"), control=TimeControl(movetime=seconds)).play()
    assert (game.ending.result, game.ending.reason) == ("0-1", reason)
    assert detail in game.ending.detail


def test_a_flood_without_a_clock_is_cut_off(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("murk.darkchess.agents.uci_engine.MOST_OUTPUT", 1 << 20)
    with make_agent(f"uci(command='{engine} flood')") as agent:
        agent.new_game(WHITE, 0)
        with pytest.raises(AgentError, match="wrote more than"):
            agent.move(Clock())


def test_engines_that_do_not_start(engine: str) -> None:
    with pytest.raises(InputError, match="cannot start the engine"):
        make_agent("uci(command=no-such-engine)")
    with pytest.raises(InputError, match="has no option 'Ponder', expected one of Hash, Style Of Play"):
        make_agent(f"uci(command='{engine} good',Ponder=1)")
    with pytest.raises(InputError, match="needs the option 'command'"):
        make_agent("uci")
    with pytest.raises(AgentTimeoutError):
        UciEngine(f"{engine} mute", {}, timeout=0.3)
    with pytest.raises(AgentError, match="ended with code"):
        UciEngine("true", {}, timeout=5)
    with pytest.raises(InputError, match="empty"):
        make_agent("uci(command=' ')")


def test_a_stubborn_engine_is_ended(engine: str) -> None:
    process = UciEngine(f"{engine} stubborn", {"style of play": "Very Wild"})
    assert process.options["style of play"].choices == ("Normal", "Very Wild")
    process.close()
    assert process._process.returncode is not None


def test_a_king_is_taken_without_asking(engine: str) -> None:
    with make_agent(f"uci(command='{engine} crash')") as agent:
        agent.new_game(WHITE, 0)
        agent.see(Board("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1"))
        assert str(agent.move(Clock()).move) == "e2e8"


def test_where_ordinary_chess_has_no_move_one_is_drawn(engine: str) -> None:
    with make_agent(f"uci(command='{engine} none')") as agent:
        agent.new_game(WHITE, 0)
        decision = agent.move(Clock(movetime=1))
        assert decision.move in Board().legal_moves
        assert decision.notes["drawn"] is True


def test_stockfish_plays_dark_chess_with_its_eyes_open() -> None:
    with make_agent(f"uci(command={find_stockfish()})") as agent:
        for seed in range(2):
            game = Referee(agent, make_agent("random"), seeds=(0, seed), control=TimeControl(nodes=500)).play()
            assert (game.ending.result, game.ending.reason) == ("1-0", "king captured")
