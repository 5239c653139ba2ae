"""The engine as a program: driven by python-chess and by our own match, and left alone in mid-search."""

import random
import subprocess
import sys

import chess
import chess.engine
import pytest
from uci_client import COMMAND

from murk.darkchess import Board, Move
from murk.darkchess.adapters.python_chess import DarkChessBoard
from murk.darkchess.agents import make_agent
from murk.darkchess.referee import Referee, TimeControl
from murk.match import make_players

LIMITS = [
    chess.engine.Limit(nodes=150),
    chess.engine.Limit(time=0.03),
    chess.engine.Limit(depth=2),
    chess.engine.Limit(white_clock=2, black_clock=2, white_inc=0.02, black_inc=0.02),
    chess.engine.Limit(white_clock=1, black_clock=1, remaining_moves=20),
]


@pytest.mark.parametrize("agent", ["murk", "zs21"])
def test_whole_games_by_python_chess(agent: str) -> None:
    source = random.Random(4)
    with chess.engine.SimpleEngine.popen_uci(COMMAND) as engine:
        engine.configure({"Agent": agent, "Hash": 64, "Seed": 5, f"{agent}.memory": 1 << 16})
        for game in range(2):
            board, twin, plies = DarkChessBoard(), Board(), 0
            while board.outcome() is None and plies < 60:
                if plies % 2 == game:
                    found = engine.play(board, LIMITS[plies // 2 % len(LIMITS)], game=game, info=chess.engine.INFO_ALL)
                    move = found.move
                    assert move is not None
                    assert "error" not in found.info.get("string", "")
                    # "Whose" is by the other program's rules, which agree with ours:
                    assert Move.from_uci(move.uci()) in twin.legal_moves
                else:
                    move = source.choice([*board.legal_moves])
                board.push(move)
                twin.push(move.uci())
                plies += 1
            assert plies > 5


def test_analysis_by_python_chess() -> None:
    with chess.engine.SimpleEngine.popen_uci(COMMAND) as engine:
        assert engine.id["name"].startswith("murk")
        assert engine.options["UCI_Variant"].var == ["fogofwar"]
        engine.configure({"UCI_ShowWDL": True, "Hash": 64, "Seed": 1})
        board = DarkChessBoard()
        for move in ("e2e4", "d7d5", "e4d5", "d8d5", "b1c3", "h7h6"):  # White sees the queen and can take it
            board.push_uci(move)
        lines = engine.analyse(board, chess.engine.Limit(nodes=4000), multipv=3)
        assert len({line["pv"][0] for line in lines}) == 3
        assert lines[0]["pv"][0] == chess.Move.from_uci("c3d5")
        assert lines[0]["score"].white().score() > 300
        assert lines[0]["wdl"].white().expectation() > 0.7
        with engine.analysis(board) as running:  # without a limit, until it is stopped
            for line in running:
                if "score" in line:
                    break
        assert running.wait().move in board.legal_moves
        assert engine.play(board, chess.engine.Limit(nodes=100), ponder=True).move in board.legal_moves
        assert engine.play(board, chess.engine.Limit(nodes=100), root_moves=[chess.Move.from_uci("a2a3")]).move == (
            chess.Move.from_uci("a2a3")
        )


def test_the_match_drives_the_engine() -> None:
    command = " ".join([*COMMAND])
    (player,) = make_players([f"uci(command='{command}', Agent=greedy, Seed=1, MultiPV=2, label=itself)"])
    assert player.title == "itself (told everything, plays fogofwar)"
    with make_agent(player.spec) as engine, make_agent("greedy") as agent:
        game = Referee(engine, agent, seeds=(1, 1), control=TimeControl(nodes=200)).play()
        assert game.ending.reason in ("king captured", "threefold repetition", "50 moves")
        again = Referee(agent, engine, control=TimeControl(base=30, increment=0.1), max_plies=20).play()
        assert again.ending.reason in ("king captured", "length")


def test_the_engine_plays_as_its_agent_does() -> None:
    """Through the protocol comes the very game that the agent plays by itself."""
    command = " ".join(COMMAND)
    with make_agent(f"uci(command='{command}', Agent=pimc, Seed=9)") as engine, make_agent("pimc") as agent:
        games = [
            Referee(white, make_agent("random"), seeds=(9, 2), control=TimeControl(nodes=300), max_plies=24).play()
            for white in (engine, agent)
        ]
    assert [p.move for p in games[0].plies] == [p.move for p in games[1].plies]


@pytest.mark.parametrize("script", ["go infinite\n", "go movetime 60000\n", "go ponder wtime 1000 btime 1000\n", ""])
def test_the_end_of_the_input_ends_the_engine(script: str) -> None:
    done = subprocess.run(COMMAND, input=f"position startpos\n{script}", capture_output=True, text=True, timeout=60)
    assert done.returncode == 0
    assert done.stderr == ""
    assert ("bestmove" in done.stdout) == bool(script)


def test_closed_streams_and_wrong_options() -> None:
    shell = f"'{sys.executable}' -m murk uci"
    assert subprocess.run(f"{shell} <&-", shell=True, capture_output=True, timeout=60).returncode == 0
    gone = subprocess.run(f"{shell} >&-", shell=True, input=b"uci\nquit\n", stderr=subprocess.PIPE, timeout=60)
    assert b"Traceback" not in gone.stderr
    wrong = subprocess.run([*COMMAND, "--option", "Hesh=3"], capture_output=True, text=True, timeout=60)
    assert (wrong.returncode, wrong.stderr) == (2, "murk: there is no option 'Hesh'; did you mean Hash?\n")
    set_before = subprocess.run([*COMMAND, "--option", "Agent=random"], input="go\n", capture_output=True, text=True)
    assert "bestmove" in set_before.stdout
