"""Affine equilibria: hulls known by hand, an independent oracle, ``th:affine-safety`` and ``pr:aff-eqm``."""

import numpy as np
import pytest
from deals import deal_tree, tilted
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import Plain
from samples import DARK_HEX, GOOFSPIEL_UP, KUHN, add_random_extra, named_tree, payoff_range, random_tree, random_trees
from scipy.optimize import linprog

import murk
from murk.errors import InputError, TooLargeError
from murk.games.explicit import ExplicitGame, decision, leaf, nature
from murk.solvers import NashPolytope, expected_value, side_exploitability, solve_lp
from murk.subgame import AffineHull, NestedOptions, affine, is_best_response_to_all_equilibria, refine_everywhere
from murk.tree import MAX, MIN, Profile, Strategy, uniform

NEAR = 1e-7
seeds = st.integers(0, 2**32)


def matrix_game(payoffs):
    """MAX chooses a row, MIN, who does not see it, a column."""
    rows = {
        str(i): decision(MIN, {str(j): leaf(v) for j, v in enumerate(row)}, sees=("", "column"))
        for i, row in enumerate(payoffs)
    }
    return murk.build(ExplicitGame("matrix", decision(MAX, rows)))


def mixed(tree, player, probabilities):
    return Strategy(tree, player, np.concatenate([[1.0], probabilities]))


def test_a_unique_equilibrium_is_its_own_hull():
    tree = matrix_game([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])  # rock, paper, scissors
    for player in (MAX, MIN):
        hull = AffineHull(tree, player)
        assert hull.dimension == 0
        assert hull.base.sequences == pytest.approx([1, 1 / 3, 1 / 3, 1 / 3])
        assert hull.contains(uniform(tree, player))
        assert hull.distance(mixed(tree, player, [1, 0, 0])) == pytest.approx(np.sqrt(2 / 3))
        # Anything is a best response to the equilibrium: pr:aff-eqm does not tell affine equilibria from others.
        assert is_best_response_to_all_equilibria(mixed(tree, player, [1, 0, 0]))


def test_a_segment_of_equilibria_and_the_line_through_it():
    # Matching pennies with heads twice: (p, 1/2 - p, 1/2) for p from 0 to 1/2.
    tree = matrix_game([[1, -1], [1, -1], [-1, 1]])
    hull = AffineHull(tree, MAX)
    assert hull.dimension == 1
    assert hull.directions[:, 0] == pytest.approx(np.array([0, 1, -1, 0]) / np.sqrt(2) * np.sign(hull.directions[1, 0]))
    for p in (0, 0.1, 0.5):
        assert hull.contains(mixed(tree, MAX, [p, 0.5 - p, 0.5]))
    assert not hull.contains(mixed(tree, MAX, [0.3, 0.3, 0.4]))
    assert AffineHull(tree, MIN).dimension == 0


def test_an_affine_equilibrium_that_is_none():
    """MAX may play heads between 1/3 and 2/3 of the time: MIN can pass for 0, or bet on either side at 2 to 1."""
    tree = matrix_game([[0, -1, 2], [0, 2, -1]])
    value = solve_lp(tree).value
    assert value == pytest.approx(0)
    hull = AffineHull(tree, MAX)
    assert hull.dimension == 1
    for heads, loses in ((1 / 3, False), (0.5, False), (2 / 3, False), (0.7, True), (1.0, True)):
        x = mixed(tree, MAX, [heads, 1 - heads])
        assert hull.contains(x)
        assert is_best_response_to_all_equilibria(x)
        assert (side_exploitability(x, value) > 1e-9) == loses


def test_an_action_that_no_equilibrium_plays_is_outside():
    tree = matrix_game([[1, -1], [-1, 1], [-2, -2]])
    hull = AffineHull(tree, MAX)
    assert hull.dimension == 0
    bad = mixed(tree, MAX, [0.4, 0.4, 0.2])
    assert not hull.contains(bad)
    assert not is_best_response_to_all_equilibria(bad)
    least, greatest = NashPolytope(tree).values_against(bad)
    assert (least, greatest) == pytest.approx((-0.4, -0.4))


def test_several_equilibria_of_the_opponent_are_all_tried():
    """MIN may answer MAX's mistake in many ways that are all in equilibrium, from harmless to costly."""
    tree = matrix_game([[0, 0, 0], [0, -1, 1]])
    least, greatest = NashPolytope(tree).values_against(mixed(tree, MAX, [0, 1]))
    assert least == pytest.approx(-1)
    assert greatest == pytest.approx(0)  # the third column alone would let MAX win
    assert not is_best_response_to_all_equilibria(mixed(tree, MAX, [0, 1]))


class Equilibria:
    """A player's equilibrium strategies by a dense program of scipy: nothing of the library's polytope."""

    def __init__(self, tree, player):
        plain = Plain(tree)
        payoff = plain.matrix() if player == MAX else -plain.matrix().T
        own_flow, own_total = plain.flow(player)
        other_flow, other_total = plain.flow(1 - player)
        self.n, m = payoff.shape[0], len(other_total)
        goal = np.concatenate([np.zeros(self.n), -other_total])
        rows = np.hstack([-payoff.T, other_flow.T])
        self.arguments = {
            "A_ub": rows,
            "b_ub": np.zeros(len(rows)),
            "A_eq": np.hstack([own_flow, np.zeros((len(own_flow), m))]),
            "b_eq": own_total,
            "bounds": [(0, None)] * self.n + [(None, None)] * m,
        }
        best = linprog(goal, **self.arguments)
        self.arguments |= {"A_ub": np.vstack([rows, goal]), "b_ub": np.append(np.zeros(len(rows)), best.fun + 1e-9)}

    def farthest(self, direction):
        cost = np.concatenate([-direction, np.zeros(len(self.arguments["bounds"]) - self.n)])
        found = linprog(cost, **self.arguments)
        assert found.status == 0
        return found.x[: self.n]

    def directions(self):
        """The differences of equilibria, one by one until none has any extent across those found."""
        found = np.zeros((self.n, 0))
        untried = list(np.eye(self.n))
        while untried:
            across = untried.pop()
            across = across - found @ (found.T @ across)
            step = self.farthest(across) - self.farthest(-across)
            step = step - found @ (found.T @ step)
            if np.linalg.norm(step) > 1e-4:
                found = np.column_stack([found, step / np.linalg.norm(step)])
                untried.append(across)
        return found


@settings(max_examples=40)
@given(tree=random_trees(depth=3))
def test_the_hull_is_spanned_by_equilibria_that_scipy_finds(tree):
    for player in (MAX, MIN):
        hull = AffineHull(tree, player)
        spanned = Equilibria(tree, player).directions()
        assert spanned.shape[1] == hull.dimension
        assert np.abs(spanned - hull.directions @ (hull.directions.T @ spanned)).max(initial=0.0) < 1e-4


@settings(max_examples=50)
@given(tree=random_trees(depth=5), seed=st.none() | seeds)
def test_the_polytope_is_certified_and_its_interior_point_an_equilibrium(tree, seed):
    if seed is not None:
        add_random_extra(tree, seed)
    scale, value = payoff_range(tree), solve_lp(tree).value
    polytope = NashPolytope(tree)
    assert polytope.value == pytest.approx(value, abs=NEAR * scale)
    for player in (MAX, MIN):
        face, other = polytope.face(player), polytope.face(1 - player)
        assert side_exploitability(face.interior, value) <= NEAR * scale
        assert np.array_equal(face.played, face.interior.sequences > 0)
        assert np.array_equal(face.played[1:], other.binding[1:])  # Goldman and Tucker
        assert polytope.values_against(face.interior) == pytest.approx((value, value), abs=NEAR * scale)
        # Any optimum keeps to the face.
        assert (solve_lp(tree, player).strategy(player).sequences[~face.played] <= 1e-9).all()


def check_affine_safety(tree, kinds=("maxmargin", "resolve"), refinement="none"):
    """Solve everywhere from equilibria; return whether one was ruined."""
    polytope, scale, ruined = NashPolytope(tree), payoff_range(tree), False
    for player in (MAX, MIN):
        hull = AffineHull(tree, player, polytope=polytope)
        for blueprint in (polytope.face(player).interior, solve_lp(tree, player).strategy(player)):
            for kind in kinds:
                after = refine_everywhere(blueprint, NestedOptions(kind=kind, refinement=refinement))
                assert hull.distance(after) < 1e-6
                assert hull.contains(after)
                assert is_best_response_to_all_equilibria(after, NEAR * scale, polytope=polytope)
                ruined |= side_exploitability(after, polytope.value) > 1e-6 * scale
    return ruined


@settings(max_examples=50)
@given(tree=random_trees(depth=5))
def test_th_affine_safety_on_random_games(tree):
    check_affine_safety(tree)


def test_th_affine_safety_where_equilibria_are_ruined():
    """1-KLSS ends at affine equilibria that are no equilibria: the theorem is not about nothing."""
    ruined = sum(check_affine_safety(deal_tree(seed, deals=3, rounds=2), ["maxmargin"]) for seed in (2, 39, 79))
    assert ruined >= 2
    for seed in range(20):
        check_affine_safety(deal_tree(seed), ["maxmargin"])


@pytest.mark.parametrize("name", [KUHN, DARK_HEX, "matching_pennies(n=20)", "figure1", "counterexample(n=8)"])
def test_th_affine_safety_in_the_papers_games(name):
    check_affine_safety(named_tree(name))
    check_affine_safety(named_tree(name), refinement="sequential")


def test_an_overshooting_affine_equilibrium_by_hand():
    """Four signals that mean nothing: heads from 1/3 to 2/3 of the time, over all of them, is in equilibrium."""
    inner = [[0, -1, 2], [0, 2, -1]]

    def told(n):
        ends = {
            str(i): decision(MIN, {str(j): leaf(v) for j, v in enumerate(row)}, sees=("", "bet"))
            for i, row in enumerate(inner)
        }
        return decision(MAX, ends, sees=(str(n), ""))

    tree = murk.build(ExplicitGame("signals", nature({str(n): (0.25, told(n)) for n in range(4)})))
    hull = AffineHull(tree, MAX)
    assert hull.dimension == 4
    assert side_exploitability(uniform(tree, MAX), 0.0) == pytest.approx(0)
    always_heads = Strategy(tree, MAX, np.array([1.0] + [1.0, 0.0] * 4))
    assert side_exploitability(always_heads, 0.0) == pytest.approx(1.0)
    assert hull.contains(always_heads)
    assert is_best_response_to_all_equilibria(always_heads)
    after = refine_everywhere(uniform(tree, MAX))
    assert hull.contains(after)


@settings(max_examples=40)
@given(seed=st.integers(0, 500))
def test_pr_aff_eqm_for_affine_combinations_themselves(seed):
    """Points on lines through equilibria, as far out as they are strategies, against equilibria of the opponent."""
    tree = random_tree(seed, depth=4, ties=1.0)
    scale = payoff_range(tree)
    polytope = NashPolytope(tree)
    rng = np.random.default_rng(seed)
    for player in (MAX, MIN):
        hull = AffineHull(tree, player, polytope=polytope)
        if hull.dimension == 0:
            continue
        base = hull.base.sequences
        move = hull.directions @ rng.normal(size=hull.dimension)
        falling = move < -1e-12
        move *= (base[falling] / -move[falling]).min() if falling.any() else 1.0  # to the boundary of all strategies
        far = Strategy(tree, player, np.maximum(base + move, 0.0))
        assert hull.contains(far)
        assert is_best_response_to_all_equilibria(far, NEAR * scale, polytope=polytope)
        answer = polytope.face(1 - player).interior
        profile = Profile(far, answer) if player == MAX else Profile(answer, far)
        assert expected_value(profile) == pytest.approx(polytope.value, abs=NEAR * scale)


def test_the_tests_can_fail():
    tree = named_tree(KUHN)
    hull = AffineHull(tree, MAX)
    off = tilted(solve_lp(tree).strategy(MAX))
    assert hull.distance(off) > 1e-3
    assert not hull.contains(off)
    assert not is_best_response_to_all_equilibria(off)


def test_a_game_of_a_thousand_nodes():
    tree = named_tree(GOOFSPIEL_UP)
    polytope = NashPolytope(tree)
    hull = AffineHull(tree, MIN, polytope=polytope)
    assert 0 < hull.dimension < tree.num_sequences(MIN)
    assert hull.contains(solve_lp(tree, MIN).strategy(MIN))
    assert not hull.contains(uniform(tree, MIN))


def test_bad_input(monkeypatch):
    tree = named_tree(KUHN)
    hull = AffineHull(tree, MAX)
    with pytest.raises(InputError, match="the strategy is of MIN in kuhn_poker, expected one of MAX in kuhn_poker"):
        hull.distance(uniform(tree, MIN))
    other = murk.build("figure1")
    with pytest.raises(InputError, match="the strategy is of figure1, expected one of kuhn_poker"):
        is_best_response_to_all_equilibria(uniform(other, MAX), polytope=NashPolytope(tree))
    with pytest.raises(InputError, match="the equilibria are of kuhn_poker, expected those of figure1"):
        AffineHull(other, MAX, polytope=NashPolytope(tree))
    with pytest.raises(InputError, match=r"payoffs have shape \(2,\), expected one for each of 13 sequences"):
        NashPolytope(tree).face(MAX).extreme([0.0, 1.0], largest=True)
    monkeypatch.setattr(affine, "LARGEST", 10)
    with pytest.raises(TooLargeError, match="expected at most 10"):
        AffineHull(tree, MAX)
