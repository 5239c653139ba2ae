"""The loop that murk is measured against solves the same subgames: its margins are those of the gadgets."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
from samples import random_strategy, random_tree

from murk.experiments.refined import blueprint_of
from murk.solvers import side_exploitability, solve_lp
from murk.subgame import NestedOptions, refine_everywhere, start_chain
from murk.tree import MAX

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "naive_table1.py"


@pytest.fixture(scope="module")
def loop() -> ModuleType:
    spec = importlib.util.spec_from_file_location("naive_table1", SCRIPT)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    assert spec.loader is not None
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("careful", [False, True])
@pytest.mark.parametrize("name", ["kuhn", "dark_hex", "goofspiel_increasing", "matching_pennies"])
def test_margins_are_those_of_the_gadgets(loop: ModuleType, name: str, careful: bool):
    blueprint = blueprint_of(name, 0.25)
    x = blueprint.profile.max
    lower = loop.behaviour_of(x, blueprint.lower)
    behaviour, margins = loop.refine(loop.NaiveGame(x.tree), loop.behaviour_of(x), lower, careful=careful)
    first = [i for i in margins if x.tree.infoset_parent(MAX)[i] == 0]
    assert first
    for infoset in first:
        ours = start_chain(x, infoset, NestedOptions(lower=blueprint.lower)).solution.value
        assert margins[infoset] == pytest.approx(ours, abs=1e-7)
    if name in ("dark_hex", "matching_pennies"):  # where every solver ends at the same strategy
        ours = refine_everywhere(x, NestedOptions(lower=blueprint.lower))
        assert blueprint.exploitability(loop.strategy_of(x.tree, behaviour)) == pytest.approx(
            blueprint.exploitability(ours), abs=1e-9
        )


@pytest.mark.parametrize("careful", [False, True])
def test_margins_agree_on_random_games(loop: ModuleType, careful: bool):
    compared = 0
    for seed in range(60):
        tree = random_tree(seed, depth=5)
        if not len(tree.acting_infosets(MAX)):
            continue
        x = random_strategy(tree, MAX, seed)
        free = loop.behaviour_of(x, 0 * x.behaviour())
        _, margins = loop.refine(loop.NaiveGame(tree), loop.behaviour_of(x), free, careful=careful)
        for infoset, margin in margins.items():
            if tree.infoset_parent(MAX)[infoset] == 0:
                ours = start_chain(x, infoset, NestedOptions()).solution.value
                assert margin == pytest.approx(ours, abs=1e-6), (seed, infoset)
                compared += 1
    assert compared > 40


def test_a_single_chain_is_safe(loop: ModuleType):
    """The loop's own answer, too, must not be worse than the blueprint where MAX has one first infoset."""
    blueprint = blueprint_of("dark_hex", 0.25)
    x = blueprint.profile.max
    behaviour, _ = loop.refine(loop.NaiveGame(x.tree), loop.behaviour_of(x), loop.behaviour_of(x, blueprint.lower))
    value = solve_lp(x.tree).value
    assert side_exploitability(loop.strategy_of(x.tree, behaviour), value) <= side_exploitability(x, value) + 1e-9
