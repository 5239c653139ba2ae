"""Slow, obvious twins of the evaluator: the net in numpy, and the quiescence search on a board of letters."""

import math
import struct
from collections.abc import Iterator

import numpy as np

from murk import _core
from murk.darkchess import BLACK, WHITE, Colour, Move, Position

KINDS = "pnbrqk"
BUCKETS, HIDDEN, FIRST, SECOND, STACKS = 6, 512, 16, 32, 8
FEATURES = BUCKETS * 12 * 64
VALUES = {"p": 58, "n": 237, "b": 253, "r": 382, "q": 743, "k": 5000}
WON = 1_000_000
ONE = 4064


def letters(position: Position) -> dict[int, str]:
    return {square: piece for square in range(64) if (piece := position.piece_at(square)) is not None}


# --- the net ---


def king_bucket(king: int) -> int:
    """Of a king on the files e to h, seen from its own side."""
    rank, file = divmod(king, 8)
    if rank >= 2:
        return 4 if rank <= 3 else 5
    return 2 * rank + (file <= 5)


def features(board: dict[int, str], side: Colour) -> list[int]:
    turned = {square ^ (56 if side == BLACK else 0): piece for square, piece in board.items()}
    if side == BLACK:
        turned = {square: piece.swapcase() for square, piece in turned.items()}
    king = next(square for square, piece in turned.items() if piece == "K")
    if king % 8 < 4:
        turned = {square ^ 7: piece for square, piece in turned.items()}
        king ^= 7
    return [
        king_bucket(king) * 768 + (6 * piece.islower() + KINDS.index(piece.lower())) * 64 + square
        for square, piece in turned.items()
    ]


class NetTwin:
    """Reads a weights file and computes the value of a position in whole numbers."""

    def __init__(self, file: bytes) -> None:
        self.at = 40
        self.file = file
        assert file[:8] == b"murknet1"
        assert struct.unpack("<6i", file[8:32]) == (FEATURES, HIDDEN, FIRST, SECOND, STACKS, 4)
        self.rows = self.take_rows()
        self.material = self.take("<i4", FEATURES, STACKS)
        self.bias = self.take("<i2", HIDDEN)
        self.stacks = [
            {
                "first": self.take_layer("i1", HIDDEN, FIRST, 4),
                "second": self.take_layer("<i2", 2 * FIRST, SECOND, 2),
                "third": self.take("<i2", SECOND),
                "first_bias": self.take("<i4", FIRST),
                "second_bias": self.take("<i4", SECOND),
                "third_bias": self.take("<i4", 1),
            }
            for _ in range(STACKS)
        ]
        assert self.at == len(file)

    def take(self, kind: str, *shape: int) -> np.ndarray:
        size = math.prod(shape)
        array = np.frombuffer(self.file, kind, size, self.at).reshape(shape).astype(np.int64)
        self.at += size * np.dtype(kind).itemsize
        return array

    def take_rows(self) -> np.ndarray:
        low, high = self.take("u1", 2, FEATURES * HIDDEN)
        folded = low + 256 * high
        changes = np.where(folded % 2 == 0, folded // 2, -(folded + 1) // 2)
        return changes.reshape(BUCKETS, 768, HIDDEN).cumsum(axis=0).reshape(FEATURES, HIDDEN)

    def take_layer(self, kind: str, inputs: int, outputs: int, group: int) -> np.ndarray:
        """Return a matrix of outputs x inputs, whose inputs stand in groups in the file."""
        return self.take(kind, inputs // group, outputs, group).swapaxes(0, 1).reshape(outputs, inputs)

    def value(self, position: Position) -> int:
        board = letters(position)
        number = min((len(board) - 1) // 4, STACKS - 1)
        stack = self.stacks[number]
        products, material = [], []
        for side in (position.turn, Colour(1 - position.turn)):
            rows = features(board, side)
            sums = np.clip(self.bias + self.rows[rows].sum(axis=0), 0, 255)
            products.append(sums[: HIDDEN // 2] * sums[HIDDEN // 2 :] >> 9)
            material.append(int(self.material[rows, number].sum()))
        first = np.clip(stack["first"] @ np.concatenate(products) + stack["first_bias"], -8128, 8128)
        activated = np.concatenate([np.maximum(first, 0) >> 1, first * first >> 14])
        second = np.clip((stack["second"] @ activated + stack["second_bias"]) >> 10, 0, ONE)
        # Division as in C++, towards zero.
        total = int(stack["third"] @ second + stack["third_bias"][0]) + int((material[0] - material[1]) / 2)
        return total >> 10


# --- the quiescence search ---


def steps(square: int, directions: list[tuple[int, int]], far: bool, board: dict[int, str]) -> Iterator[int]:
    for dx, dy in directions:
        x, y = square % 8 + dx, square // 8 + dy
        while 0 <= x < 8 and 0 <= y < 8:
            yield 8 * y + x
            if not far or 8 * y + x in board:
                break
            x, y = x + dx, y + dy


STRAIGHT = [(1, 0), (-1, 0), (0, 1), (0, -1)]
DIAGONAL = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
KNIGHT = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]


def reaches(square: int, board: dict[int, str]) -> Iterator[int]:
    """Where the piece on a square can capture."""
    piece = board[square]
    kind = piece.lower()
    if kind == "p":
        up = 1 if piece.isupper() else -1
        return steps(square, [(-1, up), (1, up)], False, board)
    if kind in "nk":
        return steps(square, KNIGHT if kind == "n" else STRAIGHT + DIAGONAL, False, board)
    return steps(square, {"b": DIAGONAL, "r": STRAIGHT, "q": STRAIGHT + DIAGONAL}[kind], True, board)


def attackers(target: int, white: bool, board: dict[int, str]) -> list[int]:
    return [s for s, piece in sorted(board.items()) if piece.isupper() == white and target in reaches(s, board)]


def king_is_attacked(position: Position, colour: Colour) -> bool:
    board = letters(position)
    king = next(square for square, piece in board.items() if piece == ("K" if colour == WHITE else "k"))
    return bool(attackers(king, colour != WHITE, board))


def gain(position: Position, move: Move) -> int:
    taken = position.piece_at(move.to_square)
    worth = VALUES[taken.lower()] if taken else 0
    if move.promotion:
        return worth + VALUES[move.promotion] - VALUES["p"]
    is_pawn = position.piece_at(move.from_square) in ("p", "P")
    return VALUES["p"] if is_pawn and move.from_square % 8 != move.to_square % 8 and not taken else worth


def takes(position: Position, move: Move) -> bool:
    return gain(position, move) > 0


def exchange(position: Position, move: Move) -> int:
    """What the exchange wins for the mover if both sides take with their cheapest piece, or stop."""
    board = letters(position)
    target = move.to_square
    piece = board.pop(move.from_square)
    if gain(position, move) and target not in board and not move.promotion:
        del board[move.from_square // 8 * 8 + target % 8]  # en passant
    if move.promotion:
        piece = move.promotion.upper() if piece.isupper() else move.promotion
    board[target] = piece
    return gain(position, move) - max(0, answer(board, target))


def answer(board: dict[int, str], target: int) -> int:
    """What taking back on the target wins."""
    white = not board[target].isupper()
    own = attackers(target, white, board)
    if not own:
        return 0
    taker = min(own, key=lambda square: (VALUES[board[square].lower()], square))
    after = {**board, target: board[taker]}
    del after[taker]
    if board[taker] in "kK" and attackers(target, not white, after):
        return 0
    return VALUES[board[target].lower()] - max(0, answer(after, target))


class QuiescenceTwin:
    """The search of ``cpp/eval/quiescence.h``, move by move."""

    def __init__(self, network: _core.Network, limits: _core.QuiescenceLimits) -> None:
        self.network = network
        self.limits = limits
        self.visited = 0

    def value(self, position: Position) -> float:
        self.visited = 0
        position = position.mirror() if position.turn == BLACK else position
        value = self.search(position, None, 1, -WON, WON)
        if abs(value) >= WON - 1000:
            return math.copysign(1.0, value)
        return float(np.float32(math.tanh(value / ONE)))

    def search(self, position: Position, last: Move | None, ply: int, alpha: int, beta: int) -> int:
        self.visited += 1
        if king_is_attacked(position, Colour(1 - position.turn)):
            return WON - ply
        if ply == 40 or self.visited >= self.limits.nodes:
            return self.static(position)
        if ply <= self.limits.evasions and king_is_attacked(position, position.turn):
            return self.evade(position, ply, alpha, beta)
        return self.capture(position, last, ply, alpha, beta)

    def static(self, position: Position) -> int:
        return max(-200_000, min(200_000, self.network.value(position)))

    def evade(self, position: Position, ply: int, alpha: int, beta: int) -> int:
        def score(move: Move) -> int:
            kind = (position.piece_at(move.from_square) or "").lower()
            if takes(position, move):
                return 100_000 + 8 * gain(position, move) - VALUES[kind]
            return 10 if kind == "k" else -KINDS.index(kind)

        best, quiet = -WON + ply + 1, 0
        for move in sorted(position.legal_moves, key=lambda m: (score(m), m.bits), reverse=True):
            if not takes(position, move) and quiet >= self.limits.quiet_evasions:
                break
            after = position.play(move)
            if king_is_attacked(after, position.turn):
                continue
            quiet += not takes(position, move)
            best = max(best, -self.search(after, move, ply + 1, -beta, -alpha))
            alpha = max(alpha, best)
            if alpha >= beta:
                break
        return best

    def capture(self, position: Position, last: Move | None, ply: int, alpha: int, beta: int) -> int:
        still = best = self.static(position)
        if best >= beta:
            return best
        alpha = max(alpha, best)
        moves = [m for m in position.legal_moves if takes(position, m) and m.promotion in (None, "q")]

        def score(move: Move) -> int:
            return 8 * gain(position, move) - VALUES[(position.piece_at(move.from_square) or "").lower()] // 8

        tried = 0
        for move in sorted(moves, key=lambda m: (score(m), m.bits), reverse=True):
            if ply > self.limits.recaptures_from and last is not None and move.to_square != last.to_square:
                continue
            hope = still + (gain(position, move) + self.limits.margin) * ONE // 420
            if hope <= alpha:
                best = max(best, hope)
                continue
            if exchange(position, move) < 0:
                continue
            if tried >= self.limits.captures:
                break
            tried += 1
            best = max(best, -self.search(position.play(move), move, ply + 1, -beta, -alpha))
            alpha = max(alpha, best)
            if alpha >= beta:
                return best
        return best
