"""Searching games that are too large to solve, with a value function: Algorithm 4 of [ZS21], and the growing search.

>>> from murk import load
>>> from murk.search import solve_trunk
>>> found = solve_trunk(load("kuhn_poker"), value=lambda state: 0.0)
>>> found.result.finished, round(found.result.value, 4)
(True, -0.0556)
"""

from murk.search.game import SearchGame
from murk.search.growing import GrowingSearch, Grown
from murk.search.loop import SearchResult, Timings, TrunkSearch
from murk.search.nested import NestedSearch, Possible
from murk.search.options import Budget, Deadline, SearchOptions
from murk.search.whole import SolvedTrunk, current_profile, solve_trunk

__all__ = [
    "Budget",
    "Deadline",
    "GrowingSearch",
    "Grown",
    "NestedSearch",
    "Possible",
    "SearchGame",
    "SearchOptions",
    "SearchResult",
    "SolvedTrunk",
    "Timings",
    "TrunkSearch",
    "current_profile",
    "solve_trunk",
]
