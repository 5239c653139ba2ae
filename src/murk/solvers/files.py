"""Solutions on disk, with the solver's state so that a run can go on later."""

import os
from dataclasses import asdict
from typing import Any

import numpy as np

from murk.errors import FormatError, InputError
from murk.solvers.cfr import CfrState, CfrVariant
from murk.solvers.result import Solution, TracePoint
from murk.tree.files import Arrays, fingerprint, load_solution_file, write_container
from murk.tree.players import MAX, MIN
from murk.tree.strategy import Profile, Strategy
from murk.tree.tree import Tree

__all__ = ["load_solution", "save_solution"]

_FIELDS = ("value", "lower", "upper", "iterations", "seconds", "stopped", "method")


def save_solution(solution: Solution, path: str | os.PathLike[str]) -> None:
    """Save a solution; :func:`load_solution` needs the same game to read it back."""
    tree = solution.tree
    meta: dict[str, Any] = {name: getattr(solution, name) for name in _FIELDS}
    meta |= {"game": tree.name, "fingerprint": fingerprint(tree)}
    arrays: Arrays = {
        "max": solution.profile.max.sequences,
        "min": solution.profile.min.sequences,
        "trace": _trace(solution.trace),
    }
    state = solution.state
    if isinstance(state, CfrState):
        meta["state"] = {
            "iteration": state.iteration,
            "average_weight": state.average_weight,
            "seconds": state.seconds,
        }
        if state.variant is not None:
            meta["state"]["variant"] = asdict(state.variant)
        arrays |= {f"state_{i}": vector for i, vector in enumerate(state.vectors)}
    write_container(path, "solution", meta, arrays)


def load_solution(path: str | os.PathLike[str], tree: Tree) -> Solution:
    """Load a solution of ``tree``.

    Raises:
        FormatError: the file is not a whole, unharmed solution file.
        InputError: it cannot be read, or is a solution of another game.
    """
    meta, arrays = load_solution_file(path)
    if meta.get("fingerprint") != fingerprint(tree):
        raise InputError(f"{path} is a solution of {meta.get('game', 'another game')}, expected one of {tree.name}")
    try:
        trace = tuple(TracePoint(int(i), float(s), float(e)) for i, s, e in arrays["trace"])
        state = None
        if "state" in meta:
            vectors = tuple(np.array(arrays[f"state_{i}"]) for i in range(8))
            state = CfrState(
                meta["method"],
                int(meta["state"]["iteration"]),
                float(meta["state"]["average_weight"]),
                vectors,
                trace,
                CfrVariant(**meta["state"]["variant"]) if "variant" in meta["state"] else None,
                float(meta["state"]["seconds"]),
            )
        return Solution(
            tree=tree,
            profile=Profile(Strategy(tree, MAX, np.array(arrays["max"])), Strategy(tree, MIN, np.array(arrays["min"]))),
            trace=trace,
            state=state,
            **{name: meta[name] for name in _FIELDS},
        )
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"{path} is not a solution file: {error}") from None


def _trace(points: tuple[TracePoint, ...]) -> "np.ndarray[Any, np.dtype[np.float64]]":
    return np.array([(p.iterations, p.seconds, p.exploitability) for p in points], dtype=np.float64).reshape(-1, 3)
