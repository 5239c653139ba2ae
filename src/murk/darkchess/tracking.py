"""A belief for play: it never takes longer than it is allowed to, and never runs dry.

:class:`~murk.darkchess.belief.Belief` is exact, or tells the truth about its sample, whatever that takes. A player on a
clock cannot wait. A :class:`Tracker` holds at most ``limit`` positions, which may be changed at any time. What is more
is put aside, with what has been seen since, and worked off when there is time for it (:meth:`Tracker.catch_up`): often
little of it is left then, and once nothing is, the belief is exact again. In the meantime it is a sample.

Should no sampled position explain what is seen, and none that is found in what was put aside, positions
of the last sample are repaired: own pieces and all that is seen as seen, the opponent's other pieces where they
were if that is still possible, and somewhere in the fog otherwise. Such positions look right and have the right
material, although no line of play may lead to them; ``repaired`` counts how often that happened.

With the same observations, limits and seed it holds the same positions.
"""

import math
import random
import time
from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from murk._core import Colour, Move, Observation, Position, PositionSet
from murk.darkchess.arrange import PAWN_SQUARES, position_like
from murk.darkchess.board import START_FEN
from murk.darkchess.fog_start import WANTED, first_view, guess_positions, is_fog_fen
from murk.darkchess.picture import FOG
from murk.darkchess.search_again import Seen, advance
from murk.errors import InputError

__all__ = ["Tracker", "repair"]

REPAIRED = 256
"""Positions to make when a sample has run dry."""
FEWEST_REPAIRED = 16
"""Of which so many whatever time they take."""
LAST_RESORT = 0.25
"""Part of an update's time that there is, when it is over, to look for a position at all, and again to make some up."""
FEW = 1_000
"""Positions that are to be had first, before all that was put aside is gone through."""
PATIENCE = 100_000
"""Positions put aside to look at before a sample that has run dry is repaired."""
FEWEST = 64
"""Positions to take at a time at least."""
AT_A_TIME = 8_192
"""Positions between two looks at the clock."""
UNITED = 10_000_000
"""Positions of several sets that can be united in a second."""
GROWTH = 32
"""By how much a set may grow in one move; hardly ever by so much."""
FILTERED = 16
"""Positions that can be looked at after an own move in the time that one takes after the opponent's."""


class _Aside:
    """Positions of one ply that have not been brought up to date."""

    def __init__(self, positions: PositionSet, first: int = 0) -> None:
        self._positions, self._first = positions, first
        self._more: list[PositionSet] = []

    def __len__(self) -> int:
        return len(self._positions) - self._first + sum(len(positions) for positions in self._more)

    @property
    def seconds(self) -> float:
        """How long it may take before any of them can be taken."""
        return len(self) / UNITED if self._more else 0.0

    def add(self, positions: PositionSet) -> None:
        """Put further positions to them, some of which may be the same."""
        self._more.append(positions)

    def take(self, count: int | None = None) -> PositionSet:
        """Return some of them, which are as good as a random draw: sets are ordered by hash. By default all."""
        if self._more:
            left = self._positions.slice(self._first, len(self._positions))
            self._positions, self._first, self._more = PositionSet.unite([left, *self._more]), 0, []
        if count is None:
            count = len(self)
        if self._first == 0 and count >= len(self._positions):
            self._first = len(self._positions)
            return self._positions
        self._first, first = min(len(self._positions), self._first + count), self._first
        return self._positions.slice(first, self._first)


class Tracker:
    """What a player holds possible, within a limit.

    Args:
        colour: the player.
        fen: the position both players know to begin from; or the player's view of it, with ``*`` for what is not
            seen, of which only a sample can be held: see :mod:`murk.darkchess.fog_start`.
        limit: positions to hold at most.
        aside: positions to put aside at most; by default four times the limit.
        seed: of samples and repairs.
        assumed: the opponent's pieces, if ``fen`` is a view.

    Attributes:
        limit: may be changed; it holds from the next observation on.
        repaired: how often the sample ran dry.
        looked_at: how many positions after moves of the opponent's could have been looked at with all the work so far.
    """

    def __init__(
        self,
        colour: Colour,
        fen: str = START_FEN,
        *,
        limit: int = 100_000,
        aside: int | None = None,
        seed: int = 0,
        assumed: str = "mirror",
    ) -> None:
        if limit < 1:
            raise InputError(f"limit is {limit}, expected at least one position")
        if aside is not None and aside < 0:
            raise InputError(f"aside is {aside}, expected 0 or more positions")
        self.limit, self.repaired, self.looked_at = limit, 0, 0.0
        self._room = 4 * limit if aside is None else aside
        self._random = random.Random(seed)
        self._seen: list[Seen] = []
        self._aside: dict[int, _Aside] = {}  # by the number of observations that they explain
        self._lost = is_fog_fen(fen)  # positions that there is no way back to
        self._made_up = False
        self._growth = float(GROWTH)
        if not self._lost:
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

    @property
    def exact(self) -> bool:
        """Whether these are all the positions there are."""
        return not (self._lost or self._aside or self._made_up)

    @property
    def aside(self) -> int:
        """How many positions are put aside."""
        return sum(len(aside) for aside in self._aside.values())

    def observe(self, observation: Observation, move: Move | None = None, *, seconds: float = math.inf) -> None:
        """Take in what is seen after a ply; ``move`` is the player's own, ``None`` after the opponent's.

        What is not brought up to date in so many seconds is put aside.

        Raises:
            InputError: all positions are known, and none explains the observation.
        """
        before, aside = self.positions, self._aside
        began, ply = time.perf_counter(), len(self._seen)
        self._aside = {ply: _Aside(before)}
        self._seen.append(Seen(observation, move))
        try:
            found = self._bring_up(self.limit, wanted=self.limit, seconds=seconds)
            if not found and not self._aside and not aside and not self._lost:
                raise InputError(f"no position that is possible looks like {observation.text!r}")
        except InputError:
            self._seen.pop()
            self._aside = aside
            raise
        left, self._aside = self._aside.get(ply), aside
        if left is not None and not self._made_up:
            self._put_aside(ply, left.take())
        if not found:
            unused = seconds - (time.perf_counter() - began)
            found = self._bring_up(PATIENCE, wanted=1, seconds=max(unused, LAST_RESORT * seconds))
            self._made_up = not found
        self._hold(found or [self._repair(before, observation, move, LAST_RESORT * seconds)])

    def catch_up(self, *, most: float = math.inf, seconds: float = math.inf) -> None:
        """Go back to what was put aside, and look at up to ``most`` of it, or for so many seconds.

        If few positions are held, some others are found first. Then all are brought up together, from the earliest on,
        so that those that come about in several ways are looked at once.
        """
        end, done = time.perf_counter() + seconds, self.looked_at + most
        for wanted, earliest in ((FEW - len(self), False), (self.limit, True)):
            left = end - time.perf_counter()
            found = self._bring_up(done - self.looked_at, wanted=wanted, seconds=left, earliest=earliest)
            if found:
                sets = found if self._made_up else [self.positions, *found]
                self._made_up = False
                self._hold(sets)

    def _bring_up(
        self, most: float, *, wanted: int, seconds: float = math.inf, earliest: bool = False
    ) -> list[PositionSet]:
        """Return positions that explain all that was seen, from those put aside.

        Args:
            most: positions to look at.
            wanted: positions to find.
            seconds: time to take.
            earliest: bring up the earliest of them first, else the latest.
        """
        found: list[PositionSet] = []
        end = time.perf_counter() + seconds
        at_a_time = math.inf if math.isinf(seconds) else AT_A_TIME
        while most > 0 and wanted > 0 and time.perf_counter() < end:
            behind = [ply for ply in self._aside if ply < len(self._seen)]
            if not behind:
                break
            ply = min(behind) if earliest else max(behind)
            aside, seen = self._aside[ply], self._seen[ply]
            if time.perf_counter() + aside.seconds > end:
                break
            hers = seen.move is not None
            count = FILTERED * min(most, at_a_time) if hers else min(most, at_a_time)
            if not hers and ply + 1 == len(self._seen):
                count = min(count, 1.25 * wanted / self._growth)
            part = aside.take(max(FEWEST, int(min(count, len(aside)))))
            if not len(aside):
                del self._aside[ply]
            following = advance(part, seen)
            if not hers:
                self._growth = min(GROWTH, max(0.01, len(following) / len(part)))
            work = len(part) / (FILTERED if hers else 1)
            self.looked_at += work
            most -= work
            if len(following) == 0:
                continue
            if ply + 1 == len(self._seen):
                found.append(following)
                wanted -= len(following)
            else:
                self._put_aside(ply + 1, following)
        return found

    def _put_aside(self, ply: int, positions: PositionSet, first: int = 0) -> None:
        if ply not in self._aside:
            self._aside[ply] = _Aside(positions, first)
        else:
            self._aside[ply].add(positions.slice(first, len(positions)) if first else positions)

    def _hold(self, sets: list[PositionSet]) -> None:
        if (more := self._aside.pop(len(self._seen), None)) is not None:
            sets.append(more.take())
        held = sets[0] if len(sets) == 1 else PositionSet.unite(sets)
        if len(held) > self.limit:
            if not self._made_up:
                self._put_aside(len(self._seen), held, self.limit)
            held = held.slice(0, self.limit)
        self.positions = held
        while self.aside > self._room:
            del self._aside[min(self._aside)]
            self._lost = True

    def _repair(self, before: PositionSet, observation: Observation, move: Move | None, seconds: float) -> PositionSet:
        self.repaired += 1
        made: set[Position] = set()
        end = time.perf_counter() + seconds
        for stale in before.sample(REPAIRED, self._random.getrandbits(63)):
            if len(made) >= FEWEST_REPAIRED and time.perf_counter() > end:
                break
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
