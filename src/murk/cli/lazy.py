"""Groups of commands: they suggest the nearest name for a wrong one, and import commands when they are needed."""

import importlib
import importlib.util
from collections.abc import Mapping
from typing import Any

import click

from murk.cli.errors import did_you_mean

__all__ = ["HintingGroup", "LazyGroup"]


class HintingGroup(click.Group):
    """A group that answers a wrong command with the nearest one there is, or with all there are."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that ``args`` begin with."""
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            known = self.list_commands(ctx)
            hint = did_you_mean(name, known) or f", expected one of {', '.join(known)}"
            ctx.fail(f"there is no command {name!r}{hint}")
        return super().resolve_command(ctx, args)


class LazyGroup(HintingGroup):
    """A group that knows each command by the module that holds it under its own name.

    Args:
        modules: commands and their modules. One whose module is not there is left out.
    """

    def __init__(self, *args: Any, modules: Mapping[str, str], **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.modules = modules

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands whose modules are there."""
        return [name for name, module in self.modules.items() if _exists(module)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command = getattr(importlib.import_module(self.modules[cmd_name]), cmd_name)
        assert isinstance(command, click.Command)
        return command


def _exists(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False
