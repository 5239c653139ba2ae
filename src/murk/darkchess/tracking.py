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

import numpy as np
import numpy.typing as npt

from murk._core import Colour, Move, Observation, Position, PositionSet
from murk.darkchess.board import START_FEN
from murk.darkchess.picture import FOG
from murk.errors import InputError

__all__ = ["Tracker", "repair"]

REPAIRED = 256
"""Positions to make when a sample has run dry."""
_PAWN_ROWS = range(8, 56)
_HOMES = {
    "K": ((4, "K"), (7, "R")),
    "Q": ((4, "K"), (0, "R")),
    "k": ((60, "k"), (63, "r")),
    "q": ((60, "k"), (56, "r")),
}
"""Where king and rook of a castling right stand."""


class Tracker:
    """What a player holds possible, within a limit.

    Args:
        colour: the player.
        fen: the position both players know to begin from.
        limit: positions to hold at most.
        seed: of samples and repairs.

    Attributes:
        limit: may be changed; it holds from the next observation on.
        exact: whether these are all the positions there are.
        repaired: how often the sample ran dry.
    """

    def __init__(self, colour: Colour, fen: str = START_FEN, *, limit: int = 100_000, seed: int = 0) -> None:
        if limit < 1:
            raise InputError(f"limit is {limit}, expected at least one position")
        self.positions = PositionSet(Position(fen), colour)
        self.limit, self.exact, self.repaired = limit, True, 0
        self._random = random.Random(seed)

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
        ordered = sorted(made, key=lambda position: position.key)
        return PositionSet.unite([PositionSet(position, observation.colour) for position in ordered])

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


def repair(stale: Position, observation: Observation, move: Move | None, source: random.Random) -> Position | None:
    """Return a position that looks like ``observation`` and is otherwise as near to ``stale`` as can easily be.

    Args:
        stale: a position held possible one ply before.
        observation: what is seen now.
        move: the player's own, if it was hers.
        source: of where pieces go that must have moved.
    """
    board = {s: p for s in range(64) if (p := observation.piece_at(s)) not in (None, FOG)}
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
        squares = (s for s in free if s not in board and (piece.lower() != "p" or s in _PAWN_ROWS))
        place = next(squares, None)
        if place is None:
            return None
        _put(board, place, piece, left)
    return _position(board, stale, observation)


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
    fitting = [p for p in left.elements() if p.lower() != "p" or square in _PAWN_ROWS]
    # A king goes where he must only if nothing else can.
    others = [p for p in fitting if p.lower() != "k"]
    return source.choice(others or fitting or list(left.elements()))


def _put(board: dict[int, str], square: int, piece: str, left: Counter[str]) -> None:
    board[square] = piece
    left[piece] -= 1
    if left[piece] <= 0:
        del left[piece]


def _position(board: dict[int, str], stale: Position, observation: Observation) -> Position | None:
    rows = []
    for rank in reversed(range(8)):
        row = "".join(board.get(8 * rank + file) or "." for file in range(8))
        rows.append("".join(str(len(run)) if run[0] == "." else run for run in _runs(row)))
    own = observation.castling.strip("-")
    hers = stale.castling.translate(str.maketrans("", "", "KQ" if observation.colour == Colour.WHITE else "kq")).strip(
        "-"
    )
    rights = [r for r in "KQkq" if r in own + hers and all(board.get(s) == p for s, p in _HOMES[r])]
    turn, passing = observation.fog_fen.split()[1], observation.fog_fen.split()[3]
    try:
        made = Position(f"{'/'.join(rows)} {turn} {''.join(rights) or '-'} {passing}")
    except InputError:
        return None
    return made if made.observation(observation.colour).fog_fen == observation.fog_fen else None


def _runs(row: str) -> list[str]:
    runs: list[str] = []
    for square in row:
        if square == "." and runs and runs[-1][0] == ".":
            runs[-1] += "."
        else:
            runs.append(square)
    return runs
