"""Finished rows on disk, by what they depend on.

A row is kept under a digest of everything that determines it: the study's function and its arguments, the game's
tree, murk's version and code, and the solvers underneath. Whatever of that changes, the row is computed again. Files
are written whole or not at all, so a run that was interrupted goes on where it was.
"""

import hashlib
import json
import logging
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import murk
from murk import _core
from murk.errors import InputError
from murk.games.load import cache_directory
from murk.tree.files import write_atomically

__all__ = ["code_digest", "read_row", "row_key", "write_row"]

_log = logging.getLogger(__name__)

_LAYERS = ("tree", "games", "solvers", "subgame", "experiments")
_SOLVERS = ("highspy", "clarabel", "numpy")


def row_key(function: str, arguments: Mapping[str, Any], tree: str | None) -> dict[str, Any]:
    """Return all that a row depends on; ``tree`` is the fingerprint of the game's tree."""
    return {
        "function": function,
        "arguments": dict(arguments),
        "tree": tree,
        "murk": murk.__version__,
        "code": code_digest(),
        "solvers": {name: version(name) for name in _SOLVERS},
    }


@cache
def code_digest() -> str:
    """Return a digest of the code that computes rows, native and Python."""
    digest = hashlib.blake2b(digest_size=16)
    home = Path(murk.__file__).parent
    files = [Path(_core.__file__), *(path for layer in _LAYERS for path in sorted((home / layer).rglob("*.py")))]
    for path in files:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def read_row(key: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the row kept under ``key``, or ``None``."""
    path = _path(key)
    try:
        kept = json.loads(path.read_bytes())
        if kept["key"] == _plain(key):
            return dict(kept["row"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError) as error:
        _log.warning("ignoring a spoilt cache file: %s: %s", path, error)
    return None


def write_row(key: Mapping[str, Any], row: Mapping[str, Any]) -> None:
    """Keep a row under ``key``. That it cannot be kept is no reason to fail."""
    path = _path(key)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, [json.dumps({"key": key, "row": row}).encode()])
    except (OSError, InputError) as error:
        _log.warning("a row is not kept: %s", error)


def _plain(key: Mapping[str, Any]) -> Any:
    return json.loads(json.dumps(key))


def _path(key: Mapping[str, Any]) -> Path:
    text = json.dumps(key, sort_keys=True).encode()
    return cache_directory() / "rows" / f"{hashlib.blake2b(text, digest_size=16).hexdigest()}.json"
