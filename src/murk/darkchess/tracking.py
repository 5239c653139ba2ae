"""A belief for play: it never takes longer than it is allowed to, and never runs dry.

:class:`~murk.darkchess.belief.Belief` is exact, or tells the truth about its sample, whatever that takes. A player on a
clock cannot wait. A :class:`Tracker` holds at most ``limit`` positions, which may be changed at any time. While all
positions fit it is exact; beyond, it is a sample. Should no sampled position explain what is seen, it takes positions
of the last sample and repairs them: own pieces and all that is seen as seen, the opponent's other pieces where they
were if that is still possible, and somewhere in the fog otherwise. Such positions look right and have the right
material, although no line of play may lead to them; ``repaired`` counts how often that happened.

With the same observations, limits and seed it holds the same positions.
"""

import random
from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from murk._core import Colour, Move, Observation, Position, PositionSet
from murk.darkchess.arrange import PAWN_SQUARES, position_like
from murk.darkchess.board import START_FEN
from murk.darkchess.fog_start import WANTED, first_view, guess_positions, is_fog_fen
from murk.darkchess.picture import FOG
from murk.errors import InputError

__all__ = ["Tracker", "repair"]

REPAIRED = 256
"""Positions to make when a sample has run dry."""


class Tracker:
    """What a player holds possible, within a limit.

    Args:
        colour: the player.
        fen: the position both players know to begin from; or the player's view of it, with ``*`` for what is not
            seen, of which only a sample can be held: see :mod:`murk.darkchess.fog_start`.
        limit: positions to hold at most.
        seed: of samples and repairs.
        assumed: the opponent's pieces, if ``fen`` is a view.

    Attributes:
        limit: may be changed; it holds from the next observation on.
        exact: whether these are all the positions there are.
        repaired: how often the sample ran dry.
    """

    def __init__(
        self, colour: Colour, fen: str = START_FEN, *, limit: int = 100_000, seed: int = 0, assumed: str = "mirror"
    ) -> None:
        if limit < 1:
            raise InputError(f"limit is {limit}, expected at least one position")
        self.limit, self.exact, self.repaired = limit, not is_fog_fen(fen), 0
        self._random = random.Random(seed)
        if self.exact:
            self.positions = PositionSet(Position(fen), colour)
        else:
            view = first_view(fen, colour)
            self.positions = _set_of(
                guess_positions(view, assumed=assumed, wanted=min(limit, WANTED), seed=seed), colour
            )

    @property
    def colour(self) -> Colour:
        """The player."""
        return self.positions.colour

    def observe(self, observation: Observation, move: Move | None = None) -> None:
        """Take in what is seen after a ply; ``move`` is the player's own, ``None`` after the opponent's.

        Raises:
            InputError: all positions are known, and none explains the observation.
        """
        seed = self._random.getrandbits(63)
        if move is None:
            following = self.positions.after_opponent_move(observation, limit=self.limit, seed=seed)
        else:
            following = self.positions.after_own_move(move, observation, limit=self.limit, seed=seed)
        if len(following) == 0:
            if self.exact:
                raise InputError(f"no position that is possible looks like {observation.text!r}")
            following = self._repair(observation, move)
        self.exact = self.exact and following.complete
        self.positions = following

    def _repair(self, observation: Observation, move: Move | None) -> PositionSet:
        self.repaired += 1
        made: set[Position] = set()
        for stale in self.positions.sample(REPAIRED, self._random.getrandbits(63)):
            found = repair(stale, observation, move, self._random)
            if found is not None:
                made.add(found)
        if not made:
            raise InputError(f"cannot make a position that looks like {observation.text!r}")
        return _set_of(sorted(made, key=lambda position: position.key), observation.colour)

    def __len__(self) -> int:
        return len(self.positions)

    def __contains__(self, position: Position) -> bool:
        return position in self.positions

    def sample(self, count: int, seed: int = 0) -> list[Position]:
        """Return different positions in random order; all if there are no more."""
        return self.positions.sample(min(count, len(self)), seed % (1 << 64))

    def probabilities(self) -> npt.NDArray[np.float64]:
        """Return how often each square holds each piece, as :meth:`Belief.probabilities` does."""
        return np.asarray(self.positions.piece_counts() / len(self), dtype=np.float64)


def _set_of(positions: Sequence[Position], colour: Colour) -> PositionSet:
    return PositionSet.unite([PositionSet(position, colour) for position in positions])


def repair(stale: Position, observation: Observation, move: Move | None, source: random.Random) -> Position | None:
    """Return a position that looks like ``observation`` and is otherwise as near to ``stale`` as can easily be.

    Args:
        stale: a position held possible one ply before.
        observation: what is seen now.
        move: the player's own, if it was hers.
        source: of where pieces go that must have moved.
    """
    board = {s: p for s in range(64) if (p := observation.piece_at(s)) is not None and p != FOG}
    left, kept = _unseen_pieces(stale, observation, move, board)
    free = [s for s in range(64) if observation.piece_at(s) == FOG and not observation.known_empty >> s & 1]
    source.shuffle(free)
    # First those squares that must be taken, then those that pieces can stay on, then any.
    for square in [s for s in free if observation.known_enemy >> s & 1]:
        if not left.total():
            return None
        piece = kept.get(square) if left[kept.get(square, "")] else None
        _put(board, square, piece or _any_piece(left, square, source), left)
    for square, piece in kept.items():
        if square not in board and left[piece] and square in free:
            _put(board, square, piece, left)
    for piece in sorted(left.elements(), key=lambda p: p.lower() != "p"):
        squares = (s for s in free if s not in board and (piece.lower() != "p" or s in PAWN_SQUARES))
        place = next(squares, None)
        if place is None:
            return None
        _put(board, place, piece, left)
    hers = "kq" if observation.colour == Colour.WHITE else "KQ"
    return position_like(observation, board, [r for r in stale.castling if r in hers])


def _unseen_pieces(
    stale: Position, observation: Observation, move: Move | None, board: dict[int, str]
) -> tuple[Counter[str], dict[int, str]]:
    """Return the opponent's pieces that are not seen, and where each stood."""
    theirs = _is_black if observation.colour == Colour.WHITE else str.isupper
    kept = {s: p for s in range(64) if (p := stale.piece_at(s)) is not None and theirs(p)}
    if move is not None:
        kept.pop(move.to_square, None)  # captured
    left = Counter(kept.values())
    pawn = "p" if observation.colour == Colour.WHITE else "P"
    for piece in board.values():
        if theirs(piece):
            # One more than there were is a pawn that was promoted.
            left[piece if left[piece] else pawn] -= 1
    return +left, kept


def _is_black(piece: str) -> bool:
    return piece.islower()


def _any_piece(left: Counter[str], square: int, source: random.Random) -> str:
    fitting = [p for p in left.elements() if p.lower() != "p" or square in PAWN_SQUARES]
    # A king goes where he must only if nothing else can.
    others = [p for p in fitting if p.lower() != "k"]
    return source.choice(others or fitting or list(left.elements()))


def _put(board: dict[int, str], square: int, piece: str, left: Counter[str]) -> None:
    board[square] = piece
    left[piece] -= 1
    if left[piece] <= 0:
        del left[piece]
