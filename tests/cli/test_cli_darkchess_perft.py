"""``murk darkchess perft``: counts, divide, errors, Ctrl-C."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

KINGS = "4k3/8/8/8/8/8/8/4K3 w - -"


def test_nodes(as_json):
    fields = as_json("darkchess", "perft", "start", "4")
    assert fields["nodes"] == 197742
    assert fields["depth"] == 4
    assert fields["fen"] == "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
    assert fields["seconds"] > 0
    assert "divide" not in fields


def test_divide(as_json):
    fields = as_json("darkchess", "perft", f"{KINGS} 12 40", "2", "--divide")
    assert fields["divide"] == {"e1d1": 5, "e1f1": 5, "e1d2": 5, "e1e2": 5, "e1f2": 5}
    assert fields["nodes"] == 25


@pytest.mark.parametrize(("depth", "nodes"), [("0", 1), ("1", 5)])
def test_shallow(as_json, depth: str, nodes: int):
    assert as_json("darkchess", "perft", KINGS, depth)["nodes"] == nodes


def test_for_people(ok):
    output = ok("darkchess", "perft", "start", "3", "--divide").stdout
    assert re.search(r"^nodes +8,902$", output, re.MULTILINE)
    assert re.search(r"^e2e4 +600 *$", output, re.MULTILINE)
    assert "nodes/s" in output
    assert "e2e4" not in ok("darkchess", "perft", "start", "3").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("8/8/8/8/8/8/8/8 w - -", "3"), 'bad FEN "8/8/8/8/8/8/8/8 w - -": White has no king'),
        (("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "3"), "it has 1 fields, not four to six"),
        (("start", "x"), "'x' is not a valid integer"),
        (("start",), "missing argument 'DEPTH'"),
    ],
)
def test_an_error_is_one_line(run, arguments: tuple[str, ...], message: str):
    result = run("darkchess", "perft", *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_an_unknown_command_is_told_apart(run):
    result = run("darkchess", "pertf")
    assert result.exit_code == 2
    assert "there is no command 'pertf'; did you mean perft?" in result.stderr


def test_ctrl_c_ends_a_count_that_would_take_days():
    # Python alone answers Ctrl-C until everything is loaded, however long that takes.
    program = "from murk.cli import main; print('ready', flush=True); main()"
    command = [sys.executable, "-c", program, "darkchess", "perft", "start", "12"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        loaded = _cpu_ticks(process.pid)
        while process.poll() is None and _cpu_ticks(process.pid) < loaded + 60:
            time.sleep(0.05)  # until it must be counting
        os.kill(process.pid, signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert (output, errors) == ("", "murk: interrupted\n")


def _cpu_ticks(pid: int) -> int:
    return sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]))


def test_every_field_is_documented(as_json):
    page = (Path(__file__).parents[2] / "docs" / "json.md").read_text()
    section = page.partition("\n## `murk darkchess perft`\n")[2].partition("\n## ")[0]
    named = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`[^|]*) \|", section, re.MULTILINE))))
    assert named == set(as_json("darkchess", "perft", "start", "1", "--divide"))
