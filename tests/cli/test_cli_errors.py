"""Bad input: one clear sentence on one line, the right exit code, nothing on standard output, no traceback."""

import subprocess
import sys
from pathlib import Path

import pytest
from test_cli_games_info import without_openspiel

import murk
from murk.cli.errors import one_line
from murk.errors import BackendError

KUHN = "kuhn_poker"

NAN = """
from murk.games.explicit import ExplicitGame, decision, leaf
from murk.games.protocol import MAX

def game():
    return ExplicitGame("nan", decision(MAX, {"a": leaf(float("nan")), "b": leaf(0)}))

def broken():
    raise RuntimeError("out of\\ncards")

class Endless:
    name = "endless"
    def root(self): return self
    def player(self): return MAX
    def actions(self): return (0, 1)
    def child(self, action): return self
    def observation(self, player): return "on and on"
"""

BAD_INPUT = {
    "three players": (["solve", "kuhn_poker(players=3)"], "has 3 players, expected 2"),
    "general-sum": (["solve", "matrix_pd"], "matrix_pd is general-sum, expected a zero-sum game"),
    "imperfect recall": (["solve", "dark_hex(num_rows=2,num_cols=3)"], "--recall actions"),
    "no information states": (["info", "dark_chess"], "--recall actions"),
    "too large": (["info", "leduc_poker", "--max-nodes", "1000"], "more than 1,000 nodes: raise --max-nodes"),
    "too large, not cached": (["info", "leduc_poker", "--max-nodes", "1000", "--no-cache"], "more than 1,000 nodes"),
    "too large, in a file": (["info", "kuhn-tree.murk", "--max-nodes", "57"], "58 nodes, expected at most 57"),
    "infinite": (["info", "games.py:Endless", "--max-nodes", "5000"], "endless has more than 5,000 nodes"),
    "malformed efg": (["solve", "malformed.efg"], "malformed.efg, line 3, column 1: found the end of the file"),
    "binary efg": (["solve", "binary.efg"], "binary.efg"),
    "missing efg": (["solve", "missing.efg"], "cannot read 'missing.efg': No such file"),
    "efg of three players": (["solve", "three.efg"], "three.efg"),
    "truncated solution": (["exploit", KUHN, "truncated.murk"], "truncated.murk is truncated or corrupted"),
    "truncated solution to resume": (["solve", KUHN, "--resume", "truncated.murk"], "truncated or corrupted"),
    "truncated tree": (["info", "truncated.murk"], "truncated or corrupted"),
    "truncated, to convert": (["convert", "truncated.murk", "a.csv", "--game", KUHN], "truncated or corrupted"),
    "empty file": (["exploit", KUHN, "empty.murk"], "empty.murk is not a murk file"),
    "tree for a solution": (["exploit", KUHN, "kuhn-tree.murk"], "holds a tree, expected a solution"),
    "solution for a tree": (["solve", "kuhn.murk"], "holds a solution, expected a tree"),
    "solution of another game": (
        ["exploit", "figure1", "kuhn.murk"],
        "is a solution of kuhn_poker, expected one of figure1",
    ),
    "missing solution": (["exploit", KUHN, "missing.murk"], "cannot read missing.murk: No such file"),
    "resume what cannot go on": (
        ["solve", KUHN, "--resume", "kuhn.murk"],
        "it was solved by simplex, expected one of cfr",
    ),
    "resume by another method": (
        ["solve", KUHN, "--resume", "cfr.murk", "--method", "dcfr"],
        "the saved state is of cfr, expected dcfr",
    ),
    "NaN payoff": (["solve", "games.py:game"], "the payoff is not a finite number at node 1"),
    "a game that raises": (["solve", "games.py:broken"], "games.py:broken raised RuntimeError: out of cards"),
    "no such game in the file": (["solve", "games.py:nothing"], "games.py has no 'nothing'"),
    "a file without a game": (["solve", "games.py"], "expected games.py:NAME"),
    "no such module": (["solve", "no.such:game"], "cannot import no.such"),
    "another kind of file": (["solve", "notes.txt"], "expected .efg, .murk or file.py:NAME"),
    "infeasible epsilon": (["solve", KUHN, "--epsilon", "2"], "epsilon is 2.0, expected a number from 0 to 1"),
    "epsilon without LP": (["solve", KUHN, "--epsilon", "0.1", "--method", "cfr"], "takes no lower bounds"),
    "negative target": (["solve", KUHN, "--target", "-1"], "target is -1.0, expected a number that is not negative"),
    "NaN time": (["solve", KUHN, "--time", "nan"], "seconds is nan, expected a number that is not negative"),
    "not a number": (["solve", KUHN, "--target", "low"], "'low' is not a valid float (see murk solve --help)"),
    "no iterations": (["solve", KUHN, "--iterations", "0"], "0 is not in the range x>=1"),
    "unknown method": (["solve", KUHN, "--method", "dcrf"], "pcfr+; did you mean dcfr? (see murk solve --help)"),
    "unknown recall": (["solve", KUHN, "--recall", "all"], "'all' is not one of 'states', 'actions'"),
    "unknown game": (["solve", "leduc_pokr"], "there is no game 'leduc_pokr'; did you mean leduc_poker?"),
    "misspelt built-in": (["solve", "matching_penies(n=3)"], "did you mean matching_pennies?"),
    "nothing like it": (["solve", "xyzzy"], "there is no game 'xyzzy': `murk games` lists them"),
    "empty name": (["solve", ""], "the game '' has no name"),
    "unknown parameter": (["solve", "kuhn_poker(cards=4)"], "Unknown parameter 'cards'"),
    "unknown parameter of ours": (["solve", "figure1(n=3)"], "figure1 has no parameter 'n'"),
    "unclosed bracket": (["solve", "kuhn_poker(players=2"], "OpenSpiel cannot load 'kuhn_poker(players=2'"),
    "unknown command": (["slove", KUHN], "there is no command 'slove'; did you mean solve? (see murk --help)"),
    "unknown option": (["solve", KUHN, "--targt", "1"], "--target"),
    "no game": (["solve"], "missing argument 'GAME' (see murk solve --help)"),
    "unwritable out": (["solve", KUHN, "--out", "no/such/place.murk"], "cannot write no/such/place.murk: No such file"),
    "out is a directory": (["solve", KUHN, "--out", "."], "cannot write .: it is a directory"),
    "out is the game": (["solve", "kuhn-tree.murk", "--out", "kuhn-tree.murk"], "is the game itself"),
    "out is the plot": (["solve", KUHN, "--out", "a.png", "--plot", "a.png"], "expected two files"),
    "unknown picture": (
        ["solve", KUHN, "--plot", "a.txt"],
        "cannot draw a.txt: expected an ending of .pdf, .png, .svg",
    ),
    "unknown ending": (["convert", KUHN, "a.txt"], "kuhn_poker is a game, expected an ending of .efg or .murk"),
    "no ending": (["convert", KUHN, "a"], "expected an ending of .efg or .murk"),
    "solution as a game": (["convert", "kuhn.murk", "a.efg"], "is a solution, expected an ending of .json or .csv"),
    "solution of which game": (["convert", "kuhn.murk", "a.csv"], "expected --game to say of which game"),
    "game of a game": (["convert", KUHN, "a.efg", "--game", KUHN], "--game goes with a solution"),
    "unwritable destination": (["convert", KUHN, "no/such/a.efg"], "cannot write no/such/a.efg"),
    "value not finite": (["exploit", KUHN, "kuhn.murk", "--value", "inf"], "--value is inf, expected a finite number"),
}


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("solved")
    tree = murk.build(KUHN, cache=False)
    murk.save_tree(tree, folder / "kuhn-tree.murk")
    murk.save_solution(murk.solve(tree), folder / "kuhn.murk")
    murk.save_solution(murk.solve(tree, "cfr", iterations=5), folder / "cfr.murk")
    return folder


@pytest.fixture
def files(scratch: Path, solved: Path) -> Path:
    """Bad files, and good ones for bad uses."""
    for file in solved.iterdir():
        (scratch / file.name).write_bytes(file.read_bytes())
    (scratch / "truncated.murk").write_bytes((solved / "kuhn.murk").read_bytes()[:-100])
    (scratch / "empty.murk").write_bytes(b"")
    (scratch / "malformed.efg").write_text('EFG 2 R "x" { "a" "b" } ""\np "" 1 1\n')
    (scratch / "binary.efg").write_bytes(bytes(range(256)))
    (scratch / "three.efg").write_text('EFG 2 R "x" { "a" "b" "c" }\nt "" 1 "" { 0, 0, 0 }\n')
    (scratch / "games.py").write_text(NAN)
    (scratch / "notes.txt").write_text("hello")
    return scratch


def assert_one_line(exit_code: int, stdout: str, stderr: str, fragment: str) -> None:
    assert exit_code == 2, stderr
    assert stdout == ""
    assert stderr.startswith("murk: ")
    assert stderr.count("\n") == 1
    assert stderr.endswith("\n")
    assert "Traceback" not in stderr
    assert "this is a bug" not in stderr
    assert fragment in stderr


@pytest.mark.parametrize("case", BAD_INPUT)
def test_bad_input(run, files: Path, case: str):
    before = sorted(files.iterdir())
    arguments, fragment = BAD_INPUT[case]
    result = run(*arguments)
    assert_one_line(result.exit_code, result.stdout, result.stderr, fragment)
    assert [path for path in sorted(files.iterdir()) if path.name != "__pycache__"] == before


@pytest.mark.parametrize(
    "case",
    ["three players", "unknown parameter", "unclosed bracket", "malformed efg", "truncated solution", "unknown option"],
)
def test_bad_input_in_a_process(process, files: Path, case: str):
    """As a process OpenSpiel's own messages would come between, and a traceback could not hide."""
    arguments, fragment = BAD_INPUT[case]
    done = process(*arguments, "--json")
    assert_one_line(done.returncode, done.stdout, done.stderr, fragment)


def test_the_files_are_checked_before_the_work(run, monkeypatch: pytest.MonkeyPatch):
    def never(*args: object, **options: object) -> None:
        raise AssertionError("the tree was built")

    monkeypatch.setattr(murk, "build", never)
    for case in ("unwritable out", "unknown picture", "negative target", "out is the plot"):
        assert run(*BAD_INPUT[case][0]).exit_code == 2


def test_debug_shows_a_traceback(run, files: Path):
    for arguments in (["solve", "games.py:broken", "--debug"], ["--debug", "solve", "games.py:broken"]):
        result = run(*arguments)
        assert result.exit_code == 2
        assert 'raise RuntimeError("out of' in result.stderr
        assert result.stderr.splitlines()[-1].startswith("murk: games.py:broken raised RuntimeError")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (KeyError("x"), "KeyError: 'x' (this is a bug, and --debug shows where)"),
        (BackendError("HiGHS stopped"), "HiGHS stopped"),
        (MemoryError(), "out of memory: `murk info` estimates what a game needs, --max-nodes limits its tree"),
        (OSError(28, "No space left on device"), "No space left on device"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_failures_end_with_1(run, monkeypatch: pytest.MonkeyPatch, error: Exception, message: str):
    def fail(*args: object, **options: object) -> None:
        raise error

    monkeypatch.setattr(murk, "solve", fail)
    result = run("solve", KUHN)
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", f"murk: {message}\n")
    debug = run("solve", KUHN, "--debug")
    assert debug.exit_code == 1
    assert "Traceback" in debug.stderr


def test_ctrl_c_while_building(run, monkeypatch: pytest.MonkeyPatch):
    def interrupt(*args: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(murk, "build", interrupt)
    result = run("info", KUHN)
    assert (result.exit_code, result.stdout, result.stderr) == (130, "", "murk: interrupted\n")


def test_without_openspiel(run, monkeypatch: pytest.MonkeyPatch):
    without_openspiel(monkeypatch)
    result = run("solve", KUHN)
    assert_one_line(result.exit_code, result.stdout, result.stderr, "pip install 'murk[openspiel]'")
    result = run("solve", "matching_penies")
    assert_one_line(result.exit_code, result.stdout, result.stderr, "did you mean matching_pennies?")
    assert run("solve", "figure1").exit_code == 0


def test_without_matplotlib(run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    result = run("solve", KUHN, "--plot", "a.png")
    assert_one_line(result.exit_code, result.stdout, result.stderr, "pip install 'murk[plot]'")


def test_a_spoilt_cache_is_a_warning(run, scratch: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MURK_CACHE_DIR", str(scratch / "cache"))
    assert run("info", KUHN).stderr == ""
    (kept,) = (scratch / "cache").rglob("*.murk")
    kept.write_bytes(kept.read_bytes()[:-1])
    result = run("info", KUHN)
    assert result.exit_code == 0
    assert result.stderr.startswith("murk: warning: ignoring a spoilt cache file")
    kept.write_bytes(kept.read_bytes()[:-1])
    assert run("info", KUHN, "--quiet").stderr == ""


def test_a_closed_pipe_is_silent():
    command = [sys.executable, "-m", "murk", "games"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as murk_games:
        assert murk_games.stdout is not None
        assert murk_games.stderr is not None
        murk_games.stdout.close()
        assert murk_games.stderr.read() == b""


def test_a_message_is_one_line_and_harmless():
    assert one_line("a\nb\x1b[31m \x07c\u202e") == "a b?[31m ?c?"
