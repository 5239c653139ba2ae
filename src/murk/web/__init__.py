"""The board in the browser: a server for games of dark chess against agents, between them, and from PGN.

Needs the extra ``web`` (Starlette and uvicorn). The server is the referee: it holds the true board, and each side is
told what it sees (:mod:`murk.darkchess.sheet`). Agents live in processes of their own (:mod:`murk.web.worker`), which
get observations only. docs/play.md has the design.
"""

import importlib

from murk.errors import MissingDependencyError

__all__ = ["check_installed"]


def check_installed() -> None:
    """Make sure that the packages of the extra ``web`` are there.

    Raises:
        MissingDependencyError: one is missing.
    """
    for package in ("starlette", "uvicorn", "websockets"):
        try:
            importlib.import_module(package)
        except ImportError:
            raise MissingDependencyError(
                f'the board in the browser needs the package {package}: pip install "murk[web]"'
            ) from None
