"""One measurement, and the studies of epsilon and of k made of it."""

from typing import Any

import pytest

from murk.errors import InputError
from murk.experiments import epsilon, orders
from murk.experiments.games import CASES, Case, chosen
from murk.experiments.refined import blueprint_of, order_of, refined_task
from murk.experiments.unsafe import refine_unsafely
from murk.subgame import NestedOptions

CASE = {case.name: case for case in CASES}


def row(case: Case, **options: Any) -> dict[str, Any]:
    options.setdefault("epsilon", 0.25)
    return refined_task(case, **options).run(lambda part: None)


def test_a_row_says_what_was_done():
    found = row(CASE["kuhn"], refinement="sequential")
    assert found["game"] == "Kuhn poker"
    assert found["subgames"] == 6
    assert found["ratio"] == pytest.approx(found["blueprint"] / found["after"])
    assert (found["epsilon"], found["order"], found["kind"], found["lift"]) == (0.25, 1, "maxmargin", "root")


@pytest.mark.parametrize("name", ["kuhn", "dark_hex", "goofspiel_increasing"])
@pytest.mark.parametrize("refinement", ["none", "sequential"])
def test_an_exact_equilibrium_is_not_ruined_in_these_games(name: str, refinement: str):
    found = row(CASE[name], epsilon=0.0, refinement=refinement)
    assert found["blueprint"] == 0.0
    assert found["after"] < 1e-6


@pytest.mark.parametrize("name", ["kuhn", "dark_hex", "matching_pennies"])
@pytest.mark.parametrize("lift", ["root", "set"])
def test_common_knowledge_subgame_solving_is_safe_where_the_gadgets_are_solved_alike(name: str, lift: str):
    found = row(CASE[name], order="inf", lift=lift, refinement="sequential")
    if name != "matching_pennies" or lift == "set":
        assert found["after"] <= found["blueprint"] + 1e-7


def test_the_safe_variant_is_safe_in_every_row_of_the_small_games():
    for name in ("kuhn", "kuhn_bet", "dark_hex", "goofspiel_increasing", "matching_pennies"):
        found = row(CASE[name], variant="safe")
        assert found["after"] <= found["blueprint"] + 1e-7


def test_unsafe_solving_is_not_safe():
    found = row(CASE["dark_hex"], variant="unsafe")
    assert found["after"] > found["blueprint"] + 0.1


def test_unsafe_solving_best_responds_where_the_opponent_is_as_expected():
    """At the root of a game with one infoset there is nothing to be wrong about."""
    blueprint = blueprint_of("goofspiel_increasing", 0.25)
    found = refine_unsafely(blueprint.profile, NestedOptions(lower=blueprint.lower))
    assert blueprint.exploitability(found) == 0.0


@pytest.mark.parametrize(("text", "order"), [("1", 1), (3, 3), ("5", 5), ("inf", float("inf"))])
def test_orders_are_odd_or_infinite(text: Any, order: float):
    assert order_of(text) == order


@pytest.mark.parametrize("text", ["2", "0", "-1", "1.5", "many", ""])
def test_other_orders_are_refused(text: str):
    with pytest.raises(InputError, match="expected an odd number or 'inf'"):
        order_of(text)


def test_epsilon_is_a_probability():
    with pytest.raises(InputError, match=r"epsilon is 1\.5"):
        refined_task(CASE["kuhn"], epsilon=1.5)


def test_the_study_of_epsilon_leaves_out_what_is_the_same_without_a_restriction():
    listed = epsilon.tasks(chosen(["kuhn", "kuhn_bet"]), refinements=["none"])
    found = [(task.arguments["name"], task.arguments["epsilon"]) for task in listed]
    assert found == [("kuhn", e) for e in epsilon.EPSILONS] + [("kuhn_bet", e) for e in epsilon.EPSILONS[1:]]


def test_the_papers_figures_stand_beside_its_epsilons_only():
    full = [epsilon.with_paper({"name": "kuhn", "epsilon": e}) for e in epsilon.EPSILONS]
    assert [r["paper_after"] for r in full] == [0.0, None, None, 0.0015, None]


def test_the_study_of_orders_has_each_setting_once():
    listed = orders.tasks(chosen(["kuhn"]))
    found = [(t.arguments["variant"], t.arguments["order"], t.arguments["lift"]) for t in listed]
    higher = [(k, lift) for k in (3, 5, "inf") for lift in ("root", "set")]
    assert found == [
        *(("klss", k, lift) for k, lift in [(1, "root"), *higher]),
        ("kluss", 1, "root"),
        ("safe", 1, "root"),
        *(("unsafe", k, lift) for k, lift in [(1, "root"), *higher]),
    ]
    assert {t.arguments["name"] for t in orders.tasks()} == set(orders.DEFAULT)


def test_a_study_of_nothing_is_refused():
    with pytest.raises(InputError, match="nothing to study"):
        orders.tasks(chosen(["kuhn"]), orders=["3"], variants=["safe"])
    with pytest.raises(InputError, match="odd number"):
        orders.tasks(chosen(["kuhn"]), orders=["4"])
