"""``murk darkchess``: Fog of War chess on the command line, one module for each command."""

import click

from murk.cli.lazy import LazyGroup

__all__ = ["darkchess"]

COMMANDS = {
    "perft": "murk.cli.darkchess.perft",
    "show": "murk.cli.darkchess.show",
    "belief": "murk.cli.darkchess.belief",
}


@click.group(cls=LazyGroup, modules=COMMANDS, epilog="\b\nExample:\n  murk darkchess show start --side white")
def darkchess() -> None:
    """Look at positions of dark chess (Fog of War chess).

    FEN is one argument, in quotation marks, or `start`.
    """
