"""The options that several commands share, and completion of game names."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from murk.cli.errors import did_you_mean
from murk.games.build import DEFAULT_MAX_NODES
from murk.games.builtin import BUILTIN
from murk.games.openspiel import Recall

__all__ = [
    "Settings",
    "common_options",
    "complete_agent",
    "complete_evaluator",
    "complete_from",
    "complete_game",
    "complete_source",
    "debug_option",
    "game_names",
    "one_of",
    "openspiel_names",
    "tree_options",
]

AnyCommand = TypeVar("AnyCommand", bound=Callable[..., Any])


@dataclass
class Settings:
    """What the shared options say; click's context object."""

    json: bool = False
    quiet: bool = False
    debug: bool = False
    max_nodes: int = DEFAULT_MAX_NODES
    recall: Recall = "states"
    cache: bool = True


def _keep(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    # Only what was typed: a command's default must not undo what was said before it, as in `murk --debug solve`.
    if param.name is not None and ctx.get_parameter_source(param.name) is not ParameterSource.DEFAULT:
        setattr(ctx.obj, param.name, value)


def _shared(*names: str, **attributes: Any) -> Callable[[AnyCommand], AnyCommand]:
    return click.option(*names, expose_value=False, callback=_keep, **attributes)


# Before all others, so that an error in one of them is already shown with its traceback.
debug_option = _shared("--debug", is_flag=True, is_eager=True, help="Show a traceback when something fails.")


def common_options(command: AnyCommand) -> AnyCommand:
    """Add ``--json``, ``--quiet`` and ``--debug``; their values are in the :class:`Settings`."""
    for option in (
        debug_option,
        _shared("--quiet", is_flag=True, help="No progress, no warnings."),
        _shared("--json", is_flag=True, help="Write one JSON object to standard output."),
    ):
        command = option(command)
    return command


def tree_options(command: AnyCommand) -> AnyCommand:
    """Add ``--max-nodes``, ``--recall`` and ``--no-cache``; their values are in the :class:`Settings`."""
    for option in (
        _shared("--cache/--no-cache", default=True, help="Keep trees of OpenSpiel games on disk.  [default: keep]"),
        _shared(
            "--recall",
            type=click.Choice(["states", "actions"]),
            default="states",
            show_default=True,
            help="What a player of an OpenSpiel game knows: its information states, or her own history.",
        ),
        _shared(
            "--max-nodes",
            type=click.IntRange(min=1),
            metavar="N",
            default=DEFAULT_MAX_NODES,
            show_default=True,
            help="Refuse a game with more nodes.",
        ),
    ):
        command = option(command)
    return command


def one_of(names: Collection[str]) -> Callable[[click.Context, click.Parameter, str], str]:
    """Return an option's callback that takes one of ``names`` and suggests the nearest for anything else."""

    def check(ctx: click.Context, param: click.Parameter, value: str) -> str:
        if value not in names:
            expected = ", ".join(names)
            raise click.BadParameter(f"{value!r} is not one of {expected}{did_you_mean(value, names)}", ctx, param)
        return value

    return check


def complete_from(
    names: Collection[str],
) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem]]:
    """Return a completion among ``names``."""
    return lambda ctx, param, incomplete: [CompletionItem(n) for n in names if n.startswith(incomplete)]


def complete_game(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the name of a game, or of a file."""
    names = [CompletionItem(name) for name in game_names() if name.startswith(incomplete)]
    return names or [CompletionItem(incomplete, type="file")]


def complete_agent(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the name of an agent."""
    from murk.darkchess.agents import AGENTS

    return [CompletionItem(name) for name in AGENTS if name.startswith(incomplete)]


def complete_evaluator(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the name of an evaluator."""
    from murk.darkchess.evaluators.choose import EVALUATORS

    return [CompletionItem(name) for name in EVALUATORS if name.startswith(incomplete)]


def complete_source(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete a position or a game of dark chess: ``start``, or a file."""
    start = [CompletionItem("start")] if "start".startswith(incomplete) else []
    return [*start, CompletionItem(incomplete, type="file")]


@cache
def openspiel_names() -> frozenset[str]:
    """Return the names of all OpenSpiel games, none if OpenSpiel is not installed."""
    try:
        import pyspiel
    except ImportError:
        return frozenset()
    return frozenset(pyspiel.registered_names())


def game_names() -> list[str]:
    """Return the names of all games, whether murk can take them or not."""
    return sorted({*BUILTIN, *openspiel_names()})
