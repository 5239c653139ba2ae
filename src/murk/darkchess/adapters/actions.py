"""Moves as small numbers, for programs that learn: 1,880 actions, seen from the mover's side of the board.

An action is a pair of squares that some piece could move between (as a queen or as a knight), or such a pair from the
seventh rank to the eighth with a promotion to N, B, R or Q. Black's squares are flipped, rank 1 for rank 8, so an
action means the same to both sides. Actions are numbered in the order of from-square, to-square (a1, b1, ... h8) and
promotion (none, N, B, R, Q). Castling is the king's step of two squares. Every move has exactly one action and back.
"""

from murk._core import Colour, Move
from murk.errors import InputError

__all__ = ["NUM_ACTIONS", "action_of", "move_of"]

_FLIP = 56


def _reachable(start: int, end: int) -> bool:
    files, ranks = abs(start % 8 - end % 8), abs(start // 8 - end // 8)
    queen = files == 0 or ranks == 0 or files == ranks
    return start != end and (queen or {files, ranks} == {1, 2})


def _promotions(start: int, end: int) -> str:
    pawn = start // 8 == 6 and end // 8 == 7 and abs(start % 8 - end % 8) <= 1
    return " nbrq" if pawn else " "


_UPWARDS = [
    Move.from_squares(start, end, kind.strip() or None)
    for start in range(64)
    for end in range(64)
    if _reachable(start, end)
    for kind in _promotions(start, end)
]
_MOVES = (
    _UPWARDS,
    [Move.from_squares(m.from_square ^ _FLIP, m.to_square ^ _FLIP, m.promotion) for m in _UPWARDS],
)
_ACTIONS = tuple({move.bits: action for action, move in enumerate(moves)} for moves in _MOVES)

NUM_ACTIONS = len(_UPWARDS)


def action_of(move: Move, colour: Colour | int) -> int:
    """Return the action that ``move`` is when ``colour`` makes it.

    Raises:
        InputError: no piece of that colour could make such a move.
    """
    action = _ACTIONS[int(colour)].get(move.bits)
    if action is None:
        raise InputError(f"the move {move} has no action: no piece of {_name(colour)} moves like that")
    return action


def move_of(action: int, colour: Colour | int) -> Move:
    """Return the move that ``action`` is for ``colour``.

    Raises:
        InputError: there is no such action.
    """
    if not 0 <= action < NUM_ACTIONS:
        raise InputError(f"the action is {action}, expected 0 to {NUM_ACTIONS - 1}")
    return _MOVES[int(colour)][action]


def _name(colour: Colour | int) -> str:
    return ("White", "Black")[int(colour)]
