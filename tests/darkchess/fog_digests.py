"""What pyffish says is seen, on 20,000 positions and from both sides, as a digest for each hundred of them.

It takes pyffish minutes to say so. The tests compare all of murk's views with the digests, and ask pyffish again about
a few. ``python tests/darkchess/fog_digests.py`` writes them anew.
"""

import hashlib
import random
from collections.abc import Iterator
from pathlib import Path

import pyffish
from rules_oracles import _fairy

from murk.darkchess import BLACK, WHITE, Colour, Position

FILE = Path(__file__).parent / "data" / "fog_digests.txt"
BLOCK, NUM_BLOCKS = 100, 200
BOTH = (WHITE, BLACK)


def positions(block: int) -> list[Position]:
    """Return the positions of a block: from random games, but such that every second or so has a capture to show."""
    rng = random.Random(f"fog {block}")
    found: list[Position] = []
    while len(found) < BLOCK:
        game = list(_game(rng))
        found += rng.sample(game, min(10, len(game)))
    return found[:BLOCK]


def _game(rng: random.Random) -> Iterator[Position]:
    position = Position()
    for _ in range(rng.randrange(4, 120)):
        moves = sorted(position.legal_moves)
        if not moves:
            return
        double_steps = [
            m for m in moves if abs(m.to_square - m.from_square) == 16 and _is_pawn(position, m.from_square)
        ]
        position = position.play(rng.choice(double_steps if double_steps and rng.random() < 0.2 else moves))
        if position.winner is None:
            yield position


def _is_pawn(position: Position, square: int) -> bool:
    return position.piece_at(square) in ("P", "p")


def fairy_view(position: Position, colour: Colour) -> str:
    """Return the placement pyffish shows to a player; of the opponent's turn, as if it were hers."""
    placement, turn, castling, en_passant = position.fen.split()
    if position.turn != colour:
        turn, en_passant = "wb"[colour], "-"
    return pyffish.get_fog_fen(f"{placement} {turn} {castling} {en_passant} 0 1", _fairy()).split()[0]


def digest(views: list[str]) -> str:
    return hashlib.blake2b("\n".join(views).encode(), digest_size=12).hexdigest()


def main() -> None:
    lines = [digest([fairy_view(p, c) for p in positions(block) for c in BOTH]) for block in range(NUM_BLOCKS)]
    FILE.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
