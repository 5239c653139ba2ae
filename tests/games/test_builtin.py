"""The games of [ZS21] against the paper's counts and figure, and values worked out by hand."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog
from walker import History, Walk, solve, walk, worst_payoff

from murk.errors import InputError, MurkError
from murk.games.builtin import (
    BUILTIN,
    HEADS,
    TAILS,
    Counterexample,
    Figure1,
    MatchingPennies,
    builtin_game,
)
from murk.games.explicit import ExplicitGame, decision, leaf, nature
from murk.games.protocol import MAX, MIN, NATURE, TERMINAL, HasActionNames
from murk.games.random import RandomGame

EXAMPLES = Path(__file__).parents[2] / "examples"


def payoffs(found: Walk) -> dict[tuple[int, ...], float]:
    return {visit.path: visit.state.utility() for visit in found.at(TERMINAL)}


def members(found: Walk, player: int) -> set[frozenset[tuple[int, ...]]]:
    """The infosets at which a player acts, each as the set of its nodes."""
    return {frozenset(v.path for v in visits) for visits in found.infosets(player).values()}


def known(found: Walk, player: int, depth: int) -> set[frozenset[tuple[int, ...]]]:
    """What a player can tell apart at one depth, acting there or not."""
    classes: dict[History, set[tuple[int, ...]]] = {}
    for visit in found.visits:
        if len(visit.path) == depth:
            classes.setdefault(visit.history[player], set()).add(visit.path)
    return {frozenset(nodes) for nodes in classes.values()}


def pennies_value(n: int) -> float:
    """The value of n-matching pennies without a game tree.

    With h(d) MAX's probability of heads after the draw d, MIN at her infoset {2j, 2j+1} takes the smaller of
    the sum of d h(d) and the sum of (n+1-d)(1-h(d)). MAX chooses h, equal within {2i-1, 2i}, to maximise the
    total.
    """
    mine = (n + 1) // 2
    theirs = n // 2 + 1
    rows, limits = [], []
    for j in range(theirs):
        heads, tails = np.zeros(mine + theirs), np.zeros(mine + theirs)
        heads[mine + j] = tails[mine + j] = 1
        draws = [d for d in (2 * j, 2 * j + 1) if 1 <= d <= n]
        for d in draws:
            heads[(d - 1) // 2] -= d
            tails[(d - 1) // 2] += n + 1 - d
        rows += [heads, tails]
        limits += [0, sum(n + 1 - d for d in draws)]
    objective = [0.0] * mine + [-1.0] * theirs
    result = linprog(objective, A_ub=rows, b_ub=limits, bounds=[(0, 1)] * mine + [(None, None)] * theirs)
    return -float(result.fun) / n


# Matching pennies


def test_table2_matching_pennies_counts():
    found = walk(MatchingPennies())
    assert len(found.visits) == 701
    assert len(found.infosets(MAX)) == 50
    assert len(found.infosets(MIN)) == 51


def test_matching_pennies_payoffs():
    paid = payoffs(walk(MatchingPennies(100)))
    for n in (1, 2, 37, 100):
        assert paid[n, HEADS, HEADS] == n
        assert paid[n, TAILS, TAILS] == 101 - n
        assert paid[n, HEADS, TAILS] == paid[n, TAILS, HEADS] == 0


def test_matching_pennies_hints():
    found = walk(MatchingPennies(4))
    assert members(found, MAX) == {frozenset({(1,), (2,)}), frozenset({(3,), (4,)})}
    assert known(found, MIN, depth=1) == {frozenset({(1,)}), frozenset({(2,), (3,)}), frozenset({(4,)})}
    # MIN does not see MAX's choice.
    assert members(found, MIN) == {
        frozenset((n, side) for n in draws for side in (HEADS, TAILS)) for draws in ((1,), (2, 3), (4,))
    }


@pytest.mark.parametrize(("n", "value"), [(1, 1 / 2), (2, 1 / 2), (4, 19 / 20)])
def test_matching_pennies_values_by_hand(n: int, value: float):
    """For n = 4, heads with p at R1 and 1-p at R3 gives min(p, 4-4p) + 3-p + min(4-4p, p): best at 4/5."""
    assert solve(walk(MatchingPennies(n)))[0] == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("n", [3, 5, 10, 33, 100])
def test_matching_pennies_value_without_a_tree(n: int):
    assert solve(walk(MatchingPennies(n)))[0] == pytest.approx(pennies_value(n), abs=1e-8)


# The counterexample


def test_counterexample_shape():
    found = walk(Counterexample(6))
    assert len(found.visits) == 43
    assert [len(nodes) for nodes in members(found, MAX)] == [1] * 6
    assert [len(nodes) for nodes in members(found, MIN)] == [12]
    assert all(paid == (-1 if path[1] == path[2] else 1) for path, paid in payoffs(found).items())


@pytest.mark.parametrize("n", [1, 4, 25])
def test_counterexample_value_is_zero(n: int):
    assert solve(walk(Counterexample(n)))[0] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("n", [4, 10, 40])
def test_pr_ws_counterexample_exploitabilities(n: int):
    game = Counterexample(n)
    found = walk(game)
    heads = game.blueprint_heads
    assert worst_payoff(found, lambda _, a: heads if a == HEADS else 1 - heads) == pytest.approx(-4 / n)
    assert worst_payoff(found, lambda _, a: float(a == TAILS)) == pytest.approx(-1)


def test_counterexample_blueprint_needs_four_numbers():
    with pytest.raises(InputError, match="n >= 4, not for n = 3"):
        _ = Counterexample(3).blueprint_heads


# Figure 1


def test_figure1_infosets():
    found = walk(Figure1())
    assert len(found.visits) == 1 + 4 * 7 + 2
    assert members(found, MAX) == {
        frozenset({(0,), (1,)}),  # R1
        frozenset({(2,), (3,)}),  # R3
        frozenset({(4,)}),  # e
    }
    assert members(found, MIN) == {
        frozenset({(0, 0), (0, 1)}),  # C0
        frozenset({(1, 0), (1, 1), (2, 0), (2, 1)}),  # C2
        frozenset({(3, 0), (3, 1)}),  # C4
    }
    primed = {frozenset({(0,)}), frozenset({(1,), (2,)}), frozenset({(3,)}), frozenset({(4,)})}
    assert known(found, MIN, depth=1) == primed


def test_figure1_payoffs_read_left_to_right():
    found = walk(Figure1())
    leaves = [visit.state.utility() for visit in found.at(TERMINAL)]
    assert leaves == [1, 0, 0, 4, 2, 0, 0, 3, 3, 0, 0, 2, 4, 0, 0, 1, 0]
    assert found.visits[0].state.player() == NATURE
    assert list(found.visits[0].state.chance()) == pytest.approx([1 / 5] * 5)


def test_figure1_value_is_four_fifths_of_four_matching_pennies():
    assert solve(walk(Figure1()))[0] == pytest.approx(4 / 5 * 19 / 20, abs=1e-9)


def test_figure1_best_response_values_to_the_uniform_blueprint():
    """Not divided by the reach: 1/2 at C0', 5/2 at C2' over its two nodes, 1/2 at C4', 0 after e."""
    assert worst_payoff(walk(Figure1()), lambda i, _: 1.0 if "E" in str(i[-1]) else 0.5) == pytest.approx(3.5 / 5)


def test_names_of_actions():
    pennies, figure = MatchingPennies(3).root(), Figure1().root()
    assert isinstance(pennies, HasActionNames)
    assert isinstance(figure, HasActionNames)
    assert [pennies.action_name(a) for a in pennies.actions()] == ["n=1", "n=2", "n=3"]
    assert [pennies.child(1).action_name(a) for a in (HEADS, TAILS)] == ["heads", "tails"]
    assert [figure.action_name(a) for a in figure.actions()] == ["1", "2", "3", "4", "e"]


@pytest.mark.parametrize(
    "game", [MatchingPennies(5), Counterexample(5), Figure1(), RandomGame(7)], ids=lambda g: g.name
)
def test_an_observation_alone_tells_whether_it_is_her_move(game):
    for player in (MAX, MIN):
        acts: dict[object, bool] = {}
        for visit in walk(game).visits:
            if visit.state.player() != TERMINAL:
                mine = visit.state.player() == player
                assert acts.setdefault(visit.state.observation(player), mine) == mine


# Names


@pytest.mark.parametrize(
    "game",
    [
        MatchingPennies(),
        MatchingPennies(7),
        Counterexample(12),
        Figure1(),
        RandomGame(3),
        RandomGame(-1, depth=2, ties=0.25),
    ],
    ids=lambda g: g.name,
)
def test_builtin_game_reads_the_names_games_give_themselves(game):
    assert builtin_game(game.name) == game


def test_builtin_game_is_lenient_about_spaces_and_defaults():
    assert builtin_game("  matching_pennies ( n = 8 ) ").name == "matching_pennies(n=8)"
    assert builtin_game("matching_pennies()").name == builtin_game("matching_pennies").name
    assert builtin_game("matching_pennies").name == "matching_pennies(n=100)"


def test_every_registered_game_is_made_from_its_required_parameters():
    required = {"counterexample": "n=8", "random": "seed=1"}
    for name in BUILTIN:
        assert builtin_game(f"{name}({required.get(name, '')})").name.startswith(name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "chess",
            "no built-in game 'chess'; there are counterexample, dark_chess_endgame, figure1, matching_pennies, random",
        ),
        ("matching_pennies(m=3)", "matching_pennies has no parameter 'm'; its parameters: n"),
        ("figure1(n=3)", "figure1 has no parameter 'n'; its parameters: none"),
        ("counterexample", "counterexample needs a value for n"),
        ("matching_pennies(n=many)", "parameter 'n' of matching_pennies must be an integer, not 'many'"),
        ("random(seed=1,chance=often)", "parameter 'chance' of random must be a number, not 'often'"),
        ("matching_pennies(n=3,n=4)", "parameter 'n' is given twice"),
        ("matching_pennies(3)", "expected key=value"),
        ("matching_pennies(n=3", r"expected name or name\(key=value,...\)"),
        ("", r"expected name or name\(key=value,...\)"),
        ("matching_pennies(n=0)", "n must be an integer from 1 to 1,000,000, not 0"),
        ("matching_pennies(n=1000000000)", "n must be an integer from 1 to 1,000,000, not 1000000000"),
        ("random(seed=1,depth=0)", "depth of a random game must be at least 1, not 0"),
        ("random(seed=1,chance=1.5)", "chance of a random game is a probability, which 1.5 is not"),
        ("random(seed=1,chance=nan)", "chance of a random game is a probability, which nan is not"),
    ],
)
def test_builtin_game_says_what_is_wrong(text: str, message: str):
    with pytest.raises(InputError, match=message):
        builtin_game(text)


# Games as data, games in Python


def test_explicit_game_of_the_docstring():
    """MAX sees the coin, calls on heads only: (1 + 0) / 2."""
    sides = {
        side: (0.5, decision(MAX, {"call": leaf(paid), "fold": leaf(0)}, sees=(side, "")))
        for side, paid in (("heads", 1), ("tails", -1))
    }
    found = walk(ExplicitGame("coin", nature(sides)))
    assert len(found.visits) == 7
    assert solve(found)[0] == pytest.approx(0.5)


def test_explicit_games_refuse_empty_nodes():
    with pytest.raises(MurkError, match="at least one action"):
        decision(MAX, {})
    with pytest.raises(MurkError, match="at least one outcome"):
        nature({})
    with pytest.raises(MurkError, match="MAX or MIN"):
        decision(NATURE, {"a": leaf(0)})


def test_explicit_games_keep_the_star_for_themselves():
    with pytest.raises(MurkError, match=r"must not end with a star, which marks her move, as 'R1\*' does"):
        decision(MAX, {"a": leaf(0)}, sees=("R1*", ""))


def test_example_rock_paper_scissors():
    """A fair game; rock 1/5, paper and scissors 2/5 each is its only equilibrium."""
    example = runpy.run_path(str(EXAMPLES / "rock_paper_scissors.py"))
    found = walk(example["RockPaperScissors"]())
    assert len(found.visits) == 1 + 3 + 9
    value, plan = solve(found)
    assert value == pytest.approx(0, abs=1e-9)
    played = [probability for sequence, probability in plan.items() if sequence]
    assert played == pytest.approx([1 / 5, 2 / 5, 2 / 5], abs=1e-9)
