"""``murk evaluate``: what an evaluator thinks of every move of a position."""

from typing import Any

import click

from murk._core import Evaluator, decided_value
from murk.cli.options import Settings, common_options, complete_from
from murk.cli.output import print_json, print_table
from murk.darkchess import Move, Position
from murk.darkchess.evaluators.choose import EVALUATORS, make_evaluator

__all__ = ["complete_evaluator", "evaluate", "evaluator_option"]


def complete_evaluator(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Complete the name of an evaluator."""
    return [name for name in EVALUATORS if name.startswith(incomplete)]


evaluator_option = click.option(
    "--evaluator",
    "evaluator_name",
    default="embedded",
    show_default=True,
    metavar="NAME",
    shell_complete=complete_evaluator,
    help="embedded[:WEIGHTS], stockfish[:PATH], simple or file.py:Class.",
)


@click.command(
    short_help="Show the value of every legal move of a position.",
    epilog='\b\nExample:\n  murk evaluate "4k3/8/8/8/8/8/4q3/4K2R w K -" --evaluator stockfish',
)
@click.argument("fen", shell_complete=complete_from(("start",)))
@evaluator_option
@click.option("--depth", type=click.IntRange(min=1), metavar="N", help="Plies of Stockfish's search.  [default: 1]")
@common_options
@click.pass_obj
def evaluate(settings: Settings, fen: str, evaluator_name: str, depth: int | None) -> None:
    """Show the value of every legal move of the position FEN, from -1 to 1 for the side that plays it.

    FEN is one argument, in quotation marks, or `start`. Moves that the rules decide are marked: capturing the king,
    leaving one's own to be captured, and leaving the opponent no move.
    """
    position = Position() if fen == "start" else Position(fen)
    evaluator = make_evaluator(evaluator_name, depth=depth)
    facts = gather(position, evaluator)
    if settings.json:
        print_json(facts)
    elif facts["moves"]:
        rows = [[m["san"], m["uci"], f"{m['value']:+.4f}", m["decided"] or ""] for m in facts["moves"]]
        about = ", ".join(f"{key} {value}" for key, value in evaluator.parameters.items())
        title = f"{position.fen} by {evaluator.name} ({about})"
        print_table(title, {"move": "whole", "uci": "whole", "value": "whole", "decided": "wrap"}, rows)
    else:
        click.echo(f"{position.fen}: the game is over, there is no move")


def gather(position: Position, evaluator: Evaluator) -> dict[str, Any]:
    """Return the moves of a position, best first, with what is known of them."""
    values = evaluator.values(position)
    moves = [
        {
            "uci": str(move),
            "san": position.san(move),
            "value": round(float(value), 6),
            "decided": _reason(position, move),
        }
        for move, value in zip(position.legal_moves, values, strict=True)
    ]
    return {
        "fen": position.fen,
        "turn": "black" if position.turn else "white",
        "evaluator": {
            "name": evaluator.name,
            "parameters": dict(evaluator.parameters),
            "licence": evaluator.licence,
        },
        "moves": sorted(moves, key=lambda m: -m["value"]),
    }


def _reason(position: Position, move: Move) -> str | None:
    """Return why the rules decide a move, or nothing if they do not."""
    value = decided_value(position, move)
    if value is None:
        return None
    if value < 0:
        return "the own king can be captured"
    return "captures the king" if position.play(move).king_captured else "the opponent has no move"
