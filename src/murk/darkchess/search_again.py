"""From one set of positions to the next; and, when a sample has run dry, once more from the last exact set.

The search goes depth first through the observations since, with slices small enough that all the sets on the way fit
in the memory budget. Sets are ordered by hash, so that a slice is as good as a random draw.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from murk._core import Move, Observation, PositionSet

__all__ = ["SearchEndedError", "Seen", "advance", "search_again"]

PATIENCE = 300_000_000
"""Positions to look at before giving up."""
ENOUGH = 100_000
"""Positions to find before being content."""
_GROWTH = 32
"""By how much a set may grow in one move; hardly ever by so much."""


@dataclass(frozen=True)
class Seen:
    """What a player saw after a move, and the move if it was hers."""

    observation: Observation
    move: Move | None


class SearchEndedError(Exception):
    """The search found nothing in as many positions as it may look at."""

    def __init__(self, boards: int) -> None:
        super().__init__(boards)
        self.boards = boards


def advance(
    positions: PositionSet, seen: Seen, *, threads: int = 1, limit: int | None = None, seed: int = 0
) -> PositionSet:
    """Return the positions that follow and look as seen; there may be none."""
    if seen.move is None:
        return positions.after_opponent_move(seen.observation, threads=threads, limit=limit, seed=seed)
    return positions.after_own_move(seen.move, seen.observation, threads=threads, limit=limit, seed=seed)


def search_again(anchor: PositionSet, since: Sequence[Seen], *, capacity: int, threads: int = 1) -> PositionSet:
    """Return positions that follow from ``anchor`` and what was seen since; none only if there are none.

    Raises:
        SearchEndedError: none was found in :data:`PATIENCE` positions.
    """
    size = max(1, capacity // (_GROWTH * (len(since) + 1)))
    found: list[PositionSet] = []
    looked_at = num_found = 0
    nothing = anchor.slice(0, 0)
    stack = [_slices(anchor, size)]
    while stack:
        part = next(stack[-1], None)
        if part is None:
            stack.pop()
            continue
        looked_at += len(part)
        following = advance(part, since[len(stack) - 1], threads=threads)
        if len(following) > 0 and len(stack) < len(since):
            stack.append(_slices(following, size))
        elif len(following) > 0:
            found.append(following)
            num_found += len(following)
        if num_found >= min(ENOUGH, capacity):
            break
        if looked_at >= PATIENCE:
            if found:
                break
            raise SearchEndedError(looked_at)
    return PositionSet.unite(found, limit=capacity) if found else nothing


def _slices(positions: PositionSet, size: int) -> Iterator[PositionSet]:
    for first in range(0, len(positions), size):
        yield positions.slice(first, first + size)
