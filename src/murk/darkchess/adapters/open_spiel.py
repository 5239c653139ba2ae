"""Dark chess for OpenSpiel, and the way to and from OpenSpiel's own ``dark_chess``.

:func:`register` adds the game ``murk_dark_chess``. Player 0 is White. Unlike OpenSpiel's own game it has information
states (a player's whole history of moves and observations), tells nobody the half-move clock, and a player without a
move loses. Actions are those of :mod:`~murk.darkchess.adapters.actions`, tensors the planes of
:mod:`~murk.darkchess.adapters.planes`.

In OpenSpiel's ``dark_chess`` player 0 is Black, and an action is 73 times the from-square (a1, a2, ... h8) plus the
kind of step, seen from the mover's side: :func:`from_openspiel` and :func:`to_openspiel` convert histories.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from murk._core import Colour, Move, Position
from murk.darkchess.adapters.actions import NUM_ACTIONS, action_of, move_of
from murk.darkchess.adapters.planes import PLANES, observation_planes
from murk.darkchess.board import START_FEN, Board
from murk.errors import IllegalMoveError, InputError
from murk.games.openspiel import import_pyspiel

pyspiel = import_pyspiel()

__all__ = ["SHORT_NAME", "DarkChessGame", "DarkChessSpielState", "from_openspiel", "register", "to_openspiel"]

SHORT_NAME = "murk_dark_chess"

LONGEST_GAME = 12_700
"""No game is longer: 96 pawn moves and 30 captures, each after at most 99 other plies, and the last 100."""

_TYPE = pyspiel.GameType(
    short_name=SHORT_NAME,
    long_name="Dark chess (murk)",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"fen": START_FEN, "max_plies": 0},
)


class DarkChessGame(pyspiel.Game):  # type: ignore[name-defined]
    """The OpenSpiel game. Its parameters are ``fen`` and ``max_plies``, after which it is drawn (0 is never)."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        params = params or {}
        self.fen = str(params.get("fen", START_FEN))
        self.max_plies = int(params.get("max_plies", 0))
        Board(self.fen)  # a bad FEN is found out now
        if self.max_plies < 0:
            raise InputError(f"max_plies is {self.max_plies}, expected a number of plies, or 0 for no limit")
        info = pyspiel.GameInfo(
            num_distinct_actions=NUM_ACTIONS,
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=self.max_plies or LONGEST_GAME,
        )
        super().__init__(_TYPE, info, params)

    def new_initial_state(self, state: Any = None) -> "DarkChessSpielState":
        """Return the state at the start."""
        return DarkChessSpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: dict[str, Any] | None = None) -> "_Observer":
        """Return what writes a player's observation or information state as a tensor and as a string."""
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        return _Observer(kind, params)


class DarkChessSpielState(pyspiel.State):  # type: ignore[name-defined]
    """A state: the board, and each player's history as text."""

    def __init__(self, game: DarkChessGame) -> None:
        super().__init__(game)
        self.board = Board(game.fen)
        self.max_plies = game.max_plies
        self.told: tuple[list[str], list[str]] = ([], [])
        self._over = False
        self._note(None)

    def _note(self, move: Move | None) -> None:
        """Write down what each player sees now, after her own move if she made one."""
        self._over = self.board.outcome() is not None or (0 < self.max_plies <= len(self.board.moves))
        for colour in (Colour.WHITE, Colour.BLACK):
            own = move is not None and self.board.turn != colour
            self.told[int(colour)].append((f"{move} " if own else "") + self.observed(int(colour)))

    def observed(self, player: int) -> str:
        """Return what ``player`` sees now."""
        if not self._over:
            return self.board.observation(Colour(player)).text
        outcome = self.board.outcome()
        return f"end {outcome.result if outcome else '1/2-1/2'}"

    def information(self, player: int) -> str:
        """Return what ``player`` has seen and done since the start."""
        return " | ".join(self.told[player])

    # What OpenSpiel calls.

    def current_player(self) -> int:
        """Return who moves: 0 is White."""
        return int(pyspiel.PlayerId.TERMINAL) if self._over else int(self.board.turn)

    def _legal_actions(self, player: int) -> list[int]:
        return sorted(action_of(move, player) for move in self.board.legal_moves)

    def _apply_action(self, action: int) -> None:
        self._note(self.board.push(move_of(action, self.board.turn)))

    def _action_to_string(self, player: int, action: int) -> str:
        move = move_of(action, player)
        legal = player == self.current_player() and self.board.position.is_legal(move)
        return self.board.san(move) if legal else str(move)

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self._over

    def returns(self) -> list[float]:
        """Return the players' results."""
        outcome = self.board.outcome()
        if outcome is None or outcome.winner is None:
            return [0.0, 0.0]
        return [1.0, -1.0] if outcome.winner == Colour.WHITE else [-1.0, 1.0]

    def __str__(self) -> str:
        return self.board.fen


class _Observer:
    """OpenSpiel's observer: the planes, and the observation or the information state as text."""

    def __init__(self, kind: Any, params: dict[str, Any] | None) -> None:
        if params:
            raise InputError(f"the observer takes no parameters, got {', '.join(params)}")
        self.recall = kind.perfect_recall
        size = 0 if self.recall else 64 * len(PLANES)
        self.tensor = np.zeros(size, np.float32)
        self.dict = {} if self.recall else {"observation": self.tensor.reshape(len(PLANES), 8, 8)}

    def set_from(self, state: DarkChessSpielState, player: int) -> None:
        """Write what ``player`` sees into the tensor."""
        if not self.recall:
            self.dict["observation"][:] = observation_planes(state.board.observation(Colour(player)))

    def string_from(self, state: DarkChessSpielState, player: int) -> str:
        """Return what ``player`` sees, or knows."""
        return state.information(player) if self.recall else state.observed(player)


_registered = False


def register() -> str:
    """Add the game to OpenSpiel, once, and return its name for ``pyspiel.load_game``."""
    global _registered
    if not _registered:
        pyspiel.register_game(_TYPE, DarkChessGame)
        _registered = True
    return SHORT_NAME


# OpenSpiel's own dark_chess: three kinds of underpromotion in three directions, 14 steps along each of four lines,
# eight jumps of the knight, and after all squares the two castlings.
_KINDS_OF_STEP = 73
_CASTLE_LONG, _CASTLE_SHORT = 64 * _KINDS_OF_STEP, 64 * _KINDS_OF_STEP + 1
_UNDERPROMOTIONS = [(kind, file) for kind in "rbn" for file in (0, 1, -1)]
_LINES = [(0, 1), (1, 0), (1, 1), (1, -1)]
_STEPS = [
    *((file * n, rank * n) for file, rank in _LINES for n in (*range(-7, 0), *range(1, 8))),
    *((-2, -1), (-2, 1), (-1, -2), (-1, 2), (2, -1), (2, 1), (1, -2), (1, 2)),
]
_STEP_NUMBERS = {step: 9 + number for number, step in enumerate(_STEPS)}


def to_openspiel(moves: Iterable[Move], *, fen: str = START_FEN) -> list[int]:
    """Return a game as the actions of OpenSpiel's own ``dark_chess``.

    Raises:
        IllegalMoveError: a move is not legal.
    """
    board, actions = Board(fen), []
    for move in moves:
        before = board.position
        board.push(move)
        actions.append(_spiel_action(before, move))
    return actions


def from_openspiel(history: Sequence[int] | Any, *, fen: str | None = None) -> list[Move]:
    """Return the moves of a history of OpenSpiel's own ``dark_chess``: its actions, or a state with them.

    Raises:
        IllegalMoveError: an action is no legal move.
    """
    if isinstance(history, pyspiel.State):
        fen = fen or history.get_game().get_parameters()["fen"]
        history = history.history()
    board = Board(START_FEN if fen is None else fen)
    return [board.push(_spiel_move(board.position, action)) for action in history]


def _flip(square: int, colour: Colour) -> int:
    return square if colour == Colour.WHITE else square ^ 56


def _spiel_action(position: Position, move: Move) -> int:
    start, end = _flip(move.from_square, position.turn), _flip(move.to_square, position.turn)
    file, rank = end % 8 - start % 8, end // 8 - start // 8
    if (position.piece_at(move.from_square) or "").lower() == "k" and abs(file) == 2:
        return _CASTLE_SHORT if file > 0 else _CASTLE_LONG
    if move.promotion not in (None, "q"):
        number = _UNDERPROMOTIONS.index((move.promotion, file))
    else:
        number = _STEP_NUMBERS[file, rank]
    return (start % 8 * 8 + start // 8) * _KINDS_OF_STEP + number


def _spiel_move(position: Position, action: int) -> Move:
    promotion = None
    square, number = divmod(action, _KINDS_OF_STEP)
    if action in (_CASTLE_LONG, _CASTLE_SHORT):
        file, rank, step, climb = 4, 0, (2 if action == _CASTLE_SHORT else -2), 0
    elif not 0 <= square < 64:
        raise IllegalMoveError(f"the action is {action}, expected one of OpenSpiel's dark_chess, 0 to {_CASTLE_SHORT}")
    else:
        file, rank = divmod(square, 8)
        if number < len(_UNDERPROMOTIONS):
            promotion, step = _UNDERPROMOTIONS[number]
            climb = 1
        else:
            step, climb = _STEPS[number - 9]
    if not (0 <= file + step < 8 and 0 <= rank + climb < 8):
        raise IllegalMoveError(f"the action {action} leaves the board")
    start = _flip(8 * rank + file, position.turn)
    end = _flip(8 * (rank + climb) + file + step, position.turn)
    if (position.piece_at(start) or "").lower() == "p" and rank + climb == 7:
        promotion = promotion or "q"
    return Move.from_squares(start, end, promotion)
