"""``murk uci``: the engine for chess programs."""

import click

from murk.cli.options import debug_option
from murk.errors import InputError

__all__ = ["uci"]


@click.command(
    epilog="\b\nExamples:\n"
    "  murk uci\n"
    "  murk uci --option Threads=2 --option Agent=zs21\n"
    '  murk match murk "uci(command=murk uci, Seed=1)" --games 2 --nodes 500'
)
@click.option(
    "--option", "settings", multiple=True, metavar="NAME=VALUE", help="Set a UCI option first; may be given again."
)
@debug_option
def uci(settings: tuple[str, ...]) -> None:
    """Play dark chess for a program that speaks UCI (the Universal Chess Interface).

    The program starts `murk uci` and talks to it on standard input and output. UCI tells an engine all moves; this one
    works out what its own side saw, and decides from that alone. A FEN with * for unseen squares is a view to start
    from. The option UCI_Variant is fogofwar.
    """
    from murk.uci import serve
    from murk.uci.options import Options

    options = Options()
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise InputError(f"--option is {setting!r}, expected NAME=VALUE")
        options.set(name, value)
    serve(options=options)
