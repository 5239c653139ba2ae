"""The command line as a process: help, completion, the live line on a terminal, Ctrl-C."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import murk

COMMANDS = ["games", "info", "solve", "exploit", "convert"]

# A process started in the background by a shell ignores SIGINT, and its children inherit that.
MURK = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from murk.cli import main; main()"


def test_version(process):
    done = process("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"murk {murk.__version__}\n", "")


def test_help_lists_the_commands(ok):
    text = ok("--help").stdout
    for command in COMMANDS:
        assert f"\n  {command} " in text


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example_and_the_common_options(ok, command: str):
    text = ok(command, "-h").stdout
    assert f"    murk {command} " in text.partition("Example")[2]
    for option in ("--json", "--quiet", "--debug"):
        assert option in text


def test_json_is_all_there_is_on_standard_output(process):
    done = process("solve", "figure1", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 1
    assert json.loads(done.stdout)["value"] == pytest.approx(0.76)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("murk s", ["plain,solve"]),
        ("murk solve leduc", ["plain,leduc_poker"]),
        ("murk solve figure1 --method d", ["plain,dcfr"]),
        ("murk solve figure1 --max", ["plain,--max-nodes"]),
        ("murk solve ./kuhn.e", ["file,./kuhn.e"]),
    ],
)
def test_completion(process, words: str, expected: list[str]):
    position = str(len(words.split()) - 1)
    done = process(_MURK_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=position)
    assert done.stdout.split() == expected


class OnTerminal:
    """``murk`` with its standard error on a terminal, and its standard output in a pipe."""

    def __init__(self, *arguments: str) -> None:
        self.terminal, theirs = os.openpty()
        self.seen = b""
        environment = {**os.environ, "TERM": "xterm", "COLUMNS": "200"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", MURK, *arguments], stdout=subprocess.PIPE, stderr=theirs, env=environment
        )
        os.close(theirs)

    def wait_for(self, text: bytes) -> None:
        while text not in self.seen:
            self.seen += os.read(self.terminal, 4096)

    def _drain(self) -> None:
        with contextlib.suppress(OSError):  # the other end is closed
            while part := os.read(self.terminal, 4096):
                self.seen += part

    def finish(self) -> tuple[int, str]:
        """Return the exit code and standard output; ``seen`` then holds all of standard error."""
        assert self.process.stdout is not None
        draining = threading.Thread(target=self._drain)  # a full terminal would hold the process up
        draining.start()
        output = self.process.stdout.read().decode()
        draining.join()
        os.close(self.terminal)
        self.process.stdout.close()
        return self.process.wait(timeout=60), output


def test_a_run_that_is_interrupted_is_kept_and_goes_on():
    run = OnTerminal("solve", "leduc_poker", "--method", "cfr", "--target", "0", "--out", "f.murk", "--json")
    run.wait_for(b"exploitability")
    run.process.send_signal(signal.SIGINT)
    code, output = run.finish()
    assert code == 130
    fields = json.loads(output)
    assert fields["stopped"] == "interrupted"
    assert fields["iterations"] > 0
    saved = murk.load_solution("f.murk", murk.build("leduc_poker"))
    assert saved.iterations == fields["iterations"]
    assert saved.exploitability == pytest.approx(fields["exploitability"])
    assert [path.name for path in Path().iterdir()] == ["f.murk"]
    assert b"Traceback" not in run.seen

    done = subprocess.run(
        [sys.executable, "-m", "murk", "solve", "leduc_poker", "--resume", "f.murk", "--iterations", "5", "--json"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    again = json.loads(done.stdout)
    assert (again["method"], again["iterations"]) == ("cfr", saved.iterations + 5)


def test_an_interrupted_linear_program_is_one_line():
    run = OnTerminal("solve", "liars_dice", "--method", "ipm", "--out", "f.murk")
    run.wait_for(b"liars_dice by ipm")
    run.process.send_signal(signal.SIGINT)
    code, output = run.finish()
    assert (code, output) == (130, "")
    assert run.seen.endswith(b"murk: interrupted\r\n")
    assert list(Path().iterdir()) == []


def test_quiet_shows_nothing_on_a_terminal():
    run = OnTerminal("solve", "leduc_poker", "--method", "cfr", "--iterations", "20", "--quiet", "--json")
    code, output = run.finish()
    assert (code, run.seen) == (0, b"")
    assert json.loads(output)["iterations"] == 20


def test_native_messages_do_not_reach_a_terminal():
    run = OnTerminal("solve", "kuhn_poker(cards=4)")
    code, output = run.finish()
    assert (code, output) == (2, "")
    assert b"OpenSpiel exception" not in run.seen
    assert b"murk: OpenSpiel cannot load" in run.seen
