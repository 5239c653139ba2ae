"""The weak evaluator: material, and how many more squares a side sees than the other.

The 2025 successor of [ZS21] measures how much a good value function matters by playing with such a one.
"""

from murk._core import SimpleEvaluator
from murk.errors import InputError

__all__ = ["Simple"]


class Simple(SimpleEvaluator):
    """Values are tanh of the lead in pawns, divided by ``tau``, where a square seen is worth ``square`` pawns.

    Raises:
        InputError: an argument is out of range.
    """

    def __init__(self, *, square: float = 0.05, tau: float = 6.0) -> None:
        if not 0 <= square <= 10:
            raise InputError(f"square is {square!r}, expected a number of pawns from 0 to 10")
        if not 0 < tau <= 1000:
            raise InputError(f"tau is {tau!r}, expected a positive number of pawns up to 1000")
        super().__init__(square=square, tau=tau)
