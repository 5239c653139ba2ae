"""When solvers stop, what they report on the way, and what Ctrl-C does."""

import math
import os
import signal
import threading

import highspy
import numpy as np
import pytest
from samples import GOOFSPIEL, KUHN, LEDUC, LIARS_DICE, named_tree, random_tree

import murk
from murk.errors import InputError
from murk.solvers import METHODS, VARIANTS, CfrSolver, Limits, SequenceLp, choose_method, lp, solve_cfr, solve_lp
from murk.tree import MAX, MIN, Tree


@pytest.mark.parametrize("name", ["target", "seconds", "iterations"])
@pytest.mark.parametrize("value", [-1, -1e-9, float("nan"), float("-inf")])
def test_limits_cannot_be_negative(name, value):
    with pytest.raises(InputError, match=rf"{name} is .*, expected a number that is not negative"):
        Limits(**{name: value})


@pytest.mark.parametrize("value", [1.5, float("inf"), 2.0])
def test_iterations_are_whole(value):
    with pytest.raises(InputError, match=r"iterations is .*, expected a whole number"):
        Limits(iterations=value)
    assert Limits(iterations=np.int64(3)).iterations == 3


def test_a_run_stops_at_the_iterations_asked_for():
    for iterations in (0, 1, 2, 57):
        found = solve_cfr(named_tree(KUHN), limits=Limits(iterations=iterations))
        assert (found.iterations, found.stopped) == (iterations, "iterations")


def test_a_run_stops_at_its_target_and_not_before():
    found = solve_cfr(named_tree(KUHN), "cfr+", limits=Limits(target=1e-3))
    assert found.stopped == "target"
    assert found.exploitability <= 1e-3
    assert all(point.exploitability > 1e-3 for point in found.trace[:-1])
    again = solve_cfr(named_tree(KUHN), "cfr+", limits=Limits(target=1e-3))
    assert again.iterations == found.iterations


def test_a_run_stops_in_time():
    found = solve_cfr(named_tree(LIARS_DICE), limits=Limits(seconds=0.05, target=0))
    assert found.stopped == "seconds"
    assert found.iterations >= 1
    assert solve_cfr(named_tree(LIARS_DICE), limits=Limits(seconds=0)).stopped == "seconds"


def test_whichever_limit_comes_first():
    limits = Limits(target=1e-3, seconds=3600, iterations=5)
    assert solve_cfr(named_tree(LEDUC), limits=limits).stopped == "iterations"
    limits = Limits(target=100.0, seconds=3600, iterations=5)
    found = solve_cfr(named_tree(LEDUC), limits=limits)
    assert (found.stopped, found.iterations) == ("target", 0)


def test_progress_and_trace_grow():
    heard = []
    found = solve_cfr(named_tree(LEDUC), "dcfr", limits=Limits(iterations=100), progress=heard.append)
    counts = [p.iterations for p in heard]
    assert counts == sorted(set(counts))
    assert (counts[0], counts[-1]) == (0, 100)
    assert len(counts) > 20
    assert all(p.method == "dcfr" and math.isfinite(p.exploitability) for p in heard)
    assert [p.seconds for p in heard] == sorted(p.seconds for p in heard)
    assert [(t.iterations, t.exploitability) for t in found.trace] == [(p.iterations, p.exploitability) for p in heard]
    assert heard[-1].exploitability < heard[0].exploitability / 10


@pytest.mark.parametrize("method", VARIANTS)
def test_ctrl_c_ends_a_run_like_a_limit_and_it_can_go_on(method):
    tree = named_tree(KUHN)
    whole = solve_cfr(tree, method, limits=Limits(iterations=200))

    def interrupt(progress):
        if progress.iterations >= 50:
            raise KeyboardInterrupt

    cut = solve_cfr(tree, method, limits=Limits(iterations=200), progress=interrupt)
    assert cut.stopped == "interrupted"
    assert 50 <= cut.iterations < 200
    rest = murk.solve(tree, method, iterations=200 - cut.iterations, resume=cut)
    assert (rest.iterations, rest.stopped) == (200, "iterations")
    for p in (MAX, MIN):
        assert np.array_equal(rest.strategy(p).sequences, whole.strategy(p).sequences)
    assert rest.trace[: len(cut.trace)] == cut.trace
    assert rest.seconds >= cut.seconds


def test_ctrl_c_before_anything_was_done():
    def interrupt(progress):
        raise KeyboardInterrupt

    found = solve_cfr(named_tree(KUHN), progress=interrupt)
    assert (found.stopped, found.iterations) == ("interrupted", 0)


def interrupting(seconds: float) -> threading.Timer:
    """Press Ctrl-C in a while."""
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def test_a_real_signal_gets_through_to_a_running_solver():
    tree = named_tree(GOOFSPIEL)
    timer = interrupting(0.2)
    found = solve_cfr(tree, limits=Limits(seconds=60, target=0))
    timer.join()
    assert found.stopped == "interrupted"
    assert found.iterations > 0


def test_other_exceptions_of_a_callback_get_through():
    def fail(progress):
        raise RuntimeError("the callback broke")

    for solve in (solve_cfr, solve_lp):
        with pytest.raises(RuntimeError, match="the callback broke"):
            solve(named_tree(LEDUC), progress=fail)


@pytest.mark.parametrize("algorithm", ["simplex", "ipm"])
def test_ctrl_c_ends_a_linear_program_and_its_thread(algorithm, monkeypatch):
    monkeypatch.setattr(lp, "_POLL_SECONDS", 0.002)  # long before it could be done
    before = threading.active_count()
    program = SequenceLp(named_tree(LEDUC), algorithm=algorithm)

    def interrupt(progress):
        assert progress.method == algorithm
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        program.solve(progress=interrupt)
    assert threading.active_count() == before
    assert program._highs.getModelStatus() == highspy.HighsModelStatus.kInterrupt
    assert program.solve().value == pytest.approx(-0.0856064240780006, abs=1e-9)
    assert threading.active_count() == before


def test_a_real_signal_gets_through_to_a_linear_program():
    tree, before = named_tree(GOOFSPIEL), threading.active_count()

    def solve_for_ever() -> None:
        while True:
            solve_lp(tree, algorithm="ipm")

    timer = interrupting(0.3)
    with pytest.raises(KeyboardInterrupt):
        solve_for_ever()
    timer.join()
    assert threading.active_count() == before


def test_programs_can_run_side_by_side():
    tree = named_tree(LEDUC)
    values = []
    threads = [
        threading.Thread(target=lambda p=p: values.append(solve_lp(tree, p, algorithm="ipm").value)) for p in (MAX, MIN)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert values == pytest.approx([-0.0856064240780006] * 2, abs=1e-9)


def test_programs_report_progress():
    heard = []
    solve_lp(named_tree(LEDUC), progress=heard.append)
    assert heard
    assert [p.seconds for p in heard] == sorted(p.seconds for p in heard)
    assert all(math.isnan(p.exploitability) for p in heard)


# One door


def test_the_door_knows_its_methods():
    assert set(METHODS) == {"auto", "lp", "simplex", "ipm", *VARIANTS}
    tree = random_tree(7, depth=6)
    value = solve_lp(tree).value
    for method in METHODS:
        found = murk.solve(tree, method, target=1e-3) if method in VARIANTS else murk.solve(tree, method)
        assert found.value == pytest.approx(value, abs=3e-3)
        expected = {"auto": "simplex", "lp": "simplex"}.get(method, method)
        assert found.method == expected


def test_the_choice_among_methods():
    small, large = named_tree(KUHN), named_tree(LIARS_DICE)
    assert choose_method(small, None) == "simplex"
    assert choose_method(small, 1e-2) == "simplex"
    assert choose_method(large, None) == "simplex"
    assert choose_method(large, 1e-2) == "dcfr"
    assert choose_method(large, 1e-6) == "pcfr+"
    assert choose_method(large, 0.0) == "simplex"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "magic"}, "method is 'magic', expected one of auto, lp, simplex"),
        ({"method": "cfr", "lower": np.zeros(13)}, "method cfr takes no lower bounds, expected lp, simplex or ipm"),
        ({"method": "simplex", "player": 2}, "player is 2, expected MAX"),
        ({"method": "cfr", "threads": 0}, "threads is 0"),
        ({"target": -1}, "target is -1"),
        ({"seconds": float("nan")}, "seconds is nan"),
        ({"iterations": 2.5}, r"iterations is 2\.5, expected a whole number"),
    ],
)
def test_arguments_that_do_not_go_together(arguments, message):
    with pytest.raises(InputError, match=message):
        murk.solve(named_tree(KUHN), **arguments)


def test_what_cannot_go_on():
    tree = named_tree(KUHN)
    exact, rough = murk.solve(tree), murk.solve(tree, "cfr", iterations=10)
    with pytest.raises(InputError, match="method simplex cannot go on from an earlier solution"):
        murk.solve(tree, "simplex", resume=rough)
    with pytest.raises(InputError, match="method simplex cannot go on"):
        murk.solve(tree, resume=exact)
    with pytest.raises(InputError, match="a solution by simplex holds nothing to go on from, expected one by cfr"):
        murk.solve(tree, "cfr", resume=exact)
    with pytest.raises(InputError, match=r"the saved state is of cfr, expected dcfr"):
        murk.solve(tree, "dcfr", resume=rough)
    with pytest.raises(InputError, match="does not belong to leduc_poker"):
        murk.solve(named_tree(LEDUC), "cfr", resume=rough)
    assert murk.solve(tree, resume=rough, iterations=5).iterations == 15
    assert murk.solve(tree, "cfr", resume=rough.state, iterations=5).iterations == 15


def test_bounds_choose_a_linear_program():
    from murk.solvers import epsilon_uniform

    tree = named_tree(KUHN)
    bounds = epsilon_uniform(tree, MAX, 0.25)
    for method in ("auto", "lp"):
        assert murk.solve(tree, method, lower=bounds).method == "simplex"
    assert murk.solve(tree, lower=epsilon_uniform(tree, MIN, 0.25), player=MIN).value > -1 / 18


def test_an_empty_tree_is_no_game():
    for method in METHODS:
        with pytest.raises(InputError, match="the tree is empty, expected one with a root"):
            murk.solve(Tree(), method)


def test_without_limits_regret_minimisation_makes_a_thousand_iterations():
    assert murk.solve(named_tree(KUHN), "cfr").iterations == 1000
    assert solve_cfr(named_tree(KUHN), "cfr").iterations == 1000


def test_a_solver_runs_on_from_where_it_is():
    solver = CfrSolver(named_tree(KUHN), "cfr+")
    assert solver.run(Limits(iterations=30)).iterations == 30
    found = solver.run(Limits(iterations=30))
    assert found.iterations == 60
    assert [p.iterations for p in found.trace] == sorted({p.iterations for p in found.trace})
