"""``murk darkchess show`` and ``murk darkchess belief``."""

import csv
import json
import os
import signal
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from click.testing import CliRunner
from test_cli_docs import named, section
from test_cli_process import MURK, OnTerminal

from murk.cli import main
from murk.cli.darkchess.belief import belief
from murk.cli.darkchess.show import show
from murk.darkchess import BLACK, WHITE, Belief, Board, Observation, pgn

GAME = """\
[White "Anna"]
[Black "Ben"]
[Variant "Fog of War"]

1. e4 {[%clk 0:05:00]} e5 2. Nf3 Nc6 3. Bc4 Nf6 4. Ng5 d5 5. exd5 Na5 6. Bb5 c6 7. Bxc6 1-0

[White "Cleo"]

1. a4 *
"""

QUIET = "1. a3 a6 2. b3 b6 3. c3 c6 4. d3 d6 5. e3 e6 6. f3 f6 7. g3 g6 8. h3 h6 9. Bb2 Bb7 10. Bg2 Bg7 *\n"
"""Nobody meets anybody, so what may be behind the fog grows with every ply."""

CASTLING = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 20"


@pytest.fixture(autouse=True)
def files(scratch: Path) -> None:
    Path("game.pgn").write_text(GAME)
    Path("quiet.pgn").write_text(QUIET)


@pytest.mark.parametrize("fen", ["start", CASTLING, "4k3/8/8/3pP3/8/8/8/4K3 w - d6"])
def test_show_a_position(as_json, fen: str):
    fields = as_json("darkchess", "show", fen)
    board = Board() if fen == "start" else Board(fen)
    assert fields["fen"] == board.fen
    assert (fields["turn"], fields["ply"], fields["move"], fields["result"]) == ("white", 0, None, None)
    for side, colour in (("white", WHITE), ("black", BLACK)):
        view = board.observation(colour)
        assert fields[side]["fog_fen"] == view.fog_fen
        assert Observation(fields[side]["observation"]) == view
    assert fields["white"]["legal_moves"] == [str(move) for move in board.legal_moves]
    assert fields["black"]["legal_moves"] == []


@pytest.mark.parametrize("ply", [0, 7, 13, None])
def test_show_a_ply_of_a_game(as_json, ply: int | None):
    fields = as_json("darkchess", "show", "game.pgn", *([] if ply is None else ["--ply", str(ply)]))
    board = next(pgn.parse_games(GAME)).board(ply)
    assert (fields["fen"], fields["ply"], fields["plies"]) == (board.fen, len(board.moves), 13)
    assert fields["white"]["fog_fen"] == board.observation(WHITE).fog_fen
    assert fields["black"]["legal_moves"] == [str(move) for move in board.observation(BLACK).legal_moves]


def test_show_for_people(ok):
    text = ok("darkchess", "show", "game.pgn", "--ply", "7").stdout
    assert text.startswith("Black to move\n")
    assert "Anna - Ben" in text
    assert "7 of 13, after Ng5" in text
    board = next(pgn.parse_games(GAME)).board(7)
    for colour in (WHITE, BLACK):
        for line in str(board.observation(colour)).splitlines():
            assert line in text
    assert "Nxe4" in text.splitlines()[-1]
    one = ok("darkchess", "show", "game.pgn", "--side", "white").stdout
    assert "Black sees" not in one
    assert "White sees" in one
    assert "K6R" not in ok("darkchess", "show", "start", "--side", "black").stdout
    over = ok("darkchess", "show", "4k3/8/8/8/8/8/8/4R1K1 w - - 100 80").stdout
    assert over.startswith("1/2-1/2, 50 moves\n")


def test_show_one_side_and_one_game_of_several(as_json):
    fields = as_json("darkchess", "show", "game.pgn", "--game", "2", "--side", "black")
    assert fields["white"] is None
    assert fields["move"] == "a2a4"


def test_show_reads_standard_input():
    done = CliRunner().invoke(main, ["darkchess", "show", "-", "--json"], input=GAME)
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["ply"] == 13


def test_show_as_a_picture(as_json):
    assert as_json("darkchess", "show", "game.pgn", "--svg", "both.svg")["svg"] == "both.svg"
    as_json("darkchess", "show", "game.pgn", "--svg", "white.svg", "--side", "white")
    both, white = (ElementTree.fromstring(Path(name).read_text()) for name in ("both.svg", "white.svg"))
    assert float(both.attrib["width"]) > 2 * float(white.attrib["width"]) > 0
    # In White's picture is every piece that White sees and no other.
    view = next(pgn.parse_games(GAME)).board().observation(WHITE)
    drawn = sum("data-piece" in group.attrib for group in white.iter("{http://www.w3.org/2000/svg}g"))
    assert drawn == (view.own | view.seen).bit_count()


@pytest.mark.parametrize("heat", [False, True])
def test_belief_sizes(as_json, heat: bool):
    fields = as_json("darkchess", "belief", "game.pgn", *["--heat"] * heat, "--csv", "sizes.csv")
    board, beliefs = Board(), (Belief(WHITE), Belief(BLACK))
    moves = next(pgn.parse_games(GAME)).moves
    assert [row["ply"] for row in fields["plies"]] == list(range(len(moves) + 1))
    for row, move in zip(fields["plies"], [None, *moves], strict=True):
        if move is not None:
            assert row["move"] == board.san(move)
            board.push(move)
            for belief in beliefs:
                belief.observe(board.observation(belief.colour))
        assert (row["white"], row["black"]) == tuple(map(len, beliefs))
        assert row["white_exact"] is row["black_exact"] is True
        for side, belief in zip(("white", "black"), beliefs, strict=True):
            assert (f"{side}_heat" in row) == heat
            if heat:
                enemies = sum(row[f"{side}_heat"])
                assert enemies == pytest.approx(board.position.pieces(~belief.colour & 1).bit_count(), abs=1e-3)
    with Path("sizes.csv").open() as file:
        table = list(csv.DictReader(file))
    assert [int(row["white"]) for row in table] == [row["white"] for row in fields["plies"]]
    assert len(table[0]) == 7 + 128 * heat
    if heat:
        assert float(table[3]["white_e5"]) == fields["plies"][3]["white_heat"][36]


def test_belief_for_people(ok):
    text = ok("darkchess", "belief", "game.pgn", "--plies", "4", "--plot", "belief.png").stdout
    assert "Nc6" in text
    assert "exd5" not in text
    assert "after ply 4" in text
    assert Path("belief.png").read_bytes().startswith(b"\x89PNG")


def test_belief_over_its_memory_is_a_sample(as_json, ok):
    rows = as_json("darkchess", "belief", "quiet.pgn", "--plies", "8", "--memory", "64kB", "--threads", "2")["plies"]
    assert rows[3]["white_exact"]
    assert not rows[-1]["white_exact"]
    assert max(row["white"] for row in rows) <= 1000
    assert "(sample)" in ok("darkchess", "belief", "quiet.pgn", "--plies", "8", "--memory", "64 kB").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show"], "missing argument 'FEN|PGN' (see murk darkchess show --help)"),
        (["show", "8/8 w - -"], "8/8"),
        (["show", "nonsense"], "nor is it a file"),
        (["show", "nowhere.pgn"], "cannot read nowhere.pgn: No such file or directory"),
        (["show", "bad.pgn"], "bad.pgn, line 2: the move 'Ke3' is not legal"),
        (["show", "empty.pgn"], "empty.pgn has no game, expected at least 1"),
        (["show", "game.pgn", "--game", "3"], "game.pgn has 2 games, expected at least 3"),
        (["show", "game.pgn", "--ply", "14"], "--ply 14 is beyond the last move: the game has 13"),
        (["show", "start", "--ply", "1"], "--ply 1 is beyond the last move: a FEN has none"),
        (["show", "start", "--game", "2"], "--game 2 is for a PGN, and 'start' is a FEN"),
        (["show", "start", "--side", "red"], "is not one of 'white', 'black', 'both'"),
        (["show", "start", "--svg", "no/where.svg"], "cannot write no/where.svg: No such file or directory"),
        (["belief", "start"], "cannot read start: No such file or directory"),
        (["belief", "."], "cannot read .: Is a directory"),
        (["belief", "game.pgn", "--plies", "14"], "--plies 14 is beyond the last move: the game has 13"),
        (["belief", "game.pgn", "--memory", "much"], "'much' is not a size, expected something like 512MB or 2GiB"),
        (["belief", "game.pgn", "--memory", "0"], "'0' is not a size"),
        (["belief", "game.pgn", "--memory", "9"], "memory is 9, expected a number of bytes"),
        (["belief", "game.pgn", "--threads", "0"], "0 is not in the range x>=1"),
        (["belief", "game.pgn", "--plot", "belief.txt"], "cannot draw belief.txt: expected an ending of"),
        (["belief", "game.pgn", "--csv", "no/where.csv"], "cannot write no/where.csv"),
    ],
)
def test_what_cannot_be_done(run, arguments: list[str], message: str):
    Path("bad.pgn").write_text("1. e4 e5\n2. Ke3 *\n")
    Path("empty.pgn").write_text("\n")
    before = {path.name for path in Path().iterdir()}
    result = run("darkchess", *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("murk: ")
    assert result.stderr.count("\n") == 1
    assert message in result.stderr
    assert {path.name for path in Path().iterdir()} == before


@pytest.mark.parametrize("command", ["show", "belief"])
def test_help(ok, command: str):
    text = ok("darkchess", command, "-h").stdout
    assert f"    murk darkchess {command} " in text.partition("Example")[2]
    for option in ("--json", "--quiet", "--debug"):
        assert option in text


def test_a_belief_that_is_interrupted_shows_what_there_is():
    run = OnTerminal("darkchess", "belief", "quiet.pgn", "--memory", "200MB", "--json")
    run.wait_for(b"positions")
    run.process.send_signal(signal.SIGINT)
    code, output = run.finish()
    assert code == 130
    fields = json.loads(output)
    assert fields["interrupted"] is True
    assert 1 <= len(fields["plies"]) < 21
    assert b"Traceback" not in run.seen


def test_a_closed_pipe_is_no_traceback():
    """``murk darkchess show ... | head -1`` ends quietly."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-c", MURK, "darkchess", "show", "start"], stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)
    assert b"Traceback" not in done.stderr


def test_every_field_is_documented_and_there(as_json):
    shown = as_json("darkchess", "show", "start")
    counted = as_json("darkchess", "belief", "game.pgn", "--plies", "1", "--heat")
    assert named(section("json.md", "`murk darkchess show`")) == set(shown)
    rows = named(section("json.md", "`murk darkchess belief`"))
    assert rows | {"white_heat", "black_heat"} == set(counted["plies"][0])
    text = section("json.md", "`murk darkchess belief`")
    for name in (*counted, "white_heat", "black_heat"):
        assert f"`{name}`" in text


@pytest.mark.parametrize("command", [show, belief])
def test_every_option_is_documented(command):
    page = section("cli.md", "Dark chess") + section("cli.md", "For all commands")
    for parameter in command.params:
        if parameter.param_type_name == "option":
            assert any(f"`{name}" in page for name in parameter.opts), parameter.opts
