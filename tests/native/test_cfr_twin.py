"""The native iterations are those of the slow twin, iterate by iterate."""

from dataclasses import replace

import numpy as np
import pytest
from samples import KUHN, LEDUC, add_random_extra, named_tree, random_tree
from twins import CfrTwin

from murk.solvers import VARIANTS, CfrSolver, CfrVariant
from murk.tree import MAX, MIN

AVERAGING = ("uniform", "linear", "quadratic")
ALL = [
    (
        f"{name}-{averaging}-{'alternating' if alternating else 'simultaneous'}",
        replace(preset, averaging=averaging, alternating=alternating),
    )
    for name, preset in VARIANTS.items()
    for averaging in AVERAGING
    for alternating in (True, False)
]
GAMES = [
    ("random", lambda: random_tree(7, depth=6, stop=0.0)),
    ("random with zeros", lambda: random_tree(180, depth=5, max_actions=5, zeros=1.0, chance=0.5)),
    ("random with extra payoffs", lambda: add_random_extra(random_tree(30, depth=6, signals=3), 5)),
    ("one player", lambda: random_tree(3, depth=5, solo=1.0)),
]


def assert_same_iterates(tree, variant: CfrVariant, iterations: int, near: float = 1e-9) -> None:
    native, twin = CfrSolver(tree, variant=variant), CfrTwin(tree, variant)
    for _ in range(iterations):
        native.iterate(1)
        twin.run()
        for p in (MAX, MIN):
            assert native._native.current(p) == pytest.approx(twin.current(p), abs=near)
            assert native._native.average(p) == pytest.approx(twin.average(p), abs=near)
    assert native.iterations == iterations


@pytest.mark.parametrize("variant", [v for _, v in ALL], ids=[name for name, _ in ALL])
def test_every_variant_on_random_games_and_kuhn_poker(variant):
    for _, make in GAMES:
        assert_same_iterates(make(), variant, 30)
    assert_same_iterates(named_tree(KUHN), variant, 50)


@pytest.mark.parametrize("method", VARIANTS)
def test_every_method_on_leduc_poker(method):
    assert_same_iterates(named_tree(LEDUC), VARIANTS[method], 25)


@pytest.mark.parametrize("seed", range(20))
def test_presets_on_more_random_games(seed):
    tree = random_tree(100 + seed, depth=3 + seed % 4, max_actions=2 + seed % 3)
    if seed % 2:
        add_random_extra(tree, seed)
    for method in VARIANTS:
        assert_same_iterates(tree, VARIANTS[method], 20)


@pytest.mark.parametrize(("alpha", "beta"), [(1.0, 1.0), (2.0, -1.0), (0.5, 3.0)])
def test_discounts_with_other_exponents(alpha, beta):
    variant = CfrVariant(regret="discounted", alpha=alpha, beta=beta, averaging="linear")
    assert_same_iterates(random_tree(7, depth=6, stop=0.0), variant, 30)


def test_forgetting_negative_regret_is_regret_matching_plus():
    tree = random_tree(7, depth=6, stop=0.0)
    forgetful = CfrVariant(regret="discounted", alpha=float("inf"), beta=float("-inf"), averaging="linear")
    keeping = replace(forgetful, beta=float("inf"), averaging="uniform")
    for variant, method in ((forgetful, "cfr+"), (keeping, "cfr")):
        a, b = CfrSolver(tree, variant=variant), CfrSolver(tree, method)
        for solver in (a, b):
            solver.iterate(40)
        for p in (MAX, MIN):
            assert np.array_equal(a._native.average(p), b._native.average(p))
