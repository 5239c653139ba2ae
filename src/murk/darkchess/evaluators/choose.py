"""Evaluators by name, as commands take them: ``embedded``, ``embedded:WEIGHTS``, ``stockfish``, ``stockfish:PATH``,
``simple``, and those of one's own as ``file.py:Class`` or ``module:Class``.
"""

from murk._core import Evaluator
from murk.errors import InputError
from murk.games.load import import_named

__all__ = ["EVALUATORS", "make_evaluator"]

EVALUATORS = ("embedded", "stockfish", "simple")


def make_evaluator(
    name: str = "embedded", *, depth: int | None = None, nodes: int | None = None, processes: int = 1
) -> Evaluator:
    """Return the evaluator of that name.

    Args:
        name: ``embedded``, ``embedded:WEIGHTS``, ``stockfish``, ``stockfish:PATH``, ``simple``, or where a class is
            that can be made without arguments: ``file.py:Class``, ``module:Class``.
        depth, nodes: of Stockfish's search of the parent.
        processes: how many engines of Stockfish run.

    Raises:
        InputError: there is none of that name, or it does not search.
        MissingDependencyError: Stockfish is not installed.
    """
    kind, colon, path = name.partition(":")
    if kind not in EVALUATORS and colon and path:
        return _own(name)
    if kind not in EVALUATORS or (colon and (kind == "simple" or not path)):
        expected = "embedded, embedded:WEIGHTS, stockfish, stockfish:PATH, simple or file.py:Class"
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


def _own(name: str) -> Evaluator:
    try:
        factory = import_named(name)
    except InputError as error:
        raise InputError(f"cannot load the evaluator {name!r}: {error}") from None
    made = factory() if callable(factory) else factory
    if not isinstance(made, Evaluator):
        raise InputError(f"{name} is a {type(made).__name__}, expected an evaluator")
    return made
