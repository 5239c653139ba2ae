"""``murk play``: games in the terminal."""

from typing import Any

import click

from murk.cli.options import (
    Settings,
    complete_agent,
    complete_evaluator,
    complete_game,
    debug_option,
    tree_options,
)
from murk.errors import InputError

__all__ = ["play"]


@click.command(
    epilog="\b\nExamples:\n"
    "  murk play --tui --colour black --movetime 2\n"
    '  murk play --tui --agent "zs21(particles=100)"\n'
    "  murk play leduc_poker"
)
@click.argument("game", required=False, metavar="[GAME]", shell_complete=complete_game)
@click.option("--tui", is_flag=True, help="Play dark chess in the terminal.")
@click.option("--agent", "agents", multiple=True, metavar="AGENT", shell_complete=complete_agent,
              help="The opponent.  [default: murk]")  # fmt: skip
@click.option("--colour", type=click.Choice(["white", "black", "random"]), default="white", show_default=True,
              help="Your side in dark chess.")  # fmt: skip
@click.option("--player", type=click.Choice(["max", "min"]), help="Your side in GAME.  [default: who moves first]")
@click.option("--evaluator", metavar="NAME", shell_complete=complete_evaluator, help="Value function of the agent.")
@click.option("--movetime", type=click.FloatRange(0.01, 3600), metavar="S", help="The agent's seconds.  [default: 1]")
@click.option("--nodes", type=click.IntRange(min=1), metavar="N", help="The agent's work, instead of time.")
@click.option("--fen", metavar="FEN", help="Begin from this position, which both sides know.")
@click.option("--seed", type=int, help="Of the agent, nature and a random side.  [default: another each time]")
@tree_options
@debug_option
@click.pass_obj
def play(settings: Settings, /, game: str | None, tui: bool, **options: Any) -> None:
    """Play dark chess against an agent, or GAME against an equilibrium.

    In the terminal, with lines of text: `?` says what can be typed. After a game of dark chess you see what the
    agent believed and meant; after a round of GAME, what an equilibrium would have done.
    """
    if game is None and not tui:
        raise InputError("there is nothing to play: give GAME, or --tui for dark chess")
    from murk.tui import play as play_in_terminal

    play_in_terminal(game, settings, options)
