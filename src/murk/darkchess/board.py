"""What a referee holds: the true position, the moves that led to it, the clocks, and who has won.

Draws are declared here and not claimed by the players, who cannot know the position: the third occurrence of a
position, and 50 full moves (100 plies) without pawn move or capture. There is no draw by insufficient material, for a
king can always be captured by mistake. A captured king and a side without a move go before a draw.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Literal, NamedTuple

from murk._core import Colour, Move, Observation, Position, parse_fen
from murk.darkchess.picture import svg_board
from murk.errors import InputError

__all__ = ["START_FEN", "Board", "Outcome", "Reason"]

START_FEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
FIFTY_MOVES = 100
"""Plies without pawn move or capture that draw."""
REPETITIONS = 3

Reason = Literal["king captured", "no moves", "threefold repetition", "50 moves"]


@dataclass(frozen=True)
class Outcome:
    """How a game ended.

    Attributes:
        winner: the side that won, ``None`` for a draw.
        reason: why the game is over.
    """

    winner: Colour | None
    reason: Reason

    @property
    def result(self) -> str:
        """``1-0``, ``0-1`` or ``1/2-1/2``."""
        if self.winner is None:
            return "1/2-1/2"
        return "1-0" if self.winner == Colour.WHITE else "0-1"


class _Played(NamedTuple):
    move: Move
    before: Position
    halfmove_clock: int


class Board:
    """A game in progress.

    Moves are given as :class:`Move`, or as text in UCI or SAN. A captured king leaves no moves; a draw does, and is for
    the caller to heed.

    Args:
        fen: where the game begins, with four to six fields.

    Raises:
        InputError: the FEN is malformed or no position of chess.
    """

    def __init__(self, fen: str = START_FEN) -> None:
        self._position, (self._halfmove_clock, self._first_number) = parse_fen(fen)
        self._stack: list[_Played] = []
        self._seen: Counter[Position] = Counter([self._position])

    @property
    def position(self) -> Position:
        """The true position."""
        return self._position

    @property
    def turn(self) -> Colour:
        """The side to move."""
        return self._position.turn

    @property
    def moves(self) -> list[Move]:
        """The moves played so far."""
        return [played.move for played in self._stack]

    @property
    def halfmove_clock(self) -> int:
        """Plies since the last pawn move or capture."""
        return self._halfmove_clock

    @property
    def fullmove_number(self) -> int:
        """The number of the move to be played; it grows after Black's."""
        first = self._stack[0].before.turn if self._stack else self._position.turn
        return self._first_number + (len(self._stack) + first) // 2

    @property
    def repetitions(self) -> int:
        """How often the position has been on the board, this time included."""
        return self._seen[self._position]

    @property
    def fen(self) -> str:
        """The position and its clocks, in six fields."""
        return f"{self._position.fen} {self._halfmove_clock} {self.fullmove_number}"

    @property
    def legal_moves(self) -> list[Move]:
        """All moves of the side to move."""
        return self._position.legal_moves

    def push(self, move: Move | str) -> Move:
        """Play a move and return it.

        Raises:
            IllegalMoveError: it is not legal.
            InputError: it is text and no move.
        """
        if isinstance(move, str):
            move = self.parse(move)
        before = self._position
        self._position = before.play(move)
        self._stack.append(_Played(move, before, self._halfmove_clock))
        self._halfmove_clock = 0 if _is_irreversible(before, move) else self._halfmove_clock + 1
        self._seen[self._position] += 1
        return move

    def pop(self) -> Move:
        """Take the last move back and return it.

        Raises:
            InputError: no move was played.
        """
        if not self._stack:
            raise InputError("cannot take a move back: none was played")
        self._seen[self._position] -= 1
        move, self._position, self._halfmove_clock = self._stack.pop()
        return move

    def parse(self, text: str) -> Move:
        """Return the legal move that ``text`` names in UCI or SAN.

        Raises:
            IllegalMoveError: there is no such move, or more than one.
            InputError: the text is no move.
        """
        return self._position.parse_move(text)

    def san(self, move: Move) -> str:
        """Return a legal move in standard algebraic notation."""
        return self._position.san(move)

    def outcome(self) -> Outcome | None:
        """Return how the game ended, ``None`` while it goes on."""
        position = self._position
        winner = position.winner
        if winner is not None:
            return Outcome(winner, "king captured" if position.king_captured else "no moves")
        if self.repetitions >= REPETITIONS:
            return Outcome(None, "threefold repetition")
        if self._halfmove_clock >= FIFTY_MOVES:
            return Outcome(None, "50 moves")
        return None

    def observation(self, colour: Colour) -> Observation:
        """Return what a player sees now, and where the last move took a piece of hers."""
        if not self._stack:
            return self._position.observation(colour)
        last = self._stack[-1]
        return last.before.observation_after(last.move, colour)

    def copy(self) -> "Board":
        """Return a board with the same history."""
        other = Board.__new__(Board)
        other._position, other._halfmove_clock = self._position, self._halfmove_clock
        other._first_number = self._first_number
        other._stack, other._seen = self._stack.copy(), self._seen.copy()
        return other

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Board):
            return NotImplemented
        return self._first_number == other._first_number and self._history() == other._history()

    __hash__ = None  # type: ignore[assignment]

    def _history(self) -> tuple[Position, int, list[_Played]]:
        return self._position, self._halfmove_clock, self._stack

    def __repr__(self) -> str:
        return f"<Board {self.fen!r}, {len(self._stack)} moves>"

    def __str__(self) -> str:
        return str(self._position)

    def _repr_svg_(self) -> str:
        last = self._stack[-1].move if self._stack else None
        return svg_board(self._position, highlight=[] if last is None else [last.from_square, last.to_square])


def _is_irreversible(position: Position, move: Move) -> bool:
    """Return whether the fifty-move clock starts again: a pawn moves, or something is captured."""
    return position.piece_at(move.from_square) in ("P", "p") or position.piece_at(move.to_square) is not None
