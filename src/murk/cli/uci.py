"""``murk uci``: the engine for chess programs."""

import click
from click.shell_completion import CompletionItem

from murk.cli.options import debug_option
from murk.errors import InputError

__all__ = ["uci"]


def complete_option(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the name of a UCI option, and what can be chosen."""
    from murk.uci.options import Options

    declared = [option for option in Options().declared if option.kind != "button"]
    name, equals, _ = incomplete.partition("=")
    if not equals:
        return [CompletionItem(f"{option.name}=") for option in declared if option.name.startswith(incomplete)]
    chosen = [option for option in declared if option.name == name]
    values = [f"{name}={value}" for option in chosen for value in option.choices]
    return [CompletionItem(value) for value in values if value.startswith(incomplete)]


@click.command(
    short_help="Play dark chess for a program that speaks UCI.",
    epilog="\b\nExamples:\n"
    "  murk uci\n"
    "  murk uci --option Threads=2 --option Agent=zs21\n"
    '  murk match murk "uci(command=murk uci, Seed=1)" --games 2 --nodes 500',
)
@click.option(
    "--option",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    shell_complete=complete_option,
    help="Set a UCI option first; may be given again.",
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
