"""Keeps native libraries off standard error.

OpenSpiel writes each of its errors there itself, several lines long, before it throws. murk says the same in
one line.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["muted_native_stderr"]

STDERR = 2


@contextmanager
def muted_native_stderr(mute: bool = True) -> Iterator[None]:
    """Send what native code writes to file descriptor 2 nowhere; ``sys.stderr`` goes on as before.

    The descriptor belongs to the whole process, so this is for a command line and not for a library.
    """
    try:
        saved = os.dup(STDERR) if mute else -1
    except OSError:  # standard error is closed
        saved = -1
    if saved < 0:
        yield
        return
    before = sys.stderr
    if _descriptor(before) == STDERR:
        before.flush()
        sys.stderr = open(os.dup(saved), "w", buffering=1, encoding=before.encoding, errors="backslashreplace")  # noqa: PTH123, SIM115
    with Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), STDERR)
    try:
        yield
    finally:
        os.dup2(saved, STDERR)
        os.close(saved)
        if sys.stderr is not before:
            sys.stderr.close()
            sys.stderr = before


def _descriptor(stream: object) -> int:
    try:
        return int(stream.fileno())  # type: ignore[attr-defined]
    except (AttributeError, OSError, ValueError):
        return -1
