"""A game on paper: tags, moves with what was noted beside them, and a result."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from murk._core import Move
from murk.darkchess.board import START_FEN, Board
from murk.errors import InputError

__all__ = ["RESULTS", "VARIANT", "GameRecord", "Ply"]

VARIANT = "Fog of War"
RESULTS = ("1-0", "0-1", "1/2-1/2", "*")


@dataclass(frozen=True)
class Ply:
    """One move, its NAGs (``$1`` is a good move), the comment after it, and the mover's clock in seconds."""

    move: Move
    nags: tuple[int, ...] = ()
    comment: str = ""
    clock: float | None = None


@dataclass(frozen=True)
class GameRecord:
    """A game of dark chess as PGN knows it. The moves are legal; the result is whatever the players agreed on.

    ``fen`` is the position it began from and ``line`` where the reader found it. ``tags`` hold all other tags:
    ``Variant``, ``SetUp``, ``FEN`` and ``Result`` follow from the fields and are written from them.
    """

    plies: tuple[Ply, ...] = ()
    result: str = "*"
    fen: str = START_FEN
    tags: Mapping[str, str] = field(default_factory=dict)
    comment: str = ""
    line: int | None = None

    def __post_init__(self) -> None:
        if self.result not in RESULTS:
            raise InputError(f"the result is {self.result!r}, expected one of {', '.join(RESULTS)}")

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves alone."""
        return tuple(ply.move for ply in self.plies)

    def board(self, ply: int | None = None) -> Board:
        """Return the board after ``ply`` moves, by default after the last.

        Raises:
            InputError: the game has no such ply.
        """
        count = len(self.plies) if ply is None else ply
        if not 0 <= count <= len(self.plies):
            raise InputError(f"the ply is {ply}, expected 0 to {len(self.plies)}, the length of the game")
        board = Board(self.fen)
        for move in self.moves[:count]:
            board.push(move)
        return board

    @classmethod
    def from_board(
        cls, board: Board, *, result: str | None = None, tags: Mapping[str, str] | None = None
    ) -> "GameRecord":
        """Return the game played on ``board``; without ``result`` the board's own outcome, ``*`` if it goes on."""
        outcome = board.outcome()
        return cls(
            plies=tuple(Ply(move) for move in board.moves),
            result=result or (outcome.result if outcome else "*"),
            fen=_start(board),
            tags=dict(tags or {}),
        )

    @classmethod
    def from_moves(
        cls, moves: Iterable[Move | str], *, fen: str = START_FEN, result: str | None = None
    ) -> "GameRecord":
        """Return the game of these moves.

        Raises:
            IllegalMoveError: one of them cannot be played.
        """
        board = Board(fen)
        for move in moves:
            board.push(move)
        return cls.from_board(board, result=result)


def _start(board: Board) -> str:
    start = board.copy()
    for _ in board.moves:
        start.pop()
    return start.fen
