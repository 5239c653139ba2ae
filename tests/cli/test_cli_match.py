"""``murk match``: the table, the JSON, the errors, Ctrl-C, a full disk."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from murk.cli import main
from murk.darkchess import pgn
from murk.match import read_journal

QUICK = ("--nodes", "50", "--max-plies", "16", "--seed", "3")
DOCS = Path(__file__).parents[2] / "docs"
MURK = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from murk.cli import main; main()"


def masked(text: str) -> str:
    """Return the output without what differs from run to run: times."""
    return re.sub(r" +$", "", re.sub(r"\d\.\d{3}( s)?(?= )", "T", text), flags=re.MULTILINE)


def test_the_table(ok, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    text = masked(ok("match", "random", "cheat(evaluator=simple)", *QUICK, "--games", "4", "--max-plies", "60").stdout)
    lines = [line.rstrip() for line in text.splitlines()]
    assert lines[0] == "random against cheat(evaluator=simple) (sees everything)"
    assert lines[1].split() == [
        "agent",
        "games",
        *"WDL",
        "score",
        "95",
        "%",
        "Elo",
        "LOS",
        "s/move",
        "longest",
        "forfeits",
    ]
    assert re.fullmatch(r"random +4 +0 +0 +4 +0.0 % +0.0-49.0 +-inf \(-inf to -7\) +2.3 % +T +T +-", lines[3])
    assert re.fullmatch(
        r"cheat\(evaluator=simple\) \(sees everything\) +4 +4 +0 +0 +100.0 % +51.0-100.0 "
        r"+\+inf \(\+7 to \+inf\) +97.7 % +T +T +-",
        lines[4],
    )
    assert lines[6:] == [
        "4 games, 50 nodes a move, seed 3: all games played",
        "endings: king captured 4",
        "pairs of games (0, 1/4, 1/2, 3/4, 1): 2, 0, 0, 0, 0",
        "cheat(evaluator=simple) (sees everything): an upper bound, no player of dark chess",
    ]


def test_a_round_robin_has_pairings(ok) -> None:
    text = ok("match", "random", "random", "random(label=third)", *QUICK, "--games", "2").stdout
    assert "Pairings, from the first one's side" in text
    for pair in ("random - random#2", "random - third", "random#2 - third"):
        assert pair in text


def test_json_ends_with_the_first_agents_results(as_json) -> None:
    fields = as_json("match", "random", "random(label=other)", *QUICK, "--games", "4", "--sprt", "elo1=50")
    assert list(fields)[-7:] == ["games", "wins", "draws", "losses", "score", "low", "high"]
    assert fields["games"] == 4 == fields["wins"] + fields["draws"] + fields["losses"]
    assert 0 <= fields["low"] <= fields["score"] <= fields["high"] <= 1
    assert [agent["label"] for agent in fields["agents"]] == ["random", "other"]
    assert fields["sprt"]["accepted"] is None
    page = (DOCS / "match.md").read_text()
    for name in (*fields, *fields["agents"][0], *fields["pairings"][0]):
        assert f"`{name}`" in page, name


def test_files_and_resuming(as_json, run) -> None:
    arguments = ("match", "random", "random", *QUICK, "--journal", "m.jsonl", "--pgn", "m.pgn")
    as_json(*arguments, "--games", "2")
    again = run(*arguments, "--games", "6")
    assert again.exit_code == 2
    assert "exists" in again.stderr
    fields = as_json(*arguments, "--games", "6", "--resume")
    assert (fields["resumed"], fields["games"]) == (2, 6)
    assert len(read_journal(Path("m.jsonl"))[1]) == len(list(pgn.read_games("m.pgn"))) == 6
    other = run(*arguments, "--games", "6", "--resume", "--nodes", "51")
    assert (other.exit_code, other.stderr) == (
        2,
        "murk: m.jsonl is of another match: its nodes is 50, and not 51\n",
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["random"], "there is one agent, random, and a match needs two or more"),
        (["random", "randon"], "there is no agent 'randon': .* did you mean random"),
        (["random", "pimc(x=1)"], "the agent pimc has no option 'x'"),
        (["random", "random", "--tc", "soon"], "the time control is 'soon', expected seconds"),
        (["random", "random", "--movetime", "0"], "movetime is 0.0, expected a positive number"),
        (["random", "random", "--odds", "1,x"], "the odds are '1,x', expected a number for each agent, as in 1,2"),
        (["random", "random", "--odds", "2"], "there are 1 odds for 2 agents, expected one for each"),
        (["random", "random", "--resume"], "--resume needs the --journal"),
        (["random", "random", "--openings", "x.epd"], "there are no openings 'x.epd'"),
        (["random", "random", "--sprt", "elo"], "cannot read 'elo' in --sprt"),
        (["random", "random", "random", "--sprt", "elo1=5"], "the SPRT is for two players"),
        (["random", "random", "--journal", "no/m.jsonl"], "cannot write no/m.jsonl"),
        (["random", "uci(command=no-such-engine)"], "cannot start the engine 'no-such-engine'"),
    ],
)
def test_errors_are_one_line(run, arguments: list[str], message: str) -> None:
    result = run("match", *arguments)
    assert result.exit_code == 2
    assert re.match(f"murk: {message}", result.stderr)
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("command", ["match", "analyse"])
def test_every_option_is_documented(command: str) -> None:
    context = main.make_context("murk", [command, "--help"], resilient_parsing=True)
    found = main.get_command(context, command)
    assert found is not None
    page = (DOCS / "match.md").read_text()
    for parameter in found.params:
        shared = {"--json", "--quiet", "--debug"} & set(parameter.opts)
        assert parameter.param_type_name == "argument" or shared or f"`{parameter.opts[0]}" in page, parameter.opts


def test_ctrl_c_shows_the_table_so_far_and_the_match_goes_on() -> None:
    arguments = ["match", "random", "random", "--nodes", "1", "--games", "4000", "--journal", "m.jsonl", "--json"]
    process = subprocess.Popen(
        [sys.executable, "-c", MURK, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while process.poll() is None and (
        not Path("m.jsonl").exists() or len(Path("m.jsonl").read_bytes().splitlines()) < 3
    ):
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, "")
    fields = json.loads(output)
    assert fields["ended"] == "interrupted"
    assert fields["games"] == len(read_journal(Path("m.jsonl"))[1]) >= 2


FULL = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
from murk.cli import main
main()
"""


def test_a_full_disk_ends_the_match_and_corrupts_nothing() -> None:
    arguments = [
        "match",
        "random",
        "random",
        "--nodes",
        "1",
        "--games",
        "100",
        "--journal",
        "m.jsonl",
        "--max-plies",
        "90",
    ]
    done = subprocess.run([sys.executable, "-c", FULL, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert re.fullmatch(
        r"murk: cannot write m.jsonl: [A-Za-z ]+; the games before it are safe, and --resume goes on\n", done.stderr
    )
    assert "could not be written down" in done.stdout
    _, games, size = read_journal(Path("m.jsonl"))
    assert size == Path("m.jsonl").stat().st_size
    assert f"{len(games)} games" in done.stdout
    assert len(games) >= 2


def test_a_terminal_shows_the_standings() -> None:
    terminal, theirs = os.openpty()
    arguments = ["match", "random", "random(label=other)", *QUICK, "--games", "3", "--json"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "200"}
    process = subprocess.Popen(
        [sys.executable, "-c", MURK, *arguments], stdout=subprocess.PIPE, stderr=theirs, env=environment
    )
    os.close(theirs)
    seen = b""
    with contextlib.suppress(OSError):  # the other end is closed
        while part := os.read(terminal, 4096):
            seen += part
    os.close(terminal)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert json.loads(output)["games"] == 3
    for text in (b"2 of 3 games", b"to go; last: ", b"LOS"):
        assert text in seen


def test_progress_goes_to_a_terminal_only(process) -> None:
    done = process("match", "random", "random", *QUICK, "--games", "2")
    assert (done.returncode, done.stderr) == (0, "")
