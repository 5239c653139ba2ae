"""Schedules and openings."""

from collections import Counter
from pathlib import Path

import pytest

from murk.darkchess import Board, pgn
from murk.errors import FormatError, InputError
from murk.match.openings import START, Opening, fingerprint, load_openings, random_openings
from murk.match.schedule import pairings, schedule, seeds_of


def test_games_come_in_pairs_with_swapped_colours() -> None:
    openings = list(random_openings(4, 3, seed=1))
    jobs = list(schedule(3, 8, openings, seed=7))
    assert len(jobs) == 3 * 8
    assert len({job.key for job in jobs}) == len(jobs)
    for one, two in zip(jobs[::2], jobs[1::2], strict=True):
        assert (one.white, one.black) == (two.black, two.white)
        assert (one.opening, one.seeds, one.round) == (two.opening, two.seeds, two.round)
    assert Counter((j.first, j.second) for j in jobs) == {(0, 1): 8, (0, 2): 8, (1, 2): 8}
    assert [j.opening for j in jobs[::6]] == [openings[0], openings[1], openings[2], openings[0]]


def test_an_odd_game_has_no_partner_and_keys_are_stable() -> None:
    three = list(schedule(2, 3, [START], seed=0))
    assert [job.key for job in three] == ["0.0-1.w", "0.0-1.b", "1.0-1.w"]
    assert list(schedule(2, 4, [START], seed=0))[:3] == three


def test_gauntlet() -> None:
    assert pairings(4, "gauntlet") == [(0, 1), (0, 2), (0, 3)]
    assert len(pairings(5, "round-robin")) == 10


def test_seeds_differ_by_round_colour_and_match() -> None:
    seeds = [seed for match in range(3) for number in range(50) for seed in seeds_of(match, number)]
    assert len(set(seeds)) == len(seeds)


def test_random_openings_leave_no_king_hanging() -> None:
    openings = list(random_openings(7, 40, seed=3))
    assert openings == list(random_openings(7, 40, seed=3))
    assert len(set(openings)) > 35
    for opening in openings:
        board = Board(opening.fen)
        for move in opening.moves:
            board.push(move)
            assert not any(board.position.piece_at(m.to_square) in ("k", "K") for m in board.legal_moves)
        assert len(opening.moves) == 7


def test_openings_from_files(tmp_path: Path) -> None:
    fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq -"
    epd = tmp_path / "book.epd"
    epd.write_text(f"# a comment\n{fen} bm e1g1; id 1;\n\n{fen} 3 20\n")
    assert load_openings(str(epd)) == [Opening(fen), Opening(fen + " 3 20")]
    games = tmp_path / "book.pgn"
    games.write_text("1. e4 d5 2. Bb5 Nf6 3. Bxe8# 1-0\n")
    (opening,) = load_openings(str(games))
    assert [str(m) for m in opening.moves] == ["e2e4", "d7d5", "f1b5", "g8f6"], "a finished game is taken back"
    assert len(load_openings(str(games), plies=2)[0].moves) == 2
    assert load_openings("start") == [START]
    assert len(load_openings("random(plies=2,count=5)", seed=1)) == 5
    assert load_openings("random(count=5,seed=2)") == load_openings("random(count=5)", seed=2)
    assert pgn.parse_game(games.read_text()).fen == opening.fen


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.fen", "8/8/8/8/8/8/8/8 w - -\n", "line 1"),
        ("b.epd", "# nothing\n", "no opening"),
        ("c.pgn", "1. e5 1-0\n", "not legal"),
        ("d.fen", "4K3/8/8/8/8/8/8/8 w - -\n", "line 1"),
    ],
)
def test_bad_files(tmp_path: Path, name: str, text: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises((InputError, FormatError), match=message):
        load_openings(str(path))


@pytest.mark.parametrize(
    "source", ["nowhere.epd", "random(x=1)", "random(plies=-1)", "random(plies=1000)", "random(count=0)"]
)
def test_bad_sources(source: str) -> None:
    with pytest.raises(InputError):
        load_openings(source)


def test_fingerprints_tell_books_apart() -> None:
    one, two = list(random_openings(4, 5, 1)), list(random_openings(4, 5, 2))
    assert fingerprint(one) == fingerprint(list(one))
    assert fingerprint(one) != fingerprint(two)
