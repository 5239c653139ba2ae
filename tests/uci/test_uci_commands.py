"""The parser of commands: what the protocol says, and whatever else may come."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from murk.darkchess import START_FEN
from murk.errors import InputError
from murk.uci.commands import COMMANDS, LARGEST, Command, Go, PositionTold, SetOption, Simple, parse_command

FEN = "4k3/8/8/8/8/8/4P3/4K3 w - -"


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("uci", Simple("uci")),
        ("  joho \t isready \r\n", Simple("isready")),
        ("debug on", Simple("debug", on=True)),
        ("debug off", Simple("debug")),
        ("register later", Simple("register")),
        ("setoption name Hash value 64", SetOption("Hash", "64")),
        ("setoption name Clear Hash", SetOption("Clear Hash")),
        ("setoption name Evaluator value stockfish(depth=2, n=1)", SetOption("Evaluator", "stockfish(depth=2, n=1)")),
        ("position startpos", PositionTold(START_FEN)),
        ("position startpos moves e2e4 e7e5", PositionTold(START_FEN, ("e2e4", "e7e5"))),
        (f"position fen {FEN} moves e2e4", PositionTold(FEN, ("e2e4",))),
        (f"position fen {FEN} 3 17", PositionTold(f"{FEN} 3 17")),
        ("go", Go()),
        ("go infinite", Go(infinite=True)),
        ("go ponder wtime 9 btime 8 winc 7 binc 6", Go(ponder=True, wtime=9, btime=8, winc=7, binc=6)),
        ("go wtime 9 movestogo 5", Go(wtime=9, movestogo=5)),
        ("go movetime 50 nodes 7 depth 3 mate 2", Go(movetime=50, nodes=7, depth=3, mate=2)),
        ("go searchmoves e2e4 d2d4 nodes 5", Go(searchmoves=("e2e4", "d2d4"), nodes=5)),
        ("go wtime -30 btime 1.5", Go(wtime=-30, btime=1)),
        ("go nodes 99999999999999999999999999", Go(nodes=LARGEST)),
        ("go movetime soon", Go()),
        ("go nodes", Go()),
        ("", None),
        ("  \t", None),
    ],
)  # fmt: skip
def test_what_the_protocol_says(line: str, command: Command | None) -> None:
    assert parse_command(line) == command


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("positon startpos", "did you mean position"),
        ("hello", "unknown command 'hello'"),
        ("setoption Hash 64", "names no option"),
        ("setoption name value 3", "names no option"),
        ("position", "neither startpos nor fen"),
        ("position moves e2e4", "neither startpos nor fen"),
        ("position fen 8/8 w", "2 fields"),
        ("position fen", "0 fields"),
    ],
)
def test_what_is_wrong_is_said(line: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        parse_command(line)


def test_what_go_did_not_understand_is_named() -> None:
    command = parse_command("go movetime soon nodes 5 quickly")
    assert isinstance(command, Go)
    assert (command.nodes, command.ignored) == (5, ("movetime", "soon", "quickly"))


WORDS = st.sampled_from(
    [
        *COMMANDS, "name", "value", "startpos", "fen", "moves", "on", "infinite", "ponder", "searchmoves", "wtime",
        "nodes", "movetime", "e2e4", "0", "-1", "1e9", "*", "w", "-", "é", "\x00", "8/8/8/8/8/8/8/8", "9" * 5000,
    ]
)  # fmt: skip


@given(st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=20).map(" ".join)))
def test_any_line_is_a_command_or_an_error_of_one_line(line: str) -> None:
    problem = ""
    try:
        command = parse_command(line)
    except InputError as error:
        problem = str(error)
    if problem:
        assert "\n" not in problem
        assert len(problem) < 400
    else:
        assert command is None or isinstance(command, Command)
        assert (command is None) == (not line.split())
