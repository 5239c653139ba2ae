"""The example of a game runs, and what it writes is what it played."""

import importlib.util
from pathlib import Path

from murk.darkchess import pgn

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_example_of_a_game():
    spec = importlib.util.spec_from_file_location("dark_chess_game", EXAMPLES / "dark_chess_game.py")
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    text = example.main(4)
    game = pgn.parse_game(text.partition("\n8 ")[0])
    assert game.result == "1-0"
    assert str(game.board()) in text
    assert all(int(ply.comment.replace(",", "")) >= 1 for ply in game.plies)


def test_the_example_file():
    (game,) = pgn.read_games(EXAMPLES / "game.pgn")
    assert game.board().outcome() is None
    assert len(game.plies) == 24
