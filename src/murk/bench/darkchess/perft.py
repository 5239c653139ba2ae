"""Perft, in leaves a second, beside the move generators of python-chess, pyffish and OpenSpiel.

All are bulk-counted: the last ply is a number of moves, not a loop over them. The slower programs count a shallower
tree, and that they count the same is checked first.
"""

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from murk.bench.darkchess import Settings
from murk.bench.measure import best_of
from murk.bench.report import Row, make_row
from murk.darkchess import Position
from murk.errors import BackendError

__all__ = ["CASES", "PEERS", "Case", "measure"]

METRIC = "perft_nodes_per_second"
_MISSING = "{} is not installed: pip install 'murk[bench]'"


@dataclass(frozen=True)
class Case:
    """A position, how deep it is counted, and how deep in a quick run."""

    name: str
    fen: str
    depth: int
    quick_depth: int


CASES = (
    Case("start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", 6, 5),
    Case("middle game", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -", 5, 4),
)

Perft = Callable[[int], int]


class PythonChess:
    """python-chess without check: its pseudo-legal moves, with castling through attacked squares."""

    name: ClassVar[str] = "python-chess"
    method: ClassVar[str] = "pseudo-legal moves"
    depth: ClassVar[int] = 3

    def prepare(self, fen: str) -> Perft:
        """Return the function that counts leaves below a position."""
        chess = importlib.import_module("chess")

        class PseudoBoard(chess.Board):  # type: ignore[misc, name-defined]
            def _attacked_for_king(self, path: int, occupied: int) -> bool:
                return False

        board = PseudoBoard(f"{fen} 0 1")

        def perft(depth: int) -> int:
            if board.kings.bit_count() < 2:
                return 0
            if depth == 1:
                return sum(1 for _ in board.generate_pseudo_legal_moves())
            leaves = 0
            for move in board.generate_pseudo_legal_moves():
                board.push(move)
                leaves += perft(depth - 1)
                board.pop()
            return leaves

        return perft


class Pyffish:
    """pyffish, which can only be asked for the moves after a list of moves."""

    name: ClassVar[str] = "pyffish"
    method: ClassVar[str] = "legal_moves"
    depth: ClassVar[int] = 2

    _CONFIG = (
        "[fogofwar:chess]\nking = -\ncommoner = k\ncastlingKingPiece = k\nextinctionValue = loss\n"
        "extinctionPieceTypes = k\n"
    )

    def prepare(self, fen: str) -> Perft:
        """Return the function that counts leaves below a position."""
        pyffish = importlib.import_module("pyffish")
        if "fogofwar" not in pyffish.variants():
            pyffish.load_variant_config(self._CONFIG)  # before the name is used, or it crashes

        def below(depth: int, moves: list[str]) -> int:
            replies = pyffish.legal_moves("fogofwar", f"{fen} 0 1", moves)
            return len(replies) if depth == 1 else sum(below(depth - 1, [*moves, reply]) for reply in replies)

        return lambda depth: below(depth, [])


class OpenSpiel:
    """OpenSpiel's ``dark_chess`` through its Python states."""

    name: ClassVar[str] = "OpenSpiel"
    method: ClassVar[str] = "dark_chess states from Python"
    depth: ClassVar[int] = 3

    def prepare(self, fen: str) -> Perft:
        """Return the function that counts leaves below a position."""
        pyspiel = importlib.import_module("pyspiel")
        root = pyspiel.load_game(f"dark_chess(fen={fen} 0 1)").new_initial_state()

        def below(state: Any, depth: int) -> int:
            if state.is_terminal():
                return 0
            actions = state.legal_actions()
            return len(actions) if depth == 1 else sum(below(state.child(action), depth - 1) for action in actions)

        return lambda depth: below(root, depth)


PEERS = (PythonChess(), Pyffish(), OpenSpiel())


def measure(settings: Settings) -> Iterator[Row]:
    """Yield a row for each case and peer.

    Raises:
        BackendError: a peer does not count the same.
    """
    for case in CASES:
        settings.progress(f"perft, {case.name}")
        position = Position(case.fen)
        depth = case.quick_depth if settings.quick else case.depth
        leaves = position.perft(depth)
        ours = leaves / _seconds(position.perft, depth, settings.repeat)
        same: dict[str, Any] = {
            "case": case.name,
            "nodes": leaves,
            "ours": ours,
            "method": f"bulk-counted, depth {depth}",
        }
        if not settings.peers:
            yield make_row(METRIC, **same)
            continue
        for peer in PEERS:
            settings.progress(f"perft, {case.name}, {peer.name}")
            try:
                perft = peer.prepare(case.fen)
            except ImportError:
                yield make_row(METRIC, **same, peer=peer.name, note=_MISSING.format(peer.name))
                continue
            expected = _agreed(position, peer.name, perft, peer.depth)
            theirs = expected / _seconds(perft, peer.depth, min(settings.repeat, 3))
            yield make_row(METRIC, **same, peer=peer.name, peer_method=f"{peer.method}, depth {peer.depth}",
                           peer_value=theirs)  # fmt: skip


def _seconds(perft: Perft, depth: int, repeat: int) -> float:
    def job(count: int) -> None:
        for _ in range(count):
            perft(depth)

    return best_of(job, repeat=repeat, batch_seconds=0.05)[0].seconds


def _agreed(position: Position, name: str, perft: Perft, depth: int) -> int:
    ours, theirs = position.perft(depth), perft(depth)
    if ours != theirs:
        raise BackendError(f"murk and {name} disagree about perft {depth} of {position.fen!r}: {ours} and {theirs}")
    return ours
