"""``murk darkchess perft``: counts the leaves of the move tree."""

import time

import click

from murk.cli.darkchess.position import fen_argument
from murk.cli.options import Settings, common_options
from murk.cli.output import count, print_facts, print_json, print_table, seconds
from murk.cli.progress import text_line
from murk.darkchess import Board, Move, Position

__all__ = ["perft"]


@click.command(epilog="\b\nExample:\n  murk darkchess perft start 5 --divide")
@fen_argument
@click.argument("depth", type=click.IntRange(min=0))
@click.option("--divide", is_flag=True, help="Show the leaves below each move too.")
@common_options
@click.pass_obj
def perft(settings: Settings, board: Board, depth: int, divide: bool) -> None:
    """Count the leaves of the move tree DEPTH plies below FEN.

    A captured king ends its line, so that the line is a leaf at its own depth and none further down.
    """
    position = board.position
    started = time.perf_counter()
    if depth == 0:
        below, nodes = {}, 1
    else:
        below = _count(position, depth, settings)
        nodes = sum(below.values())
    taken = time.perf_counter() - started
    by_name = {str(move): below[move] for move in sorted(below)}
    if settings.json:
        fields = {"fen": position.fen, "depth": depth, "nodes": nodes, "seconds": taken}
        print_json({**fields, "divide": by_name} if divide else fields)
        return
    if divide:
        print_table(position.fen, {"move": "whole", "leaves": "whole"}, [(m, count(n)) for m, n in by_name.items()])
    rate = count(nodes / taken) if taken > 0 else "-"
    print_facts(
        position.fen, [("depth", str(depth)), ("nodes", count(nodes)), ("time", f"{seconds(taken)}, {rate} nodes/s")]
    )


def _count(position: Position, depth: int, settings: Settings) -> dict[Move, int]:
    """Count move by move, so that there is something to show on the way."""
    moves, below = position.legal_moves, dict[Move, int]()
    with text_line(f"perft {depth}", settings) as show:
        for move in moves:
            show(f"perft {depth}: {len(below)} of {len(moves)} moves, {sum(below.values()):,} leaves")
            below[move] = position.play(move).perft(depth - 1)
    return below
