"""The belief as its definition reads, and games to try it on."""

import random
from collections.abc import Iterator, Sequence

from murk._core import PositionSet
from murk.darkchess import BLACK, WHITE, Belief, Colour, Move, Observation, Position

BOTH = (WHITE, BLACK)

Ply = tuple[Position, Move, Position]


def twin_step(positions: set[Position], colour: Colour, move: Move, seen: Observation) -> set[Position]:
    """Return what follows from ``positions`` and looks as seen; ``move`` is used only if it is the player's."""
    following = set()
    for position in positions:
        for played in [move] if position.turn == colour else position.legal_moves:
            child = position.play(played)
            if child.observation(colour) == seen:
                following.add(child)
    return following


def histories(
    start: Position, colour: Colour, moves: Sequence[Move], views: Sequence[Observation]
) -> Iterator[Position]:
    """Yield the end of every line along which the player would have seen just this; some ends more than once."""
    if not views:
        yield start
        return
    for move in moves[:1] if start.turn == colour else start.legal_moves:
        child = start.play(move)
        if child.observation(colour) == views[0]:
            yield from histories(child, colour, moves[1:], views[1:])


def game(rng: random.Random, fen: str | None = None, *, captures: float = 0.5, longest: int = 300) -> Iterator[Ply]:
    """Yield the plies of a game in which a capture, if there is one, is preferred with some probability."""
    position = Position() if fen is None else Position(fen)
    for _ in range(longest):
        moves = position.legal_moves
        if not moves:
            return
        taking = [move for move in moves if position.piece_at(move.to_square) is not None]
        move = rng.choice(taking if taking and rng.random() < captures else moves)
        after = position.play(move)
        yield position, move, after
        position = after


def native_step(positions: PositionSet, colour: Colour, ply: Ply, **options: object) -> PositionSet:
    before, move, _ = ply
    seen = before.observation_after(move, colour)
    if before.turn == colour:
        return positions.after_own_move(move, seen, **options)  # type: ignore[arg-type]
    return positions.after_opponent_move(seen, **options)  # type: ignore[arg-type]


def naive_step(positions: PositionSet, colour: Colour, ply: Ply) -> PositionSet:
    before, move, _ = ply
    seen = before.observation_after(move, colour)
    if before.turn == colour:
        return positions.after_own_move_naive(move, seen)
    return positions.after_opponent_move_naive(seen)


def believed(colour: Colour, plies: Sequence[Ply], **options: object) -> Belief:
    """Return the belief after these plies."""
    belief = Belief(colour, plies[0][0].fen, **options)  # type: ignore[arg-type]
    for before, move, _ in plies:
        belief.observe(before.observation_after(move, colour))
    return belief


def random_endgame(rng: random.Random, pieces: str = "PPNBRQppnbrq") -> str:
    """Return the FEN of a few pieces and two kings, thrown on the board, with moves for the side to move."""
    while True:
        chosen = ["K", "k", *rng.sample(pieces, rng.randint(2, 5))]
        board = [""] * 64
        for piece, square in zip(chosen, rng.sample(range(64), len(chosen)), strict=True):
            board[square] = piece
        if any(piece in "Pp" for piece in (*board[:8], *board[56:]) if piece):
            continue
        ranks = ["".join(piece or "1" for piece in board[i : i + 8]) for i in range(0, 64, 8)]
        fen = f"{'/'.join(ranks)} {rng.choice('wb')} - -"
        for run in range(8, 1, -1):
            fen = fen.replace("1" * run, str(run))
        if Position(fen).winner is None:
            return fen
