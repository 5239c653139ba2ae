"""murk as a UCI engine: dark chess for any program that speaks the Universal Chess Interface.

UCI has no fog: ``position`` tells an engine all moves of both sides. This engine derives from them what its own side
saw and shows its agent nothing else, so what it answers is a function of its observations: :mod:`murk.uci.told` is
the only module that holds the truth.

``murk uci`` runs :func:`serve`; docs/uci.md says which commands and options there are.
"""

from murk.uci.engine import Engine, serve

__all__ = ["Engine", "serve"]
