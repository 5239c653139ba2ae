"""Where the games of a match begin: a list of openings, used by both games of a pair.

An opening is a position that both players know, and moves from it that are made for them and seen as if they had
played them. Openings come from

- ``start``: the initial position;
- ``random`` or ``random(plies=6,count=500,seed=3)``: random moves, except that no king may be left to be captured;
- a file: PGN (``.pgn``: the moves of each game, or its first ones), EPD or FEN (``.epd``, ``.fen``: a position a line;
  what follows the first four or six fields is ignored, as are empty lines and those that begin with ``#``).
"""

import hashlib
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from murk._core import Move, Position
from murk.darkchess.agents.spec import parse_call
from murk.darkchess.board import START_FEN, Board
from murk.darkchess.pgn import read_games
from murk.errors import FormatError, InputError

__all__ = ["START", "Opening", "fingerprint", "load_openings", "random_openings"]

PLIES, COUNT = 4, 1000
MOST_OPENINGS = 1_000_000


@dataclass(frozen=True)
class Opening:
    """A known position and moves from it."""

    fen: str = START_FEN
    moves: tuple[Move, ...] = ()


START = Opening()


def load_openings(source: str, *, seed: int = 0, plies: int | None = None) -> list[Opening]:
    """Return the openings that ``source`` names.

    Args:
        source: ``start``, ``random(...)`` or a file.
        seed: of random ones, unless they have their own.
        plies: how many moves of each game in a PGN file; by default all.

    Raises:
        InputError: the source is none, or cannot be read, or is empty.
    """
    if source == "start":
        return [START]
    if source.partition("(")[0].strip() == "random":
        return _random_from(source, seed)
    path = Path(source)
    if not path.is_file():
        raise InputError(f"there are no openings {source!r}: expected start, random(plies=4) or a file that exists")
    openings = list(
        islice(_from_pgn(path, plies) if path.suffix.lower() == ".pgn" else _from_lines(path), MOST_OPENINGS)
    )
    if not openings:
        raise InputError(f"{source} has no opening")
    return openings


def random_openings(plies: int, count: int, seed: int) -> Iterator[Opening]:
    """Yield openings of random moves, after none of which a king can be captured. Some may be alike."""
    source = random.Random(seed)
    made = 0
    while made < count:
        board = Board()
        while len(board.moves) < plies and (moves := _safe_moves(board.position)):
            board.push(source.choice(moves))
        if len(board.moves) == plies and _safe_moves(board.position):
            yield Opening(moves=tuple(board.moves))
            made += 1


def _safe_moves(position: Position) -> list[Move]:
    """Return the moves after which no king is gone and none can be captured at once."""
    return [move for move in position.legal_moves if not _king_hangs(position.play(move))]


def _king_hangs(position: Position) -> bool:
    if position.winner is not None:
        return True
    return any(position.piece_at(move.to_square) in ("k", "K") for move in position.legal_moves)


def _random_from(source: str, seed: int) -> list[Opening]:
    _, options = parse_call(source)
    numbers = {"plies": PLIES, "count": COUNT, "seed": seed}
    for name, text in options.items():
        if name not in numbers or not text.isdecimal():
            raise InputError(
                f"cannot read {name}={text} in {source!r}, expected plies, count and seed as whole numbers"
            )
        numbers[name] = int(text)
    if not (numbers["plies"] <= 100 and 1 <= numbers["count"] <= MOST_OPENINGS):
        raise InputError(
            f"{source!r} asks for too much: expected plies up to 100 and a count from 1 to {MOST_OPENINGS:,}"
        )
    return list(random_openings(numbers["plies"], numbers["count"], numbers["seed"]))


def _from_pgn(path: Path, plies: int | None) -> Iterator[Opening]:
    for game in read_games(path):
        moves = game.moves[:plies]
        board = game.board(len(moves))
        while moves and board.outcome() is not None:
            board.pop()
            moves = moves[:-1]
        yield Opening(game.fen, moves)


def _from_lines(path: Path) -> Iterator[Opening]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}: {error}") from None
    for number, line in enumerate(lines, 1):
        fields = line.split()
        if not fields or line.startswith("#"):
            continue
        clocks = fields[4:6] if len(fields) >= 6 and all(field.isdecimal() for field in fields[4:6]) else []
        fen = " ".join(fields[:4] + clocks)
        try:
            over = Board(fen).outcome()
        except InputError as error:
            raise FormatError(f"{path}, line {number}: {error}") from None
        if over is not None:
            raise FormatError(f"{path}, line {number}: the game is over ({over.reason}), expected a position to play")
        yield Opening(fen)


def fingerprint(openings: Sequence[Opening]) -> str:
    """Return a short hash of a list of openings: a match that is resumed must have the same."""
    digest = hashlib.sha256()
    for opening in openings:
        digest.update(f"{opening.fen} {' '.join(map(str, opening.moves))}\n".encode())
    return digest.hexdigest()[:16]
