"""From what the user typed to a tree, with its origin and the time it took."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import murk
from murk.cli.errors import did_you_mean
from murk.cli.native_stderr import muted_native_stderr
from murk.cli.options import Settings, game_names, openspiel_names
from murk.cli.progress import build_line
from murk.errors import GameError, InputError, MissingDependencyError, MurkError, TooLargeError
from murk.games.builtin import BUILTIN
from murk.games.load import SavedTree
from murk.games.openspiel import OpenSpielGame

__all__ = ["OpenedTree", "load_game", "open_tree"]

Origin = Literal["built", "cache", "file"]


@dataclass(frozen=True)
class OpenedTree:
    """A tree, and how it was come by."""

    tree: murk.Tree
    seconds: float
    origin: Origin

    @property
    def nodes_per_second(self) -> float:
        """How fast it was built or read."""
        return self.tree.num_nodes / max(self.seconds, 1e-9)

    def describe(self) -> str:
        """Say where the tree came from."""
        return {"built": "built now", "cache": "from the cache", "file": "from a file"}[self.origin]


def open_tree(spec: str, settings: Settings) -> OpenedTree:
    """Build or read the tree of the game ``spec``.

    Raises:
        MurkError: as :func:`murk.build`; a name that nothing is known by gets a suggestion.
    """
    check_name(spec)
    started = time.perf_counter()
    built = False
    with muted_native_stderr(not settings.debug), _blaming(spec), build_line(spec, settings) as show:

        def progress(nodes: int) -> None:
            nonlocal built
            built = True  # a tree from the cache makes no progress
            show(nodes)

        game = murk.load(spec, recall=settings.recall)
        if isinstance(game, SavedTree):
            tree = murk.load_tree(game.path)
        else:
            tree = murk.build(game, max_nodes=settings.max_nodes, cache=settings.cache, progress=progress)
    if tree.num_nodes > settings.max_nodes:
        raise TooLargeError(
            f"{spec} has {tree.num_nodes:,} nodes, expected at most {settings.max_nodes:,} (--max-nodes)"
        )
    elapsed = time.perf_counter() - started
    if isinstance(game, SavedTree):
        return OpenedTree(tree, elapsed, "file")
    return OpenedTree(tree, elapsed, "cache" if isinstance(game, OpenSpielGame) and not built else "built")


def load_game(spec: str, settings: Settings) -> Any:
    """Return the game ``spec`` without building it."""
    check_name(spec)
    with muted_native_stderr(not settings.debug), _blaming(spec):
        return murk.load(spec, recall=settings.recall)


def check_name(spec: str) -> None:
    """Refuse what cannot be the name of a game, with the nearest name there is.

    OpenSpiel is imported here if it is needed, so that a clock started afterwards does not count it.
    """
    if spec.endswith((".efg", ".murk")) or _is_python(spec):
        return
    name = spec.split("(")[0].strip()
    if name in BUILTIN:
        return
    if not name:
        raise InputError(f"the game {spec!r} has no name: `murk games` lists some")
    if spec.endswith(".py"):
        raise InputError(f"{spec} does not say which game it means, expected {spec}:NAME")
    if Path(spec).exists():
        raise InputError(f"{spec} is not a kind of file murk reads, expected .efg, .murk or file.py:NAME")
    known = openspiel_names()
    if not known:
        hint = did_you_mean(name, BUILTIN)
        raise MissingDependencyError(
            f"there is no built-in game {name!r}, and OpenSpiel is not installed: pip install 'murk[openspiel]'{hint}"
        )
    if name not in known:
        raise InputError(f"there is no game {name!r}{did_you_mean(name, game_names()) or ': `murk games` lists them'}")


def _is_python(spec: str) -> bool:
    return ":" in spec and "(" not in spec


@contextmanager
def _blaming(spec: str) -> Iterator[None]:
    """Blame what a user's own Python game raises on that game."""
    try:
        yield
    except (MurkError, MemoryError):
        raise
    except Exception as error:
        if not _is_python(spec):
            raise
        raise GameError(f"{spec} raised {type(error).__name__}: {error} (--debug shows where)") from error
