"""Positions as arguments of commands."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from murk.cli.options import complete_from
from murk.darkchess import START_FEN, Board

__all__ = ["fen_argument"]

AnyCommand = TypeVar("AnyCommand", bound=Callable[..., Any])


def fen_argument(command: AnyCommand) -> AnyCommand:
    """Add the argument FEN, of four to six fields or ``start``; the command gets it as a ``board``."""
    return click.argument(
        "board",
        metavar="FEN",
        callback=lambda ctx, param, value: _board(value),
        shell_complete=complete_from(("start",)),
    )(command)


def _board(text: str) -> Board:
    return Board(START_FEN if text == "start" else text)
