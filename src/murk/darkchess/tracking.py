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

from murk._core import Advance, Colour, Move, Observation, Position, PositionSet
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
FEW = 100
"""Positions that are to be had first, before all that was put aside is gone through."""
FOR_FEW = 0.25
"""Part of the time to catch up that may go into finding those."""
PATIENCE = 100_000
"""Positions put aside to look at before a sample that has run dry is repaired."""
FEWEST = 64
"""Positions to take at a time at least."""
AT_A_TIME = 4_096
"""Positions to go on from between two looks at the clock."""
IN_ORDER = 20_000_000
"""Positions that can be put in order, or looked at after an own move, in a second."""
UNITED = 500_000
"""Positions that sets put aside may have to be united."""
FOR_ORDER = 0.25
"""Part of the time to catch up that putting positions in order may take at once."""
GROWTH = 4
"""How many positions follow from one, as a guess."""


class _Aside:
    """Sets of positions of one ply that have not been brought up to date, and what follows from those that were."""

    def __init__(self) -> None:
        self._sets: list[PositionSet] = []
        self._first = 0  # of the last set; those before it are gone
        self._following: Advance | None = None

    @property
    def left(self) -> int:
        """How many are still to be brought up."""
        return sum(map(len, self._sets)) - self._first

    @property
    def found(self) -> int:
        """How many were found to follow from others."""
        return 0 if self._following is None else len(self._following)

    def __len__(self) -> int:
        return self.left + self.found

    def add(self, positions: PositionSet) -> None:
        """Put further positions to them, some of which may be the same.

        Sets are united with others of about their size, unless that would take long, so that there are few of them.
        """
        while len(self._sets) > (self._first > 0):
            other = self._sets[0]
            if len(other) > 2 * len(positions) or len(other) + len(positions) > UNITED:
                break
            positions = PositionSet.unite([self._sets.pop(0), positions])
        self._sets.insert(0, positions)

    def take(self, count: float = math.inf) -> PositionSet:
        """Return some of them, which are as good as a random draw: sets are ordered by hash."""
        positions, first, last = self._next(count)
        return positions if last - first == len(positions) else positions.slice(first, last)

    def go_on(self, seen: Seen, count: float, expected: int) -> int:
        """Find what follows from up to ``count`` of them after a move of the opponent's; return from how many."""
        positions, first, last = self._next(count)
        if self._following is None:
            self._following = Advance(positions, seen.observation, expected=expected)
        self._following.add(positions, first, last)
        return last - first

    def following(self) -> PositionSet:
        """Take out what was found to follow."""
        assert self._following is not None
        return self._following.take()

    def drop(self, count: int) -> int:
        """Lose so many of them, or more; return how many."""
        before = len(self)
        while count > before - len(self) and self.left:
            self.take(count)
        if count > before - len(self):
            self._following = None
        return before - len(self)

    def _next(self, count: float) -> tuple[PositionSet, int, int]:
        positions, first = self._sets[-1], self._first
        last = self._first = int(min(first + count, len(positions)))
        if last == len(positions):
            self._sets.pop()
            self._first = 0
        return positions, first, last


class Tracker:
    """What a player holds possible, within a limit.

    Args:
        colour: the player.
        fen: the position both players know to begin from; or the player's view of it, with ``*`` for what is not
            seen, of which only a sample can be held: see :mod:`murk.darkchess.fog_start`.
        limit: positions to hold at most.
        aside: positions to put aside at most, and to remember as those that were not; by default four times the limit.
        seed: of samples and repairs.
        assumed: the opponent's pieces, if ``fen`` is a view.

    Attributes:
        limit: may be changed; it holds from the next observation on.
        repaired: how often the sample ran dry.
        looked_at: from how many positions it has gone on after moves of the opponent's.
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
        self.limit, self.repaired, self.looked_at = limit, 0, 0
        self._room = 4 * limit if aside is None else aside
        self._random = random.Random(seed)
        self._seen: list[Seen] = []
        self._aside: dict[int, _Aside] = {}  # by the number of observations that they explain
        # What was held since the earliest of them, after moves of the opponent's: what follows from that is known.
        self._done: dict[int, PositionSet] = {}
        self._lost = is_fog_fen(fen)  # positions that there is no way back to
        self._made_up = False
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
        before, seen, ply = self.positions, Seen(observation, move), len(self._seen)
        end = time.perf_counter() + seconds
        found, left = self._update(before, seen, end)
        if not (found or left or self._aside or self._lost):
            raise InputError(f"no position that is possible looks like {observation.text!r}")
        self._seen.append(seen)
        if left and not self._made_up:
            self._put_aside(ply, left)
        if not found:
            end = max(end, time.perf_counter() + LAST_RESORT * seconds)
            found = self._find(PATIENCE, wanted=1, end=end)
            self._made_up = not found
        self._hold(found or [self._repair(before, observation, move, LAST_RESORT * seconds)])

    def _update(self, before: PositionSet, seen: Seen, end: float) -> tuple[list[PositionSet], PositionSet | None]:
        """Return what follows from positions, as far as there is time and room, and those that are left."""
        first, following = 0, before.slice(0, 0)
        if seen.move is not None:
            if time.perf_counter() < end:
                first, following = len(before), advance(before, seen)
        else:
            expected = min(self.limit, GROWTH * len(before))
            step = Advance(before, seen.observation, expected=expected)
            while first < len(before) and len(step) < self.limit:
                if time.perf_counter() + len(step) / IN_ORDER >= end:
                    break
                step.add(before, first, first + AT_A_TIME)
                first += AT_A_TIME
            self.looked_at += min(first, len(before))
            following = step.take()
        left = before.slice(first, len(before)) if first < len(before) else None
        return [following] if len(following) else [], left

    def catch_up(self, *, most: float = math.inf, seconds: float = math.inf) -> None:
        """Go back to what was put aside, and look at up to ``most`` of it, or for so many seconds.

        If very few positions are held, some others are found first. Then all are brought up together, from the earliest
        on, so that those that come about in several ways are looked at once.
        """
        if not self._aside:
            return
        began, done = time.perf_counter(), self.looked_at + most
        found = self._find(most, wanted=FEW - len(self), end=began + FOR_FEW * seconds)
        seconds -= time.perf_counter() - began
        ordering = min(len(self) / IN_ORDER, FOR_ORDER * seconds)  # what is held and what is found, together
        found += self._work_off(done - self.looked_at, seconds=seconds - ordering)
        if found and len(self) >= self.limit and not self._made_up:
            for positions in found:
                self._put_aside(len(self._seen), positions)
        elif found:
            sets = found if self._made_up else [self.positions, *found]
            self._made_up = False
            self._hold(sets)

    def _work_off(self, most: float, *, seconds: float) -> list[PositionSet]:
        """Bring up what was put aside, the earliest first; return what explains all that was seen."""
        end, now = time.perf_counter() + seconds, len(self._seen)
        # What follows is put in order when it is all there, or else it would take too long.
        enough = max(FEWEST, FOR_ORDER * seconds * IN_ORDER)
        brought_up: list[PositionSet] = []
        while (ply := min(self._aside, default=now)) < now and most > 0 and time.perf_counter() < end:
            aside, seen = self._aside[ply], self._seen[ply]
            if seen.move is not None:
                following = advance(aside.take(enough), seen)
            else:
                if aside.left:
                    expected = int(min(enough, GROWTH * aside.left))
                    gone = aside.go_on(seen, min(most, AT_A_TIME), expected)
                    self.looked_at += gone
                    most -= gone
                if aside.left and aside.found < enough:
                    continue
                following = aside.following()
                if (known := self._done.get(ply + 1)) is not None:
                    following = following.without(known)
            if not len(aside):
                del self._aside[ply]
            if len(following) and ply + 1 == now:
                brought_up.append(following)
            elif len(following):
                self._put_aside(ply + 1, following)
        return brought_up

    def _find(self, most: float, *, wanted: int, end: float) -> list[PositionSet]:
        """Return some positions that explain all that was seen, soon: the latest that were put aside go first.

        Args:
            most: positions to look at.
            wanted: positions to find.
            end: when to stop.
        """
        found: list[PositionSet] = []
        while most > 0 and wanted > 0 and time.perf_counter() < end:
            behind = [ply for ply, aside in self._aside.items() if ply < len(self._seen) and aside.left]
            if not behind:
                break
            ply = max(behind)
            aside, seen = self._aside[ply], self._seen[ply]
            part = aside.take(max(FEWEST, min(most, AT_A_TIME)))
            if not len(aside):
                del self._aside[ply]
            following = advance(part, seen)
            if seen.move is None:
                self.looked_at += len(part)
                most -= len(part)
            if len(following) == 0:
                continue
            if ply + 1 == len(self._seen):
                found.append(following)
                wanted -= len(following)
            else:
                self._put_aside(ply + 1, following)
        return found

    def _put_aside(self, ply: int, positions: PositionSet) -> None:
        self._aside.setdefault(ply, _Aside()).add(positions)

    def _hold(self, sets: list[PositionSet]) -> None:
        now = len(self._seen)
        held = sets[0] if len(sets) == 1 else PositionSet.unite(sets)
        if len(held) > self.limit:
            if not self._made_up:
                self._put_aside(now, held.slice(self.limit, len(held)))
            held = held.slice(0, self.limit)
        self.positions = held
        if (over := self.aside - self._room) > 0:
            self._lose(over)
        earliest = min(self._aside, default=now)
        if earliest < now and held.turn == held.colour and not self._made_up:
            self._done[now] = held
        self._done = {ply: known for ply, known in self._done.items() if ply > earliest}
        while sum(map(len, self._done.values())) > self._room:
            del self._done[min(self._done)]

    def _lose(self, count: int) -> None:
        """Give up so many of the positions that were put aside, or more: those of the earliest plies."""
        self._lost = True
        while count > 0:
            ply = min(self._aside)
            count -= self._aside[ply].drop(count)
            if not len(self._aside[ply]):
                del self._aside[ply]

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
