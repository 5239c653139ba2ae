"""``murk analyse``: what an agent would play, and why."""

from pathlib import Path
from typing import Any

import click

from murk.cli.analysis_picture import draw_analysis
from murk.cli.darkchess.source import game_option, is_pgn, open_source
from murk.cli.options import Settings, common_options, complete_agent, complete_source
from murk.cli.output import check_writable, console, count, print_facts, print_json, print_table, seconds
from murk.cli.progress import text_line
from murk.darkchess.agents import Agent, Clock, Decision, make_agent, parse_spec
from murk.darkchess.analysis import Analysis
from murk.darkchess.analysis import analyse as run_analysis
from murk.darkchess.pgn import GameRecord
from murk.darkchess.picture import text_board
from murk.errors import InputError
from murk.plots import check_plot
from murk.tree.files import write_atomically

__all__ = ["analyse"]

_MOVETIME = 1.0
_SHOWN_MARGINS = 5


@click.command(
    short_help="Ask an agent for its move, and why it plays it.",
    epilog="\b\nExample:\n  murk analyse game.pgn --ply 17 --agent baseline --movetime 2 --picture why.svg",
)
@click.argument("source", metavar="FEN|PGN", shell_complete=complete_source)
@click.option("--ply", type=click.IntRange(min=0), metavar="N", help="After so many moves of the PGN.  [default: all]")
@game_option
@click.option("--agent", "spec", default="murk", show_default=True, metavar="AGENT", shell_complete=complete_agent,
              help="Who is asked, with options.")  # fmt: skip
@click.option("--movetime", type=click.FloatRange(min=0, min_open=True), metavar="S", help="Seconds.  [default: 1]")
@click.option("--nodes", type=click.IntRange(min=1), metavar="N", help="Work, instead of time: exact.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the agent.")
@click.option("--moves", "shown", type=click.IntRange(min=1), default=12, show_default=True, help="Moves in the table.")
@click.option("--picture", type=click.Path(path_type=Path), metavar="FILE", help="Draw it: .svg or .png.")
@common_options
@click.pass_obj
def analyse(settings: Settings, /, source: str, ply: int | None, number: int, spec: str, **options: Any) -> None:
    """Ask an agent for its move in a position, and print why it plays it.

    FEN (in quotation marks, or `start`) is a position that both sides know. Of a game in a PGN file the agent is shown
    only what its side, the one to move, saw. The picture is its view: arrows are its moves, and the redder a square
    in the fog, the likelier the opponent is there.
    """
    picture = options["picture"]
    if picture is not None:
        _check_picture(picture)
    record = open_source(source, number)
    if ply is not None and ply > len(record.plies):
        kind = f"the game has {len(record.plies)}" if is_pgn(source) else "a FEN has none"
        raise InputError(f"--ply {ply} is beyond the last move: {kind}")
    movetime = options["movetime"]
    if movetime is None and options["nodes"] is None:
        movetime = _MOVETIME
    with make_agent(parse_spec(spec)) as agent, text_line(f"{spec} is thinking", settings):
        analysis = run_analysis(
            agent,
            record.moves[:ply],
            fen=record.fen,
            clock=Clock(movetime=movetime, nodes=options["nodes"]),
            seed=options["seed"],
        )
    if picture is not None:
        _draw(analysis, picture)
    if settings.json:
        print_json(fields(analysis, record, agent, spec, picture))
    else:
        print_analysis(analysis, agent, spec, options["shown"])


def _check_picture(path: Path) -> None:
    check_writable(path)
    if path.suffix.lower() not in (".svg", ".png"):
        raise InputError(f"cannot draw {path}: expected an ending of .svg or .png")
    if path.suffix.lower() == ".png":
        check_plot(path)


def _draw(analysis: Analysis, path: Path) -> None:
    if path.suffix.lower() == ".svg":
        write_atomically(path, [analysis.svg().encode()])
    else:
        draw_analysis(analysis, path)


def fields(analysis: Analysis, record: GameRecord, agent: Agent, spec: str, picture: Path | None) -> dict[str, Any]:
    """Return what ``--json`` says."""
    decision = analysis.decision
    return {
        "fen": analysis.board.fen,
        "ply": len(analysis.board.moves),
        "plies": len(record.plies),
        "colour": analysis.view.colour.name.lower(),
        "fog_fen": analysis.view.fog_fen,
        "agent": spec,
        "sees": agent.disclosure or "own observations",
        "san": analysis.board.san(decision.move),
        "heat": [round(float(p), 6) for p in analysis.heat],
        "picture": picture,
        **decision.as_fields(),
    }


def print_analysis(analysis: Analysis, agent: Agent, spec: str, shown: int) -> None:
    """Write the decision for people."""
    decision, board = analysis.decision, analysis.board
    out = console()
    label = f"{spec} ({agent.disclosure})" if agent.disclosure else spec
    side = analysis.view.colour.name.title()
    print_facts(f"{label} plays {board.san(decision.move)} for {side}", facts(decision))
    flipped = side == "Black"
    out.print("\n" + text_board(analysis.view, flipped=flipped) + "\n", soft_wrap=True)
    rows = [
        (board.san(choice.move), f"{100 * choice.probability:.1f} %", _value(choice.value))
        for choice in decision.mixture[:shown]
    ]
    if rows:
        more = len(decision.mixture) - len(rows)
        title = "Mixture" + (f" (and {more} more moves)" if more > 0 else "")
        print_table(title, {"move": "whole", "probability": "whole", "value": "whole"}, rows)


def facts(decision: Decision) -> list[tuple[str, str]]:
    """Return what a decision says about itself, apart from the mixture."""
    out = [("value", _value(decision.value))]
    if decision.belief_size is not None:
        exact = "" if decision.belief_exact else ", a sample"
        out.append(("belief", f"{count(decision.belief_size)} positions{exact}"))
    if decision.gadget is not None:
        out.append(("gadget", decision.gadget))
    if decision.margins:
        lowest = ", ".join(f"{margin:+.3f}" for margin in sorted(decision.margins)[:_SHOWN_MARGINS])
        more = ", ..." if len(decision.margins) > _SHOWN_MARGINS else ""
        out.append(("margins", f"{lowest}{more} ({count(len(decision.margins))})"))
    for name in ("nodes", "infosets", "depth", "iterations"):
        value = getattr(decision, name)
        if value is not None:
            out.append((name, count(value)))
    if decision.seconds is not None:
        out.append(("time", seconds(decision.seconds)))
    if decision.evaluator is not None:
        out.append(("evaluator", decision.evaluator))
    return out + [(name.replace("_", " "), str(value)) for name, value in decision.notes.items()]


def _value(value: float | None) -> str:
    return "-" if value is None else f"{value:+.3f}"
