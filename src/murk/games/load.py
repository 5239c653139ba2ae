"""The way in: any description of a game to a game, and a game to its tree."""

import hashlib
import importlib
import importlib.util
import logging
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from murk.errors import FormatError, GameError, InputError
from murk.games.build import DEFAULT_MAX_NODES, Progress, build_tree, too_large
from murk.games.builtin import BUILTIN, builtin_game
from murk.games.efg import parse_efg, read_efg
from murk.games.openspiel import OpenSpielGame, Recall, build_openspiel, load_openspiel
from murk.games.protocol import Game
from murk.tree.files import load_tree, save_tree
from murk.tree.tree import Tree

__all__ = ["SavedTree", "build", "cache_directory", "import_named", "load"]

_log = logging.getLogger(__name__)
_CACHE_VERSION = 1


class SavedTree:
    """A game that is already a tree in a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.stem


def load(spec: Any, *, recall: Recall = "states") -> "Game | OpenSpielGame | SavedTree":
    """Return the game that ``spec`` describes.

    ``spec`` is, in this order: a :class:`Game`, a ``pyspiel.Game`` or a ``pygambit.Game``; the path of an ``.efg``
    file, of a tree saved by murk, or of Python code (``file.py:Name``, ``package.module:Name``, a game or a callable
    that returns one); the name of a built-in game (``matching_pennies(n=100)``); the name of an OpenSpiel game with
    parameters as OpenSpiel writes them.

    Raises:
        InputError: nothing is known by that name, or its parameters are wrong.
        GameError: the game is not a two-player zero-sum game.
        MissingDependencyError: it needs OpenSpiel and that is not installed.
    """
    if callable(getattr(spec, "root", None)) and hasattr(spec, "name"):  # the root of a Path is a string
        return spec  # type: ignore[no-any-return]
    if any(base.__module__ == "pyspiel" for base in type(spec).__mro__):
        return load_openspiel(spec, recall=recall)
    if type(spec).__module__.startswith("pygambit"):
        return parse_efg(spec.to_efg(), name=spec.title or "game")
    if not isinstance(spec, str | os.PathLike):
        raise InputError(f"a game is given by a name, a path or a game object, got {type(spec).__name__}")
    text = os.fspath(spec)
    if text.endswith(".efg"):
        return read_efg(Path(text))
    if text.endswith(".murk"):
        return SavedTree(Path(text))
    if ":" in text and "(" not in text:
        return _from_python(text)
    if text.split("(")[0].strip() in BUILTIN:
        return builtin_game(text)
    return load_openspiel(text, recall=recall)


def build(
    spec: Any,
    *,
    recall: Recall = "states",
    max_nodes: int = DEFAULT_MAX_NODES,
    cache: bool = True,
    progress: Progress | None = None,
) -> Tree:
    """Return the tree of a game or of anything :func:`load` takes.

    Trees of OpenSpiel games are kept on disk (:func:`cache_directory`) unless ``cache`` is false, or the game was given
    as an object, is written in Python or reads a file: what such a game is its name does not tell.

    Raises:
        GameError: the game is ill-formed; RecallError, a subclass, if its information states forget.
        TooLargeError: it has more than ``max_nodes`` nodes.
    """
    if isinstance(spec, Tree):
        return spec
    game = load(spec, recall=recall)
    if isinstance(game, SavedTree):
        tree = load_tree(game.path)
        if tree.num_nodes > max_nodes:
            raise too_large(tree.name, max_nodes)
        return tree
    if not isinstance(game, OpenSpielGame):
        return build_tree(game, max_nodes=max_nodes, progress=progress)
    kept = _cache_path(game) if cache else None
    if kept is not None and kept.exists():
        try:
            tree = load_tree(kept)
        except (FormatError, InputError) as error:
            _log.warning("ignoring a spoilt cache file: %s", error)
        else:
            if tree.num_nodes <= max_nodes:
                tree.name = game.name
                return tree
    tree = build_openspiel(game, max_nodes=max_nodes, progress=progress)
    if kept is not None:
        _keep(tree, kept)
    return tree


def cache_directory() -> Path:
    """Return where built trees are kept: ``$MURK_CACHE_DIR``, else ``murk`` in the user's cache directory."""
    chosen = os.environ.get("MURK_CACHE_DIR")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "murk"


def _cache_path(game: OpenSpielGame) -> Path | None:
    key = game.cache_key()
    if key is None:
        return None
    digest = hashlib.blake2b(f"{_CACHE_VERSION} {key}".encode(), digest_size=16).hexdigest()
    return cache_directory() / "trees" / f"{digest}.murk"


def _keep(tree: Tree, path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        save_tree(tree, path)
    except (OSError, InputError) as error:
        _log.warning("the tree of %s is not kept: %s", tree.name, error)


def _run_file(path: Path) -> ModuleType:
    # Not under the file's own name, which may be that of a module in use: "random.py" is a likely one.
    name = f"_murk_file_{hashlib.blake2b(os.fsencode(path.resolve()), digest_size=8).hexdigest()}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise InputError(f"cannot read {path}: no such file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up there
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def import_named(text: str) -> Any:
    """Return what ``file.py:Name`` or ``package.module:Name`` names.

    Raises:
        InputError: the file or module cannot be imported, or has no such name.
    """
    where, _, attribute = text.rpartition(":")
    try:
        module = _run_file(Path(where)) if where.endswith(".py") else importlib.import_module(where)
    except ImportError as error:
        raise InputError(f"cannot import {where}: {error}") from None
    except SyntaxError as error:
        raise InputError(f"cannot import {where}: {error.msg} in line {error.lineno}") from None
    found = getattr(module, attribute, None)
    if found is None:
        raise InputError(f"{where} has no {attribute!r}")
    return found


def _from_python(text: str) -> Game:
    found = import_named(text)
    game = found() if callable(found) else found
    if not (callable(getattr(game, "root", None)) and hasattr(game, "name")):
        raise GameError(f"{text} is a {type(game).__name__}, expected a game with `name` and `root()`")
    return game  # type: ignore[no-any-return]
