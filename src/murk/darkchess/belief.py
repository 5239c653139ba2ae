"""What a player holds possible: every position that fits all she has seen.

The set is exact, up to transposition: a position is in it if and only if some line of play leads there along which the
player would have seen, after each move, exactly what she saw. It is worked out natively (``cpp/chess/position_set.h``)
and needs sixteen bytes a position.

>>> from murk.darkchess import WHITE, Belief, Board
>>> board, belief = Board(), Belief(WHITE)
>>> for move in ("e2e4", "d7d5"):
...     _ = board.push(move)
...     belief.observe(board.observation(WHITE))
>>> len(belief), board.position in belief
(1, True)

Over its memory budget a belief becomes a sample, in which each position of the set at that moment has the same chance,
and ``exact`` is false from then on. What follows from a sample is the sample's: a position that many others lead to is
then likelier to be in it than one that few do. It remembers the last exact set and what was seen since; should no
sampled position explain an observation, it goes back to that set and searches depth first for some that do.
"""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from murk._core import Colour, Move, Observation, Position, PositionSet, square_name
from murk.darkchess.board import START_FEN
from murk.darkchess.picture import svg_board
from murk.darkchess.search_again import SearchEndedError, Seen, advance, search_again
from murk.errors import IllegalMoveError, InputError, ObservationError
from murk.frames import make_frame

if TYPE_CHECKING:
    import pandas as pd

    from murk.darkchess.belief_files import State

__all__ = ["BYTES_PER_BOARD", "DEFAULT_MEMORY", "Belief"]

DEFAULT_MEMORY = 1 << 30
MAX_THREADS = 256
BYTES_PER_BOARD = 64
"""What a position of a full belief may take while it is updated: 16 bytes in the old set, 16 in the last exact one, and
up to 32 in the table in which the new one is collected."""
_AT_A_TIME = 4096
_PIECES = "PNBRQKpnbrqk"


class Belief:
    """The positions a player holds possible, from a known start on.

    Args:
        colour: the player.
        fen: the position both players know to begin from.
        memory: bytes that an update may take in all. Beyond it, a sample is kept.
        threads: native threads. The belief is the same to the bit for any number.
        seed: of the sample.

    Raises:
        InputError: an argument is out of range, or the FEN is none.
    """

    def __init__(
        self, colour: Colour, fen: str = START_FEN, *, memory: int = DEFAULT_MEMORY, threads: int = 1, seed: int = 0
    ) -> None:
        self._set_options(memory, threads, seed)
        self._positions = PositionSet(Position(fen), _colour_of(colour))
        self._anchor: PositionSet | None = None
        self._since: tuple[Seen, ...] = ()
        self._ply = 0

    def _set_options(self, memory: int, threads: int, seed: int) -> None:
        if not memory >= BYTES_PER_BOARD:
            raise InputError(f"memory is {memory!r}, expected a number of bytes, {BYTES_PER_BOARD} or more")
        if not 1 <= threads <= MAX_THREADS:
            raise InputError(f"threads is {threads!r}, expected a number from 1 to {MAX_THREADS}")
        self._memory, self._threads, self._seed = int(memory), int(threads), int(seed)

    @property
    def colour(self) -> Colour:
        """The player."""
        return self._positions.colour

    @property
    def turn(self) -> Colour:
        """Whose move it is."""
        return self._positions.turn

    @property
    def winner(self) -> Colour | None:
        """Who has won by taking the king or leaving the other without a move; ``None`` while the game goes on."""
        return self._positions.winner

    @property
    def exact(self) -> bool:
        """Whether these are all the positions there are, and not a sample of them."""
        return self._anchor is None

    @property
    def memory(self) -> int:
        """Bytes that an update may take."""
        return self._memory

    @property
    def capacity(self) -> int:
        """Positions that fit in the memory."""
        return self._memory // BYTES_PER_BOARD

    @property
    def observation(self) -> Observation:
        """What the player sees: the same in all the positions."""
        return self._positions.positions([0])[0].observation(self.colour)

    @property
    def positions(self) -> PositionSet:
        """The native set. It never changes: each observation makes another."""
        return self._positions

    def observe(self, observation: Observation, *, move: Move | None = None) -> None:
        """Take in what the player sees after a move, her own or the opponent's.

        Args:
            observation: what she sees now.
            move: her move, if it was hers. It need not be given: her own pieces tell.

        Raises:
            ObservationError: no position explains the observation. The belief is as it was.
            IllegalMoveError: the move is not one of hers.
        """
        seen = Seen(observation, self._own_move(observation, move))
        try:
            following = advance(
                self._positions, seen, threads=self._threads, limit=self.capacity, seed=self._seed_at(self._ply)
            )
        except IllegalMoveError:
            raise
        except InputError as error:
            raise ObservationError(str(error)) from None
        anchor, since = self._anchor, (*self._since, seen)
        if anchor is None:
            anchor = None if following.complete else self._positions
        if len(following) == 0:
            if anchor is None:
                raise ObservationError(_unexplained(observation, f"all {len(self):,} positions held possible"))
            following = self._search_again(anchor, since)
        self._positions, self._anchor = following, anchor
        self._since = () if anchor is None else since
        self._ply += 1

    def _own_move(self, observation: Observation, move: Move | None) -> Move | None:
        if self.turn != self.colour:
            if move is not None:
                raise IllegalMoveError(f"move {move} is not hers: it was the opponent's turn")
            return None
        if move is not None:
            return move
        try:
            found = self._positions.own_move(observation)
        except InputError as error:
            raise ObservationError(str(error)) from None
        if found is None:
            raise ObservationError(f"after no move of hers would her pieces stand as in {observation.text!r}")
        return found

    def _search_again(self, anchor: PositionSet, since: tuple[Seen, ...]) -> PositionSet:
        observation = since[-1].observation
        try:
            found = search_again(anchor, since, capacity=self.capacity, threads=self._threads)
        except SearchEndedError as ended:
            raise ObservationError(_unexplained(observation, f"{ended.boards:,} positions searched")) from None
        if len(found) == 0:
            raise ObservationError(_unexplained(observation, f"all that follows from {len(anchor):,} positions"))
        return found

    def _seed_at(self, ply: int) -> int:
        return (self._seed * 0x9E3779B97F4A7C15 + ply * 0xD1B54A32D192ED03) % (1 << 64)

    def sample(self, count: int, seed: int = 0) -> list[Position]:
        """Return different positions, each as likely as any other, in random order; all if there are no more.

        Raises:
            InputError: the count is negative.
        """
        if count < 0:
            raise InputError(f"count is {count!r}, expected 0 or more")
        return self._positions.sample(min(count, len(self)), seed % (1 << 64))

    def probabilities(self) -> npt.NDArray[np.float64]:
        """Return how likely each square is to hold what, were all positions equally likely, as shape ``(64, 13)``.

        Columns: empty, White's pawn, knight, bishop, rook, queen and king, and Black's. Rows sum to 1.
        """
        return np.asarray(self._positions.piece_counts() / np.float64(len(self)), dtype=np.float64)

    def to_frame(self) -> "pd.DataFrame":
        """Return :meth:`probabilities` as a pandas table: a row for each square, a column for each piece."""
        rows = [(square_name(square), *row) for square, row in enumerate(self.probabilities().tolist())]
        return make_frame(rows, ["square", "empty", *_PIECES])

    def to_numpy(self, start: int = 0, stop: int | None = None) -> npt.NDArray[np.uint8]:
        """Return what stands on each square in positions ``start`` to ``stop`` of the order, as shape ``(n, 64)``.

        0 is an empty square, 1 to 6 are White's pawn to king and 7 to 12 Black's: the columns of
        :meth:`probabilities`.
        """
        first, last, _ = slice(start, stop).indices(len(self))
        return self._positions.squares(first, max(first, last))

    def copy(self) -> "Belief":
        """Return another belief that holds the same, and shares its memory until one of them observes."""
        other = Belief.__new__(Belief)
        other.__dict__.update(self.__dict__)
        return other

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save to a file.

        Raises:
            InputError: it cannot be written.
        """
        from murk.darkchess.belief_files import save

        save(path, self._state())

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, memory: int | None = None, threads: int = 1) -> "Belief":
        """Load what :meth:`save` saved.

        Args:
            path: the file.
            memory: another budget than the one it was saved with.
            threads: as at construction.

        Raises:
            InputError: it cannot be read.
            FormatError: it is not a whole, unharmed file of a belief.
        """
        from murk.darkchess.belief_files import load

        state = load(path)
        belief = cls.__new__(cls)
        belief._set_options(state.memory if memory is None else memory, threads, state.seed)
        belief._positions, belief._anchor = state.positions, state.anchor
        belief._since, belief._ply = state.since, state.ply
        return belief

    def _state(self) -> "State":
        from murk.darkchess.belief_files import State

        return State(self._positions, self._anchor, self._since, self._ply, self._memory, self._seed)

    def __len__(self) -> int:
        return len(self._positions)

    def __contains__(self, position: object) -> bool:
        return isinstance(position, Position) and position in self._positions

    def __iter__(self) -> Iterator[Position]:
        positions = self._positions
        for start in range(0, len(positions), _AT_A_TIME):
            yield from positions.positions(list(range(start, min(start + _AT_A_TIME, len(positions)))))

    def __eq__(self, other: object) -> bool:
        """Whether the same is known and held possible, to the bit."""
        if not isinstance(other, Belief):
            return NotImplemented
        return self.exact == other.exact and self._positions == other._positions

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        kind = "all there are" if self.exact else "a sample"
        return f"<Belief of {self.colour.name}: {len(self):,} positions, {kind}>"

    def _repr_svg_(self) -> str:
        first = 7 if self.colour == Colour.WHITE else 1
        enemy = self.probabilities()[:, first : first + 6].sum(axis=1)
        hidden = ~self.observation.visible
        shade = {square: float(enemy[square]) for square in range(64) if hidden >> square & 1}
        return svg_board(self.observation, flipped=self.colour == Colour.BLACK, shade=shade)


def _colour_of(colour: Any) -> Colour:
    if colour not in (Colour.WHITE, Colour.BLACK):
        raise InputError(f"colour is {colour!r}, expected WHITE or BLACK")
    return Colour(colour)


def _unexplained(observation: Observation, looked_at: str) -> str:
    return f"no position explains observation {observation.text!r}, among {looked_at}"
