"""The paper's statements about safety, measured: the counterexample, and the three roads to safety on random games.

* ``pr:ws-counterexample``: 1-KLSS at every infoset turns a blueprint of exploitability 4/N into one of exploitability
  1; with the blueprint updated after every solve it falls to 0 instead.
* ``th:inductive-weak``: with updating, exploitability never rises.
* ``th:allocation-safety``: neither does it if 1-KLSS is applied at an independent set of infosets.
* ``th:affine-safety`` and ``pr:aff-eqm``: from an exact equilibrium one gets an affine equilibrium, which loses
  nothing against any equilibrium strategy of the opponent.

What ``worst`` says is by how much a statement was ever missed, with payoffs mapped to [-1, 1]: rounding, if it holds.
``plain_worst`` is what plain 1-KLSS at every infoset did on the same games, to show that there was something to lose.

Games are random in two ways: trees with anything in them (:class:`murk.games.random.RandomGame`), and deals, in which
most of what a player is told matters to nobody. In the latter a systematic error of the blueprint is corrected at many
infosets at once, each as if the others did not, which is how 1-KLSS goes wrong.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from murk.errors import BackendError, InputError
from murk.experiments.study import Report, Row, Task, tree_of
from murk.games.build import build_tree
from murk.games.builtin import Counterexample
from murk.games.explicit import ExplicitGame, Node, decision, leaf, nature
from murk.games.random import RandomGame
from murk.solvers import NashPolytope, side_exploitability, solve_lp
from murk.subgame import (
    AffineHull,
    Allocation,
    NestedOptions,
    allocated_strategy,
    expected_strategy,
    refine_everywhere,
    updated_blueprints,
)
from murk.tree import MAX, MIN, Strategy, Tree

__all__ = ["NUMBERS", "THEOREMS", "counterexample_row", "merged", "tasks", "theorem_row"]

NUMBERS = (4, 8, 16, 32, 64, 128, 256)
"""N of the counterexample."""
TOLERANCE = 1e-6
"""Payoff (of 2 between the best and the worst) by which a statement may be missed for rounding."""
_CHUNK = 25
_DRAWS = 3


def tasks(
    *, numbers: Sequence[int] = NUMBERS, games: int = 200, seed: int = 0, theorems: Sequence[str] | None = None
) -> list[Task]:
    """Return the tasks: a row for each N, and for each theorem a row for every few random games."""
    if games < 0:
        raise InputError(f"games is {games}, expected 0 or more")
    for n in numbers:
        if n < 4:
            raise InputError(f"N is {n}, expected 4 or more: 1/2 + 2/N must be a probability")
    out = [
        Task(counterexample_row, {"n": int(n)}, f"the counterexample, N = {n}", f"counterexample(n={n})")
        for n in numbers
    ]
    for theorem in THEOREMS if theorems is None else theorems:
        for first in range(seed, seed + games, _CHUNK):
            count = min(_CHUNK, seed + games - first)
            out.append(Task(theorem_row, {"theorem": theorem, "first": first, "count": count}, theorem))
    return out


def counterexample_row(*, n: int, report: Report) -> Row:
    """Compute the row of ``pr:ws-counterexample`` for one N."""
    tree = tree_of(f"counterexample(n={n})")
    heads = Counterexample(n).blueprint_heads
    behaviour = np.ones(tree.num_sequences(MAX))
    behaviour[1:] = np.where(tree.sequence_actions(MAX)[1:] == 0, heads, 1 - heads)
    blueprint = Strategy.from_behaviour(tree, MAX, behaviour)
    after = refine_everywhere(blueprint, progress=lambda done, total: report(0.5 * done / total))
    updated, infosets = blueprint, tree.acting_infosets(MAX).tolist()
    for done, following in enumerate(updated_blueprints(blueprint, infosets), start=1):
        updated = following
        report(0.5 + 0.5 * done / len(infosets))
    return {
        "claim": "pr:ws-counterexample", "n": n, "blueprint": side_exploitability(blueprint, 0.0),
        "after": side_exploitability(after, 0.0), "updated": max(side_exploitability(updated, 0.0), 0.0),
        "paper_blueprint": 4 / n, "paper_after": 1.0,
    }  # fmt: skip


class _Check(NamedTuple):
    """What came of a theorem in one game: by how much it was missed, how often that was looked at, and what else.

    What is missed is in payoffs of [-1, 1], by the method in question and by plain 1-KLSS.
    """

    worst: float
    checks: int
    note: int
    plain: float


def theorem_row(*, theorem: str, first: int, count: int, report: Report) -> Row:
    """Check a theorem on the random games of ``count`` seeds; a game without a choice for MAX is passed over."""
    check, of_note = THEOREMS[theorem]
    worst, plain, games, checks, noted, skipped = 0.0, 0.0, 0, 0, 0, 0
    for done in range(count):
        report(done / count)
        rng = np.random.default_rng((first + done, 2021))
        tree = _random_tree(first + done, rng) if (first + done) % 2 else _dealt_tree(first + done, rng)
        if len(tree.acting_infosets(MAX)) == 0 or _scale(tree) == 0:
            continue
        try:
            found = check(tree, rng)
        except BackendError:  # the equilibria of some games are too degenerate to be found exactly
            skipped += 1
            continue
        games += 1
        worst, plain = max(worst, found.worst), max(plain, found.plain)
        checks, noted = checks + found.checks, noted + found.note
    return {
        "claim": theorem, "games": games, "skipped": skipped, "checks": checks, "worst": worst,
        "plain_worst": plain, "noted": noted, "note": of_note, "holds": worst <= TOLERANCE,
    }  # fmt: skip


def merged(rows: Sequence[Row]) -> list[Row]:
    """Return the rows with those of one theorem put together."""
    out: list[Row] = []
    for row in rows:
        known = next((r for r in out if "games" in r and r["claim"] == row["claim"]), None)
        if known is None:
            out.append(dict(row))
            continue
        for name in ("games", "skipped", "checks", "noted"):
            known[name] += row[name]
        for name in ("worst", "plain_worst"):
            known[name] = max(known[name], row[name])
        known["holds"] = known["holds"] and row["holds"]
        known["cached"] = known["cached"] and row["cached"]
    return out


def _updating(tree: Tree, rng: np.random.Generator) -> _Check:
    """``th:inductive-weak``: exploitability after each update, against that before it."""
    blueprint, value = _random_blueprint(tree, rng)
    options = NestedOptions(
        order=float(rng.choice([1, 3, np.inf])),
        kind=rng.choice(["maxmargin", "resolve"]),
        refinement=rng.choice(["none", "sequential"]),
    )
    first = before = side_exploitability(blueprint, value)
    worst, checks = 0.0, 0
    infosets = rng.permutation(tree.acting_infosets(MAX)).tolist()
    for updated in updated_blueprints(blueprint, infosets, options):
        now = side_exploitability(updated, value)
        worst, checks, before = max(worst, now - before), checks + 1, now
    plain = side_exploitability(refine_everywhere(blueprint), value) - first
    return _Check(worst * _scale(tree), checks, int(before < first - TOLERANCE), plain * _scale(tree))


def _allocating(tree: Tree, rng: np.random.Generator) -> _Check:
    """``th:allocation-safety``: exploitability of the allocated strategies, against the blueprint's."""
    blueprint, value = _random_blueprint(tree, rng)
    allocation = Allocation(tree, MAX)
    options = NestedOptions(kind=rng.choice(["maxmargin", "resolve"]), refinement=rng.choice(["none", "sequential"]))
    made = [allocated_strategy(blueprint, allocation, int(s), options) for s in rng.integers(2**32, size=_DRAWS)]
    made.append(expected_strategy(blueprint, allocation, options))
    before = side_exploitability(blueprint, value)
    after = [side_exploitability(strategy, value) for strategy in made]
    plain = side_exploitability(refine_everywhere(blueprint, options), value) - before
    worst, fallen = max(after) - before, after[-1] < before - TOLERANCE
    return _Check(worst * _scale(tree), len(after), int(fallen), plain * _scale(tree))


def _affine(tree: Tree, rng: np.random.Generator) -> _Check:
    """``th:affine-safety``: distance from the affine hull of equilibria, after 1-KLSS at every infoset."""
    refined, value, polytope = _from_equilibrium(tree, rng)
    hull = AffineHull(tree, MAX, polytope=polytope)
    lost = side_exploitability(refined, value) * _scale(tree)
    return _Check(hull.distance(refined), 1, int(lost > TOLERANCE), lost)


def _against_equilibria(tree: Tree, rng: np.random.Generator) -> _Check:
    """``pr:aff-eqm``: what the refined strategy loses against the best equilibrium strategy of MIN."""
    refined, value, polytope = _from_equilibrium(tree, rng)
    least, _ = polytope.values_against(refined)
    lost = side_exploitability(refined, value) * _scale(tree)
    return _Check((value - least) * _scale(tree), 1, int(lost > TOLERANCE), lost)


def _from_equilibrium(tree: Tree, rng: np.random.Generator) -> tuple[Strategy, float, NashPolytope]:
    """Return what 1-KLSS at every infoset makes of an exact equilibrium, the value, and all equilibria."""
    solution = solve_lp(tree)
    kind = rng.choice(["maxmargin", "resolve"])
    return refine_everywhere(solution.strategy(MAX), NestedOptions(kind=kind)), solution.value, NashPolytope(tree)


THEOREMS: dict[str, tuple[Callable[[Tree, np.random.Generator], _Check], str]] = {
    "th:inductive-weak": (_updating, "games in which exploitability fell"),
    "th:allocation-safety": (_allocating, "games in which exploitability fell"),
    "th:affine-safety": (_affine, "games in which the equilibrium was ruined"),
    "pr:aff-eqm": (_against_equilibria, "games in which the equilibrium was ruined"),
}
"""Each statement, how it is checked on one game, and what is counted besides."""


def _scale(tree: Tree) -> float:
    """Return what payoffs are multiplied with to be in the units of [-1, 1]; 0 if they are all the same."""
    low, high = tree.utility_range()
    return 2 / (high - low) if high > low else 0.0


def _random_tree(seed: int, rng: np.random.Generator) -> Tree:
    """Return a random game with any of what trips a solver up."""
    parameters: dict[str, Any] = {
        "depth": int(rng.integers(3, 7)), "max_actions": int(rng.integers(2, 4)),
        "chance": float(rng.choice([0.0, 0.2, 0.4])), "merge": float(rng.choice([0.5, 0.9, 1.0])),
        "signals": int(rng.integers(1, 4)), "stop": float(rng.choice([0.0, 0.1, 0.2])),
        "forced": float(rng.choice([0.0, 0.1, 0.3])), "zeros": float(rng.choice([0.0, 0.3])),
        "ties": float(rng.choice([0.0, 0.5, 1.0])),
    }  # fmt: skip
    return build_tree(RandomGame(seed, **parameters))


def _dealt_tree(seed: int, rng: np.random.Generator) -> Tree:
    """Return a game of one deal: both players are told something, then in each round both move unseen.

    MAX wins if the last two moves match; how much depends on the moves, and seldom on the deal.
    """
    deals, rounds = [(6, 1), (3, 2)][int(rng.integers(2))]
    told = [rng.integers(0, int(rng.choice([1, 2, deals])), size=deals) for _ in (MAX, MIN)]
    told[int(rng.integers(2))] = np.arange(deals)
    usual: dict[tuple[int, ...], float] = {}

    def node(moves: tuple[int, ...], sees: tuple[str, str]) -> Node:
        if len(moves) == 2 * rounds:
            sign = 1.0 if moves[-1] == moves[-2] else -1.0
            payoff = usual.setdefault(moves, sign * float(rng.integers(1, 4)))
            return leaf(payoff if rng.random() < 0.85 else sign * float(rng.integers(1, 4)))
        if len(moves) % 2 == 0:
            return decision(MAX, {str(a): node((*moves, a), ("", "")) for a in range(2)}, sees=sees)
        shown = [f"{moves[-1]}{b}" for b in range(2)]
        return decision(MIN, {str(b): node((*moves, b), (shown[b], shown[b])) for b in range(2)})

    dealt = {str(d): (1 / deals, node((), (f"told {told[0][d]}", f"told {told[1][d]}"))) for d in range(deals)}
    return build_tree(ExplicitGame(f"deal({seed})", nature(dealt)))


def _random_blueprint(tree: Tree, rng: np.random.Generator) -> tuple[Strategy, float]:
    """Return a blueprint and the value of the game: any strategy, or an equilibrium with a systematic error."""
    solution = solve_lp(tree)
    if rng.random() < 0.5:
        return _random_strategy(tree, rng), solution.value
    error = float(rng.choice([0.02, 0.1]))
    behaviour = (1 - error) * solution.strategy(MAX).behaviour()
    behaviour[tree.infoset_first(MAX)[tree.acting_infosets(MAX)]] += error
    return Strategy.from_behaviour(tree, MAX, behaviour), solution.value


def _random_strategy(tree: Tree, rng: np.random.Generator) -> Strategy:
    """Return a strategy of MAX that never plays some actions, so that some infosets are out of reach."""
    size = tree.num_sequences(MAX)
    weights = rng.exponential(size=size) * (rng.random(size) < 0.8)
    infoset = tree.sequence_infoset(MAX)[1:]
    total = np.bincount(infoset, weights=weights[1:], minlength=tree.num_infosets(MAX))[infoset]
    behaviour = np.ones(size)
    even = 1.0 / tree.infoset_actions(MAX)[infoset]
    behaviour[1:] = np.where(total > 0, weights[1:] / np.where(total > 0, total, 1.0), even)
    return Strategy.from_behaviour(tree, MAX, behaviour)
