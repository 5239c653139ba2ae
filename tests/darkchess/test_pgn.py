"""PGN: what is taken, what is refused and how, and that nothing is lost on the way."""

import io
import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from played import random_boards

from murk.darkchess import START_FEN, Position, pgn
from murk.errors import FormatError, IllegalMoveError, InputError

SAMPLE = """\
% an escaped line
[Event "Casual \\"fog\\" game"]
[White "A\\\\B"]
[Result "0-1"]
[Variant "Fog of War"]

{before} 1. e4 $1 {[%clk 0:09:58.5] best by test} e5!? ; to the end of the line
2. Nf3 (2. f4 exf4 (2... d5 {nested ) and [ (} 3. exd5) 3. Nf3) 2... Nc6 { [%clk 1:00:00] }
3. Bc4 Nf6 4. Ng5 $10 $240 d5 0-1

[Event "second"]

1. d4 *
"""


NOTE = "a {b (c ; [%x] 1-0 %d"


def uci(game: pgn.GameRecord) -> list[str]:
    return [str(move) for move in game.moves]


def test_a_file_with_everything():
    first, second = pgn.parse_games(SAMPLE)
    assert uci(first) == ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "g8f6", "f3g5", "d7d5"]
    assert first.tags == {"Event": 'Casual "fog" game', "White": "A\\B"}
    assert (first.result, first.comment, first.line) == ("0-1", "before", 2)
    assert first.plies[0].nags == (1,)
    assert first.plies[0].clock == 598.5
    assert first.plies[0].comment == "best by test"
    assert first.plies[1].nags == (5,)
    assert first.plies[1].comment == "to the end of the line"
    assert first.plies[3].clock == 3600
    assert first.plies[6].nags == (10, 240)
    assert (uci(second), second.result, second.tags) == (["d2d4"], "*", {"Event": "second"})


@pytest.mark.parametrize(
    "name", ["Fog of War", "Fogofwar", "fogofwar", "FOG OF WAR", "Dark Chess", "dark chess", "Darkchess"]
)
def test_names_of_the_variant(name: str):
    assert uci(pgn.parse_game(f'[Variant "{name}"]\n\n1. e4 *')) == ["e2e4"]


@pytest.mark.parametrize(
    ("fen", "text", "expected"),
    [
        (START_FEN, "e4", "e2e4"),
        (START_FEN, "Pe4", "e2e4"),
        (START_FEN, "e2e4", "e2e4"),
        (START_FEN, "e2-e4", "e2e4"),
        (START_FEN, "Nf3", "g1f3"),
        (START_FEN, "nf3", "g1f3"),
        (START_FEN, "♘f3", "g1f3"),
        (START_FEN, "Ng1-f3", "g1f3"),
        (START_FEN, "Ngf3", "g1f3"),
        (START_FEN, "N1f3", "g1f3"),
        (START_FEN, "g1f3", "g1f3"),
        (START_FEN, "Nf3+!?", "g1f3"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq -", "O-O", "e1g1"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq -", "0-0-0", "e1c1"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq -", "o-o", "e1g1"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq -", "OOO", "e1c1"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq -", "e1g1", "e1g1"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq -", "e1h1", "e1g1"),
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq -", "e8a8", "e8c8"),
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq -", "O-O-O+", "e8c8"),
        ("3r1k2/4P3/8/8/8/8/8/4K3 w - -", "e8=Q", "e7e8q"),
        ("3r1k2/4P3/8/8/8/8/8/4K3 w - -", "e8=n", "e7e8n"),
        ("3r1k2/4P3/8/8/8/8/8/4K3 w - -", "e8R", "e7e8r"),
        ("3r1k2/4P3/8/8/8/8/8/4K3 w - -", "e8(B)", "e7e8b"),
        ("3r1k2/4P3/8/8/8/8/8/4K3 w - -", "e8/N", "e7e8n"),
        ("3r1k2/4P3/8/8/8/8/8/4K3 w - -", "e8", "e7e8q"),
        ("3r1k2/4P3/8/8/8/8/8/4K3 w - -", "e7e8b", "e7e8b"),
        ("3r1k2/4P3/8/8/8/8/8/4K3 w - -", "exf8=Q#", "e7f8q"),
        ("3r1k2/4P3/8/8/8/8/8/4K3 w - -", "ed8=R", "e7d8r"),
        ("3r1k2/4P3/8/8/8/8/8/4K3 w - -", "exd", "e7d8q"),
        ("3r1k2/4P3/8/8/8/8/8/4K3 w - -", "ed", "e7d8q"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6", "exd6e.p.", "e5d6"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6", "ed6", "e5d6"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6", "e5xd6", "e5d6"),
    ],
)
def test_ways_to_write_a_move(fen: str, text: str, expected: str):
    assert str(pgn.parse_move(Position(fen), text)) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Nd2", "the move 'Nd2' is ambiguous, expected one of Nbd2, Nfd2"),
        ("Kg1", "the move 'Kg1' is not legal, expected one of "),
        ("--", "the move '--' is not legal"),
        ("Z0", "the move 'Z0' is not legal"),
        ("e4" * 50, "... is not legal"),
        ("e2e4q", "the move 'e2e4q' is not legal"),
    ],
)
def test_moves_that_mean_none_or_many(text: str, message: str):
    position = Position("4k3/8/8/8/8/5N2/4P3/1N2K2R w K -")
    with pytest.raises(IllegalMoveError) as error:
        pgn.parse_move(position, text)
    assert message.replace("'", "") in str(error.value).replace("'", "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1. e4 e5\n2. Ke3 *", "PGN, line 2: the move 'Ke3' is not legal"),
        ("1. e4 d5 2. Bb5 a6 3. Bxe8\nb6", "PGN, line 2: the move 'b6' comes after the end of the game"),
        ("\n\n1. e4 {never", "PGN, line 3: a comment is opened here and never closed"),
        ("1. e4\n(1. d4 (1. c4)\n e5 *", "PGN, line 2: a variation is opened here and never closed"),
        ("1. e4 ) e5", "PGN, line 1: found ')', expected a move or a result"),
        ("[White name]\n\n*", "PGN, line 1: found '[White name]', expected a tag as in [White \"name\"]"),
        ('[Event "a"]\n[Variant "Crazyhouse"]\n\n1. e4 *', "PGN, line 2: the variant is 'Crazyhouse', expected"),
        ('[Event "a"]\n[FEN "8/8/8 w - -"]\n\n1. e4 *', "PGN, line 2: "),
        ('[FEN "8/8/8/8/8/8/8/K7 w - -"]\n\n*', "PGN, line 1: "),
        ("1. e4 } e5", "PGN, line 1: found "),
        ("1. e4 $ e5", "PGN, line 1: found "),
        ("1. e4 $1234567 e5", "PGN, line 1: found "),
        ("1. e4 \x00\x01 e5", "PGN, line 1: the move "),
        ("1. e4 e5 !!! *", "PGN, line 1: found "),
    ],
)
def test_errors_are_one_sentence_with_the_line(text: str, message: str):
    with pytest.raises(FormatError) as error:
        list(pgn.parse_games(text))
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def test_no_game_at_all():
    assert list(pgn.parse_games("  \n\n")) == []
    with pytest.raises(FormatError, match="found no game"):
        pgn.parse_game("")
    with pytest.raises(InputError, match=r"cannot read nowhere\.pgn: No such file"):
        list(pgn.read_games("nowhere.pgn"))


def test_bad_games_are_left_out_on_request():
    errors: list[FormatError] = []
    moves = {"a": "1. e5 *", "b": "1. e4 {oops", "c": "} 1. d4 *", "d": "1. c4 *"}
    text = "".join(f'[Event "{name}"]\n\n{text}\n\n' for name, text in moves.items())
    games = list(pgn.parse_games(text, on_error=errors.append))
    # In the second game the comment swallows the tags of the third, and d4 is then Black's.
    assert [game.tags["Event"] for game in games] == ["d"]
    assert [str(error).partition(" is ")[0] for error in errors] == [
        "PGN, line 3: the move 'e5'",
        "PGN, line 11: the move 'd4'",
    ]


def test_reading_goes_on_after_an_error():
    errors: list[FormatError] = []
    bad = '[Event "bad"]\n[FEN "junk"]\n\n1. e4 *\n\n'
    good = '[Event "good"]\n\n1. e4 *\n\n'
    games = list(pgn.parse_games(good + bad + good + bad + good, on_error=errors.append))
    assert len(games) == 3
    assert [str(error).partition(":")[0] for error in errors] == ["PGN, line 6", "PGN, line 15"]


def test_games_without_tags_or_results():
    text = '1. e4 e5 1-0 1. d4 *\n[Event "c"]\n1. c4\n[Event "d"]\n[Result "1/2-1/2"]\n1. b4 *'
    games = list(pgn.parse_games(text))
    assert [uci(g) for g in games] == [["e2e4", "e7e5"], ["d2d4"], ["c2c4"], ["b2b4"]]
    assert [g.result for g in games] == ["1-0", "*", "*", "1/2-1/2"]


@pytest.mark.parametrize(
    ("text", "limits", "message"),
    [
        ("{" + "x" * 200 + "} *", pgn.Limits(line=100), "line 1: the line has more than 100 characters"),
        ("{" + "x\n" * 200 + "} *", pgn.Limits(game=100), "the game has more than 100 characters"),
        ('[A "a"]\n[B "b"]\n[C "c"]\n\n*', pgn.Limits(tags=2), "line 3: the game has more than 2 tags"),
        ("1. Nf3 Nf6 2. Ng1 Ng8", pgn.Limits(plies=3), "line 1: the game has more than 3 plies"),
    ],
)
def test_limits(text: str, limits: pgn.Limits, message: str):
    with pytest.raises(FormatError, match=message):
        list(pgn.parse_games(text, limits=limits))


def test_deep_variations_cost_nothing():
    depth = 20_000
    assert uci(pgn.parse_game("1. e4 " + "(" * depth + ")" * depth + " e5 *")) == ["e2e4", "e7e5"]


def test_a_file_without_end_is_read_game_by_game():
    class Endless(io.StringIO):
        """Says the same game for ever."""

        lines = itertools.cycle(['[Event "x"]\n', "\n", "1. e4 *\n", "\n"])

        def readline(self, size: int | None = -1) -> str:
            return next(self.lines)

    games = pgn.read_games(Endless())
    assert [uci(next(games)) for _ in range(50)] == [["e2e4"]] * 50


def test_bytes_are_utf8_or_latin1(tmp_path: Path):
    file = tmp_path / "names.pgn"
    file.write_bytes('\ufeff[White "Čapek"]\n'.encode() + '[Black "Müller"]\n\n1. e4 *\n'.encode("latin-1"))
    (game,) = pgn.read_games(file)
    assert game.tags == {"White": "Čapek", "Black": "Müller"}


def test_what_is_written_is_read_again(tmp_path: Path):
    for number, board in enumerate(random_boards(28)):
        notes = [
            pgn.Ply(move, nags=(number % 7,) * (i % 3 == 0), comment=NOTE * (i % 5 == 0), clock=clock)
            for i, move in enumerate(board.moves)
            for clock in [None if i % 4 else round(600 - 0.3 * i, 1)]
        ]
        plain = pgn.GameRecord.from_board(board, tags={"White": 'q"uo\\te', "Elo_x": "1"})
        game = pgn.GameRecord(tuple(notes), plain.result, plain.fen, plain.tags, comment="first")
        file = tmp_path / "game.pgn"
        assert pgn.write_games([game, plain], file) == 2
        assert all(len(line) < 80 for line in file.read_text().splitlines() if not line.startswith("["))
        again, second = pgn.read_games(file)
        assert again.plies == game.plies
        assert (again.result, again.fen, again.comment) == (game.result, game.fen, "first")
        assert again.tags.items() >= game.tags.items()
        assert second.moves == plain.moves
        assert again.board().fen == board.fen
        assert again.board(len(board.moves) // 2).moves == board.moves[: len(board.moves) // 2]


def test_what_cannot_be_written():
    ply = pgn.Ply(pgn.parse_move(Position(), "e4"), comment="a } b")
    with pytest.raises(InputError, match="closing brace"):
        pgn.format_game(pgn.GameRecord((ply,)))
    with pytest.raises(InputError, match="more than one line"):
        pgn.format_game(pgn.GameRecord(tags={"White": "a\nb"}))
    with pytest.raises(InputError, match="expected letters, digits"):
        pgn.format_game(pgn.GameRecord(tags={"Wh ite": "a"}))
    with pytest.raises(InputError, match="expected one of 1-0"):
        pgn.GameRecord(result="2-0")
    with pytest.raises(InputError, match="expected 0 to 0"):
        pgn.GameRecord().board(3)


@given(st.text(alphabet=st.sampled_from(list('eE4d5NfxO-0=Q+#!?$1.{}();[]"\\%* \n/2\u00a0\u2028\x00')), max_size=200))
def test_no_text_breaks_the_reader(text: str):
    errors: list[FormatError] = []
    for game in pgn.parse_games(text, on_error=errors.append):
        assert pgn.parse_game(pgn.format_game(game)).moves == game.moves
    assert all("\n" not in str(error) for error in errors)


@given(st.integers(0, len(SAMPLE) - 1), st.characters(), st.integers(0, 30))
def test_no_spoilt_file_breaks_the_reader(where: int, letter: str, cut: int):
    spoilt = SAMPLE[:where] + letter + SAMPLE[where + cut :]
    for game in pgn.parse_games(spoilt, on_error=lambda error: None):
        game.board()


@given(st.binary(max_size=300))
def test_no_bytes_break_the_reader(data: bytes):
    list(pgn.read_games(io.BytesIO(data), on_error=lambda error: None))
