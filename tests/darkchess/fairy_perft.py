"""Perft to depth 3 by pyffish alone, on 100 random positions.

It takes pyffish, with its milliseconds a call, ten minutes to count them. The tests compare murk with the stored
counts and ask pyffish again about parts. ``python tests/darkchess/fairy_perft.py`` counts what the file lacks.
"""

from pathlib import Path

import pyffish
from rules_oracles import _fairy, random_positions

FILE = Path(__file__).parent / "data" / "fairy_perft.txt"
NUMBER, DEPTH = 100, 3


def fens() -> list[str]:
    """Return the positions, each from a random game of its own."""
    return [position.fen for position in random_positions(6, NUMBER)]


def stored() -> list[tuple[str, int]]:
    """Return the counts of the file."""
    lines = [line.rsplit(";", 1) for line in FILE.read_text().splitlines()] if FILE.exists() else []
    return [(fen, int(count)) for fen, count in lines]


def count(fen: str, depth: int) -> int:
    """Count with pyffish's own moves and positions. A game without a king is over."""
    placement = fen.partition(" ")[0]
    if "k" not in placement or "K" not in placement:
        return 0
    moves = pyffish.legal_moves(_fairy(), fen, [])
    if depth == 1:
        return len(moves)
    return sum(count(pyffish.get_fen(_fairy(), fen, [move]), depth - 1) for move in moves)


def main() -> None:
    """Count on from where the file ends."""
    known = len(stored())
    with FILE.open("a") as file:
        for fen in fens()[known:]:
            print(fen, count(f"{fen} 0 1", DEPTH), sep=";", file=file, flush=True)


if __name__ == "__main__":
    main()
