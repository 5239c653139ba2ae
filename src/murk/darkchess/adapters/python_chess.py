"""Dark chess as a variant of python-chess, so that its PGN, SAN and engine code read and write such games.

:class:`DarkChessBoard` changes what python-chess thinks of the king and nothing else: there is no check, castling asks
only for empty squares, capturing the king wins, having no move loses, and the referee declares a draw at the third
occurrence of a position or after fifty moves without a capture or a pawn move. :func:`register` adds it to
``chess.variant.VARIANTS``, after which ``chess.pgn`` understands ``[Variant "Fog of War"]``.

The board is python-chess's own and shows everything. python-chess is under the GPL, so murk does not depend on it
and uses it only if it is installed.
"""

from collections.abc import Iterator
from typing import ClassVar

from murk.errors import MissingDependencyError

try:
    import chess
    import chess.variant
except ImportError:
    raise MissingDependencyError(
        "this board needs python-chess, which is not installed: pip install 'murk[chess]'"
    ) from None

__all__ = ["DarkChessBoard", "register"]

_DRAW_PLIES = 100
_DRAW_OCCURRENCES = 3


class DarkChessBoard(chess.Board):
    """A ``chess.Board`` under the rules of dark chess."""

    aliases: ClassVar[list[str]] = ["Fog of War", "Fogofwar", "Dark Chess", "Darkchess"]
    uci_variant: ClassVar[str | None] = "fogofwar"
    xboard_variant: ClassVar[str | None] = "fogofwar"

    tbw_suffix: ClassVar[str | None] = None
    tbz_suffix: ClassVar[str | None] = None
    tbw_magic: ClassVar[bytes | None] = None
    tbz_magic: ClassVar[bytes | None] = None

    def king_captured(self, colour: chess.Color) -> bool:
        """Return whether the king of ``colour`` is gone."""
        return not self.occupied_co[colour] & self.kings

    # What python-chess asks about check: never, and whether a move leaves the king in it: never.

    def checkers_mask(self) -> int:
        """Return no square: there is no check."""
        return 0

    def is_into_check(self, move: chess.Move) -> bool:
        """Return False: a king may be left in attack."""
        return False

    def was_into_check(self) -> bool:
        """Return False: a king may have been left in attack."""
        return False

    def gives_check(self, move: chess.Move) -> bool:
        """Return False: there is no check."""
        return False

    def _attacked_for_king(self, path: int, occupied: int) -> bool:
        return False  # castling out of, through and into attack is legal

    # Moves.

    def is_legal(self, move: chess.Move) -> bool:
        """Return whether ``move`` can be played: any pseudo-legal move while both kings are there."""
        return not self._is_king_gone() and self.is_pseudo_legal(move)

    def generate_legal_moves(self, from_mask: int = chess.BB_ALL, to_mask: int = chess.BB_ALL) -> Iterator[chess.Move]:
        """Yield the pseudo-legal moves, none once a king is gone."""
        if not self._is_king_gone():
            yield from self.generate_pseudo_legal_moves(from_mask, to_mask)

    # How a game ends.

    def _is_king_gone(self) -> bool:
        return self.king_captured(chess.WHITE) or self.king_captured(chess.BLACK)

    def is_variant_end(self) -> bool:
        """Return whether a king is gone or the side to move has no move."""
        return self._is_king_gone() or not self._has_move()

    def _has_move(self) -> bool:
        # Who can castle can also move the rook, so castling need not be asked; its generator asks here in turn.
        own = self.occupied_co[self.turn]
        if any(chess.BB_KING_ATTACKS[square] & ~own for square in chess.scan_forward(own & self.kings)):
            return True
        return any(self.generate_pseudo_legal_moves(~self.kings))

    def is_variant_win(self) -> bool:
        """Return whether the side to move has taken the other king (only in a position that was set up so)."""
        return self.king_captured(not self.turn) and not self.king_captured(self.turn)

    def is_variant_loss(self) -> bool:
        """Return whether the side to move has lost its king or has no move."""
        return not self.is_variant_win() and self.is_variant_end()

    def is_stalemate(self) -> bool:
        """Return False: having no move loses."""
        return False

    def has_insufficient_material(self, color: chess.Color) -> bool:
        """Return False: a bare king can still capture one."""
        return False

    def outcome(self, *, claim_draw: bool = False) -> chess.Outcome | None:
        """Return how the game ended, or None. Draws are declared, not claimed, so ``claim_draw`` changes nothing."""
        if self.is_variant_loss():
            return chess.Outcome(chess.Termination.VARIANT_LOSS, not self.turn)
        if self.is_variant_win():
            return chess.Outcome(chess.Termination.VARIANT_WIN, self.turn)
        if self.is_repetition(_DRAW_OCCURRENCES):
            return chess.Outcome(chess.Termination.THREEFOLD_REPETITION, None)
        if self.halfmove_clock >= _DRAW_PLIES:
            return chess.Outcome(chess.Termination.FIFTY_MOVES, None)
        return None

    def status(self) -> chess.Status:
        """Return what is wrong with the position; a captured king of the side to move is how games end."""
        status = super().status()
        gone = chess.STATUS_NO_WHITE_KING if self.turn == chess.WHITE else chess.STATUS_NO_BLACK_KING
        return status & ~gone


def register() -> type[DarkChessBoard]:
    """Add the board to ``chess.variant.VARIANTS``, once, and return it."""
    if DarkChessBoard not in chess.variant.VARIANTS:
        chess.variant.VARIANTS.append(DarkChessBoard)
    return DarkChessBoard
