"""Dark chess as a game of :mod:`murk.games.protocol`, for endgames small enough to be solved exactly.

MAX is White. The tree grows by a factor of ten to thirty a ply, so a useful game has few pieces and a horizon: after
``max_plies`` it ends with what ``horizon`` thinks of the position, by default a draw. The start may be uncertain: of
several positions nature draws one, each equally likely, and a player knows of it what she sees.

>>> import murk
>>> tree = murk.build(DarkChess("8/8/8/8/7k/8/8/K7 w - -", max_plies=2))
>>> tree.num_nodes
19
"""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from murk._core import Colour, Move, Position
from murk.darkchess.board import START_FEN
from murk.errors import InputError
from murk.tree.players import MAX, MIN, NATURE, TERMINAL, Player

__all__ = ["HORIZONS", "DarkChess", "DarkChessState", "material"]

Horizon = Callable[[Position], float]

_DRAW_PLIES = 100
_DRAW_OCCURRENCES = 3
_SOONEST_RETURN = 4
_WORTH = {"p": 1, "n": 3, "b": 3, "r": 5, "q": 9, "k": 0}
_MOST = 39.0


def material(position: Position) -> float:
    """Return White's lead in material, a queen counting 9 and a pawn 1, as a share of 39 and within [-1, 1]."""
    lead = sum(
        worth * (position.pieces(Colour.WHITE, kind).bit_count() - position.pieces(Colour.BLACK, kind).bit_count())
        for kind, worth in _WORTH.items()
    )
    return max(-1.0, min(1.0, lead / _MOST))


def draw(position: Position) -> float:
    """Return 0, whatever the position."""
    return 0.0


HORIZONS: dict[str, Horizon] = {"draw": draw, "material": material}
"""The values at the horizon that have names."""


class DarkChess:
    """Dark chess from a position, or from one of several that nature draws.

    Args:
        fen: where it begins.
        max_plies: how many moves are made at most; 0 is no limit.
        horizon: White's value of a position where that limit ends the game, in [-1, 1]; or one of :data:`HORIZONS`.
        draws: whether the third occurrence of a position, and fifty moves without capture or pawn move, are drawn.

    Raises:
        InputError: a FEN is malformed or an argument out of range.
    """

    def __init__(
        self,
        fen: str | Sequence[str] = START_FEN,
        *,
        max_plies: int = 0,
        horizon: Horizon | str = "draw",
        draws: bool = True,
    ) -> None:
        if isinstance(max_plies, bool) or not isinstance(max_plies, int) or max_plies < 0:
            raise InputError(f"max_plies is {max_plies!r}, expected a number of plies, or 0 for no limit")
        if isinstance(horizon, str) and horizon not in HORIZONS:
            raise InputError(f"the horizon is {horizon!r}, expected one of {', '.join(HORIZONS)}")
        self.starts = tuple(Position(one) for one in ([fen] if isinstance(fen, str) else fen))
        if not self.starts:
            raise InputError("there is no position to begin from, expected at least one")
        self.max_plies = max_plies
        self.horizon = HORIZONS[horizon] if isinstance(horizon, str) else horizon
        self.draws = draws
        shown = self.starts[0].fen if len(self.starts) == 1 else f"{len(self.starts)} positions"
        self.name = f"dark_chess_endgame(fen={shown},max_plies={max_plies})"

    def root(self) -> "DarkChessState":
        """Return the initial state."""
        return DarkChessState(self, self.starts[0] if len(self.starts) == 1 else None)

    def __repr__(self) -> str:
        return f"<murk.darkchess.DarkChess {self.name}>"


@dataclass(frozen=True, slots=True)
class DarkChessState:
    """A state: the position (None before nature has drawn one) and what the rules ask of the past.

    ``past`` holds the earlier positions since the last capture or pawn move, ``last`` the position and the move that
    led here. Both are for the rules alone: what a player remembers is put together by the tree builder.
    """

    game: DarkChess
    position: Position | None
    ply: int = 0
    past: tuple[Position, ...] = ()
    last: tuple[Position, Move] | None = None

    def _board(self) -> Position:
        assert self.position is not None, "nature has drawn a position"
        return self.position

    def player(self) -> Player:
        """Return who moves."""
        if self.position is None:
            return NATURE
        if self._result() is not None:
            return TERMINAL
        return MAX if self.position.turn == Colour.WHITE else MIN

    def actions(self) -> Sequence[int]:
        """Return the bits of the legal moves, or the numbers of the positions that nature draws from."""
        if self.position is None:
            return range(len(self.game.starts))
        return [move.bits for move in self.position.legal_moves]

    def chance(self) -> Sequence[float]:
        """Return the uniform distribution."""
        return (1 / len(self.game.starts),) * len(self.game.starts)

    def child(self, action: int) -> "DarkChessState":
        """Return the state after a move, or after nature's draw."""
        if self.position is None:
            return DarkChessState(self.game, self.game.starts[action])
        move, before = Move(action), self.position
        after = before.play(move)
        captures = after.occupied.bit_count() < before.occupied.bit_count()
        irreversible = captures or before.piece_at(move.from_square) in ("P", "p")
        past = () if irreversible or not self.game.draws else (*self.past, before)
        return DarkChessState(self.game, after, self.ply + 1, past, (before, move))

    def utility(self) -> float:
        """Return White's result, 1, 0 or -1, or the value at the horizon."""
        result = self._result()
        assert result is not None, "the game is over"
        return result

    def value(self) -> float:
        """Return what the horizon's value function thinks of the position."""
        return self.game.horizon(self._board())

    def _result(self) -> float | None:
        position = self._board()
        if position.winner is not None:
            return 1.0 if position.winner == Colour.WHITE else -1.0
        if self.game.draws and (len(self.past) >= _DRAW_PLIES or self.past.count(position) >= _DRAW_OCCURRENCES - 1):
            return 0.0
        if self.game.max_plies and self.ply >= self.game.max_plies:
            return float(self.game.horizon(position))
        return None

    def observation(self, player: int) -> Hashable:
        """Return the player's :class:`~murk.darkchess.Observation`."""
        if self.position is None:
            return "start"
        colour = Colour.WHITE if player == MAX else Colour.BLACK
        if self.last is None:
            return self.position.observation(colour)
        before, move = self.last
        return before.observation_after(move, colour)

    def transposition_key(self) -> Hashable:
        """Return the position and all else that the future depends on.

        Of the past that is what can still make a draw before the horizon: no position comes back in fewer than four
        plies, so one that has been there once matters only while as many are left.
        """
        limit = self.game.max_plies
        left = limit - self.ply if limit else None
        clock = len(self.past) if left is None or len(self.past) + left >= _DRAW_PLIES else None
        least = 1 if left is None or left >= _SOONEST_RETURN else _DRAW_OCCURRENCES - 1
        counts = Counter(self.past)
        return self.position, left, clock, frozenset((p, n) for p, n in counts.items() if n >= least)

    def action_name(self, action: int) -> str:
        """Return the move in SAN, which says nothing that its player does not know."""
        return str(action) if self.position is None else self.position.san(Move(action))
