"""Dark chess in the terminal: whole games by script, at a real terminal, and without a leak."""

import contextlib
import io
import os
import pty
import random
import re
import subprocess
import sys

import pytest
from rich.console import Console

from murk.darkchess import Board, Colour, Move, Observation
from murk.darkchess.agents import AGENTS, Agent, AgentSpec, Clock, Decision
from murk.darkchess.board import START_FEN
from murk.errors import InputError
from murk.tui import play_dark_chess
from murk.tui.terminal import Terminal


class Scripted(Agent):
    """Plays given moves."""

    name = "scripted"

    def __init__(self, *, moves: str) -> None:
        self._moves = moves.split()

    def new_game(self, colour: Colour, seed: int, fen: str = START_FEN) -> None:
        self._left = iter(self._moves)

    def observe(self, observation: Observation, move: Move | None = None) -> None:
        pass

    def move(self, clock: Clock) -> Decision:
        return Decision(move=Move.from_uci(next(self._left)))


@pytest.fixture(autouse=True)
def scripted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(AGENTS, "scripted", Scripted)


def against(moves: str) -> AgentSpec:
    return AgentSpec("scripted", {"moves": moves}, "scripted")


def play(answers: str, **options: object) -> tuple[str, object]:
    out = io.StringIO()
    terminal = Terminal(io.StringIO(answers), Console(file=out, width=100))
    outcome = play_dark_chess(terminal=terminal, **options)  # type: ignore[arg-type]
    return out.getvalue(), outcome


def test_a_game_to_the_end_and_its_review() -> None:
    text, outcome = play(
        "e4\nQh5\nQxf7\nd1d1\nmoves\nQxe8\nn\nn\np\n1\nt\n9\nhelp\nq\n", agent=against("a7a6 b7b6 c7c6"), colour="white"
    )
    assert outcome is not None
    assert "You won: king captured" in text
    assert "'d1d1' is no move you can make here" in text
    assert "Qxe8" in text
    assert "1   a6" in text
    assert "Decision 2: b6" in text
    assert "there is no decision '9', expected 1 to 3" in text
    assert text.count("What the agent thought") == 2


def test_what_is_not_seen_is_a_question_mark() -> None:
    text, _ = play("e4\nlist\nexd5\nlist\nview\n?\nboard\nresign\nq\n", agent=against("d7d5 d8d5 a7a6"), colour="white")
    assert "1. e4 ?" in text
    assert "1. e4 ? 2. exd5 ?xd5" in text
    assert "taken on d5" in text
    assert "You resigned" in text
    before = text.partition("The whole board")[0]
    assert re.search(r"\* b KQ|w KQ", before)  # the fog FEN
    assert "k" not in "".join(line[3:] for line in before.splitlines() if re.match(r" [78] ", line))


def test_black_plays_from_the_other_side() -> None:
    text, _ = play("e5\nquit\n", agent=against("e2e4 g1f3"), colour="black")
    assert "You are Black" in text
    boards = text.split("\n 1 ")
    assert boards[1].startswith("? ")
    assert "The game was left." in text


def test_the_end_of_the_input_ends_the_game() -> None:
    for answers in ("", "e4\n", "moves\n", "\n\n"):
        text, outcome = play(answers, agent=against("a7a6 b7b6"), colour="white")
        assert outcome is None
        assert text.rstrip().endswith("The game was left.")


def test_what_is_printed_depends_on_what_is_seen_alone() -> None:
    """The opponent's moves differ and are not seen: not a byte differs before the game is over."""
    answers = "a3\nmoves\nlist\nh3\nboard\nview\nc3\nd5\nzz\nresign\nq\n"
    first, _ = play(answers, agent=against("a7a6 b7b6 c7c6"), colour="white")
    second, _ = play(answers, agent=against("h7h6 g8f6 h8g8"), colour="white")
    marker = "The whole board:"
    assert first.partition(marker)[0] == second.partition(marker)[0]
    assert first.partition(marker)[2] != second.partition(marker)[2]


def test_whole_random_games_with_every_ending() -> None:
    endings = set()
    for seed in range(6):
        source, board, answers = random.Random(seed), Board(), []
        opponent = []
        while board.outcome() is None and len(board.moves) < 300:
            move = source.choice(board.legal_moves)
            (answers if len(board.moves) % 2 == 0 else opponent).append(board.san(move) if seed % 2 else str(move))
            if len(board.moves) % 2:
                opponent[-1] = str(move)
            board.push(move)
        text, outcome = play("\n".join([*answers, "q", ""]), agent=against(" ".join(opponent)), colour="white")
        assert (outcome is None) == (board.outcome() is None)
        endings.add(text.partition("The whole board")[0].strip().splitlines()[-1])
    assert any("You won" in line for line in endings)
    assert any("You lost" in line for line in endings)


def test_a_belief_is_shown_after_the_game() -> None:
    text, _ = play("e4\nresign\n1\nq\n", agent="pimc(positions=4)", nodes=100, movetime=None, seed=1)
    assert "20 positions" in text
    assert "how likely you were there" in text
    with pytest.raises(InputError, match="no agent"):
        play("", agent="nobody")


def test_at_a_real_terminal() -> None:
    """Through a pseudo-terminal: colours, the prompt, and an end by Ctrl-D."""
    pid, descriptor = pty.fork()
    if pid == 0:
        os.environ |= {"TERM": "xterm-256color", "COLUMNS": "100"}
        os.execv(sys.executable, [sys.executable, "-m", "murk", "play", "--tui", "--agent", "random", "--seed", "1"])
    heard = b""
    for wanted, answer in (
        (b"Your move", b"e4\n"),
        (b"has moved", b"moves\n"),
        (b"Nf3", b"resign\n"),
        (b"Review:", b"\x04"),
    ):
        while wanted not in heard:
            heard += os.read(descriptor, 4096)
        heard = heard.partition(wanted)[2]
        os.write(descriptor, answer)
    with contextlib.suppress(OSError):
        while os.read(descriptor, 4096):
            pass
    os.close(descriptor)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_in_a_pipe() -> None:
    command = [sys.executable, "-m", "murk", "play", "--tui", "--agent", "greedy", "--nodes", "50", "--seed", "2"]
    done = subprocess.run(command, input="e4\nresign\n", capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    assert "What the agent thought" in done.stdout
    closed = subprocess.run(
        f"'{sys.executable}' -m murk play --tui --agent random <&-", shell=True, capture_output=True, timeout=60
    )
    assert closed.returncode == 0
