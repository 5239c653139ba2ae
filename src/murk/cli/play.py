"""``murk play``: the board, in the browser or in the terminal."""

import os
import socket
import sys
import webbrowser
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from murk.cli.options import (
    Settings,
    common_options,
    complete_agent,
    complete_evaluator,
    complete_game,
    tree_options,
)
from murk.cli.output import console, print_json
from murk.errors import MissingDependencyError

__all__ = ["play"]

PORT = 8765
_REVIEW_SECONDS = 0.4
_BOARD, _CHESS, _GAME = "the board in the browser", "dark chess in the terminal", "GAME"
_ONLY_FOR = {
    **dict.fromkeys(("host", "port", "data", "names", "review", "no_browser"), (_BOARD,)),
    **dict.fromkeys(("agents", "evaluator", "strength", "movetime"), (_BOARD, _CHESS)),
    **dict.fromkeys(("colour", "nodes", "fen"), (_CHESS,)),
    **dict.fromkeys(("player", "cache", "recall", "max_nodes"), (_GAME,)),
    "seed": (_CHESS, _GAME),
}
"""What options are for. With anything else they would do nothing, and are refused."""


@click.command(
    short_help="Play dark chess in the browser; or GAME, in the terminal.",
    epilog="\b\nExamples:\n"
    "  murk play\n"
    '  murk play --agent "zs21(particles=100)" --movetime 2 --port 9000\n'
    "  murk play --host 0.0.0.0 --name chess.example --no-browser --data games\n"
    "  murk play --tui --colour black --strength 4\n"
    "  murk play leduc_poker",
)
@click.argument("game", required=False, metavar="[GAME]", shell_complete=complete_game)
@click.option("--tui", is_flag=True, help="Play dark chess in the terminal.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; loopback unless told.")
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="0 is any that is free.")
@click.option("--agent", "agents", multiple=True, metavar="AGENT", shell_complete=complete_agent,
              help="Offer this one first. May be repeated.  [default: murk]")  # fmt: skip
@click.option("--evaluator", metavar="NAME", shell_complete=complete_evaluator,
              help="Value function of all agents that have one.")  # fmt: skip
@click.option("--strength", type=click.IntRange(1, 6), metavar="1..6", help="Level that is proposed.  [default: 3]")
@click.option("--movetime", type=click.FloatRange(0.01, 3600), metavar="S", help="Another level: seconds a move.")
@click.option("--data", type=click.Path(path_type=Path), metavar="DIR", help="Keep the games there.")
@click.option("--name", "names", multiple=True, metavar="HOST", help="Name that the server goes by, such as a proxy's.")
@click.option("--review", type=click.FloatRange(0.01, 60), default=_REVIEW_SECONDS, show_default=True, metavar="S",
              help="Seconds for each ply of a review.")  # fmt: skip
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
@click.option("--colour", type=click.Choice(["white", "black", "random"]), default="white", show_default=True,
              help="Terminal: your side in dark chess.")  # fmt: skip
@click.option("--player", type=click.Choice(["max", "min"]),
              help="Terminal: your side in GAME.  [default: who moves first]")  # fmt: skip
@click.option("--nodes", type=click.IntRange(min=1), metavar="N", help="Terminal: the agent's work, instead of time.")
@click.option("--fen", metavar="FEN", help="Terminal: begin from this position, which both sides know.")
@click.option("--seed", type=int, help="Terminal: of the agent, nature and a random side.  [default: any]")
@tree_options
@common_options
@click.pass_context
def play(context: click.Context, /, game: str | None, tui: bool, **options: Any) -> None:
    """Play dark chess against an agent, watch two of them, or look into a game.

    Opens a board in the browser and prints its address. It listens on this machine only, unless --host says otherwise,
    and goes on with the games of the last time. Ctrl-C ends it; no game is lost. With --tui dark chess is played in the
    terminal, and so is GAME, any small one, against an equilibrium: with lines of text, `?` says what can be typed.
    """
    settings: Settings = context.obj
    _refuse_idle_options(context, _GAME if game is not None else _CHESS if tui else _BOARD)
    if tui or game is not None:
        _play_in_terminal(game, settings, options)
    else:
        _serve(settings, options)


def _refuse_idle_options(context: click.Context, played: str) -> None:
    for option in context.command.params:
        name = option.name or ""
        fitting = _ONLY_FOR.get(name, (played,))
        if played not in fitting and context.get_parameter_source(name) == ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{option.opts[0]} is for {' and '.join(fitting)}, not for {played}", context)


def _play_in_terminal(game: str | None, settings: Settings, options: dict[str, Any]) -> None:
    from murk.tui import play as play_in_terminal

    if options["strength"] is not None and options["movetime"] is None and options["nodes"] is None:
        from murk.web.levels import LEVELS

        level = LEVELS[options["strength"] - 1]
        options["nodes"], options["movetime"] = level.nodes, None if level.nodes else level.seconds
    play_in_terminal(game, settings, options)


def _serve(settings: Settings, options: dict[str, Any]) -> None:
    from murk.web import check_installed

    check_installed()
    from murk.web.app import STATIC, WebConfig, make_app
    from murk.web.levels import DEFAULT_LEVEL, LEVELS, Level, Offers
    from murk.web.server import listen, serve

    if not (STATIC / "index.html").is_file():
        raise MissingDependencyError("the page of the board is not built: run make web in the checkout of murk")
    levels, level = LEVELS, DEFAULT_LEVEL if options["strength"] is None else options["strength"] - 1
    if options["movetime"] is not None:
        levels, level = (*LEVELS, Level("Custom", options["movetime"])), len(LEVELS)
    config = WebConfig(
        data=options["data"] or _data_directory(),
        offers=Offers(options["agents"], evaluator=options["evaluator"]),
        levels=levels,
        level=level,
        review=Level("Review", options["review"]),
        names=(options["host"], *options["names"]),
    )
    sock = listen(options["host"], options["port"])
    with sock:
        app = make_app(config)
        serve(app, sock, config.limits, on_start=lambda: _say(sock, config.data, settings, options))


def _say(sock: socket.socket, data: Path, settings: Settings, options: dict[str, Any]) -> None:
    """Print where the board is, and open it."""
    from murk.web.server import address_of, is_loopback

    address = address_of(sock)
    if settings.json:
        print_json({"address": address, "data": str(data), "loopback": is_loopback(sock)})
    else:
        console().print(f"The board is at {address} (Ctrl-C ends; games are kept in {data})", soft_wrap=True)
        if not is_loopback(sock):
            click.echo("murk: others can reach this server, and play on it", err=True)
    sys.stdout.flush()
    if not options["no_browser"]:
        webbrowser.open(address)


def _data_directory() -> Path:
    """Return where games are kept: ``$MURK_DATA_DIR``, else ``murk/games`` among the user's data."""
    chosen = os.environ.get("MURK_DATA_DIR")
    if chosen:
        return Path(chosen) / "games"
    home = os.environ.get("XDG_DATA_HOME")
    return (Path(home) if home else Path.home() / ".local" / "share") / "murk" / "games"
