"""Players and the referee: what they may know, that they play what they claim, OpenSpiel on both sides of the table."""

import numpy as np
import pyspiel
import pytest
from deals import counterexample, deal_tree, tilted
from samples import GOOFSPIEL_UP, KUHN, named_tree

import murk
from murk.errors import FormatError, InputError
from murk.solvers import epsilon_uniform, expected_value, side_exploitability, solve_lp
from murk.subgame import (
    AllocatingPlayer,
    Allocation,
    BlueprintPlayer,
    MatchResult,
    NestedOptions,
    NestedPlayer,
    OpenSpielPlayer,
    UpdatingPlayer,
    expected_strategy,
    play,
    refine_everywhere,
    to_openspiel_bot,
)
from murk.subgame.openspiel import node_of
from murk.subgame.players import TreePlayer
from murk.tree import MAX, MIN, Profile, uniform

STANDARD_ERRORS = 4  # a right player is refused in one of 16,000 matches; seeds are fixed, so in none or in all


def weak(tree, player):
    return solve_lp(tree, player, lower=epsilon_uniform(tree, player, 0.25)).strategy(player)


def every_kind(tree, player):
    """One of each kind of player, afresh."""
    blueprint = weak(tree, player)
    return [
        BlueprintPlayer(blueprint),
        NestedPlayer(blueprint),
        NestedPlayer(blueprint, NestedOptions(order=3, kind="resolve")),
        UpdatingPlayer(blueprint),
        AllocatingPlayer(blueprint),
    ]


def assert_near(result, expected):
    assert abs(result.mean - expected) <= STANDARD_ERRORS * result.standard_error


def value_of(first, second):
    pair = (first, second) if first.player == MAX else (second, first)
    return expected_value(Profile(*pair))


def table(first, second):
    return (first, second) if first.player == MAX else (second, first)


@pytest.mark.parametrize("make", [lambda: named_tree(KUHN), lambda: deal_tree(0, deals=3, rounds=2)])
def test_all_kinds_play_each_other(make):
    tree = make()
    for one in every_kind(tree, MAX):
        for other in every_kind(tree, MIN):
            result = play(tree, one, other, 5, seed=3)
            assert result.games == 5
            assert set(result.payoffs) <= set(tree.utility.tolist())


def test_play_is_determined_by_the_seed():
    tree = named_tree(KUHN)
    for kind in range(5):
        runs = [
            play(tree, every_kind(tree, MAX)[kind], every_kind(tree, MIN)[kind], 60, seed=seed).payoffs.tolist()
            for seed in (1, 1, 2)
        ]
        assert runs[0] == runs[1]
        assert runs[0] != runs[2]


@pytest.mark.parametrize("player", [MAX, MIN])
def test_a_blueprint_player_plays_her_blueprint(player):
    tree = named_tree(KUHN)
    mine, hers = weak(tree, player), uniform(tree, 1 - player)
    result = play(tree, *table(BlueprintPlayer(mine), BlueprintPlayer(hers)), 2500, seed=5)
    assert_near(result, value_of(mine, hers))


@pytest.mark.parametrize("options", [NestedOptions(), NestedOptions(order=3), NestedOptions(kind="resolve")])
@pytest.mark.parametrize("player", [MAX, MIN])
def test_a_nested_player_plays_what_solving_everywhere_gives(player, options):
    tree = named_tree(KUHN)
    blueprint, hers = weak(tree, player), uniform(tree, 1 - player)
    result = play(tree, *table(NestedPlayer(blueprint, options), BlueprintPlayer(hers)), 1500, seed=5)
    assert_near(result, value_of(refine_everywhere(blueprint, options), hers))


@pytest.mark.parametrize(("seed", "player"), [(0, MIN), (1, MAX)])
def test_an_allocating_player_plays_the_expected_strategy(seed, player):
    tree = deal_tree(seed, deals=3, rounds=2)
    blueprint, hers = tilted(uniform(tree, player)), uniform(tree, 1 - player)
    allocation = Allocation(tree, player)
    assert max(c.number for c in allocation.closures) > 1
    exact = expected_strategy(blueprint, allocation)
    assert abs(value_of(exact, hers) - value_of(blueprint, hers)) > 1e-3
    result = play(tree, *table(AllocatingPlayer(blueprint, allocation=allocation), BlueprintPlayer(hers)), 2500, seed=5)
    assert_near(result, value_of(exact, hers))


def test_alg3_once_outside_the_independent_set_no_more_is_solved():
    tree = deal_tree(0, deals=3, rounds=2)
    player = AllocatingPlayer(tilted(uniform(tree, MIN)))
    seen = set()
    for seed in range(40):
        player.new_game(seed)
        parent, owner = tree.infoset_parent(MIN), tree.sequence_infoset(MIN)
        later = next(int(i) for i in tree.acting_infosets(MIN) if parent[i] > 0)
        for infoset in (int(owner[parent[later]]), later):
            before = player._chain.step
            player.observe(infoset)
            assert player.running or player._chain.step is before
        seen.add((player.running, player._chain.step is not None))
    assert seen == {(True, True), (False, True), (False, False)}


def test_alg2_learns_from_playing_and_never_gets_worse():
    tree, blueprint = counterexample(8)
    player = UpdatingPlayer(blueprint)
    opponent = BlueprintPlayer(uniform(tree, MIN))
    before, losses = side_exploitability(blueprint, 0.0), []
    for seed in range(25):
        play(tree, player, opponent, 1, seed=seed)
        losses.append(side_exploitability(player.updater.last, 0.0))
        assert losses[-1] <= before + 1e-9
        before = losses[-1]
    assert player.updater.playthroughs == 25
    assert losses[-1] == pytest.approx(0.0, abs=1e-9)


def test_alg2_plays_what_it_knew_when_the_playthrough_began():
    tree, blueprint = counterexample(8)
    player = UpdatingPlayer(blueprint)
    infoset = int(tree.acting_infosets(MAX)[0])
    first = int(tree.infoset_first(MAX)[infoset])
    player.new_game(0)
    player.observe(infoset)
    assert player.probabilities(infoset) == pytest.approx(blueprint.behaviour()[first : first + 2])
    learned = player.updater.blueprint.behaviour()[first : first + 2]
    assert learned != pytest.approx(blueprint.behaviour()[first : first + 2])
    player.new_game(1)  # ends the first
    player.observe(infoset)
    assert player.probabilities(infoset) == pytest.approx(learned)


def test_what_was_learned_is_kept_in_a_file_and_taken_up_again(tmp_path):
    tree, blueprint = counterexample(8)
    opponent = BlueprintPlayer(uniform(tree, MIN))
    path = tmp_path / "learned.murk"
    first = UpdatingPlayer(blueprint, NestedOptions(kind="resolve"), path=path)
    play(tree, first, opponent, 6, seed=1)
    again = UpdatingPlayer.resume(path, tree)
    assert again.updater.playthroughs == 6
    assert again.updater.options.kind == "resolve"
    assert np.array_equal(again.updater.last.sequences, first.updater.last.sequences)
    play(tree, again, opponent, 4, seed=2)
    play(tree, first, opponent, 4, seed=2)
    assert np.array_equal(again.updater.last.sequences, first.updater.last.sequences)
    assert UpdatingPlayer.resume(path, tree).updater.playthroughs == 10
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(FormatError, match="is not a murk file"):
        UpdatingPlayer.resume(path, tree)


def test_a_player_is_told_her_own_infosets_and_nothing_else():
    tree = named_tree(KUHN)

    class Nosy(TreePlayer):
        def __init__(self, side):
            super().__init__(tree, side)
            self.told = []

        def observe(self, infoset):
            self.told.append(infoset)
            super().observe(infoset)

        def probabilities(self, infoset):
            return np.array([0.5, 0.5])

    players = Nosy(MAX), Nosy(MIN)
    play(tree, *players, 200, seed=0)
    for player in players:
        mine = set(tree.infoset(player.player).tolist())
        assert set(player.told) <= mine
        assert all(type(i) is int for i in player.told)


def test_the_same_observations_and_seed_give_the_same_actions():
    """Whatever the opponent holds: a player driven by hand, along one chain of her infosets."""
    tree = named_tree(KUHN)
    parent, owner = tree.infoset_parent(MAX), tree.sequence_infoset(MAX)
    later = next(int(i) for i in tree.acting_infosets(MAX) if parent[i] > 0)
    chain = [int(owner[parent[later]]), later]
    for kind in range(5):
        runs = []
        for _ in range(2):
            player = every_kind(tree, MAX)[kind]
            actions = []
            for seed in range(20):
                player.new_game(seed)
                for infoset in chain:
                    player.observe(infoset)
                    actions.append(player.act())
                player.end_game()
            runs.append(actions)
        assert runs[0] == runs[1]


# OpenSpiel


def test_openspiels_uniform_bot_and_policy_at_our_table():
    from open_spiel.python.policy import UniformRandomPolicy

    tree = named_tree(KUHN)
    game = pyspiel.load_game(KUHN)
    mine = refine_everywhere(weak(tree, MAX))
    expected = value_of(mine, uniform(tree, MIN))
    sources = [
        lambda seed: pyspiel.make_uniform_random_bot(1, seed),
        UniformRandomPolicy(game),
        pyspiel.UniformRandomPolicy(game),
    ]
    for source in sources:
        other = OpenSpielPlayer(source, tree, MIN, game)
        assert_near(play(tree, NestedPlayer(weak(tree, MAX)), other, 1000, seed=5), expected)
    bot = pyspiel.make_uniform_random_bot(0, 12)
    play(tree, OpenSpielPlayer(bot, tree, "max"), BlueprintPlayer(uniform(tree, MIN)), 20)


def test_runs_against_a_bot_made_from_the_seed_repeat():
    tree = named_tree(KUHN)
    runs = []
    for _ in range(2):
        other = OpenSpielPlayer(lambda seed: pyspiel.make_uniform_random_bot(1, seed), tree, MIN)
        runs.append(play(tree, UpdatingPlayer(weak(tree, MAX)), other, 50, seed=9).payoffs.tolist())
    assert runs[0] == runs[1]


def test_a_bot_that_looks_at_the_whole_state_learns_nothing_from_it():
    """It is shown some state of its infoset, not the true one."""
    tree = named_tree(KUHN)
    shown = {}

    class Peeking(pyspiel.Bot):
        def step(self, state):
            shown.setdefault(state.information_state_string(1), set()).add(tuple(state.history()))
            return state.legal_actions()[0]

        def restart(self):
            pass

    play(tree, BlueprintPlayer(uniform(tree, MAX)), OpenSpielPlayer(Peeking(), tree, MIN), 200, seed=0)
    assert len(shown) == 6
    assert all(len(histories) == 1 for histories in shown.values())


@pytest.mark.parametrize("kind", range(5))
def test_our_players_at_openspiels_table(kind):
    tree = named_tree(KUHN)
    game = pyspiel.load_game(KUHN)
    player = every_kind(tree, MAX)[kind]
    ours = to_openspiel_bot(player, seed=4)
    other = pyspiel.make_uniform_random_bot(1, 77)
    returns = [pyspiel.evaluate_bots(game.new_initial_state(), [ours, other], seed)[0] for seed in range(600)]
    result = MatchResult(np.array(returns), 0)
    blueprint = weak(tree, MAX)
    allocation = Allocation(tree, MAX)
    expected = [
        blueprint, refine_everywhere(blueprint), refine_everywhere(blueprint, NestedOptions(order=3, kind="resolve")),
        None, expected_strategy(blueprint, allocation),
    ][kind]  # fmt: skip
    if expected is not None:
        assert_near(result, value_of(expected, uniform(tree, MIN)))
    else:
        assert isinstance(player, UpdatingPlayer)
        assert player.updater.playthroughs == 599  # the last has not been declared over
        value = solve_lp(tree).value
        assert side_exploitability(player.updater.last, value) < side_exploitability(blueprint, value)


def test_our_bots_play_a_simultaneous_game_made_turn_based():
    tree = named_tree(GOOFSPIEL_UP)
    game = pyspiel.convert_to_turn_based(pyspiel.load_game(GOOFSPIEL_UP))
    bots = [to_openspiel_bot(AllocatingPlayer(uniform(tree, p)), seed=p) for p in (MAX, MIN)]
    for seed in range(10):
        assert sum(pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)) == 0


def test_bad_input():
    tree, other = named_tree(KUHN), murk.build("figure1")
    mine, hers = BlueprintPlayer(uniform(tree, MAX)), BlueprintPlayer(uniform(tree, MIN))
    with pytest.raises(InputError, match="a player of MIN in kuhn_poker was given, expected MAX in kuhn_poker"):
        play(tree, hers, mine)
    with pytest.raises(InputError, match="a player of MAX in kuhn_poker was given, expected MAX in figure1"):
        play(other, mine, hers)
    with pytest.raises(InputError, match="games is 0, expected at least 1"):
        play(tree, mine, hers, 0)
    with pytest.raises(InputError, match="order is 2, expected an odd number or infinity"):
        NestedPlayer(uniform(tree, MAX), NestedOptions(order=2))
    with pytest.raises(InputError, match="order is 4, expected an odd number or infinity"):
        UpdatingPlayer(uniform(tree, MAX), NestedOptions(order=4))
    with pytest.raises(InputError, match="deviations are allocated for 1-KLSS"):
        AllocatingPlayer(uniform(tree, MAX), NestedOptions(order=3))
    with pytest.raises(InputError, match="the allocation is of MAX in figure1, expected one of MAX in kuhn_poker"):
        AllocatingPlayer(uniform(tree, MAX), allocation=Allocation(other, MAX))
    with pytest.raises(InputError, match="MAX was asked to act in kuhn_poker when it is not her move"):
        mine.act()
    with pytest.raises(InputError, match="MAX has no infoset 500"):
        mine.observe(500)
    with pytest.raises(InputError, match="an updater has options of its own"):
        UpdatingPlayer(UpdatingPlayer(uniform(tree, MAX)).updater, NestedOptions())
    with pytest.raises(InputError, match="a bot or a policy of OpenSpiel was expected, got int"):
        OpenSpielPlayer(3, tree, MAX)
    with pytest.raises(InputError, match="has no history"):
        node_of(tree, [0, 0])

    class Cheat(BlueprintPlayer):
        def act(self):
            return 7

    with pytest.raises(InputError, match=r"MAX played 7, expected one of the legal actions \[0, 1\]"):
        play(tree, Cheat(uniform(tree, MAX)), hers)
    too_much = np.full(tree.num_sequences(MAX), 0.7)
    with pytest.raises(InputError, match="infeasible lower bounds"):
        play(tree, NestedPlayer(uniform(tree, MAX), NestedOptions(lower=too_much)), hers)
    extra = murk.build("figure1")
    extra.add_extra(MAX, 1, 1.0)
    with pytest.raises(InputError, match="figure1 has extra payoffs"):
        play(extra, BlueprintPlayer(uniform(extra, MAX)), BlueprintPlayer(uniform(extra, MIN)))
    leduc = pyspiel.UniformRandomPolicy(pyspiel.load_game("leduc_poker"))
    with pytest.raises(InputError, match="kuhn_poker is not a tree of leduc_poker"):
        play(tree, OpenSpielPlayer(leduc, tree, MAX, "leduc_poker"), hers)
