"""Random games are what they promise: reproducible, legal, and of every awkward kind."""

import json
import random
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from walker import Walk, solve, walk

from murk.games.protocol import MAX, MIN, NATURE, TERMINAL
from murk.games.random import RandomGame

games = st.builds(
    RandomGame,
    st.integers(-(2**40), 2**40),
    depth=st.integers(1, 5),
    max_actions=st.integers(1, 4),
    chance=st.floats(0, 1),
    merge=st.floats(0, 1),
    signals=st.integers(1, 3),
    stop=st.floats(0, 0.5),
    forced=st.floats(0, 1),
    zeros=st.floats(0, 1),
    ties=st.floats(0, 1),
    solo=st.floats(0, 1),
)


def picture(found: Walk) -> list[object]:
    """Everything about a game, as plain data."""
    rows: list[object] = []
    for visit in found.visits:
        state = visit.state
        seen = [] if state.player() == TERMINAL else [list(state.observation(p)) for p in (MAX, MIN)]
        paid = state.utility() if state.player() == TERMINAL else None
        rows.append([list(visit.path), int(state.player()), visit.reach, seen, paid])
    return rows


def test_same_seed_same_tree_different_seed_another():
    pictures = [picture(walk(RandomGame(seed))) for seed in range(50)]
    assert pictures == [picture(walk(RandomGame(seed))) for seed in range(50)]
    assert len({json.dumps(p) for p in pictures}) == 50


def test_the_same_tree_in_another_process():
    code = (
        "from murk.games.random import RandomGame\n"
        "def show(s):\n"
        "    if s.player() == 3: return s.utility()\n"
        "    below = [show(s.child(a)) for a in s.actions()]\n"
        "    return [int(s.player()), s.observation(0), s.observation(1), below]\n"
        "print(show(RandomGame(5, depth=4).root()))"
    )
    runs = {
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    }
    assert len(runs) == 1
    assert len(runs.pop()) > 100


def test_a_state_does_not_depend_on_the_order_of_walking():
    game = RandomGame(11)
    paths = [visit.path for visit in walk(game).visits]
    random.Random(0).shuffle(paths)
    reached = {}
    for path in paths:
        state = game.root()
        for action in path:
            state = state.child(action)
        reached[path] = (state.player(), state.utility() if state.player() == TERMINAL else None)
    expected = {
        v.path: (v.state.player(), v.state.utility() if v.state.player() == TERMINAL else None)
        for v in walk(game).visits
    }
    assert reached == expected


@settings(max_examples=150, deadline=None)
@given(games)
def test_legal(game: RandomGame):
    """Actions agree within an infoset, a player remembers what she did and saw, probabilities sum to 1."""
    found = walk(game)
    for player in (MAX, MIN):
        for visits in found.infosets(player).values():
            assert len({tuple(v.state.actions()) for v in visits}) == 1
            assert len({v.sequence[player] for v in visits}) == 1
            assert len(visits[0].state.actions()) == len(set(visits[0].state.actions())) <= game.max_actions
    for visit in found.at(NATURE):
        chances = visit.state.chance()
        assert sum(chances) == pytest.approx(1, abs=1e-12)
        assert min(chances) >= 0
        assert len(chances) == len(visit.state.actions())
    assert sum(leaf.reach for leaf in found.at(TERMINAL)) >= 1 - 1e-9
    assert all(-2 <= leaf.state.utility() <= 2 for leaf in found.at(TERMINAL))
    assert max(len(v.path) for v in found.visits) <= game.depth


def test_default_games_are_of_a_useful_size():
    sizes = sorted(len(walk(RandomGame(seed)).visits) for seed in range(100))
    assert sizes[10] >= 10
    assert sizes[-1] <= 2000


def test_every_awkward_thing_happens():
    """Among 100 seeds, each of these occurs, and none in all of them."""
    happens = dict.fromkeys(("shared", "unreachable", "alone", "forced", "tied", "hidden", "nature"), 0)
    for seed in range(100):
        found = walk(RandomGame(seed))
        infosets = [*found.infosets(MAX).values(), *found.infosets(MIN).values()]
        leaves = [leaf.state.utility() for leaf in found.at(TERMINAL)]
        happens["shared"] += any(len(visits) > 3 for visits in infosets)
        happens["unreachable"] += any(all(v.reach == 0 for v in visits) for visits in infosets)
        happens["alone"] += not (found.at(MAX) and found.at(MIN))
        happens["forced"] += any(len(visits[0].state.actions()) == 1 for visits in infosets)
        happens["tied"] += len(set(leaves)) < len(leaves)
        happens["hidden"] += any(len({v.path[-1] for v in visits if v.path}) > 1 for visits in infosets)
        happens["nature"] += bool(found.at(NATURE))
    assert all(count > 0 for count in happens.values()), happens
    assert happens["alone"] < 20


def test_extreme_parameters():
    assert not walk(RandomGame(1, chance=0)).at(NATURE)
    assert not walk(RandomGame(1, chance=1)).at(MAX)
    assert len(walk(RandomGame(1, max_actions=1, stop=0)).visits) == 7
    alone = walk(RandomGame(1, solo=1, chance=0))
    assert not (alone.at(MAX) and alone.at(MIN))
    whole = walk(RandomGame(1, merge=1, signals=1, stop=0, depth=4))
    for player in (MAX, MIN):
        # With nothing to see, a player's infoset is only how deep she is and what she did herself.
        shown = {(len(v.path), v.sequence[player]) for v in whole.at(player)}
        assert len(whole.infosets(player)) == len(shown)
    assert all(leaf.state.utility() == int(leaf.state.utility()) for leaf in walk(RandomGame(1, ties=1)).at(TERMINAL))


@pytest.mark.parametrize("seed", range(10))
def test_values_lie_between_the_payoffs(seed: int):
    found = walk(RandomGame(seed))
    leaves = [leaf.state.utility() for leaf in found.at(TERMINAL)]
    value, plan = solve(found)
    assert min(leaves) - 1e-9 <= value <= max(leaves) + 1e-9
    assert plan[()] == pytest.approx(1)
