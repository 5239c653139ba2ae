"""From a game written in Python to its tree, and what a badly written one is told."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import examples
from walker import History, walk

from murk.errors import GameError, RecallError, TooLargeError
from murk.games.build import build_tree
from murk.games.builtin import Counterexample, Figure1, MatchingPennies
from murk.games.random import RandomGame
from murk.solvers import solve_lp
from murk.tree import MAX, MIN, NATURE, TERMINAL

BOTH = (MAX, MIN)


@examples(60)
@given(seed=st.integers(0, 10**9), depth=st.integers(2, 6), signals=st.integers(1, 3))
def test_the_tree_is_what_an_independent_walk_finds(seed, depth, signals):
    game = RandomGame(seed, depth=depth, signals=signals)
    check(game)


@pytest.mark.parametrize("game", [MatchingPennies(5), Counterexample(4), Figure1()], ids=lambda game: game.name)
def test_built_in_games_are_what_an_independent_walk_finds(game):
    check(game)


def check(game):
    tree, found = build_tree(game), walk(game)
    assert tree.name == game.name
    path: list[tuple[int, ...]] = []
    for node, up in enumerate(tree.parent.tolist()):
        path.append((*path[up], int(tree.action[node])) if up >= 0 else ())
    by_path = {visit.path: visit for visit in found.visits}
    assert len(path) == len(by_path) == tree.num_nodes
    infosets: list[dict[History, int]] = [{}, {}]
    for node, where in enumerate(path):
        visit = by_path[where]
        assert tree.player[node] == visit.state.player()
        assert tree.chance_reach[node] == pytest.approx(visit.reach, abs=1e-15)
        if visit.state.player() == TERMINAL:
            assert tree.utility[node] == visit.state.utility()
            continue
        for p in BOTH:
            # Two nodes are in one infoset exactly if the player has seen and done the same.
            infoset = int(tree.infoset(p)[node])
            assert infosets[p].setdefault(visit.history[p], infoset) == infoset
    for p in BOTH:
        assert len(set(infosets[p].values())) == len(infosets[p]) == tree.num_infosets(p)


class Toy:
    """A game given by a dictionary from paths to (player, actions, chance or payoff, observations)."""

    name = "toy"

    def __init__(self, nodes, **extra):
        self.nodes = nodes
        self.extra = extra

    def root(self):
        return ToyState(self, ())


class ToyState:
    def __init__(self, game, path):
        self.game, self.path = game, path
        self.node = game.nodes[path]

    def player(self):
        return self.node[0]

    def actions(self):
        return self.node[1]

    def chance(self):
        return self.node[2]

    def utility(self):
        return self.node[2]

    def child(self, action):
        return ToyState(self.game, (*self.path, action))

    def observation(self, player):
        return self.node[3][player]


def end(payoff=0.0):
    return (TERMINAL, (), payoff, ("", ""))


def toss(actions=(0, 1), chance=(0.5, 0.5), payoffs=(1.0, -1.0)):
    nodes = {(): (NATURE, actions, chance, ("", ""))}
    return Toy(nodes | {(a,): end(u) for a, u in zip(actions, payoffs, strict=False)})


def choice(actions=(0, 1), observation="start", player=MAX):
    return Toy({(): (player, actions, None, (observation, observation))} | {(a,): end(1.0) for a in actions})


def test_a_toy():
    tree = build_tree(toss(chance=(0.25, 0.75)))
    assert tree.chance_reach.tolist() == [1, 0.25, 0.75]
    assert solve_lp(tree).value == -0.5


@pytest.mark.parametrize(
    ("game", "message"),
    [
        (choice(actions=()), "toy: no action at node 0, expected at least one or a terminal state"),
        (choice(actions=(3, 4, 3)), "toy: an action is listed twice at node 0"),
        (choice(player=4), "toy: player is 4 at node 0, expected MAX, MIN, NATURE or TERMINAL"),
        (choice(player=-1), "toy: player is -1 at node 0"),
        (choice(player=None), "toy: player is None at node 0"),
        (choice(observation=["a", "list"]), "toy: what MAX learns at node 0 is a list, expected something hashable"),
        (toss(chance=(0.5, 0.4)), r"toy: chance probabilities sum to 0\.9, not to 1, at node 0"),
        (toss(chance=(1.5, -0.5)), "toy: a chance probability is negative or not a number at node 0"),
        (toss(chance=(float("nan"), 1.0)), "toy: a chance probability is negative or not a number at node 0"),
        (toss(chance=(1.0,)), "toy: 1 probabilities for 2 actions at node 0"),
        (toss(payoffs=(float("nan"), 0.0)), "toy: the payoff is not a finite number at node 1"),
        (toss(payoffs=(0.0, float("-inf"))), "toy: the payoff is not a finite number at node 2"),
    ],
)
def test_badly_written_games_are_told_what_is_wrong(game, message):
    with pytest.raises(GameError, match=f"^{message}"):
        build_tree(game)


def test_an_infoset_must_have_the_same_actions_everywhere():
    nodes = {
        (): (NATURE, (0, 1), (0.5, 0.5), ("", "")),
        (0,): (MAX, (0, 1), None, ("go", "")),
        (1,): (MAX, (0, 2), None, ("go", "")),
    }
    nodes |= {(c, a): end() for c in (0, 1) for a in (0, 1, 2)}
    with pytest.raises(
        GameError, match="has nodes with different actions, expected the same in the same order at each"
    ):
        build_tree(Toy(nodes))
    nodes[1,] = (MAX, (1, 0), None, ("go", ""))
    with pytest.raises(GameError, match="has nodes with different actions"):
        build_tree(Toy(nodes))
    nodes[1,] = (MAX, (0, 1), None, ("go", ""))
    assert build_tree(Toy(nodes)).num_sequences(MAX) == 3


def test_recall_is_perfect_whatever_is_observed():
    """Observations that are always the same still make a player remember her own moves, and their number."""
    nodes = {(): (MAX, (0, 1), None, ("", ""))}
    nodes |= {(a,): (MAX, (0, 1), None, ("", "")) for a in (0, 1)}
    nodes |= {(a, b): end() for a in (0, 1) for b in (0, 1)}
    tree = build_tree(Toy(nodes))
    assert len(tree.acting_infosets(MAX)) == 3


class Forgetful(ToyState):
    """A state that says outright what its player knows."""

    def information(self, player):
        return self.node[3][player]

    def child(self, action):
        return Forgetful(self.game, (*self.path, action))


class ForgetfulToy(Toy):
    def root(self):
        return Forgetful(self, ())


def test_information_given_outright_is_checked():
    nodes = {(): (MAX, (0, 1), None, ("first", ""))}
    nodes |= {(a,): (MAX, (0, 1), None, ("second", "")) for a in (0, 1)}
    nodes |= {(a, b): end() for a in (0, 1) for b in (0, 1)}
    with pytest.raises(
        RecallError, match="player MAX's information state 'second' joins nodes with different histories"
    ):
        build_tree(ForgetfulToy(nodes))
    nodes[1,] = (MAX, (0, 1), None, ("third", ""))
    tree = build_tree(ForgetfulToy(nodes))
    assert sorted(tree.infoset_names(MAX)) == ["first", "second", "third"]
    nodes[1,] = (MAX, (0, 1), None, ("first", ""))
    with pytest.raises(RecallError, match=r"is met twice on one path \(absent-mindedness\)"):
        build_tree(ForgetfulToy(nodes))


class Endless:
    """A game that never ends."""

    name = "endless"

    def root(self):
        return self

    def player(self):
        return NATURE

    def actions(self):
        return range(3)

    def chance(self):
        return [0.2, 0.3, 0.5]

    def child(self, action):
        return self

    def observation(self, player):
        return None


def test_an_endless_game_is_too_large():
    with pytest.raises(TooLargeError, match="endless has more than 1,000 nodes: raise --max-nodes"):
        build_tree(Endless(), max_nodes=1000)


def test_the_limit_is_counted_to_the_node():
    game = RandomGame(3, depth=5)
    nodes = build_tree(game).num_nodes
    assert build_tree(game, max_nodes=nodes).num_nodes == nodes
    with pytest.raises(TooLargeError):
        build_tree(game, max_nodes=nodes - 1)


def test_a_game_over_before_it_began():
    tree = build_tree(Toy({(): end(4.0)}))
    assert tree.num_nodes == 1
    assert solve_lp(tree).value == 4.0


def test_progress_counts_up_to_the_whole():
    heard = []
    tree = build_tree(MatchingPennies(10_000), progress=heard.append)
    assert heard == sorted(heard)
    assert heard[-1] == tree.num_nodes == 70_001
    assert len(heard) >= 3


def test_actions_may_be_any_numbers_and_have_names():
    class Named(ToyState):
        def action_name(self, action):
            return f"move {action}"

    class NamedToy(Toy):
        def root(self):
            return Named(self, ())

    nodes = {(): (MAX, (7, -3, 2**62), None, ("", ""))} | {(a,): end(float(a % 5)) for a in (7, -3, 2**62)}
    tree = build_tree(NamedToy(nodes))
    assert tree.sequence_actions(MAX).tolist() == [-1, 7, -3, 2**62]
    assert tree.action_names(MAX, 0) == ["move 7", "move -3", f"move {2**62}"]
    assert build_tree(Toy(nodes)).action_names(MAX, 0) == ["7", "-3", str(2**62)]


def test_numpy_numbers_will_do():
    nodes = {
        (): (np.int64(NATURE), np.array([0, 1]), np.array([0.5, 0.5]), ("", "")),
        (0,): end(np.float32(1.5)),
        (1,): end(np.float64(2.5)),
    }
    assert solve_lp(build_tree(Toy(nodes))).value == 2.0


def test_the_garbage_collector_is_left_as_it_was():
    import gc

    assert gc.isenabled()
    build_tree(toss())
    assert gc.isenabled()
    with pytest.raises(GameError):
        build_tree(toss(chance=(1.0, 1.0)))
    assert gc.isenabled()
    gc.disable()
    try:
        build_tree(toss())
        assert not gc.isenabled()
    finally:
        gc.enable()
