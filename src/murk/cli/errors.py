"""What went wrong, as one line and an exit code.

Exit codes: 2 if what was asked cannot be done, 1 if it failed, 130 if it was interrupted. A traceback is for
``--debug`` only.
"""

import difflib
import re
import sys
import traceback
from collections.abc import Iterable

import click

from murk.errors import InputError, MissingDependencyError, MurkError

__all__ = ["Interrupted", "did_you_mean", "report"]

FAILURE, USAGE, INTERRUPTED = 1, 2, 130


class Interrupted(Exception):  # noqa: N818 - not an error: the user asked for it
    """Ctrl-C, with nothing to show for the work done."""


def report(error: BaseException, *, debug: bool) -> int:
    """Write one line about ``error`` to standard error and return the exit code."""
    if debug:
        traceback.print_exception(error, file=sys.stderr)
    message, code = _describe(error)
    click.echo(f"murk: {one_line(message)}", err=True)
    return code


def one_line(text: str) -> str:
    """Return ``text`` on one line, without characters that a terminal would act on."""
    return "".join(c if c.isprintable() else "?" for c in " ".join(text.split()))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean ...?"`` if something like ``word`` is known, else nothing."""
    close = difflib.get_close_matches(word, list(known), n=1)
    return f"; did you mean {close[0]}?" if close else ""


def _describe(error: BaseException) -> tuple[str, int]:
    match error:
        case InputError() | MissingDependencyError():
            return str(error), USAGE
        case MurkError():
            return str(error), FAILURE
        case Interrupted() | click.Abort():
            return "interrupted", INTERRUPTED
        case click.NoSuchOption():
            hint = did_you_mean(error.option_name, error.possibilities or ())
            return _where(f"there is no option {error.option_name}{hint}", error), USAGE
        case click.UsageError():
            return _usage(error), USAGE
        case click.ClickException():
            return error.format_message(), FAILURE
        case MemoryError():
            return "out of memory: `murk info` estimates what a game needs, --max-nodes limits its tree", FAILURE
        case OSError() if error.strerror:
            where = "" if error.filename is None else f"{error.filename}: "
            return f"{where}{error.strerror}", FAILURE
    hint = "this is a bug, and --debug shows where"
    return f"{type(error).__name__}: {error} ({hint})", FAILURE


def _usage(error: click.UsageError) -> str:
    message = error.format_message().strip()
    message = message[:1].lower() + message[1:].removesuffix(".")
    kind = error.param.type if isinstance(error, click.BadParameter) and error.param is not None else None
    wrong = re.search(r"'([^']*)' is not one of", message)
    if isinstance(kind, click.Choice) and wrong is not None:
        message += did_you_mean(wrong[1], [str(choice) for choice in kind.choices])
    return _where(message, error)


def _where(message: str, error: click.UsageError) -> str:
    return f"{message} (see {'murk' if error.ctx is None else error.ctx.command_path} --help)"
