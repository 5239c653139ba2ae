"""The journal: whole lines or none, and games that are counted once."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from murk.darkchess import Move, pgn
from murk.darkchess.agents import AgentSpec
from murk.darkchess.referee import PlayedPly, TimeControl
from murk.errors import FormatError, InputError
from murk.match import FinishedGame, MatchConfig, Player, read_journal
from murk.match.journal import Journal, PgnFile

CONFIG = MatchConfig(
    players=(Player(AgentSpec("random"), "random"), Player(AgentSpec("cheat"), "cheat", "sees everything")),
    control=TimeControl(movetime=0.1),
)


def game(number: int, result: str = "1-0", plies: int = 2) -> FinishedGame:
    mixture = [
        {"move": "e2e4", "probability": 0.75, "value": 0.1},
        {"move": "d2d4", "probability": 0.25, "value": None},
    ]
    thought = {
        "value": 0.125,
        "belief_size": 12,
        "belief_exact": False,
        "nodes": 99,
        "gadget": "resolve",
        "mixture": mixture,
    }
    moves = [
        PlayedPly(Move.from_uci("e2e4"), 0.1, 59.5, thought),
        PlayedPly(Move.from_uci("e7e5")),
    ]
    return FinishedGame(
        key=f"{number}.0-1.w",
        white=0,
        black=1,
        result=result,
        reason="crash",
        detail='it said "no"',
        seeds=(1, 2),
        plies=tuple(moves[:plies]),
        started="2026-01-02T03:04:05+00:00",
        memory=100_000_000,
    )


def test_games_come_back(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    journal = Journal(path, CONFIG)
    for number in range(3):
        journal.add(game(number))
    journal.close()
    header, games, size = read_journal(path)
    assert header is not None
    assert games == [game(0), game(1), game(2)]
    assert size == path.stat().st_size
    again = Journal(path, CONFIG, resume=True)
    assert list(again.games) == ["0.0-1.w", "1.0-1.w", "2.0-1.w"]
    again.close()


def test_games_without_memory_come_back_too() -> None:
    """Journals did not always have it, and not every system tells."""
    fields = game(0).to_json()
    assert fields.pop("memory") == 100_000_000
    assert FinishedGame.from_json(fields).memory is None
    assert FinishedGame.from_json({**fields, "memory": None}).memory is None


def test_every_torn_end_is_cut_off_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    journal = Journal(path, CONFIG)
    journal.add(game(0))
    whole = path.stat().st_size
    journal.add(game(1))
    journal.close()
    data = path.read_bytes()
    header = data.index(b"\n") + 1
    for size in (0, 1, header - 1, header, header + 1, whole - 1, whole, whole + 1, whole + 40, len(data) - 1):
        path.write_bytes(data[:size])
        again = Journal(path, CONFIG, resume=True)
        assert len(again.games) == (size >= whole) + (size >= len(data))
        again.add(game(7))
        again.close()
        assert [g.key for g in read_journal(path)[1]][-1] == "7.0-1.w"


def test_what_is_in_the_way(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    journal = Journal(path, CONFIG)
    with pytest.raises(InputError, match="in use"):
        Journal(path, CONFIG, resume=True)
    journal.add(game(0))
    journal.close()
    with pytest.raises(InputError, match="exists: --resume"):
        Journal(path, CONFIG)
    other = MatchConfig(players=CONFIG.players, control=CONFIG.control, seed=1)
    with pytest.raises(InputError, match="another match: its seed is 0, and not 1"):
        Journal(path, other, resume=True)
    longer = MatchConfig(players=CONFIG.players, control=CONFIG.control, games=1000)
    Journal(path, longer, resume=True).close()
    with pytest.raises(InputError, match="cannot write"):
        Journal(tmp_path / "none" / "m.jsonl", CONFIG)


def test_damage_in_the_middle_is_told(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    journal = Journal(path, CONFIG)
    journal.add(game(0))
    journal.add(game(1))
    journal.close()
    lines = path.read_bytes().splitlines(keepends=True)
    for damaged, message in (
        (lines[0] + lines[1][:-9] + b"\n" + lines[2], "line 2 is damaged"),
        (lines[0] + b"[]\n" + lines[2], "line 2 is damaged"),
        (lines[0] + b'{"type": "game"}\n', "malformed"),
        (lines[0] + lines[1] + lines[1], "twice"),
        (b'{"format": "something else"}\n', "not a journal"),
        (lines[0] + lines[1].replace(b"1-0", b"2-0"), "result"),
    ):
        path.write_bytes(damaged)
        with pytest.raises(FormatError, match=message):
            Journal(path, CONFIG, resume=True)
        assert path.read_bytes() == damaged


FULL = """
import resource, sys
from pathlib import Path
sys.path[:0] = sys.argv[2:]
from test_journal import CONFIG, game
from murk.match.journal import Journal, JournalError
journal = Journal(Path(sys.argv[1]), CONFIG)
for number in range(3):
    journal.add(game(number))
size = Path(sys.argv[1]).stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 100, size + 100))
try:
    journal.add(game(3))
except JournalError as error:
    print(error)
assert Path(sys.argv[1]).stat().st_size == size
assert "3.0-1.w" not in journal.games
"""


def test_a_full_disk_leaves_whole_lines(tmp_path: Path) -> None:
    # The kernel refuses to let the file grow in the middle of a line, as it does on a full disk.
    path = tmp_path / "m.jsonl"
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(path), str(Path(__file__).parent)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"cannot write {path}: ")
    assert len(read_journal(path)[1]) == 3


def test_pgn_has_clocks_thoughts_and_labels(tmp_path: Path) -> None:
    path = tmp_path / "m.pgn"
    sheet = PgnFile(path, CONFIG, [game(0)])
    sheet.add(game(1, "0-1", plies=1))
    sheet.close()
    first, second = pgn.read_games(path)
    assert first.tags["Black"] == "cheat (sees everything)"
    assert first.tags["Termination"] == "abandoned"
    assert first.tags["Reason"] == 'crash: it said "no"'
    assert (first.tags["Date"], first.tags["Round"], second.tags["Round"]) == ("2026.01.02", "1", "2")
    assert first.plies[0].clock == 59.5
    comment = "[%emt 0.100] value=+0.125 belief=~12 nodes=99 gadget=resolve mix=e2e4:0.75/d2d4:0.25"
    assert first.plies[0].comment == comment
    assert first.plies[1].comment == "book"
    assert (second.result, len(second.plies)) == ("0-1", 1)


def test_anything_an_agent_notes_can_be_written(tmp_path: Path) -> None:
    import numpy as np

    notes = {"a": np.float32(0.5), "b": float("nan"), "c": {"d": (np.int64(3), object)}, "e": np.zeros(3)}
    odd = FinishedGame(
        "0.0-1.w", 0, 1, "1-0", "x", plies=(PlayedPly(Move.from_uci("e2e4"), 0.1, None, {"notes": notes}),)
    )
    journal = Journal(tmp_path / "m.jsonl", CONFIG)
    journal.add(odd)
    journal.close()
    (back,) = read_journal(tmp_path / "m.jsonl")[1]
    told = back.plies[0].decision["notes"]
    assert (told["a"], told["b"], told["c"]["d"][0]) == (0.5, None, 3)
    for line in (tmp_path / "m.jsonl").read_text().splitlines():
        json.loads(line, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


def test_the_journal_is_open_to_nobody_who_is_started(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "m.jsonl", CONFIG)
    assert not os.get_inheritable(journal._file._file)
    journal.close()
