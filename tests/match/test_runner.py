"""Whole matches: in processes of their own, with players that misbehave, interrupted and resumed."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from murk.darkchess import pgn
from murk.darkchess.referee import TimeControl
from murk.errors import BackendError, InputError
from murk.match import (
    FinishedGame,
    LocalExecutor,
    MatchConfig,
    Sprt,
    Standings,
    load_openings,
    make_players,
    read_journal,
    run_match,
)
from murk.match import executor as executor_module
from murk.match.journal import JournalError, PgnFile

HERE = Path(__file__).parent
QUICK = {"max_plies": 12, "control": TimeControl(nodes=50)}


def config(*agents: str, **options: object) -> MatchConfig:
    return MatchConfig(players=make_players(list(agents)), **{**QUICK, **options})  # type: ignore[arg-type]


def moves_of(games: list[FinishedGame]) -> dict[str, list[str]]:
    return {game.key: [str(ply.move) for ply in game.plies] for game in games}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[MatchConfig, list[FinishedGame]]:
    """A match played in one go."""
    path = tmp_path_factory.mktemp("whole") / "m.jsonl"
    match = config("random", "random(label=other)", games=10, openings=tuple(load_openings("random(plies=3,count=4)")))
    report = run_match(match, executor=LocalExecutor(2), journal=path)
    assert (report.ended, report.standings.games, report.resumed) == ("played", 10, 0)
    return match, read_journal(path)[1]


def test_a_game_tells_how_much_memory_its_process_holds(whole: tuple[MatchConfig, list[FinishedGame]]) -> None:
    """Where the system tells it, as Linux always does."""
    memory = [game.memory for game in whole[1]]
    if sys.platform == "linux" or Path("/proc/self/statm").exists():
        assert all(held is not None and 10 << 20 < held < 4 << 30 for held in memory)
    else:
        assert memory == [None] * len(memory)


def test_the_same_match_is_played_again(whole: tuple[MatchConfig, list[FinishedGame]], tmp_path: Path) -> None:
    match, games = whole
    run_match(match, journal=tmp_path / "m.jsonl", pgn=tmp_path / "m.pgn")
    again = read_journal(tmp_path / "m.jsonl")[1]
    assert moves_of(again) == moves_of(games)
    assert [g.moves for g in pgn.read_games(tmp_path / "m.pgn")] == [tuple(p.move for p in g.plies) for g in again]
    by_key = {game.key: game for game in games}
    for number in range(5):
        one, two = by_key[f"{number}.0-1.w"], by_key[f"{number}.0-1.b"]
        assert (one.white, two.white) == (0, 1)
        # Two random players with the same seeds by colour play the same game: colours are all that is swapped.
        assert moves_of([one])[one.key] == moves_of([two])[two.key]


def test_a_match_can_be_resumed_at_any_game(whole: tuple[MatchConfig, list[FinishedGame]], tmp_path: Path) -> None:
    match, games = whole
    path, sheet = tmp_path / "m.jsonl", tmp_path / "m.pgn"
    short = replace(match, games=4)
    assert run_match(short, journal=path, pgn=sheet).standings.games == 4
    sheet.write_text("torn")
    with path.open("ab") as handle:
        handle.write(b'{"type":"game","key":"2.0-1')
    report = run_match(match, journal=path, pgn=sheet, resume=True)
    assert (report.resumed, report.standings.games) == (4, 10)
    assert moves_of(read_journal(path)[1]) == moves_of(games)
    assert len(list(pgn.read_games(sheet))) == 10
    again = run_match(match, journal=path, pgn=sheet, resume=True)
    assert (again.resumed, again.standings.games, again.ended) == (10, 10, "played")
    assert again.standings.players[0].tally == report.standings.players[0].tally


@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        ("mock_agents:Raiser", "crash"),
        ("mock_agents:Dier", "crash"),
        ("mock_agents:Hanger", "time forfeit"),
        ("mock_agents:Cheater", "illegal move"),
        ("mock_agents:Flooder", "length"),
        ("mock_agents:Stillborn(pid=OURS)", "crash"),
    ],
)
def test_a_bad_player_loses_and_the_match_goes_on(agent: str, reason: str, tmp_path: Path) -> None:
    agent = agent.replace("OURS", str(os.getpid()))
    match = config("random", agent, games=2, control=TimeControl(movetime=0.2, margin=30.0))
    if "Hanger" in agent:
        match = replace(match, control=TimeControl(movetime=0.05, margin=1.5))
    report = run_match(match, executor=LocalExecutor(1, grace=0.2), journal=tmp_path / "m.jsonl")
    assert (report.ended, report.standings.games) == ("played", 2)
    assert report.standings.reasons == {reason: 2}
    if reason == "length":
        return
    assert report.standings.players[1].forfeits == {reason: 2}
    assert report.standings.players[0].tally.wins == 2
    for game in read_journal(tmp_path / "m.jsonl")[1]:
        thought = 0 if "Stillborn" in agent else 4 if game.white == 1 else 5
        assert len(game.plies) == thought
        assert game.detail


def test_a_process_that_cannot_start_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executor_module.sys, "executable", "/bin/false")
    with pytest.raises(BackendError, match="did not start"):
        run_match(config("random", "random", games=2))


def test_sprt_ends_a_match_early(tmp_path: Path) -> None:
    match = config("random", "mock_agents:Raiser(at=1)", games=1000, sprt=Sprt(0, 200, 0.1, 0.1))
    report = run_match(match, journal=tmp_path / "m.jsonl")
    assert report.ended == "sprt"
    assert report.standings.sprt is not None
    assert report.standings.sprt.accepted == "H1"
    assert report.standings.games < 20
    again = run_match(match, journal=tmp_path / "m.jsonl", resume=True)
    assert (again.ended, again.standings.games) == ("sprt", report.standings.games)


def test_standings_of_a_gauntlet_and_of_a_round_robin() -> None:
    agents = ("mock_agents:First(at=0)", "mock_agents:Raiser(at=2)", "mock_agents:Cheater(at=3)")
    report = run_match(config(*agents, games=2, form="gauntlet"))
    assert {pair: tally.games for pair, tally in report.standings.pairings.items()} == {(0, 1): 2, (0, 2): 2}
    assert report.standings.players[0].tally.wins == 4
    report = run_match(config(*agents, games=2))
    assert report.standings.pairings[1, 2].losses == 2
    assert report.standings.games == 6


def test_pairs_are_counted_by_score() -> None:
    match = config("random", "random(label=b)", games=6)
    standings = Standings(match)
    results = [("0", "1-0", "0-1"), ("1", "1/2-1/2", "1-0"), ("2", "0-1", "1-0")]
    for number, first, second in results:
        standings.add(FinishedGame(f"{number}.0-1.w", 0, 1, first, "x"))
        standings.add(FinishedGame(f"{number}.0-1.b", 1, 0, second, "x"))
    assert standings.pairs == [1, 1, 0, 0, 1]
    assert standings.players[0].tally == standings.players[1].tally.reversed()


def test_a_sheet_that_cannot_be_written_ends_the_match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: PgnFile, game: FinishedGame) -> None:
        raise JournalError("cannot write m.pgn: No space left on device")

    match = config("random", "random", games=4)
    with monkeypatch.context() as patch:
        patch.setattr(PgnFile, "add", full)
        report = run_match(match, journal=tmp_path / "m.jsonl", pgn=tmp_path / "m.pgn")
    assert (report.ended, report.standings.games) == ("failed", 1)
    assert "No space left" in report.error
    report = run_match(match, journal=tmp_path / "m.jsonl", pgn=tmp_path / "m.pgn", resume=True)
    assert (report.ended, report.resumed, report.standings.games) == ("played", 1, 4)
    assert len(list(pgn.read_games(tmp_path / "m.pgn"))) == 4


MATCH = """
import sys
sys.path.insert(0, sys.argv[2])
from pathlib import Path
from test_runner import config
from murk.match import LocalExecutor, run_match
match = config("random", "random(label=other)", games=400, max_plies=60)
folder = Path(sys.argv[1])
run_match(match, executor=LocalExecutor(2), journal=folder / "m.jsonl", pgn=folder / "m.pgn", resume=True)
"""


def test_kill_9_loses_nothing_and_counts_nothing_twice(tmp_path: Path) -> None:
    journal = tmp_path / "m.jsonl"
    before = 0
    for _ in range(2):
        marked = {**os.environ, "MURK_MARK": str(tmp_path)}
        process = subprocess.Popen([sys.executable, "-c", MATCH, str(tmp_path), str(HERE)], env=marked)
        while process.poll() is None and len(_lines(journal)) < before + 8:
            time.sleep(0.01)
        assert any(_plays(entry, str(tmp_path)) for entry in Path("/proc").iterdir() if entry.name.isdecimal())
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        assert _gone(str(tmp_path)), "the processes that play die with the match"
        kept = len(_lines(journal))
        assert kept >= before + 8
        before = kept
    match = config("random", "random(label=other)", games=(before - 1) // 2 * 2 + 4, max_plies=60)
    report = run_match(match, executor=LocalExecutor(2), journal=journal, pgn=tmp_path / "m.pgn", resume=True)
    games = read_journal(journal)[1]
    assert report.resumed >= before - 1
    assert len({game.key for game in games}) == len(games) == report.standings.games
    assert len(list(pgn.read_games(tmp_path / "m.pgn"))) == len(games)


def _lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines() if path.exists() else []


def _gone(mark: str) -> bool:
    """Wait until no process is left that plays games of the match with this mark."""
    for _ in range(200):
        if not any(_plays(process, mark) for process in Path("/proc").iterdir() if process.name.isdecimal()):
            return True
        time.sleep(0.05)
    return False


def _plays(process: Path, mark: str) -> bool:
    try:
        words = (process / "cmdline").read_bytes().split(b"\0")
        return b"murk.match.worker" in words and f"MURK_MARK={mark}".encode() in (process / "environ").read_bytes()
    except OSError:
        return False


def test_configurations_that_make_no_sense() -> None:
    for agents, options in (
        (("random",), {}),
        (("random", "random"), {"games": 0}),
        (("random", "random", "random"), {"sprt": Sprt()}),
        (("random", "random"), {"max_plies": 0}),
        (("random", "random"), {"stall": 0.0}),
        (("random", "random"), {"openings": ()}),
    ):
        with pytest.raises(InputError):
            config(*agents, **options)
    with pytest.raises(InputError):
        LocalExecutor(0)
    assert [p.label for p in make_players(["random", "random", "random(label=x)"])] == ["random", "random#2", "x"]


def test_ctrl_c_waits_until_a_game_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add = Standings.add

    def interrupted(self: Standings, game: FinishedGame) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
        add(self, game)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        monkeypatch.setattr(Standings, "add", interrupted)
        report = run_match(config("random", "random", games=4), journal=tmp_path / "m.jsonl")
    finally:
        signal.signal(signal.SIGINT, before)
    assert (report.ended, report.standings.games) == ("interrupted", 1)
    assert len(read_journal(tmp_path / "m.jsonl")[1]) == 1


def test_odds_multiply_what_an_agent_has(tmp_path: Path) -> None:
    players = make_players(["pimc", "pimc", "pimc"], [1, 4, 4])
    assert [player.label for player in players] == ["pimc", "pimc x4", "pimc x4#2"]
    match = MatchConfig(players=players[:2], games=2, control=TimeControl(nodes=400), max_plies=16)
    run_match(match, journal=tmp_path / "m.jsonl", pgn=tmp_path / "m.pgn")
    work: dict[int, list[int]] = {0: [], 1: []}
    for game in read_journal(tmp_path / "m.jsonl")[1]:
        for number, ply in enumerate(game.plies):
            work[game.white if number % 2 == 0 else game.black].append(ply.decision.get("nodes", 0))
    assert 200 < max(work[0]) <= 400 < 800 < max(work[1]) <= 1600
    for game in pgn.read_games(tmp_path / "m.pgn"):
        odds = {name: game.tags.get(f"{name}Odds") for name in ("White", "Black")}
        assert odds == {name: "4" if game.tags[name] == "pimc x4" else None for name in odds}
    with pytest.raises(InputError, match="its players is"):
        run_match(replace(match, players=make_players(["pimc", "pimc"])), journal=tmp_path / "m.jsonl", resume=True)


@pytest.mark.parametrize(
    ("odds", "message"),
    [
        ([1.0], "there are 1 odds for 2 agents"),
        ([1.0, 0.0], "the odds of random x0 are 0"),
        ([1.0, float("nan")], "nan"),
    ],
)
def test_odds_that_make_no_sense_are_refused(odds: list[float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        make_players(["random", "random"], odds)
