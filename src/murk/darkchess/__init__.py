"""Dark chess (Fog of War chess): rules, observations and beliefs.

>>> from murk.darkchess import Position
>>> Position().perft(3)
8902

Squares are numbers from 0 (a1) to 63 (h8), along the ranks; masks are integers with one bit a square.
"""

from murk._core import Colour, Move, Observation, Position, parse_square, square_name
from murk.darkchess import pgn
from murk.darkchess.along import BeliefStep, beliefs_along
from murk.darkchess.belief import Belief
from murk.darkchess.board import START_FEN, Board, Outcome
from murk.errors import IllegalMoveError, ObservationError

__all__ = [
    "BLACK",
    "START_FEN",
    "WHITE",
    "Belief",
    "BeliefStep",
    "Board",
    "Colour",
    "IllegalMoveError",
    "Move",
    "Observation",
    "ObservationError",
    "Outcome",
    "Position",
    "beliefs_along",
    "parse_square",
    "pgn",
    "square_name",
]

WHITE = Colour.WHITE
BLACK = Colour.BLACK
