"""Gambit `.efg` files: pygambit and OpenSpiel read what we write, and we what they write."""

import io
import re
from fractions import Fraction

import pygambit
import pyspiel
import pytest
from efg_samples import KUHN, efg, random_efg, recall_seeds, seeds, structure, uniform_value
from hypothesis import given, settings
from open_spiel.python import policy
from open_spiel.python.algorithms import expected_game_score
from open_spiel.python.algorithms.gambit import export_gambit

from murk.errors import GameError
from murk.games.build import build_tree
from murk.games.efg import parse_efg, read_efg, write_efg
from murk.games.protocol import MAX, NATURE, TERMINAL


def gambit(text: str):
    return pygambit.read_efg(io.BytesIO(text.encode()))


def gambit_payoff(profile, game) -> Fraction:
    """Player 1's payoff, in pygambit 16 and 17."""
    first = next(iter(game.players))
    value = profile.payoffs[getattr(first, "label", first)] if hasattr(profile, "payoffs") else profile.payoff(first)
    return Fraction(str(value))


def gambit_uniform(text: str) -> Fraction:
    game = gambit(text)
    return gambit_payoff(game.mixed_behavior_profile(rational=True), game)


def counts(text: str) -> tuple[int, int, int, int]:
    """Nodes of each kind and infosets of the players, as the text of a file lists them."""
    nodes = re.findall(r'^([cpt]) "[^"]*" (\d+ \d+)?', text, re.MULTILINE)
    kinds = [kind for kind, _ in nodes]
    return (
        kinds.count("c"),
        kinds.count("p"),
        kinds.count("t"),
        len({key for kind, key in nodes if kind == "p"}),
    )


def test_gambit_solves_what_is_written():
    text = write_efg(build_tree(read_efg(KUHN)))
    game = gambit(text)
    assert game.is_perfect_recall
    assert game.is_const_sum
    assert counts(game.to_efg()) == counts(text) == (1, 24, 30, 12)
    result = pygambit.nash.lp_solve(game, rational=True)
    equilibrium = result.equilibrium if hasattr(result, "equilibrium") else result.equilibria[0]
    assert gambit_payoff(equilibrium, game) == Fraction(-1, 18)


@given(seeds)
@settings(max_examples=60, deadline=None)
def test_gambit_reads_and_writes_the_same_game(seed):
    source = random_efg(seed)
    game = parse_efg(source)
    text = write_efg(game)
    theirs = gambit(text).to_efg()
    assert counts(theirs) == counts(text)
    assert structure(parse_efg(theirs)) == structure(game)
    # Gambit reads the source too, outcomes on the way and all.
    assert gambit_uniform(source) == gambit_uniform(text) == uniform_value(game)
    assert structure(parse_efg(gambit(source).to_efg())) == structure(game)


@given(recall_seeds)
@settings(max_examples=40, deadline=None)
def test_gambit_reads_a_tree(seed):
    game = parse_efg(random_efg(seed))
    assert gambit_uniform(write_efg(build_tree(game))) == uniform_value(game)


def test_gambit_escapes_are_read():
    text = efg(r'p "say \"x\"" 1 1 "back\slash" { "a\"b" "c" } 0', 't "" 1 "one" { 1 -1 }', 't "" 0')
    theirs = parse_efg(gambit(text).to_efg())
    assert theirs.nodes.label[0] == 'say "x"'
    assert theirs.infosets[MAX][0].name == "back\\slash"
    assert theirs.infosets[MAX][0].actions == ('a"b', "c")


def spiel_uniform(game) -> float:
    uniform = policy.UniformRandomPolicy(game)
    return expected_game_score.policy_value(game.new_initial_state(), [uniform, uniform])[0]


GOOFSPIEL = "goofspiel(imp_info=True,num_cards=3,points_order=descending)"


@pytest.mark.parametrize(
    "name",
    [
        "kuhn_poker",
        "leduc_poker",
        "liars_dice(dice_sides=2)",
        f"turn_based_simultaneous_game(game={GOOFSPIEL})",
    ],
)
def test_openspiel_exports_are_read(name):
    spiel = pyspiel.load_game(name)
    text = export_gambit(spiel)
    game = parse_efg(text)
    assert game.num_nodes == sum(counts(re.sub(r"^ +", "", text, flags=re.MULTILINE))[:3])
    assert float(uniform_value(game)) == pytest.approx(spiel_uniform(spiel), abs=1e-12)
    assert all(sum(infoset.probabilities) == 1 for infoset in game.infosets[NATURE])
    assert all(p.denominator <= 60 for infoset in game.infosets[NATURE] for p in infoset.probabilities)
    back = pyspiel.load_efg_game(write_efg(game))
    assert back.get_type().utility == pyspiel.GameType.Utility.ZERO_SUM
    assert spiel_uniform(back) == pytest.approx(spiel_uniform(spiel), abs=1e-12)


def test_openspiel_export_of_three_players_is_refused():
    with pytest.raises(GameError, match="has 3 players, expected a game of two players"):
        parse_efg(export_gambit(pyspiel.load_game("kuhn_poker(players=3)")))


def test_openspiels_own_file_is_read():
    game = parse_efg(pyspiel.get_kuhn_poker_efg_data())
    assert [len(infosets) for infosets in game.infosets[:2]] == [6, 6]
    assert float(uniform_value(game)) == pytest.approx(spiel_uniform(pyspiel.load_game("kuhn_poker")))


@given(recall_seeds)
@settings(max_examples=60, deadline=None)
def test_openspiel_reads_the_same_game(seed):
    game = parse_efg(random_efg(seed))
    for text in (write_efg(game), write_efg(build_tree(game))):
        spiel = pyspiel.load_efg_game(text)
        assert spiel.num_players() == 2
        assert spiel.get_type().utility == pyspiel.GameType.Utility.ZERO_SUM
        if game.nodes.player[0] != TERMINAL:
            assert spiel_uniform(spiel) == pytest.approx(float(uniform_value(game)), abs=1e-9)


def test_openspiel_reads_the_file(tmp_path):
    path = tmp_path / "kuhn.efg"
    write_efg(build_tree(read_efg(KUHN)), path)
    spiel = pyspiel.load_game("efg_game", {"filename": str(path)})
    assert spiel_uniform(spiel) == pytest.approx(1 / 8)
    state = spiel.new_initial_state().child(0)
    assert state.information_state_string() == "0-0-1-J"


HOSTILE_LABELS = ['"', "\\", 'a"b', "a\\b", "a\\", "♠ é", " lead", "two  spaces", "a\nb", "tab\t"]
HOSTILE_LABELS += ["", "", "x", "x", "x_2", "\x7f", "{", "&#"]


def test_hostile_labels_load_everywhere():
    game = parse_efg(
        efg(
            'p "" 1 1 "" { ' + " ".join(f'"{i}"' for i in range(len(HOSTILE_LABELS))) + " } 0",
            *[f't "" {i + 1} "" {{ {i} {-i} }}' for i in range(len(HOSTILE_LABELS))],
        )
    )
    infoset = game.infosets[MAX][0]
    label = 'na"me \\ \n♠\u2028'
    game.infosets[MAX][0] = type(infoset)(1, label, tuple(HOSTILE_LABELS))
    game.nodes.label[:] = [label] * game.num_nodes
    game.title, game.comment, game.players = label, label + "\0", ("Chance", "Chance")
    text = write_efg(game)
    again = parse_efg(text)
    assert structure(again) == structure(game)
    assert len(set(again.infosets[MAX][0].actions)) == len(HOSTILE_LABELS)
    assert write_efg(again) == text
    assert again.title == "na'me / \n♠\u2028"
    assert gambit_uniform(text) == uniform_value(game)
    state = pyspiel.load_efg_game(text).new_initial_state()
    assert [state.child(a).returns()[0] for a in state.legal_actions()] == list(range(len(HOSTILE_LABELS)))


def test_long_rationals_load_everywhere():
    game = parse_efg(
        efg(
            'c "" 1 "" { "a" 0.00000000000001 "b" 0.99999999999999 } 0',
            't "" 1 "" { 3000000000.5 -6000000001/2 }',
            't "" 2 "" { 2 -2 }',
        )
    )
    text = write_efg(game)
    assert structure(parse_efg(text)) == structure(game)
    assert gambit_uniform(text) == uniform_value(game)
    assert spiel_uniform(pyspiel.load_efg_game(text)) == pytest.approx(float(uniform_value(game)))
