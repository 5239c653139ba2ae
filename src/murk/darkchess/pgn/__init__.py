"""Games of dark chess as PGN, read and written without any other package.

The reader streams: a file of any size needs the memory of one game. It takes what people's programs write (sloppy SAN,
long algebraic moves, comments with clocks, NAGs, variations, which are skipped) and refuses the rest with one sentence
that names the line. The writer keeps to the standard, with ``[Variant "Fog of War"]``.

>>> from murk.darkchess import pgn
>>> game = pgn.parse_game('1. e4 d5 2. Bb5 Nf6 3. Bxe8#  1-0')
>>> [str(move) for move in game.moves][-1], game.result
('b5e8', '1-0')
"""

from murk.darkchess.pgn.lines import Limits
from murk.darkchess.pgn.notation import parse_move
from murk.darkchess.pgn.reader import parse_game, parse_games, read_games
from murk.darkchess.pgn.record import RESULTS, VARIANT, GameRecord, Ply
from murk.darkchess.pgn.writer import format_game, write_games

__all__ = [
    "RESULTS",
    "VARIANT",
    "GameRecord",
    "Limits",
    "Ply",
    "format_game",
    "parse_game",
    "parse_games",
    "parse_move",
    "read_games",
    "write_games",
]
