"""One door to all solvers, and the choice among them."""

import numpy.typing as npt

from murk.errors import InputError
from murk.solvers.cfr import VARIANTS, CfrState, solve_cfr
from murk.solvers.lp import solve_lp
from murk.solvers.result import Limits, ProgressCallback, Solution
from murk.tree.players import MAX
from murk.tree.tree import Tree

__all__ = ["METHODS", "choose_method", "solve"]

METHODS = ("auto", "lp", "simplex", "ipm", *VARIANTS)

_EXACT = 1e-8  # a target below this is a wish for an exact answer
_SIMPLEX_ENTRIES = 250_000  # payoff entries up to which the simplex method takes seconds
_IPM_ENTRIES = 1_500_000  # and the interior-point method minutes


def choose_method(tree: Tree, target: float | None) -> str:
    """Return the method ``auto`` stands for: the one that reached ``target`` first on games of this size.

    Small games are solved by simplex whatever the target: it is exact and takes milliseconds. In larger ones DCFR is
    first down to about 1e-3 of the payoff range and PCFR+ below; without a target the answer is to be exact, by
    simplex, then by the interior-point method, and where neither fits by PCFR+ to 1e-6 of the payoff range.
    """
    entries = tree.sequence_form.num_entries
    low, high = tree.utility_range()
    scale = max(high - low, 1e-12)
    if target is None or target <= _EXACT * scale:
        if entries <= _SIMPLEX_ENTRIES:
            return "simplex"
        return "ipm" if entries <= _IPM_ENTRIES else "pcfr+"
    if entries <= 6_000:
        return "simplex"
    return "dcfr" if target >= 2e-4 * scale else "pcfr+"


def solve(
    tree: Tree,
    method: str = "auto",
    *,
    target: float | None = None,
    seconds: float | None = None,
    iterations: int | None = None,
    player: int = MAX,
    lower: npt.ArrayLike | None = None,
    threads: int = 1,
    resume: Solution | CfrState | None = None,
    progress: ProgressCallback | None = None,
) -> Solution:
    """Find an equilibrium of ``tree``.

    Args:
        tree: the game.
        method: one of :data:`METHODS`. ``"lp"`` is simplex or interior point by size.
        target: stop at this exploitability (in the game's units). The LP methods end exact and ignore it.
        seconds: stop after this time.
        iterations: stop after so many iterations.
        player: whose linear program to solve; regret minimisation is for both at once.
        lower: least action probabilities of ``player`` (LP only), see :func:`murk.solvers.epsilon_uniform`.
        threads: native threads of regret minimisation.
        resume: an earlier solution by the same method to go on from (regret minimisation only).
        progress: called now and then.

    Raises:
        InputError: an argument is wrong or does not go with the method.
    """
    if tree.num_nodes == 0:
        raise InputError("the tree is empty, expected one with a root")
    limits = Limits(target=target, seconds=seconds, iterations=iterations)
    chosen = _resolve(tree, method, target, lower is not None, resume)
    if chosen in ("simplex", "ipm"):
        if resume is not None:
            raise InputError(
                f"method {chosen} cannot go on from an earlier solution, expected one of {', '.join(VARIANTS)}"
            )
        solution = solve_lp(
            tree,
            player,
            lower=lower,
            algorithm="simplex" if chosen == "simplex" else "ipm",
            limits=limits,
            progress=progress,
        )
    else:
        if lower is not None:
            raise InputError(f"method {chosen} takes no lower bounds, expected lp, simplex or ipm")
        state = resume.state if isinstance(resume, Solution) else resume
        if resume is not None and state is None:
            raise InputError(f"a solution by {resume.method} holds nothing to go on from, expected one by {chosen}")
        unlimited = target is None and seconds is None and iterations is None
        if unlimited:
            low, high = tree.utility_range()
            limits = Limits(target=1e-6 * (high - low)) if method == "auto" else Limits(iterations=1000)
        solution = solve_cfr(tree, chosen, limits=limits, threads=threads, resume=state, progress=progress)
    return solution


def _resolve(tree: Tree, method: str, target: float | None, has_lower: bool, resume: Solution | CfrState | None) -> str:
    if method not in METHODS:
        raise InputError(f"method is {method!r}, expected one of {', '.join(METHODS)}")
    if method == "auto" and resume is not None:
        return resume.method
    if method == "lp" or (method == "auto" and has_lower):
        return "simplex" if tree.sequence_form.num_entries <= _SIMPLEX_ENTRIES else "ipm"
    return choose_method(tree, target) if method == "auto" else method
