"""Beliefs on disk: versioned, checksummed, written all or not at all, and checked when read."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from murk._core import Move, Observation, PositionSet
from murk.darkchess.search_again import Seen
from murk.errors import FormatError, InputError
from murk.tree.files import read_container, write_container

__all__ = ["State", "load", "save"]

_KIND = "belief"


@dataclass(frozen=True)
class State:
    """All there is to a belief.

    Attributes:
        positions: what is held possible.
        anchor: the last exact set, if ``positions`` is a sample.
        since: what was seen from there on.
        ply: observations taken in so far.
        memory: the budget in bytes.
        seed: of samples.
    """

    positions: PositionSet
    anchor: PositionSet | None
    since: tuple[Seen, ...]
    ply: int
    memory: int
    seed: int


def save(path: str | os.PathLike[str], state: State) -> None:
    """Write a belief to a file."""
    sets = {"positions": state.positions} | ({} if state.anchor is None else {"anchor": state.anchor})
    meta = {
        "known": {name: list(positions.known) for name, positions in sets.items()},
        "observation": _view(state.positions).text,
        "since": [[seen.observation.text, None if seen.move is None else str(seen.move)] for seen in state.since],
        "ply": state.ply,
        "memory": state.memory,
        "seed": state.seed,
    }
    write_container(path, _KIND, meta, {name: positions.packed() for name, positions in sets.items()})


def load(path: str | os.PathLike[str]) -> State:
    """Read a belief from a file.

    Raises:
        InputError: it cannot be read.
        FormatError: it is not a whole, unharmed file of a belief.
    """
    _, meta, arrays = read_container(path, _KIND)
    try:
        positions = _set(meta["known"]["positions"], arrays["positions"])
        anchor = _set(meta["known"]["anchor"], arrays["anchor"]) if "anchor" in arrays else None
        since = tuple(
            Seen(Observation(text), None if move is None else Move.from_uci(move)) for text, move in meta["since"]
        )
        if len(positions) == 0 or (anchor is None) != (not since):
            raise ValueError("its parts do not fit together")
        if _view(positions).text != meta["observation"]:
            raise ValueError("its positions do not look as they should")
        if any(seen.observation.colour != positions.colour for seen in since):
            raise ValueError("an observation is the other player's")
        return State(positions, anchor, since, _count(meta, "ply"), _count(meta, "memory"), int(meta["seed"]))
    except KeyError as error:
        raise FormatError(f"{path} does not describe a belief: it has no {error}") from None
    except (InputError, IndexError, OverflowError, TypeError, ValueError) as error:
        raise FormatError(f"{path} does not describe a belief: {_first_line(error)}") from None


def _view(positions: PositionSet) -> Observation:
    """Return what the player sees: the same in all the positions."""
    return positions.positions([0])[0].observation(positions.colour)


def _set(known: Any, boards: npt.NDArray[Any]) -> PositionSet:
    if boards.ndim != 2 or boards.shape[1] != 2 or boards.dtype.str != "<u8":
        raise ValueError(f"its boards are {boards.dtype.str} of shape {boards.shape}, expected <u8 of shape (n, 2)")
    own, colour, turn, castling, en_passant, winner = known
    return PositionSet.from_packed(own, colour, turn, castling, en_passant, winner, np.ascontiguousarray(boards))


def _count(meta: Mapping[str, Any], name: str) -> int:
    value = meta[name]
    if not isinstance(value, int) or value < 0:
        raise ValueError(f"{name} is {value!r}, expected a number that is not negative")
    return value


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
