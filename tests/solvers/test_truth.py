"""The games whose values are known: linear programs, every kind of CFR, OpenSpiel and Gambit agree."""

import io
from dataclasses import replace
from fractions import Fraction

import pygambit
import pytest
from open_spiel.python.algorithms import exploitability as spiel_exploitability
from samples import (
    DARK_HEX,
    GOOFSPIEL,
    GOOFSPIEL_UP,
    KUHN,
    LEDUC,
    LIARS_DICE,
    PENNIES,
    VALUES,
    named_tree,
    random_strategy,
)

import murk
from murk.games.efg import write_efg
from murk.games.openspiel import load_openspiel
from murk.games.policy import to_openspiel_policy
from murk.solvers import VARIANTS, CfrSolver, Limits, exploitability, nash_conv, solve_cfr, solve_lp
from murk.tree import MAX, MIN, Profile

SMALL = [KUHN, DARK_HEX, GOOFSPIEL_UP]


@pytest.mark.parametrize("player", [MAX, MIN])
@pytest.mark.parametrize("algorithm", ["simplex", "ipm"])
@pytest.mark.parametrize("name", VALUES)
def test_linear_programs_find_the_known_values(name, algorithm, player):
    found = solve_lp(named_tree(name), player, algorithm=algorithm)
    assert found.value == pytest.approx(VALUES[name], abs=1e-9)
    assert found.exploitability < 1e-9
    assert found.lower == pytest.approx(VALUES[name], abs=1e-9)
    assert found.upper == pytest.approx(VALUES[name], abs=1e-9)


@pytest.mark.parametrize("n", [1, 2, 3, 10, 100])
def test_matching_pennies_by_both_methods(n):
    tree = murk.build(f"matching_pennies(n={n})")
    exact = solve_lp(tree)
    assert exact.exploitability < 1e-9
    assert solve_cfr(tree, limits=Limits(target=1e-5, iterations=100_000)).value == pytest.approx(exact.value, abs=1e-4)


# Regret matching guarantees the plain average, linear CFR the linear one; regret matching+ and its predictive form any
# average whose weights do not fall; DCFR is proved for its own.
GUARANTEED = {
    "cfr": ["uniform"],
    "cfr+": ["uniform", "linear", "quadratic"],
    "lcfr": ["linear"],
    "dcfr": ["quadratic"],
    "pcfr+": ["uniform", "linear", "quadratic"],
}
RUNS = [
    (method, replace(VARIANTS[method], averaging=averaging, alternating=alternating))
    for method, averages in GUARANTEED.items()
    for averaging in averages
    for alternating in (True, False)
]


@pytest.mark.parametrize("run", RUNS, ids=lambda run: f"{run[0]}-{run[1].averaging}-{run[1].alternating}")
@pytest.mark.parametrize("name", SMALL)
def test_every_average_with_a_guarantee_converges_on_small_games(name, run):
    method, variant = run
    found = solve_cfr(named_tree(name), method, variant=variant, limits=Limits(target=5e-3, iterations=50_000))
    assert found.stopped == "target"
    assert found.exploitability <= 5e-3
    assert found.lower <= VALUES[name] <= found.upper
    assert found.value == pytest.approx(VALUES[name], abs=1e-2)


@pytest.mark.parametrize(
    ("name", "method", "target", "within"),
    [
        (LEDUC, "cfr", 2e-2, 4000),
        (LEDUC, "cfr+", 1e-3, 4000),
        (LEDUC, "lcfr", 5e-3, 4000),
        (LEDUC, "dcfr", 1e-3, 4000),
        (LEDUC, "pcfr+", 1e-3, 4000),
        (GOOFSPIEL, "cfr", 1e-2, 2000),
        (GOOFSPIEL, "cfr+", 1e-3, 2000),
        (GOOFSPIEL, "lcfr", 1e-2, 2000),
        (GOOFSPIEL, "dcfr", 1e-3, 2000),
        (GOOFSPIEL, "pcfr+", 1e-5, 3000),  # from 1500 on, by the order in which payoffs are added
        (LIARS_DICE, "cfr", 1e-2, 2000),
        (LIARS_DICE, "cfr+", 1e-3, 2000),
        (LIARS_DICE, "lcfr", 1e-2, 2000),
        (LIARS_DICE, "dcfr", 1e-3, 2000),
        (LIARS_DICE, "pcfr+", 1e-3, 2000),
    ],
)
def test_every_method_reaches_its_target_on_the_larger_games(name, method, target, within):
    found = solve_cfr(named_tree(name), method, limits=Limits(target=target, iterations=within))
    assert found.stopped == "target"
    assert found.lower <= VALUES[name] + 1e-12
    assert found.upper >= VALUES[name] - 1e-12
    assert abs(found.value - VALUES[name]) <= 2 * target


def test_last_iterates_of_pcfr_plus_are_an_equilibrium_of_kuhn_poker():
    """Nothing is proved about last iterates in general, but on this game they get there, and quickly."""
    last = replace(VARIANTS["pcfr+"], averaging="last")
    found = solve_cfr(named_tree(KUHN), "pcfr+", variant=last, limits=Limits(target=1e-9, iterations=1000))
    assert found.stopped == "target"
    assert found.value == pytest.approx(-1 / 18, abs=1e-8)


@pytest.mark.parametrize("method", VARIANTS)
def test_the_answer_is_the_last_iterate_if_that_is_asked_for(method):
    tree = named_tree(KUHN)
    last = CfrSolver(tree, method, variant=replace(VARIANTS[method], averaging="last"))
    mean = CfrSolver(tree, method)
    for solver in (last, mean):
        solver.iterate(13)
    for p in (MAX, MIN):
        assert last.strategies()[p] == pytest.approx(mean._native.current(p), abs=1e-15)
        assert mean.strategies()[p] == pytest.approx(mean._native.average(p), abs=1e-15)
    assert last.exploitability() == pytest.approx(last.run(Limits(iterations=0)).exploitability, abs=1e-15)
    assert last.exploitability() != pytest.approx(mean.exploitability(), abs=1e-6)


@pytest.mark.parametrize("name", [KUHN, DARK_HEX, GOOFSPIEL_UP, LEDUC])
def test_openspiel_measures_the_same_exploitability(name):
    tree, game = named_tree(name), load_openspiel(name)
    profiles = [
        solve_cfr(tree, "cfr+", limits=Limits(iterations=7)).profile,
        solve_lp(tree).profile,
    ]
    if tree.num_nodes < 2000:
        profiles += [Profile(random_strategy(tree, MAX, s), random_strategy(tree, MIN, s + 1)) for s in range(3)]
    for profile in profiles:
        policy = to_openspiel_policy(profile, game)
        assert nash_conv(profile) == pytest.approx(spiel_exploitability.nash_conv(game.game, policy), abs=1e-9)
        if tree.num_nodes < 2000:
            theirs = spiel_exploitability.exploitability(game.game, policy)
            assert exploitability(profile) == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("name", [KUHN, DARK_HEX])
def test_gambit_finds_the_same_value(name):
    tree = named_tree(name)
    game = pygambit.read_efg(io.BytesIO(write_efg(tree).encode()))
    result = pygambit.nash.lp_solve(game, rational=False)
    equilibrium = result.equilibrium if hasattr(result, "equilibrium") else result.equilibria[0]
    first = next(iter(game.players))
    if hasattr(equilibrium, "payoffs"):
        value = equilibrium.payoffs[getattr(first, "label", first)]
    else:
        value = equilibrium.payoff(first)
    assert float(Fraction(str(value))) == pytest.approx(VALUES[name], abs=1e-9)


def test_pennies_of_the_paper_have_no_value_in_the_table_but_one_answer():
    tree = named_tree(PENNIES)
    values = {solve_lp(tree, p, algorithm=a).value for p in (MAX, MIN) for a in ("simplex", "ipm")}
    assert max(values) - min(values) < 1e-8 * 100
