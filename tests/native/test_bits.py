"""The same bits whatever the instruction set, the number of threads, and how often a run is interrupted."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest
from samples import GOOFSPIEL, LEDUC, add_random_extra, named_tree, random_tree

from murk import _core
from murk.errors import InputError
from murk.solvers import VARIANTS, CfrSolver, CfrState
from murk.tree import MAX, MIN

GAMES = {
    "leduc": lambda: named_tree(LEDUC),
    "goofspiel": lambda: named_tree(GOOFSPIEL),
    "random": lambda: random_tree(17, depth=8, stop=0.05),
    "random with many actions": lambda: random_tree(79, depth=4, max_actions=7, stop=0.0),
    "random with extra payoffs": lambda: add_random_extra(random_tree(29, depth=7, stop=0.0), 1),
    "hardly a game": lambda: random_tree(1, depth=1),
}


def numbers(solver: CfrSolver) -> list[np.ndarray]:
    """Return all that a run has made: averages, iterates, the whole state, exploitability."""
    native = solver._native
    _, weight, vectors = native.save()
    found = [getattr(native, what)(p) for what in ("average", "current") for p in (MAX, MIN)]
    return [*found, *vectors, np.array([weight, solver.exploitability()])]


def same(a: CfrSolver, b: CfrSolver) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(numbers(a), numbers(b), strict=True))


@pytest.mark.threads
@pytest.mark.parametrize("alternating", [True, False])
@pytest.mark.parametrize("method", VARIANTS)
@pytest.mark.parametrize("game", GAMES)
def test_instruction_sets_and_threads_give_the_same_bits(game, method, alternating):
    tree, variant = GAMES[game](), replace(VARIANTS[method], alternating=alternating)
    reference = CfrSolver(tree, variant=variant, kernels="portable")
    reference.iterate(40)
    for kernels in _core.instruction_sets():
        for threads in (1, 2, 3):
            if (kernels, threads) == ("portable", 1):
                continue
            solver = CfrSolver(tree, variant=variant, kernels=kernels, threads=threads)
            solver.iterate(40)
            assert same(solver, reference), (kernels, threads)


def test_the_best_instruction_set_is_the_default():
    tree = named_tree(LEDUC)
    default, best = CfrSolver(tree), CfrSolver(tree, kernels=_core.instruction_sets()[-1])
    for solver in (default, best):
        solver.iterate(10)
    assert same(default, best)


@pytest.mark.parametrize("method", VARIANTS)
@pytest.mark.parametrize("game", ["leduc", "random with extra payoffs", "hardly a game"])
def test_a_run_cut_into_pieces_is_the_same_run(game, method):
    tree = GAMES[game]()
    whole = CfrSolver(tree, method)
    whole.iterate(60)
    pieces = CfrSolver(tree, method, threads=2)
    for count in (1, 2, 0, 17, 20):
        pieces.iterate(count)
    halfway = pieces.state()
    pieces.iterate(20)
    assert same(pieces, whole)
    resumed = CfrSolver(tree, method)
    resumed.iterate(5)  # whatever it did before does not matter
    resumed.restore(halfway)
    assert resumed.iterations == 40
    resumed.iterate(20)
    assert same(resumed, whole)
    # Taking the state did not disturb it, nor did handing it on.
    assert all(np.array_equal(a, b) for a, b in zip(halfway.vectors, replace(halfway).vectors, strict=True))


def test_a_state_is_a_copy():
    tree = named_tree(LEDUC)
    solver = CfrSolver(tree)
    solver.iterate(10)
    state = solver.state()
    kept = [v.copy() for v in state.vectors]
    solver.iterate(10)
    assert all(np.array_equal(a, b) for a, b in zip(state.vectors, kept, strict=True))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s: replace(s, method="cfr"), r"the saved state is of cfr, expected pcfr\+"),
        (lambda s: replace(s, variant=VARIANTS["dcfr"]), "the saved state is of CfrVariant"),
        (lambda s: replace(s, vectors=s.vectors[:-1]), "does not belong to"),
        (lambda s: replace(s, vectors=(*s.vectors[:-1], s.vectors[-1][:-1])), "does not belong to"),
        (lambda s: replace(s, vectors=(*s.vectors[:-1], s.vectors[-1] * np.nan)), "is spoilt"),
        (lambda s: replace(s, iteration=-1), "is spoilt"),
        (lambda s: replace(s, average_weight=float("inf")), "is spoilt"),
    ],
)
def test_a_state_that_does_not_fit_is_refused(change, message):
    solver = CfrSolver(random_tree(17))
    solver.iterate(3)
    state = solver.state()
    before = numbers(solver)
    with pytest.raises(InputError, match=message):
        solver.restore(change(state))
    assert all(np.array_equal(a, b) for a, b in zip(before, numbers(solver), strict=True))


def test_a_state_without_its_variant_is_taken_by_its_method():
    solver = CfrSolver(random_tree(17))
    solver.iterate(3)
    state = solver.state()
    solver.restore(CfrState(state.method, state.iteration, state.average_weight, state.vectors))
    assert solver.iterations == 3


SIGNATURES = {
    "cfr": "da0deb23c44fc3bd",
    "cfr+": "330dc01247ac0da9",
    "lcfr": "470ebd9e9da0368b",
    "dcfr": "5048d7b848deadf3",
    "pcfr+": "be54bb361ae70666",
}


@pytest.mark.parametrize("method", VARIANTS)
def test_the_signature_of_a_run_has_not_changed(method):
    """A functional fingerprint: if a change of the solvers moves it, that must be on purpose."""
    solver = CfrSolver(random_tree(31, depth=6), method)
    digest = hashlib.blake2b(digest_size=8)
    for _ in range(5):
        solver.iterate(10)
        for p in (MAX, MIN):
            for vector in (solver._native.average(p), solver._native.current(p)):
                digest.update((np.round(vector, 6) + 0.0).tobytes())
    assert digest.hexdigest() == SIGNATURES[method]
