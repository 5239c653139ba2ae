"""``murk darkchess belief``: how much either side knows along a game."""

import csv
import io
from pathlib import Path
from typing import Any

import click

from murk.cli.darkchess.heat_map import draw_beliefs, text_heat
from murk.cli.darkchess.sizes import parse_size
from murk.cli.darkchess.source import game_option, open_game
from murk.cli.errors import INTERRUPTED
from murk.cli.options import Settings, common_options, complete_source
from murk.cli.output import check_writable, console, count, print_json, print_table, seconds
from murk.cli.progress import text_line
from murk.darkchess.along import BeliefStep, beliefs_along
from murk.darkchess.pgn import GameRecord
from murk.errors import InputError
from murk.plots import check_plot
from murk.tree.files import write_atomically

__all__ = ["belief"]

SQUARES = [f"{file}{rank}" for rank in range(1, 9) for file in "abcdefgh"]


@click.command(
    short_help="Count the positions each side holds possible along a game.",
    epilog="\b\nExample:\n  murk darkchess belief game.pgn --plies 20 --memory 512MB --plot belief.png",
)
@click.argument("pgn", metavar="PGN", shell_complete=complete_source)
@game_option
@click.option("--plies", type=click.IntRange(min=0), metavar="N", help="Stop after so many moves.  [default: all]")
@click.option("--memory", callback=parse_size, metavar="SIZE", help="Of each belief, as 512MB; beyond it, a sample.")
@click.option("--threads", type=click.IntRange(min=1), metavar="N", help="Threads of each update.")
@click.option("--heat", is_flag=True, help="Heat maps in --json and --csv, too: where the opponent's pieces may be.")
@click.option("--csv", "table", type=click.Path(path_type=Path), metavar="FILE", help="Write a row for each ply.")
@click.option("--plot", type=click.Path(path_type=Path), metavar="FILE", help="Draw the sizes and the last heat maps.")
@common_options
@click.pass_context
def belief(
    ctx: click.Context,
    /,
    pgn: str,
    number: int,
    plies: int | None,
    memory: int | None,
    threads: int | None,
    heat: bool,
    table: Path | None,
    plot: Path | None,
) -> None:
    """Count the positions that each side holds possible along a game in a PGN file (- is standard input).

    The counts are exact, up to transposition, until one outgrows --memory: from there on that belief is a uniform
    sample. The heat map shows in per cent where, for all a side knows, a piece of the opponent's stands. Ctrl-C ends
    the count; what there is by then is shown.
    """
    settings: Settings = ctx.obj
    for path in (table, plot):
        if path is not None:
            check_writable(path)
    if plot is not None:
        check_plot(plot)
    record = open_game(pgn, number)
    if plies is not None and plies > len(record.plies):
        raise InputError(f"--plies {plies} is beyond the last move: the game has {len(record.plies)}")
    options = {"memory": memory, "threads": threads}
    steps, interrupted = follow(record, plies, {k: v for k, v in options.items() if v is not None}, settings)
    if table is not None:
        write_atomically(table, [as_csv(steps, heat).encode()])
    if plot is not None and steps:
        draw_beliefs(steps, plot)
    if settings.json:
        print_json(
            {"plies": [as_fields(s, heat) for s in steps], "interrupted": interrupted, "csv": table, "plot": plot}
        )
    else:
        print_steps(steps)
    if interrupted:
        ctx.exit(INTERRUPTED)


def follow(
    record: GameRecord, plies: int | None, options: dict[str, Any], settings: Settings
) -> tuple[list[BeliefStep], bool]:
    """Return the steps, and whether Ctrl-C cut them short."""
    moves = record.moves[:plies]
    steps: list[BeliefStep] = []
    with text_line("reading", settings) as show:
        try:
            for step in beliefs_along(moves, fen=record.fen, **options):
                steps.append(step)
                white, black = step.sizes
                show(f"ply {step.ply} of {len(moves)}: White {white:,}, Black {black:,} positions")
        except KeyboardInterrupt:
            return steps, True
    return steps, False


def print_steps(steps: list[BeliefStep]) -> None:
    """Write the table for people, and the last heat maps."""
    rows = [(str(s.ply), s.move or "", _size(s, 0), _size(s, 1), seconds(s.seconds)) for s in steps]
    print_table(
        "Positions held possible",
        {"ply": "whole", "move": "whole", "by White": "whole", "by Black": "whole", "time": "whole"},
        rows,
    )
    if steps:
        out = console()
        out.print(f"\nWhere the opponent may be after ply {steps[-1].ply}, in per cent (letters: own pieces)\n")
        out.print(text_heat(steps[-1]), soft_wrap=True)


def _size(step: BeliefStep, side: int) -> str:
    return count(step.sizes[side]) + ("" if step.exact[side] else " (sample)")


def as_fields(step: BeliefStep, heat: bool) -> dict[str, Any]:
    """Return a step as ``--json`` says it."""
    fields: dict[str, Any] = {
        "ply": step.ply,
        "move": step.move,
        "white": step.sizes[0],
        "black": step.sizes[1],
        "white_exact": step.exact[0],
        "black_exact": step.exact[1],
        "seconds": step.seconds,
    }
    if heat:
        fields["white_heat"] = [round(float(p), 6) for p in step.heat[0]]
        fields["black_heat"] = [round(float(p), 6) for p in step.heat[1]]
    return fields


def as_csv(steps: list[BeliefStep], heat: bool) -> str:
    """Return a row for each ply, with a column for each square of both heat maps if asked for."""
    out = io.StringIO()
    names = ["ply", "move", "white", "black", "white_exact", "black_exact", "seconds"]
    columns = [f"{side}_{square}" for side in ("white", "black") for square in SQUARES] if heat else []
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names + columns)
    for step in steps:
        fields = as_fields(step, heat)
        row = [fields[name] for name in names]
        writer.writerow(row + (fields["white_heat"] + fields["black_heat"] if heat else []))
    return out.getvalue()
