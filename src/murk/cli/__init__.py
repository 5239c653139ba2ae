"""The ``murk`` command line: one module a command, and what they share beside them."""

from murk.cli.app import main

__all__ = ["main"]
