"""What a blueprint has learned, on disk: Algorithm 2's state across runs."""

import math
import os
from typing import Any

import numpy as np

from murk.errors import FormatError, InputError
from murk.subgame.nested import NestedOptions
from murk.subgame.update import BlueprintUpdater
from murk.tree.files import Arrays, fingerprint, read_container, write_container
from murk.tree.players import player_of
from murk.tree.strategy import Strategy
from murk.tree.tree import Tree

__all__ = ["load_updater", "save_updater"]

_KIND = "learned blueprint"
_VERSION = 1


def save_updater(updater: BlueprintUpdater, path: str | os.PathLike[str]) -> None:
    """Save a blueprint that is being updated; the file holds either all of it or what it held before."""
    options: dict[str, Any] = updater.describe()
    options["order"] = None if options["order"] == math.inf else int(options["order"])
    meta = {
        "version": _VERSION, "game": updater.tree.name, "fingerprint": fingerprint(updater.tree),
        "player": int(updater.player), "options": options,
        "playthroughs": updater.playthroughs, "solves": updater.solves,
    }  # fmt: skip
    arrays: Arrays = {"blueprint": updater.blueprint.sequences, "last": updater.last.sequences}
    if updater.options.lower is not None:
        arrays["lower"] = np.asarray(updater.options.lower, dtype=np.float64)
    write_container(path, _KIND, meta, arrays)


def load_updater(path: str | os.PathLike[str], tree: Tree) -> BlueprintUpdater:
    """Load what :func:`save_updater` saved, to go on with it from the beginning of a playthrough.

    Raises:
        FormatError: the file is not a whole, unharmed file of this kind and version.
        InputError: it cannot be read, or is of another game.
    """
    _, meta, arrays = read_container(path, _KIND)
    if meta.get("version") != _VERSION:
        raise FormatError(f"{path} has version {meta.get('version')!r} of a learned blueprint, expected {_VERSION}")
    if meta.get("fingerprint") != fingerprint(tree):
        raise InputError(f"{path} is a blueprint of {meta.get('game', 'another game')}, expected one of {tree.name}")
    try:
        options = dict(meta["options"])
        scope = options.pop("scope")
        options["order"] = math.inf if options["order"] is None else options["order"]
        lower = np.array(arrays["lower"]) if "lower" in arrays else None
        player = player_of(meta["player"])
        updater = BlueprintUpdater(
            Strategy(tree, player, np.array(arrays["blueprint"])), NestedOptions(lower=lower, **options), scope=scope
        )
        updater.last = Strategy(tree, player, np.array(arrays["last"]))
        updater.playthroughs, updater.solves = int(meta["playthroughs"]), int(meta["solves"])
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"{path} does not hold a learned blueprint: {error}") from None
    return updater
