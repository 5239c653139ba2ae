"""The value function of dark chess: what a move is worth, from -1 to 1, to the side that plays it.

>>> from murk.darkchess import Position
>>> from murk.darkchess.evaluators import Embedded
>>> position = Position("4k3/8/8/8/8/8/4q3/4K2R w K -")
>>> dict(zip(map(str, position.legal_moves), Embedded().values(position), strict=True))["h1h2"]
np.float32(-1.0)

Capturing the king is +1, leaving one's own to be captured -1, and leaving the opponent no move +1: so say the rules,
and no evaluator is asked. About all other moves there is

- :class:`Embedded`, the default: a small net with a quiescence search, trained on Stockfish's scores; needs nothing;
- :class:`Stockfish`, as in the paper, if it is installed;
- :class:`Simple`, material and squares seen;
- any subclass of :class:`CustomEvaluator`.
"""

from murk._core import CustomEvaluator, Evaluator, decided_value
from murk.darkchess.evaluators.choose import EVALUATORS, make_evaluator
from murk.darkchess.evaluators.embedded import Embedded
from murk.darkchess.evaluators.simple import Simple
from murk.darkchess.evaluators.stockfish import Stockfish, find_stockfish

__all__ = [
    "EVALUATORS",
    "CustomEvaluator",
    "Embedded",
    "Evaluator",
    "Simple",
    "Stockfish",
    "decided_value",
    "find_stockfish",
    "make_evaluator",
]
