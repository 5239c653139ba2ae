"""What the commands write: tables for people, one JSON object for machines."""

import json
import math
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import click
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from murk.errors import InputError

__all__ = [
    "check_writable",
    "count",
    "gap",
    "number",
    "print_facts",
    "print_json",
    "print_table",
    "seconds",
    "size",
]

Fit = Literal["whole", "wrap", "cut"]
_PIPE_WIDTH = 200


def console() -> Console:
    """Return a console on standard output; in a pipe lines are not cut to the width of a terminal."""
    width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else _PIPE_WIDTH
    return Console(width=width, highlight=False, markup=False, emoji=False)


def print_json(fields: Mapping[str, Any]) -> None:
    """Write one object on one line. What is not a finite number is null."""
    click.echo(json.dumps(_plain(fields), allow_nan=False, ensure_ascii=False))


def print_table(title: str, columns: Mapping[str, Fit], rows: Sequence[Sequence[str]]) -> None:
    """Write a table. What does not fit the terminal is left whole, wrapped or cut, as the column's :data:`Fit` says."""
    out = console()
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    widths = [max([len(name), *(len(row[i]) for row in rows)]) for i, name in enumerate(columns)]
    flexible = [i for i, fit in enumerate(columns.values()) if fit != "whole"]
    room = out.width - 3 * (len(widths) - 1) - sum(w for i, w in enumerate(widths) if i not in flexible)
    for left, i in zip(range(len(flexible), 0, -1), flexible, strict=True):
        widths[i] = min(widths[i], max(room // left, 8))
        room -= widths[i]
    for (name, fit), width in zip(columns.items(), widths, strict=True):
        table.add_column(Text(name), no_wrap=fit != "wrap", width=width)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    out.print(Text(title, style="bold"), soft_wrap=True)
    out.print(table)


def print_facts(title: str, facts: Sequence[tuple[str, str]]) -> None:
    """Write named facts, one a line, under a title."""
    out = console()
    out.print(Text(title, style="bold"), soft_wrap=True)
    width = max(len(name) for name, _ in facts)
    for name, fact in facts:
        out.print(Text.assemble((name.ljust(width), "dim"), "  ", fact), soft_wrap=True)


def number(value: float) -> str:
    """Return a payoff for people."""
    return f"{value:.6g}"


def gap(value: float) -> str:
    """Return an exploitability for people."""
    return f"{value:.3g}"


def count(value: float) -> str:
    """Return a count with thousands apart."""
    return f"{value:,.0f}"


def seconds(value: float) -> str:
    """Return a time for people."""
    return f"{value:.3g} s"


def size(value: float) -> str:
    """Return a number of bytes for people."""
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value:.0f} bytes"


def check_writable(path: Path) -> None:
    """Find out now, and not after an hour of solving, whether ``path`` can be written.

    Raises:
        InputError: it cannot.
    """
    if path.is_dir():
        raise InputError(f"cannot write {path}: it is a directory")
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from None


def _plain(value: Any) -> Any:
    match value:
        case Mapping():
            return {str(key): _plain(item) for key, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
        case float() if not math.isfinite(value):
            return None
        case Path():
            return str(value)
    return value
