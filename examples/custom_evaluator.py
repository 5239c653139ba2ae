"""A value function of one's own: counts what each side could take next, on top of material.

An evaluator is a subclass of ``CustomEvaluator`` with one method. The rules have already decided the moves that capture
the king, leave one's own to be captured, or leave the opponent no move: the method is asked about the others only.
"""

import math

from murk.darkchess import Move, Position
from murk.darkchess.evaluators import CustomEvaluator

PAWNS = {"p": 1, "n": 3, "b": 3, "r": 5, "q": 9, "k": 0}


class Greedy(CustomEvaluator):
    """Material, less half of the best piece that the opponent can take in return."""

    def __init__(self, *, tau: float = 6.0) -> None:
        super().__init__("greedy", {"tau": f"{tau:g}"}, "MIT")
        self.tau = tau

    def move_values(self, position: Position, moves: list[Move]) -> list[float]:
        return [math.tanh(-self.lead(position.play(move)) / self.tau) for move in moves]

    def lead(self, position: Position) -> float:
        """Return the lead in pawns of the side to move."""
        pieces = [piece for square in range(64) if (piece := position.piece_at(square)) is not None]
        white = sum(PAWNS[p.lower()] * (1 if p.isupper() else -1) for p in pieces)
        taken = (position.piece_at(move.to_square) for move in position.legal_moves)
        best = max((PAWNS[p.lower()] for p in taken if p is not None), default=0)
        return (-white if position.turn else white) + best / 2


def main() -> None:
    position = Position("r1b1kbnr/pppp1ppp/2n5/4p3/4P2q/2N2N2/PPPP1PPP/R1BQKB1R w KQkq -")
    values = dict(zip(position.legal_moves, Greedy().values(position), strict=True))
    for move in sorted(values, key=values.__getitem__, reverse=True)[:5]:
        print(f"{position.san(move):6} {values[move]:+.3f}")


if __name__ == "__main__":
    main()
