"""Evaluators by name, as commands take them: ``embedded``, ``embedded:WEIGHTS``, ``stockfish``, ``stockfish:PATH``,
``simple``.
"""

from murk._core import Evaluator
from murk.errors import InputError

__all__ = ["EVALUATORS", "make_evaluator"]

EVALUATORS = ("embedded", "stockfish", "simple")


def make_evaluator(
    name: str = "embedded", *, depth: int | None = None, nodes: int | None = None, processes: int = 1
) -> Evaluator:
    """Return the evaluator of that name.

    Args:
        name: ``embedded``, ``embedded:WEIGHTS``, ``stockfish``, ``stockfish:PATH`` or ``simple``.
        depth, nodes: of Stockfish's search of the parent.
        processes: how many engines of Stockfish run.

    Raises:
        InputError: there is none of that name, or it does not search.
        MissingDependencyError: Stockfish is not installed.
    """
    kind, colon, path = name.partition(":")
    if kind not in EVALUATORS or (colon and (kind == "simple" or not path)):
        expected = "embedded, embedded:WEIGHTS, stockfish, stockfish:PATH or simple"
        raise InputError(f"evaluator is {name!r}, expected {expected}")
    if kind == "stockfish":
        from murk.darkchess.evaluators.stockfish import Stockfish

        return Stockfish(path or None, depth=1 if depth is None else depth, processes=processes, nodes=nodes)
    if depth is not None or nodes is not None:
        raise InputError(f"depth and nodes are for stockfish, and the evaluator is {name}")
    if kind == "simple":
        from murk.darkchess.evaluators.simple import Simple

        return Simple()
    from murk.darkchess.evaluators.embedded import Embedded

    return Embedded(path or None)
