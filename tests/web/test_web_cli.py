"""``murk play``: what it says, and what it refuses in one sentence."""

import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from web_server import WAIT

from murk.cli import main
from murk.web import app as web_app
from murk.web.journal import Store
from murk.web.levels import LEVELS, Level, Offers


def refused(*arguments: str) -> str:
    """Return the one line that a command fails with."""
    result = CliRunner().invoke(main, ["play", "--no-browser", *arguments])
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    return result.stderr


@pytest.fixture(autouse=True)
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page that stands for the real one, and games of one's own."""
    monkeypatch.setattr(web_app, "STATIC", tmp_path)
    monkeypatch.setenv("MURK_DATA_DIR", str(tmp_path))
    (tmp_path / "index.html").write_text("<!doctype html>")
    return tmp_path


def test_a_port_in_use():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert refused("--port", str(port)) == (
            f"murk: port {port} is in use: name another with --port, or 0 for any\n"
        )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--agent", "nobody"], "there is no agent 'nobody'"),
        (["--agent", "zs21(particle=3)"], "did you mean particles?"),
        (["--evaluator", "nothing"], "'nothing'"),
        (["--host", "256.0.0.1"], "cannot listen on '256.0.0.1'"),
        (["--host", "8.8.8.8"], "cannot listen on 8.8.8.8"),
        (["--port", "99999"], "99999"),
        (["--strength", "9"], "9"),
        (["--movetime", "-1"], "-1"),
        (["--data", "/dev/null/x"], "cannot keep games in /dev/null/x"),
        (["--colour", "black"], "--colour is for dark chess in the terminal, not for the board in the browser"),
        (["--tui"], "--no-browser is for the board in the browser, not for dark chess in the terminal"),
        (["kuhn_poker"], "--no-browser is for the board in the browser, not for GAME"),
    ],
)
def test_wrong_arguments(arguments: list[str], message: str):
    assert message in refused(*arguments)


def test_a_folder_that_another_server_uses(tmp_path: Path):
    store = Store(tmp_path / "games")
    assert "another murk play keeps its games in" in refused("--port", "0", "--data", str(tmp_path / "games"))
    store.close()


def test_a_page_that_is_not_built(page: Path):
    (page / "index.html").unlink()
    assert refused() == "murk: the page of the board is not built: run make web in the checkout of murk\n"


@pytest.mark.parametrize("package", ["starlette", "uvicorn", "websockets"])
def test_missing_packages(package: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, package, None)
    assert refused() == f'murk: the board in the browser needs the package {package}: pip install "murk[web]"\n'


def test_help_names_every_option_with_an_example():
    output = CliRunner().invoke(main, ["play", "--help"]).stdout
    for option in ("--tui", "--host", "--port", "--agent", "--evaluator", "--strength", "--movetime", "--data"):
        assert option in output
    assert "murk play --host" in output


def test_it_says_where_it_is_and_ends_with_ctrl_c(tmp_path: Path):
    """As a process: the page must be built, as for the tests in the browser."""
    command = [sys.executable, "-m", "murk", "play", "--no-browser", "--port", "0", "--data", str(tmp_path / "games")]
    for extra, pattern in (
        ([], r"The board is at http://127\.0\.0\.1:\d+/ \(Ctrl-C ends; games are kept in .*/games\)\n"),
        (["--json"], r'\{"address": "http://127\.0\.0\.1:\d+/", "data": ".*/games", "loopback": true\}\n'),
    ):
        process = subprocess.Popen([*command, *extra], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert process.stdout is not None
        line = process.stdout.readline()
        assert re.fullmatch(pattern, line), line
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=WAIT)
        assert (process.returncode, out, errors) == (0, "", "")


def test_what_is_offered():
    offers = Offers(["greedy(positions=4,label=tiny)"], evaluator="simple")
    assert [offer.name for offer in offers][:2] == ["tiny", "murk"]
    assert offers.get("tiny").spec == "greedy(positions=4,evaluator=simple)"
    assert offers.get("murk").spec == "murk(evaluator=simple)"
    assert offers.get("random").spec == "random"
    assert [offer.name for offer in offers if not offer.fair] == ["cheat"]
    assert offers.reviewer.name == "murk"


def test_levels_grow_and_announce_at_their_pace():
    assert [level.seconds for level in LEVELS] == sorted(level.seconds for level in LEVELS)
    murk, weak = Offers().get("murk"), Offers().get("random")
    level = Level("x", 2.0)
    assert murk.pace(level, level.clock(None, 0.0)) == 2.0
    assert murk.pace(level, level.clock(10.0, 0.0)) == pytest.approx(0.4)
    assert weak.pace(level, level.clock(None, 0.0)) == 0.4
    small = Level("x", 0.5, nodes=300)
    assert small.clock(None, 0.0).movetime is None
    assert murk.pace(small, small.clock(None, 0.0)) == 0.5
