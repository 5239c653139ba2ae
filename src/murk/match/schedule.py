"""Who plays whom, when, and from where.

A match is made of rounds. In each round every pairing plays two games from the same opening with the same seeds, once
with either colour. The schedule follows from the configuration alone, so a game is known by its key whenever and
wherever it is played, and a match can be taken up again.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from murk.match.openings import Opening

__all__ = ["Format", "GameJob", "pairings", "schedule", "seeds_of"]

Format = Literal["round-robin", "gauntlet"]


@dataclass(frozen=True)
class GameJob:
    """One game to be played.

    Attributes:
        key: its name in the match: ``round.first-second.w`` or ``.b``, as the first player has White or Black.
        round: from 0.
        first, second: the players of the pairing by number, the lower one first.
        white, black: the same players by colour.
        opening: where it begins.
        seeds: of White and of Black; the same in both games of a pair.
    """

    key: str
    round: int
    first: int
    second: int
    white: int
    black: int
    opening: Opening
    seeds: tuple[int, int]


def pairings(players: int, form: Format) -> list[tuple[int, int]]:
    """Return who meets whom: everybody everybody, or the first player all others."""
    if form == "gauntlet":
        return [(0, other) for other in range(1, players)]
    return [(a, b) for a in range(players) for b in range(a + 1, players)]


def schedule(
    players: int, games: int, openings: Sequence[Opening], seed: int, form: Format = "round-robin"
) -> Iterator[GameJob]:
    """Yield the games, ``games`` for each pairing. If that is odd, the last has no partner.

    The openings are used in their order, and again from the first one if there are fewer than rounds.
    """
    pairs = pairings(players, form)
    for number in range((games + 1) // 2):
        opening = openings[number % len(openings)]
        seeds = seeds_of(seed, number)
        for first, second in pairs:
            for colour in ("w", "b")[: games - 2 * number]:
                white, black = (first, second) if colour == "w" else (second, first)
                key = f"{number}.{first}-{second}.{colour}"
                yield GameJob(key, number, first, second, white, black, opening, seeds)


def seeds_of(seed: int, number: int) -> tuple[int, int]:
    """Return White's and Black's seed in a round."""
    digest = hashlib.sha256(f"murk match {seed} {number}".encode()).digest()
    return int.from_bytes(digest[:7], "big"), int.from_bytes(digest[8:15], "big")
