"""Games whose beliefs are measured, and the sets of positions along them."""

from collections.abc import Iterator
from dataclasses import dataclass

from murk._core import PositionSet
from murk.darkchess import Board, Colour, Observation

__all__ = ["LONG", "OPENINGS", "QUIET", "Update", "opponent_moves"]

OPENINGS = {
    "Giuoco piano": "e4 e5 Nf3 Nc6 Bc4 Bc5 d3 Nf6 O-O d6 c3 O-O Re1 a6 Bb3 Ba7 h3 h6 Nbd2 Re8 Nf1 Be6 Bc2 d5 exd5 Nxd5",
    "Queen's gambit": "d4 d5 c4 e6 Nc3 Nf6 Bg5 Be7 e3 O-O Nf3 h6 Bh4 b6 Be2 Bb7 Bxf6 Bxf6 cxd5 exd5 b4 c6 O-O Nd7",
    "King's Indian": "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 Nf3 O-O Be2 e5 O-O Nc6 d5 Ne7 Ne1 Nd7 Be3 f5 f3 f4 Bf2 g5",
    "Sicilian": "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Be3 e5 Nb3 Be6 f3 Be7 Qd2 O-O O-O-O Nbd7 g4 b5",
    "London": "d4 d5 Bf4 Nf6 e3 e6 Nd2 c5 c3 Nc6 Ngf3 Bd6 Bg3 O-O Bd3 b6 Qe2 Bb7 O-O a6 Rad1 Qc7 h3 Rad8",
}
"""How people play: now the opponent's move is seen, now it is not."""

_LONDON = OPENINGS["London"] + " Rfe1 Rfe8"
LONG = {"move unseen": _LONDON + " a3", "move seen": _LONDON + " dxc5"}
"""Before the last move Black holds more than ten million positions possible."""

QUIET = "h3 g6 a3 Bg7 h4 d6 a4 Nd7 Rh2 Ngf6 Rh1 O-O Rh2 b6 Rh1 Bb7 Rh2 e6 Rh1 Qe7"
"""White looks on while Black moves behind the fog: no move of Black's is seen, and the set grows fast."""


@dataclass(frozen=True)
class Update:
    """One move of the opponent's: what was held possible before it, and what was seen after it."""

    before: PositionSet
    seen: Observation


def opponent_moves(game: str, colour: Colour, *, smallest: int, largest: int) -> Iterator[Update]:
    """Yield the updates of a game from sets of ``smallest`` to ``largest`` positions, in which it then ends."""
    board = Board()
    positions = PositionSet(board.position, colour)
    for san in game.split():
        own = board.turn == colour
        move = board.push(san)
        seen = board.observation(colour)
        if not own and len(positions) >= smallest:
            yield Update(positions, seen)
        positions = positions.after_own_move(move, seen) if own else positions.after_opponent_move(seen)
        if len(positions) > largest:
            return
