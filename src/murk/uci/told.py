"""What the client told, and what one side saw of it. The only part of the engine that knows the truth.

A game is told as its start and all its moves. A start with fog (``*``) is the view of the side to move; the truth is
then not known to anyone here, and no move after it can be.
"""

from dataclasses import dataclass

from murk._core import Colour, Move, Observation, Position, parse_fen
from murk.darkchess.fog_start import first_view, is_fog_fen
from murk.errors import IllegalMoveError, InputError
from murk.uci.commands import PositionTold, shown

__all__ = ["SeenPly", "Told"]


@dataclass(frozen=True)
class SeenPly:
    """What a side saw after a ply, and the move if it was its own."""

    observation: Observation
    move: Move | None


class Told:
    """A game as it was told.

    Args:
        command: the client's ``position``.
        before: the game told before it; if this one only goes on, its work is not done again.

    Raises:
        InputError: the start is no position, or a move is not legal.
    """

    def __init__(self, command: PositionTold, before: "Told | None" = None) -> None:
        self.fen = command.fen
        self._view: Observation | None = None
        self._words = command.moves
        self._positions: list[Position] = []
        self._moves: list[Move] = []
        if is_fog_fen(command.fen):
            self._begin_with_fog()
            return
        if before is not None and before._leads_to(command):
            self._positions, self._moves = before._positions.copy(), before._moves.copy()
        else:
            self._positions.append(parse_fen(command.fen)[0])
        for word in command.moves[len(self._moves) :]:
            self._play(word)

    def _leads_to(self, command: PositionTold) -> bool:
        return self.fen == command.fen and command.moves[: len(self._words)] == self._words and self._view is None

    def _begin_with_fog(self) -> None:
        fields = self.fen.split()
        if fields[1] not in ("w", "b"):
            raise InputError(f"the side to move of the fog FEN is {shown(fields[1])}, expected w or b")
        if self._words:
            raise InputError("no moves can follow a fog FEN: send the view as it now is")
        self._view = first_view(self.fen, Colour.WHITE if fields[1] == "w" else Colour.BLACK)

    def _play(self, word: str) -> None:
        number = len(self._moves) + 1
        try:
            move = Move.from_uci(word)
            following = self._positions[-1].play(move)
        except (IllegalMoveError, InputError):
            raise InputError(f"move {number} of the game is {shown(word)}, which is not legal") from None
        self._moves.append(move)
        self._positions.append(following)

    @property
    def colour(self) -> Colour:
        """The side to move, for which the engine thinks."""
        return self._positions[-1].turn if self._view is None else self._view.colour

    def first_view(self) -> Observation:
        """Return what the side to move now saw at the start."""
        return self._positions[0].observation(self.colour) if self._view is None else self._view

    def seen(self) -> list[SeenPly]:
        """Return what the side to move saw, ply by ply."""
        colour, seen = self.colour, []
        for position, move in zip(self._positions, self._moves, strict=False):
            own = move if position.turn == colour else None
            seen.append(SeenPly(position.observation_after(move, colour), own))
        return seen
