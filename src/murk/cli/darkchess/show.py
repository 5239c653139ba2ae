"""``murk darkchess show``: what either side sees."""

from pathlib import Path
from typing import Any, Literal

import click

from murk.cli.darkchess.source import game_option, is_pgn, open_source
from murk.cli.options import Settings, common_options, complete_source
from murk.cli.output import check_writable, console, print_facts, print_json
from murk.darkchess import Board, Colour, Observation, Position
from murk.darkchess.pgn import GameRecord
from murk.darkchess.picture import svg_board, text_board
from murk.errors import InputError
from murk.tree.files import write_atomically

__all__ = ["show", "side_option"]

Side = Literal["white", "black", "both"]
SIDES: dict[Side, tuple[Colour, ...]] = {
    "white": (Colour.WHITE,),
    "black": (Colour.BLACK,),
    "both": (Colour.WHITE, Colour.BLACK),
}
_GAP = 6
_SVG_GAP = 20

side_option = click.option(
    "--side", type=click.Choice(list(SIDES)), default="both", show_default=True, help="Whose view."
)


@click.command(
    short_help="Show what either side sees in a position.",
    epilog='\b\nExample:\n  murk darkchess show "4k3/8/8/8/8/8/4P3/R3K3 w Q -" --side white',
)
@click.argument("source", metavar="FEN|PGN", shell_complete=complete_source)
@click.option("--ply", type=click.IntRange(min=0), metavar="N", help="After so many moves of the PGN.  [default: all]")
@game_option
@side_option
@click.option("--svg", type=click.Path(path_type=Path), metavar="FILE", help="Write the views as a picture, too.")
@common_options
@click.pass_obj
def show(settings: Settings, source: str, ply: int | None, number: int, side: Side, svg: Path | None) -> None:
    """Show what either side sees in a position: a FEN (in quotation marks, or `start`), or a game in a PGN file.

    Squares in the fog are question marks. A file named - is standard input.
    """
    if svg is not None:
        check_writable(svg)
    record = open_source(source, number)
    if ply is not None and ply > len(record.plies):
        kind = f"the game has {len(record.plies)}" if is_pgn(source) else "a FEN has none"
        raise InputError(f"--ply {ply} is beyond the last move: {kind}")
    board = record.board(ply)
    views = {colour: board.observation(colour) for colour in SIDES[side]}
    if svg is not None:
        write_atomically(svg, [svg_views(list(views.values()), board).encode()])
    if settings.json:
        print_json(fields(record, board, views, svg))
        return
    out = console()
    print_facts(_title(board), _facts(record, board))
    out.print("\n" + text_views(list(views.values())), soft_wrap=True)
    if board.turn in views and views[board.turn].legal_moves:
        names = (board.san(move) for move in views[board.turn].legal_moves)
        out.print("\n" + " ".join(names))


def fields(record: GameRecord, board: Board, views: dict[Colour, Observation], svg: Path | None) -> dict[str, Any]:
    """Return what ``--json`` says; a side that was not asked for is null."""
    moves, outcome = board.moves, board.outcome()
    return {
        "fen": board.fen,
        "turn": _name(board.turn).lower(),
        "ply": len(moves),
        "plies": len(record.plies),
        "move": str(moves[-1]) if moves else None,
        "result": outcome.result if outcome else None,
        "reason": outcome.reason if outcome else None,
        "white": _view(views.get(Colour.WHITE)),
        "black": _view(views.get(Colour.BLACK)),
        "svg": svg,
    }


def _view(view: Observation | None) -> dict[str, Any] | None:
    if view is None:
        return None
    return {
        "fog_fen": view.fog_fen,
        "legal_moves": [str(move) for move in view.legal_moves],
        "observation": view.text,
    }


def _title(board: Board) -> str:
    outcome = board.outcome()
    if outcome is not None:
        return f"{outcome.result}, {outcome.reason}"
    return f"{_name(board.turn)} to move"


def _facts(record: GameRecord, board: Board) -> list[tuple[str, str]]:
    facts = [("position", board.fen)]
    if record.plies:
        names = [record.tags.get(key, "?") for key in ("White", "Black")]
        last = _last_move(board)
        facts += [("game", " - ".join(names)), ("ply", f"{len(board.moves)} of {len(record.plies)}{last}")]
    return facts


def _last_move(board: Board) -> str:
    if not board.moves:
        return ""
    before = board.copy()
    move = before.pop()
    return f", after {before.san(move)}"


def _name(colour: Colour) -> str:
    return "White" if colour == Colour.WHITE else "Black"


def text_views(views: list[Observation]) -> str:
    """Return the views side by side, each from its own side of the board."""
    blocks = [
        [f"  {_name(view.colour)} sees", *text_board(view, flipped=view.colour == Colour.BLACK).splitlines()]
        for view in views
    ]
    width = max(len(line) for block in blocks for line in block) + _GAP
    return "\n".join("".join(part.ljust(width) for part in row).rstrip() for row in zip(*blocks, strict=True))


def svg_views(views: list[Observation], board: Board) -> str:
    """Return one picture of the views side by side."""
    pictures = [svg_board(v, flipped=v.colour == Colour.BLACK, highlight=_known_squares(v, board)) for v in views]
    side = _svg_side()
    width = len(pictures) * side + (len(pictures) - 1) * _SVG_GAP
    placed = "".join(
        f'<g transform="translate({i * (side + _SVG_GAP)} 0)">{picture}</g>' for i, picture in enumerate(pictures)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {side}" width="{width}" height="{side}">'
        f"{placed}</svg>\n"
    )


def _known_squares(view: Observation, board: Board) -> list[int]:
    """Return the squares of the last move that a side knows of: all of its own, of another's where it took a piece."""
    if view.turn != view.colour:
        return [square for move in board.moves[-1:] for square in (move.from_square, move.to_square)]
    return [] if view.captured is None else [view.captured]


def _svg_side() -> int:
    empty = svg_board(Position())
    return int(empty.partition('width="')[2].partition('"')[0])
