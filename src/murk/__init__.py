"""murk: games of imperfect information where common knowledge is out of reach.

>>> import murk
>>> tree = murk.build("matching_pennies(n=4)")
>>> murk.solve(tree).value
0.95
"""

from murk.errors import MurkError
from murk.games.load import build, load
from murk.solvers import (
    best_response,
    best_response_value,
    expected_value,
    exploitability,
    load_solution,
    nash_conv,
    save_solution,
    side_exploitability,
    solve,
)
from murk.tree import (
    MAX,
    MIN,
    NATURE,
    TERMINAL,
    Player,
    Profile,
    Strategy,
    Tree,
    load_tree,
    save_tree,
    uniform,
)

__version__ = "0.1.0"

__all__ = [
    "MAX",
    "MIN",
    "NATURE",
    "TERMINAL",
    "MurkError",
    "Player",
    "Profile",
    "Strategy",
    "Tree",
    "__version__",
    "best_response",
    "best_response_value",
    "build",
    "expected_value",
    "exploitability",
    "load",
    "load_solution",
    "load_tree",
    "nash_conv",
    "save_solution",
    "save_tree",
    "side_exploitability",
    "solve",
    "uniform",
]
