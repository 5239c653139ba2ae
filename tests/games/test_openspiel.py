"""OpenSpiel games: walked as they are, or refused in one sentence."""

import sys

import numpy as np
import pyspiel
import pytest
from samples import DARK_HEX, GOOFSPIEL_UP, KUHN, LEDUC, PENNIES, named_tree
from walker import solve, walk

import murk
from murk.errors import GameError, InputError, MissingDependencyError, RecallError, TooLargeError
from murk.games.build import build_tree
from murk.games.openspiel import OpenSpielGame, build_openspiel, load_openspiel
from murk.solvers import solve_lp
from murk.tree import MAX, MIN, NATURE, TERMINAL

BOTH = (MAX, MIN)


def walked(name: str) -> list[tuple]:
    """Walk a game with nothing but OpenSpiel: history, who moves, chance, both information states, payoff."""
    rows = []

    def visit(state, chance):
        terminal = state.is_terminal()
        who = {0: MAX, 1: MIN, -1: NATURE}.get(int(state.current_player()), TERMINAL)
        seen = ("", "") if terminal else tuple(state.information_state_string(p) for p in (0, 1))
        rows.append((tuple(state.history()), who, chance, seen, state.returns()[0] if terminal else 0.0))
        if terminal:
            return
        outcomes = dict(state.chance_outcomes()) if state.is_chance_node() else {}
        for action in state.legal_actions():
            visit(state.child(action), chance * outcomes.get(action, 1.0))

    visit(load_openspiel(name).game.new_initial_state(), 1.0)
    return rows


def read_back(tree) -> list[tuple]:
    """The same from a tree: the history of a node is the labels on the way to it."""
    history: list[tuple] = []
    rows = []
    for node, up in enumerate(tree.parent.tolist()):
        history.append((*history[up], int(tree.action[node])) if up >= 0 else ())
        who = int(tree.player[node])
        infosets = [int(tree.infoset(p)[node]) for p in BOTH]
        seen = tuple("" if i < 0 else tree.infoset_name(p, i) for p, i in zip(BOTH, infosets, strict=True))
        rows.append((history[node], who, float(tree.chance_reach[node]), seen, float(tree.utility[node])))
    return rows


@pytest.mark.parametrize(
    "name", [KUHN, DARK_HEX, GOOFSPIEL_UP, "liars_dice(dice_sides=3)", "matrix_rps", "tiny_bridge_2p"]
)
def test_the_tree_is_the_game(name):
    if name == "tiny_bridge_2p":  # a game of partners, not of opponents
        with pytest.raises(GameError):
            load_openspiel(name)
        return
    ours, theirs = (sorted(rows) for rows in (read_back(murk.build(name)), walked(name)))
    assert len(ours) == len(theirs)
    for mine, other in zip(ours, theirs, strict=True):
        assert mine[:2] == other[:2]
        assert mine[2] == pytest.approx(other[2], abs=1e-15)
        assert mine[3:] == other[3:]


@pytest.mark.parametrize("name", [KUHN, LEDUC, DARK_HEX, GOOFSPIEL_UP])
def test_the_native_walk_is_the_general_one(name):
    native, general = murk.build(name), build_tree(load_openspiel(name))
    assert sorted(read_back(native)) == sorted(read_back(general))
    for p in BOTH:
        assert native.num_infosets(p) == general.num_infosets(p)
        assert native.num_sequences(p) == general.num_sequences(p)
    assert solve_lp(native).value == pytest.approx(solve_lp(general).value, abs=1e-12)


def test_actions_have_openspiels_names():
    tree = named_tree(LEDUC)
    names = {name for i in tree.acting_infosets(MAX).tolist() for name in tree.action_names(MAX, i)}
    assert names == {"Fold", "Call", "Raise"}


# Recall

CLASSICAL = "dark_hex(num_rows=2,num_cols=3,gameversion=cdh)"


def test_forgetful_information_states_are_refused_with_a_way_out():
    with pytest.raises(RecallError, match=r"expected perfect recall: .*load it with recall='actions'"):
        murk.build(CLASSICAL, cache=False)


def test_own_actions_and_observations_repair_recall():
    """Whoever moves first in Hex on 2x3 cells wins, even in the dark; OpenSpiel's own program says 1.357."""
    tree = murk.build(CLASSICAL, recall="actions", cache=False)
    assert solve_lp(tree, algorithm="ipm").value == pytest.approx(1.0, abs=1e-8)
    acting = int(tree.acting_infosets(MIN)[0])
    assert tree.infoset_name(MIN, acting).startswith("[")


@pytest.mark.parametrize("name", [KUHN, DARK_HEX, GOOFSPIEL_UP])
def test_where_nothing_is_forgotten_both_ways_agree(name):
    states, actions = named_tree(name), murk.build(name, recall="actions")
    assert states.num_nodes == actions.num_nodes
    for p in BOTH:
        assert len(states.acting_infosets(p)) == len(actions.acting_infosets(p))
        assert states.num_sequences(p) == actions.num_sequences(p)
    assert solve_lp(states).value == pytest.approx(solve_lp(actions).value, abs=1e-9)


def test_observations_do_where_there_are_no_information_states():
    name = "repeated_game(stage_game=matrix_mp(),num_repetitions=2)"
    with pytest.raises(GameError, match=r"provides no information states, expected recall='actions'"):
        murk.build(name)
    tree = murk.build(name, recall="actions")
    assert tree.num_nodes == 1 + 2 + 4 + 8 + 16
    assert solve_lp(tree).value == pytest.approx(0.0, abs=1e-9)


# Simultaneous moves


def test_simultaneous_moves_are_made_in_turn_without_being_seen():
    tree = murk.build("matrix_rps")
    assert (tree.num_nodes, [len(tree.acting_infosets(p)) for p in BOTH]) == (13, [1, 1])
    assert tree.player[0] == MAX
    found = solve_lp(tree)
    assert found.value == pytest.approx(0.0, abs=1e-12)
    assert found.profile.max.behaviour()[1:] == pytest.approx([1 / 3] * 3, abs=1e-9)
    assert solve_lp(murk.build("oshi_zumo(coins=3,size=1,horizon=3)")).value == pytest.approx(0.0, abs=1e-9)


# What is refused


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("kuhn_poker(players=3)", GameError, r"kuhn_poker\(players=3\) has 3 players, expected 2"),
        ("2048", GameError, "2048 has 1 players, expected 2"),
        ("matrix_pd", GameError, "matrix_pd is general-sum, expected a zero-sum game"),
        ("tiny_hanabi", GameError, "tiny_hanabi is identical, expected a zero-sum game"),
        ("mfg_crowd_modelling", GameError, "has 1 players, expected 2"),
        ("no_such_game", InputError, "there is no game called 'no_such_game', in murk or in OpenSpiel"),
        ("leduc_pocker", InputError, r"there is no game called 'leduc_pocker'.*, did you mean leduc_poker"),
        ("matching_penies(n=3)", InputError, "did you mean matching_pennies"),
        ("python_no_such_game", InputError, "there is no game called 'python_no_such_game'"),
        ("kuhn_poker(colour=red)", InputError, "OpenSpiel cannot load .*: Unknown parameter 'colour'"),
        ("kuhn_poker(players=two)", InputError, "OpenSpiel cannot load .*: Wrong type for parameter players"),
        ("kuhn_poker(players=99)", InputError, "OpenSpiel cannot load"),
        ("kuhn_poker(", InputError, "OpenSpiel cannot load .*: Missing closing bracket"),
        ("dark_chess", GameError, "dark_chess provides no information states, expected recall='actions'"),
    ],
)
def test_games_that_cannot_be_are_refused_in_one_sentence(name, error, message):
    with pytest.raises(error, match=message) as caught:
        murk.build(name)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


def test_an_unknown_name_prints_nothing(capfd):
    with pytest.raises(InputError):
        murk.load("no_such_game")
    assert capfd.readouterr() == ("", "")


class Typed:
    """A pyspiel.Game that claims to be of another type."""

    def __init__(self, game, **claims):
        self.game, self.claims = game, claims

    def __getattr__(self, name):
        return getattr(self.game, name)

    def get_type(self):
        class Type:
            def __getattr__(own, name):  # noqa: N805
                return self.claims.get(name, getattr(self.game.get_type(), name))

        return Type()


def test_sampled_chance_and_mean_fields_are_refused():
    """OpenSpiel has no two-player zero-sum game of these kinds, so one that says it is."""
    game = pyspiel.load_game("kuhn_poker")
    with pytest.raises(GameError, match="samples its chance events, expected explicit chance nodes"):
        load_openspiel(Typed(game, chance_mode=pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC))
    with pytest.raises(GameError, match="has mean-field dynamics, expected sequential or simultaneous moves"):
        load_openspiel(Typed(game, dynamics=pyspiel.GameType.Dynamics.MEAN_FIELD))


def test_only_two_ways_of_recall():
    with pytest.raises(InputError, match="recall is 'memory', expected 'states' or 'actions'"):
        murk.load(KUHN, recall="memory")


@pytest.mark.parametrize("recall", ["states", "actions"])
@pytest.mark.parametrize(("name", "nodes"), [(KUHN, 58), (LEDUC, 9457)])
def test_too_large_is_counted_to_the_node(name, nodes, recall):
    assert murk.build(name, max_nodes=nodes, recall=recall, cache=False).num_nodes == nodes
    for limit in (nodes - 1, nodes // 2, 1, 0):
        with pytest.raises(TooLargeError, match=rf"{name} has more than {limit:,} nodes: raise --max-nodes"):
            murk.build(name, max_nodes=limit, recall=recall, cache=False)


def test_an_endless_game_is_too_large():
    with pytest.raises(TooLargeError, match="chess has more than 5,000 nodes"):
        murk.build("chess", max_nodes=5000)


def test_without_openspiel_there_is_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(MissingDependencyError, match=r"needs OpenSpiel, which is not installed: pip install 'murk\["):
        murk.load(KUHN)
    assert murk.build("matching_pennies(n=2)").num_nodes == 15


# Games as objects, and in Python


def test_loaded_games_and_python_games_are_taken_too():
    import open_spiel.python.games  # noqa: F401

    for game in (pyspiel.load_game(KUHN), pyspiel.load_game("python_kuhn_poker"), load_openspiel(KUHN)):
        tree = murk.build(game)
        assert tree.num_nodes == 58
        assert solve_lp(tree).value == pytest.approx(-1 / 18, abs=1e-12)
    assert murk.build("python_kuhn_poker").num_nodes == 58


def test_the_protocol_view_can_be_walked_by_anybody():
    game = load_openspiel(KUHN)
    assert isinstance(game, OpenSpielGame)
    assert repr(game) == "<murk.OpenSpielGame 'kuhn_poker'>"
    found = walk(game)
    assert len(found.visits) == 58
    assert solve(found)[0] == pytest.approx(-1 / 18, abs=1e-9)


def test_progress_counts_up_to_the_whole():
    heard = []
    tree = build_openspiel(load_openspiel("liars_dice(dice_sides=5)"), progress=heard.append)
    assert heard == sorted(heard)
    assert heard[-1] == tree.num_nodes
    assert len(heard) > 2


def test_a_callback_can_stop_the_walk():
    def stop(nodes):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_openspiel(load_openspiel("liars_dice(dice_sides=5)"), progress=stop)


def test_payoffs_of_pennies_do_not_need_openspiel():
    assert np.isfinite(named_tree(PENNIES).utility).all()
