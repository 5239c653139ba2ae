"""``murk match``: agents play each other."""

from pathlib import Path
from typing import Any

import click

from murk.cli.errors import FAILURE, INTERRUPTED
from murk.cli.match_table import MatchTable, print_report, report_fields
from murk.cli.options import Settings, common_options, complete_agent, complete_from
from murk.cli.output import check_writable, print_json
from murk.darkchess.referee import TimeControl
from murk.errors import InputError
from murk.match import LocalExecutor, MatchConfig, Sprt, load_openings, make_players, run_match

__all__ = ["match"]

_MOVETIME = 0.1


@click.command(
    short_help="Let agents of dark chess play each other.",
    epilog="\b\nExamples:\n"
    "  murk match murk zs21 --games 200 --movetime 0.3 --concurrency 2 --journal m.jsonl --pgn m.pgn\n"
    '  murk match "pimc(positions=100)" greedy random --nodes 2000 --openings "random(plies=6)" --seed 1\n'
    "  murk match murk murk --odds 2,1 --movetime 0.1 --games 100\n"
    "  murk match zs21 baseline --games 1000 --tc 10+0.1 --sprt elo0=0,elo1=30 --journal m.jsonl --resume",
)
@click.argument("agents", nargs=-1, required=True, metavar="AGENT AGENT ...", shell_complete=complete_agent)
@click.option("--games", type=click.IntRange(min=1), default=100, show_default=True, help="Games of each pairing.")
@click.option("--tc", metavar="S+INC", help="A clock for each side: seconds+increment, as 60+0.6 or 1:30+1.")
@click.option("--movetime", type=float, metavar="S", help=f"Seconds a move.  [default: {_MOVETIME} if nothing is set]")
@click.option("--nodes", type=click.IntRange(min=1), metavar="N", help="Work a move: exact, and the same every time.")
@click.option("--odds", metavar="K,K", help="How many times that each agent has, as 1,2.")
@click.option("--margin", type=click.FloatRange(min=0), default=0.1, show_default=True, help="Seconds of overtime.")
@click.option("--gauntlet", is_flag=True, help="The first agent plays all others, instead of all playing all.")
@click.option(
    "--openings",
    default="start",
    show_default=True,
    metavar="BOOK",
    shell_complete=complete_from(("start", "random(plies=4)")),
    help="start, random(plies=4) or a file.",
)
@click.option("--plies", type=click.IntRange(min=0), metavar="N", help="Use so many moves of a PGN opening.")
@click.option("--seed", type=int, default=0, show_default=True, help="From which all seeds follow.")
@click.option("--max-plies", type=click.IntRange(min=1), metavar="N", help="Call a game of so many plies a draw.")
@click.option("--concurrency", type=click.IntRange(min=1), default=1, show_default=True, help="Games at a time.")
@click.option("--sprt", metavar="TEST", help="Stop when decided: elo0=0,elo1=10,alpha=0.05,beta=0.05.")
@click.option("--journal", type=click.Path(path_type=Path), metavar="FILE", help="Write each game as a line of JSON.")
@click.option("--pgn", type=click.Path(path_type=Path), metavar="FILE", help="Write each game as PGN.")
@click.option("--resume", is_flag=True, help="Go on with the match in --journal.")
@click.option("--stall", type=float, default=300.0, show_default=True, help="Seconds until a silent agent has hung.")
@common_options
@click.pass_context
def match(ctx: click.Context, /, agents: tuple[str, ...], **options: Any) -> None:
    """Let agents of dark chess play each other, and say who is better.

    AGENT is murk, zs25, zs21, baseline, pimc, greedy, random, cheat or uci, with options in brackets:
    "zs21(particles=100)". Every opening is played twice, with colours swapped and the same seeds. Score, interval, Elo
    and LOS (the likelihood of superiority) are the first agent's. Ctrl-C ends the match and shows what there is;
    --resume goes on.
    """
    settings: Settings = ctx.obj
    if len(agents) < 2:
        raise InputError(f"there is one agent, {agents[0]}, and a match needs two or more")
    if options["resume"] and options["journal"] is None:
        raise InputError("--resume needs the --journal of the match to go on with")
    for name in ("journal", "pgn"):
        if options[name] is not None:
            check_writable(options[name])
    if options["pgn"] is not None and options["pgn"].exists() and not options["resume"]:
        raise InputError(f"{options['pgn']} exists: name another file, or go on with --resume")
    config = _config(agents, options)
    table = MatchTable(config, settings)
    with table:
        report = run_match(
            config,
            executor=LocalExecutor(options["concurrency"]),
            journal=options["journal"],
            pgn=options["pgn"],
            resume=options["resume"],
            on_game=table.update,
        )
    if settings.json:
        print_json(report_fields(report, options["journal"], options["pgn"]))
    else:
        print_report(report)
    if report.ended == "failed":
        click.echo(f"murk: {report.error}; the games before it are safe, and --resume goes on", err=True)
        ctx.exit(FAILURE)
    if report.ended == "interrupted":
        ctx.exit(INTERRUPTED)


def _odds(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(f"the odds are {text!r}, expected a number for each agent, as in 1,2") from None


def _config(agents: tuple[str, ...], options: dict[str, Any]) -> MatchConfig:
    """Return the match that the options describe."""
    clock = TimeControl.parse(options["tc"]) if options["tc"] is not None else TimeControl()
    movetime = options["movetime"]
    if movetime is None and options["tc"] is None and options["nodes"] is None:
        movetime = _MOVETIME
    control = TimeControl(
        base=clock.base,
        increment=clock.increment,
        movetime=movetime,
        nodes=options["nodes"],
        margin=options["margin"],
    )
    sprt = None if options["sprt"] is None else Sprt.parse(options["sprt"])
    openings = load_openings(options["openings"], seed=options["seed"], plies=options["plies"])
    return MatchConfig(
        players=make_players(list(agents), [] if options["odds"] is None else _odds(options["odds"])),
        games=options["games"],
        control=control,
        form="gauntlet" if options["gauntlet"] else "round-robin",
        openings=tuple(openings),
        seed=options["seed"],
        max_plies=options["max_plies"],
        sprt=sprt,
        stall=options["stall"],
    )
