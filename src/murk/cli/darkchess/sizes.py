"""Sizes of memory as options: ``512MB``, ``2 GiB``, ``100000``."""

import re

import click

__all__ = ["parse_size"]

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30}
_SIZE = re.compile(r"\s*([0-9]{1,12}(?:\.[0-9]{1,6})?)\s*([kmg]i?)?b?\s*", re.IGNORECASE)


def parse_size(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
    """Return a number of bytes; the callback of an option."""
    if value is None:
        return None
    match = _SIZE.fullmatch(value)
    number = int(float(match[1]) * _UNITS[(match[2] or "").lower()]) if match else 0
    if number < 1:
        raise click.BadParameter(f"{value!r} is not a size, expected something like 512MB or 2GiB", ctx, param)
    return number
