"""The one result type: its figures, its table, its file."""

import json
from dataclasses import replace

import numpy as np
import pytest
from samples import KUHN, LEDUC, add_random_extra, named_tree, random_tree

import murk
from murk.errors import FormatError, InputError
from murk.solvers import VARIANTS, Limits, epsilon_uniform, exploitability, nash_conv, solve_cfr, solve_lp
from murk.tree import MAX, MIN
from murk.tree.files import read_container, write_container


def solutions():
    tree = named_tree(KUHN)
    yield solve_lp(tree, MIN, algorithm="ipm")
    yield solve_lp(tree, MAX, lower=epsilon_uniform(tree, MAX, 0.2))
    for method in VARIANTS:
        yield solve_cfr(tree, method, limits=Limits(iterations=20))
    last = replace(VARIANTS["cfr"], averaging="last", alternating=False)
    yield solve_cfr(tree, "cfr", variant=last, limits=Limits(iterations=20))


def test_the_figures_fit_together():
    for found in solutions():
        assert found.nash_conv == found.upper - found.lower == pytest.approx(nash_conv(found.profile), abs=1e-15)
        assert found.exploitability == found.nash_conv / 2 == pytest.approx(exploitability(found.profile), abs=1e-15)
        assert found.strategy(MAX) is found.profile.max
        assert found.strategy(MIN) is found.profile.min
        figures = found.to_dict()
        assert json.loads(json.dumps(figures)) == figures
        assert figures["game"] == "kuhn_poker"
        for name in (
            "method",
            "value",
            "exploitability",
            "nash_conv",
            "lower",
            "upper",
            "iterations",
            "seconds",
            "stopped",
        ):
            assert figures[name] == getattr(found, name)
        assert f"by {found.method}" in repr(found)


def test_the_trace_as_a_table():
    found = solve_cfr(named_tree(KUHN), limits=Limits(iterations=20))
    frame = found.to_frame()
    assert list(frame.columns) == ["iterations", "seconds", "exploitability"]
    assert frame["iterations"].tolist() == [p.iterations for p in found.trace]
    assert frame["exploitability"].tolist() == [p.exploitability for p in found.trace]


def test_saved_solutions_come_back_to_the_bit(tmp_path):
    for i, found in enumerate(solutions()):
        path = tmp_path / f"{i}.murk"
        murk.save_solution(found, path)
        back = murk.load_solution(path, found.tree)
        assert back.to_dict() == found.to_dict()
        assert back.trace == found.trace
        for p in (MAX, MIN):
            assert np.array_equal(back.strategy(p).sequences, found.strategy(p).sequences)
        assert (back.state is None) == (found.state is None)
        if found.state is not None:
            assert back.state.variant == found.state.variant
            assert (back.state.method, back.state.iteration) == (found.state.method, found.state.iteration)
            assert all(np.array_equal(a, b) for a, b in zip(back.state.vectors, found.state.vectors, strict=True))


@pytest.mark.parametrize("method", VARIANTS)
def test_a_run_goes_on_from_a_file(tmp_path, method):
    tree = named_tree(LEDUC)
    whole = solve_cfr(tree, method, limits=Limits(iterations=50))
    murk.save_solution(solve_cfr(tree, method, limits=Limits(iterations=20)), tmp_path / "half.murk")
    rest = murk.solve(tree, resume=murk.load_solution(tmp_path / "half.murk", tree), iterations=30)
    assert rest.iterations == 50
    for p in (MAX, MIN):
        assert np.array_equal(rest.strategy(p).sequences, whole.strategy(p).sequences)


def test_a_solution_belongs_to_its_game(tmp_path):
    path = tmp_path / "solution.murk"
    tree = random_tree(1, depth=5)
    murk.save_solution(solve_lp(tree), path)
    for other in (random_tree(2, depth=5), add_random_extra(random_tree(1, depth=5), 1)):
        with pytest.raises(InputError, match=r"is a solution of random\(seed=1,depth=5\), expected one of random"):
            murk.load_solution(path, other)
    twin = random_tree(1, depth=5)
    assert murk.load_solution(path, twin).tree is twin


def test_a_file_of_another_kind_is_refused(tmp_path):
    tree = named_tree(KUHN)
    murk.save_tree(tree, tmp_path / "tree.murk")
    murk.save_solution(solve_lp(tree), tmp_path / "solution.murk")
    with pytest.raises(FormatError, match="holds a tree, expected a solution"):
        murk.load_solution(tmp_path / "tree.murk", tree)
    with pytest.raises(FormatError, match="holds a solution, expected a tree"):
        murk.load_tree(tmp_path / "solution.murk")
    with pytest.raises(InputError, match=r"cannot read .*: No such file"):
        murk.load_solution(tmp_path / "nothing.murk", tree)


def test_damaged_files_are_refused(tmp_path):
    tree, path = named_tree(KUHN), tmp_path / "solution.murk"
    murk.save_solution(solve_cfr(tree, limits=Limits(iterations=5)), path)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    for cut in [0, 1, 7, 8, 19, 20, len(whole) - 1, *rng.integers(0, len(whole), 20).tolist()]:
        path.write_bytes(whole[:cut])
        with pytest.raises(FormatError):
            murk.load_solution(path, tree)
    for at in [0, 9, 13, 21, len(whole) - 1, *rng.integers(0, len(whole), 60).tolist()]:
        spoilt = bytearray(whole)
        spoilt[at] ^= 1 << int(rng.integers(8))
        path.write_bytes(spoilt)
        with pytest.raises(FormatError):
            murk.load_solution(path, tree)
    path.write_bytes(whole)
    assert murk.load_solution(path, tree).iterations == 5


@pytest.mark.parametrize(
    "spoil",
    [
        lambda meta, arrays: arrays.pop("max"),
        lambda meta, arrays: arrays.pop("trace"),
        lambda meta, arrays: arrays.pop("state_7"),
        lambda meta, arrays: meta.pop("value"),
        lambda meta, arrays: arrays.update(max=arrays["max"][:-1]),
        lambda meta, arrays: arrays.update(min=arrays["min"] * 2),
        lambda meta, arrays: arrays.update(min=arrays["min"] * np.nan),
        lambda meta, arrays: arrays.update(trace=arrays["trace"].ravel()),
        lambda meta, arrays: meta["state"].pop("iteration"),
        lambda meta, arrays: meta["state"]["variant"].update(regret="magic"),
        lambda meta, arrays: meta["state"]["variant"].update(colour="red"),
        lambda meta, arrays: meta.update(state=7),
    ],
)
def test_files_with_a_good_checksum_and_bad_contents_are_refused(tmp_path, spoil):
    tree, path = named_tree(KUHN), tmp_path / "solution.murk"
    murk.save_solution(solve_cfr(tree, limits=Limits(iterations=5)), path)
    _, meta, arrays = read_container(path)
    spoil(meta, arrays)
    write_container(path, "solution", meta, arrays)
    with pytest.raises(FormatError, match="is not a solution file"):
        murk.load_solution(path, tree)


def test_saving_over_a_solution_replaces_it_whole(tmp_path):
    tree, path = named_tree(KUHN), tmp_path / "solution.murk"
    for iterations in (3, 5):
        murk.save_solution(solve_cfr(tree, limits=Limits(iterations=iterations)), path)
        assert murk.load_solution(path, tree).iterations == iterations
    assert list(tmp_path.iterdir()) == [path]
