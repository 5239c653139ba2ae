"""The engine in this process: it always answers, whatever it is told, and only with lines of the protocol."""

import io
import random
import time
from collections.abc import Callable
from typing import ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from uci_client import Client

from murk.darkchess import START_FEN, WHITE, Board, Colour, Move, Observation
from murk.darkchess.agents import AGENTS, Agent, Clock, Decision
from murk.uci import serve
from murk.uci.info import centipawns
from murk.uci.options import Options

Make = Callable[..., Client]
FOG = "rnbqkbnr/ppp1pppp/8/1*1p4/***1P*1*/*******1/********/******** b kq -"


def test_it_introduces_itself(client: Make) -> None:
    engine = client()
    engine.tell("uci", "isready")
    assert engine.said[0].startswith("id name murk")
    assert engine.said[-2:] == ["uciok", "readyok"]
    declared = [line for line in engine.said if line.startswith("option name")]
    assert "option name UCI_Variant type combo default fogofwar var fogofwar" in declared
    assert "option name murk.gadget type combo default blend var blend var resolve var maxmargin" in declared
    assert not any("cheat" in line or "var uci" in line for line in declared)


@pytest.mark.parametrize("agent", ["murk", "zs21", "baseline", "pimc", "greedy", "random"])
@pytest.mark.parametrize(
    "go",
    [
        "go nodes 300",
        "go movetime 60",
        "go wtime 1500 btime 1500 winc 10 binc 10",
        "go wtime 100 btime 100 movestogo 1",
        "go depth 2",
        "go mate 1",
        "go searchmoves a2a3 h2h4 nodes 300",
        "go wtime -5 btime -5",
    ],
)
def test_every_agent_under_every_limit(client: Make, agent: str, go: str) -> None:
    engine = client(Agent=agent, Seed="3")
    engine.tell("position startpos moves e2e4 e7e5 g1f3 b8c6")
    move = engine.best(go)
    assert move in (["a2a3", "h2h4"] if "searchmoves" in go else map(str, _legal(engine)))
    assert not engine.errors
    assert any(line.startswith("info depth") and f"pv {move}" in line for line in engine.said)


def _legal(engine: Client) -> list[object]:
    told = engine.engine._told
    assert told is not None
    return [*told._positions[-1].legal_moves]


@pytest.mark.parametrize("agent", ["murk", "zs21", "baseline", "pimc", "random"])
def test_infinite_search_and_pondering_wait_for_the_client(client: Make, agent: str) -> None:
    engine = client(Agent=agent)
    engine.tell("position startpos moves e2e4 d7d5", "go infinite", "isready")
    assert engine.said[-1] == "readyok"
    assert engine.engine.thinking
    engine.tell("position startpos", "go nodes 5", "setoption name Hash value 64", "ucinewgame")
    assert len(engine.errors) == 4
    assert all("send stop first" in line for line in engine.errors)
    engine.tell("stop", "stop")
    assert [line.split()[0] for line in engine.said].count("bestmove") == 1
    engine.tell("go ponder wtime 400 btime 400")
    assert engine.engine.thinking
    start = len(engine.said)
    engine.tell("ponderhit")
    engine.wait(lambda line: line.startswith("bestmove"), start)
    engine.tell("ponderhit", "stop")
    assert [line.split()[0] for line in engine.said].count("bestmove") == 2


class Remembering(Agent):
    """Thinks until it is stopped, and remembers how often it began anew and what it was shown since."""

    name = "remembering"
    made: ClassVar[list["Remembering"]] = []

    def __init__(self) -> None:
        self.made.append(self)
        self.games = self.thoughts = 0

    def new_game(self, colour: Colour, seed: int, fen: str = START_FEN) -> None:
        self.games += 1
        self.shown: list[str] = []
        self.view = Board(fen).observation(colour)

    def observe(self, observation: Observation, move: Move | None = None) -> None:
        self.view = observation
        self.shown.append("?" if move is None else str(move))

    def move(self, clock: Clock) -> Decision:
        self.thoughts += 1
        while clock.nodes is None and not clock.stop():
            time.sleep(0.001)
        return Decision(move=self.view.legal_moves[0])


def test_a_ponder_miss_loses_nothing(client: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """The agent that plays is kept where the game is; the one that pondered goes on if it was right."""
    monkeypatch.setitem(AGENTS, "remembering", Remembering)
    Remembering.made.clear()
    engine = client(Agent="remembering")
    game = "position startpos moves e2e4 d7d5"

    def ponder(moves: str, answer: str) -> None:
        start, thoughts = len(engine.said), sum(agent.thoughts for agent in Remembering.made)
        engine.tell(f"{game} {moves}", "go ponder wtime 1000 btime 1000")
        while sum(agent.thoughts for agent in Remembering.made) == thoughts:
            time.sleep(0.001)
        engine.tell(answer)
        engine.wait(lambda line: line.startswith("bestmove"), start)

    engine.tell(game)
    engine.best("go nodes 1")
    ponder("e4d5 d8d5", "stop")
    first, second = Remembering.made
    assert (first.games, first.thoughts, first.shown) == (1, 1, ["e2e4", "?", "e4d5"])
    assert (second.games, second.thoughts, second.shown) == (1, 1, ["e2e4", "?", "e4d5", "?"])

    # A miss: Black did not take back, and White sees that.
    engine.tell(f"{game} e4d5 g8f6")
    engine.best("go nodes 1")
    assert (first.games, first.thoughts, first.shown) == (1, 2, ["e2e4", "?", "e4d5", "?"])

    # A hit, and the game after it: the one that pondered plays on, and the other follows when there is time.
    ponder("e4d5 g8f6 d2d4 f6d5", "ponderhit")
    assert (second.games, second.thoughts) == (2, 2)
    engine.tell(f"{game} e4d5 g8f6 d2d4 f6d5 c2c4 d5b6")
    engine.best("go nodes 1")
    assert (second.games, second.thoughts, len(second.shown)) == (2, 3, 8)
    ponder("e4d5 g8f6 d2d4 f6d5 c2c4 d5b6 b1c3 a7a6", "stop")
    assert (first.games, first.thoughts) == (1, 3)

    # A miss that cannot be told from a hit is one.
    engine.tell(f"{game} e4d5 g8f6 d2d4 f6d5 c2c4 d5b6 b1c3 g7g6")
    engine.best("go nodes 1")
    assert (first.games, first.thoughts, len(first.shown)) == (1, 4, 10)
    assert len(Remembering.made) == 2
    assert not engine.errors


def test_the_lines_about_a_search(client: Make) -> None:
    engine = client(Seed="1", MultiPV="4", UCI_ShowWDL="true", InfoInterval="0", murk_dot_purify="false")
    engine.tell("position startpos moves e2e4 e7e5")
    move = engine.best("go nodes 2000")
    lines = [line.split() for line in engine.said if line.startswith("info depth")]
    assert [line[line.index("multipv") + 1] for line in lines] == ["1", "2", "3", "4"]
    assert lines[0][-1] == move
    for line in lines:
        won, drawn, lost = map(int, line[line.index("wdl") + 1 : line.index("wdl") + 4])
        assert won + drawn + lost == 1000
        assert (won > 500) == (int(line[line.index("cp") + 1]) > 0)
        assert int(line[line.index("nodes") + 1]) >= 1000
    mixture = next(line for line in engine.said if line.startswith("info string mixture")).split()[3:]
    shares = dict(zip(mixture[::2], map(float, mixture[1::2]), strict=True))
    assert sum(shares.values()) == pytest.approx(1, abs=0.02)
    assert move in shares
    assert "info string belief 1 exact gadget resolve evaluator embedded" in engine.said


def test_values_in_centipawns() -> None:
    assert centipawns(0.0) == 0
    assert centipawns(0.5) == -centipawns(-0.5) == 231
    assert centipawns(1.0) == -centipawns(-1.0) == 10_000
    assert -10_000 < centipawns(-0.999) < centipawns(-0.99) < 0


def test_what_is_wrong_is_said_and_changes_nothing(client: Make) -> None:
    engine = client(Agent="random")
    for line, problem in {
        "setoption name Hesh value 3": "did you mean Hash",
        "setoption name Hash value many": "expected a number from 24 to 9600",
        "setoption name Hash": "was given no value",
        "setoption name UCI_Variant value chess": "expected one of fogofwar",
        "setoption name UCI_ShowWDL value maybe": "expected true or false",
        "setoption name murk.exploration value far": "expected a number",
        "setoption name murk.positions value 0": "expected at least 1",
        "setoption name Evaluator value wisdom": "wisdom",
        "setoption name FogMaterial value kkk": "expected mirror, full",
        "position startpos moves e2e5": "move 1 of the game is 'e2e5', which is not legal",
        "position startpos moves e2e4 xyzzy": "move 2 of the game",
        "position fen 8/8/8/8/8/8/8/8 w - -": "king",
        f"position fen {FOG} moves d5e4": "no moves can follow a fog FEN",
        "position fen ********/8/8/8/8/8/8/4K3 w - -": "observation",
        "position fen * w - -": "observation",
        "flubber": "unknown command",
    }.items():
        engine.said.clear()
        engine.tell(line)
        assert len(engine.said) == 1
        assert engine.said[0].startswith("info string error: ")
        assert problem in engine.said[0], line
    assert engine.best("go") == "0000"  # the last position was refused
    engine.tell("position startpos")
    assert engine.best("go") != "0000"


def test_a_game_that_is_over_has_no_move(client: Make) -> None:
    engine = client(Agent="random")
    engine.tell("position fen 4k3/4Q3/8/8/8/8/8/4K3 w - - moves e7e8")
    assert engine.best("go nodes 10") == "0000"
    assert not engine.errors


def test_a_game_that_goes_on_is_not_begun_anew(client: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    from murk.darkchess.agents.pimc import PimcAgent

    begun, seen = [], []
    new_game, observe = PimcAgent.new_game, PimcAgent.observe
    monkeypatch.setattr(PimcAgent, "new_game", lambda *a: (begun.append(a[1:]), new_game(*a))[1])
    monkeypatch.setattr(PimcAgent, "observe", lambda *a: (seen.append(a[1:]), observe(*a))[1])
    engine = client(Agent="pimc", pimc_dot_positions="4")
    engine.tell("position startpos")
    engine.best("go nodes 10")
    engine.tell("position startpos moves e2e4 e7e5")
    engine.best("go nodes 10")
    assert (len(begun), len(seen)) == (1, 2)
    engine.tell("position startpos moves e2e4 e7e5 g1f3 b8c6")
    engine.best("go nodes 10")
    engine.best("go nodes 10")
    assert (len(begun), len(seen)) == (1, 4)
    engine.tell("position startpos moves e2e4 e7e5 f1c4")  # another move, and the other side
    engine.best("go nodes 10")
    assert (len(begun), len(seen)) == (2, 7)
    engine.tell("ucinewgame")
    engine.best("go nodes 10")
    assert (len(begun), len(seen)) == (3, 10)
    engine.tell("setoption name pimc.positions value 5")
    engine.best("go nodes 10")
    assert (len(begun), len(seen)) == (4, 13)


KNOWN = [
    "go", "go infinite", "go ponder", "go nodes 3", "go depth 1", "go movetime -1", "go movetime 99999999999999999999",
    "go searchmoves a1a1", "stop", "ponderhit", "ucinewgame", "isready", "uci", "debug on", "register", "position",
    "position startpos", "position startpos moves e2e4", "position startpos moves e2e4 e2e4", f"position fen {FOG}",
    f"position fen {START_FEN}", "position fen 4k3/4Q3/8/8/8/8/8/4K3 w - - moves e7e8",
    "setoption name Agent value greedy", "setoption name Agent value nobody", "setoption name Seed value 7",
]  # fmt: skip
LINES = st.one_of(st.sampled_from(KNOWN), st.text(max_size=60))


@settings(max_examples=60)
@given(st.lists(LINES, max_size=12))
def test_whatever_is_sent_every_search_ends_with_one_move(lines: list[str]) -> None:
    engine = Client(Agent="random")
    searches = 0
    for line in lines:
        if line == "quit" or not engine.engine.handle(line):
            break
        searches += line.startswith("go") and not any("send stop first" in said for said in engine.said[-1:])
        if line.startswith("go") and "infinite" not in line and "ponder" not in line and searches:
            engine.wait(lambda said: said.startswith("bestmove") or "send stop first" in said)
    assert engine.engine.close()
    moves = [line for line in engine.said if line.startswith("bestmove")]
    assert len(moves) == searches
    known = ("id ", "option ", "uciok", "readyok", "info ", "bestmove ")
    assert all(line.startswith(known) and "\n" not in line for line in engine.said)


def test_streams_end_in_many_ways() -> None:
    for text in (
        b"",
        b"quit\n",
        b"isready",
        b"go infinite\n",
        b"position startpos\ngo nodes 5\n",
        b"\xff\xfe\x00 go infinite",
    ):
        out = io.BytesIO()
        serve(io.BytesIO(text), out, _random_agent())
        said = out.getvalue().decode().splitlines()
        assert sum(line.startswith("bestmove") for line in said) == text.count(b"go ")
    serve(None, io.BytesIO(), _random_agent())


def test_a_line_without_end_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("murk.uci.engine.LONGEST_LINE", 64)
    out = io.BytesIO()
    serve(io.BytesIO(b"position startpos moves" + b" e2e4" * 100 + b"\nisready\n"), out, _random_agent())
    said = out.getvalue().decode().splitlines()
    assert said == ["info string error: a line of more than 64 bytes was ignored", "readyok"]


def test_a_client_that_is_gone_ends_the_engine() -> None:
    class Gone(io.BytesIO):
        def write(self, data: object) -> int:
            raise BrokenPipeError

    source = io.BytesIO(b"uci\n" + b"isready\n" * 5)
    serve(source, Gone(), _random_agent())
    assert source.tell() == len(b"uci\n")


def _random_agent() -> Options:
    options = Options()
    options.set("Agent", "random")
    return options


def test_a_view_with_fog_is_a_start(client: Make) -> None:
    board = Board()
    source = random.Random(5)
    engine = client(Agent="pimc", Seed="1", pimc_dot_positions="8")
    for _ in range(30):
        board.push(source.choice(board.legal_moves))
        if board.outcome() is not None:
            break
        view = board.observation(board.turn)
        engine.tell(f"position fen {view.fog_fen} 0 1")
        assert engine.best("go nodes 200") in [str(move) for move in view.legal_moves]
    assert not engine.errors
    assert any("sampled" in line for line in engine.said if line.startswith("info string belief"))
    assert board.observation(WHITE).fog_fen.count("*") > 0
