"""Solvers over trees: linear programs, regret minimisation, best responses."""

from murk.solvers.cfr import VARIANTS, CfrSolver, CfrState, CfrVariant, solve_cfr
from murk.solvers.files import load_solution, save_solution
from murk.solvers.lp import SequenceLp, action_floor, epsilon_uniform, solve_lp
from murk.solvers.polytope import Face, NashPolytope
from murk.solvers.response import (
    BestResponse,
    best_response,
    best_response_value,
    expected_value,
    exploitability,
    nash_conv,
    side_exploitability,
)
from murk.solvers.result import Limits, Progress, ProgressCallback, Solution, TracePoint
from murk.solvers.solve import METHODS, choose_method, solve

__all__ = [
    "METHODS",
    "VARIANTS",
    "BestResponse",
    "CfrSolver",
    "CfrState",
    "CfrVariant",
    "Face",
    "Limits",
    "NashPolytope",
    "Progress",
    "ProgressCallback",
    "SequenceLp",
    "Solution",
    "TracePoint",
    "action_floor",
    "best_response",
    "best_response_value",
    "choose_method",
    "epsilon_uniform",
    "expected_value",
    "exploitability",
    "load_solution",
    "nash_conv",
    "save_solution",
    "side_exploitability",
    "solve",
    "solve_cfr",
    "solve_lp",
]
