"""The pool of UCI processes: what it survives, with engines that really crash, hang, flood and are killed."""

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from murk.darkchess import Position
from murk.darkchess.evaluators.stockfish import Stockfish, find_stockfish
from murk.errors import BackendError, InputError, MissingDependencyError

SICILIAN = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -"
TAU = 420.0


class Fake:
    """A misbehaving engine of our own, in a directory."""

    def __init__(self, folder: Path) -> None:
        shutil.copy(Path(__file__).with_name("fake_engine.py"), folder / "engine.py")
        self.state = folder / "behaviour.json"
        self.path = folder / "engine"
        # Without site-packages Python starts fast; the fake still needs python-chess.
        import chess

        libraries = Path(chess.__file__).parents[1]
        self.path.write_text(
            f'#!/bin/sh\nPYTHONPATH="{libraries}" exec "{sys.executable}" -S "{folder / "engine.py"}"\n'
        )
        self.path.chmod(self.path.stat().st_mode | stat.S_IXUSR)
        self.behave("well")

    def behave(self, mode: str, *, times: int = 0, trigger: str = "") -> None:
        self.state.write_text(json.dumps({"mode": mode, "times": times, "trigger": trigger}))

    @property
    def seen(self) -> int:
        return int(json.loads(self.state.read_text()).get("seen", 0))


@pytest.fixture
def fake(tmp_path: Path) -> Fake:
    return Fake(tmp_path)


def expected(position: Position) -> list[float]:
    """Return what the fake says about a position without checks."""
    return [float(np.tanh(move.to_square / TAU)) for move in position.legal_moves]


def test_a_well_behaved_engine_is_understood(fake: Fake) -> None:
    engine = Stockfish(fake.path)
    for fen in (Position().fen, SICILIAN):
        np.testing.assert_allclose(engine.values(Position(fen)), expected(Position(fen)), atol=1e-6)
    assert engine.engine == "Fake 1"
    assert engine.parameters == {"engine": "Fake 1", "depth": "1", "tau": "420"}
    assert engine.restarts == 0


@pytest.mark.parametrize("mode", ["crash", "hang", "flood", "long line", "half an answer"])
def test_a_process_that_fails_is_replaced_and_nothing_is_lost(fake: Fake, mode: str) -> None:
    fake.behave(mode, times=2, trigger="2p5")
    engine = Stockfish(fake.path, timeout=4.0 if mode in ("hang", "flood") else 60.0)
    positions = [Position(), Position(SICILIAN), Position()] * 3
    for values, position in zip(engine.values_of(positions), positions, strict=True):
        np.testing.assert_allclose(values, expected(position), atol=1e-6)
    assert fake.seen == 2
    assert engine.restarts >= 2


def test_a_question_that_breaks_every_process_is_an_error_and_the_others_are_answered(fake: Fake) -> None:
    fake.behave("crash", times=-1, trigger="2p5")
    engine = Stockfish(fake.path)
    results: list[list[np.ndarray]] = []

    def ask() -> None:
        results.append(engine.values_of([Position()] * 20))

    thread = threading.Thread(target=ask)
    thread.start()
    with pytest.raises(BackendError, match=r"ended or hung 4 times over fen rnbqkbnr/pp1ppppp/8/2p5"):
        engine.values(Position(SICILIAN))
    thread.join()
    for values in results[0]:
        np.testing.assert_allclose(values, expected(Position()), atol=1e-6)
    np.testing.assert_allclose(engine.values(Position()), expected(Position()), atol=1e-6)


def test_an_answer_without_scores_is_asked_for_child_by_child(fake: Fake) -> None:
    fake.behave("no score", times=1, trigger="2p5")
    engine = Stockfish(fake.path)
    position = Position(SICILIAN)
    # The best reply to each move has the highest square, which is e.g. 39 for Black's b7b5.
    values = engine.values(position)
    assert len(values) == len(position.legal_moves)
    assert (values < 0).all()
    fake.behave("no score", times=-1, trigger="/")
    with pytest.raises(BackendError, match="gave no score to fen"):
        engine.values(position)


def test_a_process_killed_in_mid_search_loses_nothing() -> None:
    """With Stockfish itself: searches of half a second or so, killed again and again."""
    engine = Stockfish(nodes=100_000, processes=2)
    positions = [Position(), Position(SICILIAN)] * 3
    answers: list[list[np.ndarray]] = []
    thread = threading.Thread(target=lambda: answers.append(engine.values_of(positions)))
    thread.start()
    killed: list[int] = []
    while len(killed) < 3 and thread.is_alive():
        time.sleep(0.2)
        if fresh := [pid for pid in engine.pids if pid not in killed]:
            os.kill(fresh[0], signal.SIGKILL)
            killed.append(fresh[0])
    thread.join()
    assert len(killed) == 3
    assert engine.restarts >= 1  # others may have been killed before their first search, or after the last
    assert len(answers) == 1
    shallow = Stockfish().values_of(positions)
    for values, other in zip(answers[0], shallow, strict=True):
        assert np.corrcoef(values, other)[0, 1] > 0.8


def test_a_process_killed_while_idle_is_no_zombie_and_is_replaced() -> None:
    engine = Stockfish()
    before = engine.values(Position())
    (pid,) = engine.pids
    os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + 20
    while engine.pids and time.monotonic() < deadline:
        time.sleep(0.01)
    assert engine.pids == []
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)  # a zombie would still be there
    np.testing.assert_allclose(engine.values(Position()), before, atol=0.1)
    assert engine.restarts == 1


def test_processes_end_with_the_evaluator() -> None:
    engine = Stockfish(processes=2)
    deadline = time.monotonic() + 30
    while len(engine.pids) < 2 and time.monotonic() < deadline:
        engine.values_of([Position()] * 20)  # the second process starts once the first has enough to do
    pids = engine.pids
    assert len(pids) == 2
    del engine
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_engines_inherit_no_files() -> None:
    program = (
        "import os\nfrom murk.darkchess import Position\n"
        "from murk.darkchess.evaluators.stockfish import Stockfish\n"
        "mine = open(os.devnull), os.pipe()\n"
        "engine = Stockfish(processes=3)\n"
        "engine.values_of([Position()] * 40)\n"
        "print([sorted(map(int, os.listdir(f'/proc/{pid}/fd'))) for pid in engine.pids])\n"
    )
    # In a program of its own, which has no files but those it opens.
    done = subprocess.run([sys.executable, "-c", program], check=True, timeout=60, capture_output=True, text=True)
    files = json.loads(done.stdout)
    assert files
    assert all(of_engine == [0, 1, 2] for of_engine in files)


def test_many_threads_share_one_evaluator() -> None:
    engine = Stockfish(processes=2, fresh=True)
    positions = [Position(), Position(SICILIAN)]
    truth = [engine.values(position) for position in positions]
    failures: list[str] = []

    def work(i: int) -> None:
        for k in range(10):
            which = (i + k) % 2
            if not np.array_equal(engine.values(positions[which]), truth[which]):
                failures.append(f"{i} {k}")

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


@pytest.mark.parametrize("started", [True, False])
def test_ctrl_c_ends_the_waiting(fake: Fake, started: bool) -> None:
    """An engine that hangs, asked by a program that gets SIGINT: it must end at once, and its engine with it."""
    fake.behave("hang", times=-1, trigger="/" if started else "uci")
    program = (
        "import sys\nfrom murk.darkchess import Position\nfrom murk.darkchess.evaluators.stockfish import Stockfish\n"
        "print('ready', flush=True)\n"
        f"engine = Stockfish({str(fake.path)!r}, timeout=600)\n"
        "try:\n    engine.values(Position())\n"
        "except KeyboardInterrupt:\n    print('interrupted', *engine.pids, flush=True)\n    sys.exit(7)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        deadline = time.monotonic() + 60
        while fake.seen == 0 and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=30)
    if started:
        assert process.returncode == 7
        word, pid = out.split()
        assert word == b"interrupted"
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)
    else:
        assert process.returncode != 0


def test_after_a_fork_the_pool_says_so_instead_of_hanging(fake: Fake) -> None:
    engine = Stockfish(fake.path)
    program = (
        "import os, warnings\nfrom murk.darkchess import Position\nfrom murk.errors import BackendError\n"
        "from murk.darkchess.evaluators.stockfish import Stockfish\n"
        f"engine = Stockfish({str(fake.path)!r})\n"
        "warnings.simplefilter('ignore')\n"
        "pid = os.fork()\n"
        "if pid == 0:\n"
        "    try:\n        engine.values(Position())\n"
        "    except BackendError as error:\n        os._exit(5 if 'fork' in str(error) else 6)\n"
        "    os._exit(1)\n"
        "assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 5\n"
        "assert len(engine.values(Position())) == 20\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
    assert engine.restarts == 0


def test_no_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"there is no program '/no/such/engine': expected the path of Stockfish"):
        Stockfish("/no/such/engine")
    (tmp_path / "text").write_text("no program")
    with pytest.raises(InputError, match="there is no program"):
        Stockfish(tmp_path / "text")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("murk.darkchess.evaluators.stockfish._PLACES", (str(tmp_path),))
    with pytest.raises(MissingDependencyError, match=r"there is no Stockfish on PATH nor in .*: install it"):
        find_stockfish()


def test_programs_that_are_no_engines(fake: Fake) -> None:
    with pytest.raises(BackendError, match=r"/true ended before it was asked anything"):
        Stockfish(shutil.which("true"))
    broken = fake.path.with_name("broken")
    broken.write_text("#!/no/such/interpreter\n")
    broken.chmod(0o755)
    with pytest.raises(BackendError, match=r"broken cannot be started: No such file or directory"):
        Stockfish(broken)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"depth": 0}, "depth is 0, expected a whole number of at least 1"),
        ({"processes": 0}, "processes is 0, expected a whole number of at least 1"),
        ({"tau": -1.0}, "tau is -1.0, expected a positive number"),
        ({"nodes": 0}, "nodes is 0, expected a whole number of at least 1"),
        ({"timeout": 0.0}, "timeout is 0.0, expected a positive number"),
    ],
)
def test_bad_arguments(arguments: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Stockfish(**arguments)  # type: ignore[arg-type]
