"""Stockfish as an evaluator: the value function of [ZS21], and what the embedded evaluator learnt from.

The paper evaluates leaves with Stockfish at depth 1, squashed by tanh(x / tau) with tau = 6 pawns. One search of the
parent with MultiPV scores all its moves at once; the native pool (``cpp/eval/stockfish_pool.h``) keeps several engine
processes busy, restarts those that crash or hang, and asks about no position that ordinary chess forbids.
"""

import os
import shutil
from pathlib import Path
from typing import Any

from murk._core import StockfishPool
from murk.errors import InputError, MissingDependencyError

__all__ = ["Stockfish", "find_stockfish"]

_PLACES = ("/usr/games", "/usr/local/games", "/opt/homebrew/bin")
"""Where packages put it, beside the directories of PATH."""


def find_stockfish(path: str | os.PathLike[str] | None = None) -> Path:
    """Return the program: ``path`` if given (a file, or a name on PATH), else the first ``stockfish`` there is.

    Raises:
        InputError: there is no such program.
        MissingDependencyError: no path was given and Stockfish is not installed.
    """
    found = shutil.which(os.fspath(path or "stockfish"))
    if found is not None:
        return Path(found)
    if path is not None:
        raise InputError(f"there is no program {os.fspath(path)!r}: expected the path of Stockfish or a name on PATH")
    found = shutil.which("stockfish", path=os.pathsep.join(_PLACES))
    if found is None:
        raise MissingDependencyError(
            f"there is no Stockfish on PATH nor in {', '.join(_PLACES)}: "
            "install it (Debian: apt install stockfish) or give its path"
        )
    return Path(found)


class Stockfish(StockfishPool):
    """Stockfish in processes of its own; any number of threads may use it at the same time.

    Args:
        path: the program; ``None`` looks for it.
        depth: plies of the search of the parent. Children are then searched one ply less far.
        processes: how many engines run at a time; each takes one core while there is work.
        tau: a lead of so many centipawns is tanh(1); ``None`` takes 420 for Stockfish 15.1 and later and 600 for
            earlier ones, which report about 1.43 times as much.
        nodes: if given, nodes of the search of the parent, instead of ``depth``.
        fresh: forget earlier searches before each one, so that values depend on nothing but the position. Otherwise
            they vary by a few centipawns with what is in the engine's table. Takes three times as long.
        timeout: seconds after which a search counts as hung, and the engine is restarted.

    Raises:
        InputError: an argument is out of range, or there is no such program.
        MissingDependencyError: Stockfish is not installed.
        BackendError: the program does not start or is no UCI engine with MultiPV.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        depth: int = 1,
        processes: int = 1,
        tau: float | None = None,
        *,
        nodes: int | None = None,
        fresh: bool = False,
        timeout: float = 30.0,
    ) -> None:
        _at_least("depth", depth, 1)
        _at_least("processes", processes, 1)
        _positive("timeout", timeout)
        if tau is not None:
            _positive("tau", tau)
        if nodes is not None:
            _at_least("nodes", nodes, 1)
        self.path = find_stockfish(path)
        super().__init__(
            path=os.fspath(self.path),
            processes=processes,
            depth=depth,
            nodes=nodes or 0,
            tau=tau or 0.0,
            fresh=fresh,
            timeout=timeout,
        )


def _at_least(name: str, value: Any, least: int) -> None:
    if not isinstance(value, int) or value < least:
        raise InputError(f"{name} is {value!r}, expected a whole number of at least {least}")


def _positive(name: str, value: float) -> None:
    if not 0 < value < 1e6:
        raise InputError(f"{name} is {value!r}, expected a positive number below a million")
