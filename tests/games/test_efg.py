"""Gambit `.efg` files: what is read."""

import re
from fractions import Fraction

import pytest
from efg_samples import KUHN, efg, random_efg, seeds, structure, uniform_value
from hypothesis import given, settings

from murk.errors import InputError
from murk.games.efg import parse_efg, read_efg, write_efg
from murk.games.efg.rationals import number_text
from murk.games.protocol import MAX, MIN, NATURE, TERMINAL, HasActionNames, HasInformation


def test_kuhn_is_read_as_written():
    game = read_efg(KUHN)
    assert game.name == "kuhn.efg"
    assert game.title == "Kuhn poker"
    assert game.comment == "Three cards, one bet. Value -1/18 for Alice."
    assert game.players == ("Alice", "Bob")
    assert game.num_nodes == 1 + 6 * 9
    assert [len(infosets) for infosets in game.infosets] == [6, 6, 1]
    assert game.exact_chance(0) == (Fraction(1, 6),) * 6
    assert sorted({game.exact_utility(h) for h, p in enumerate(game.nodes.player) if p == TERMINAL}) == [
        -2,
        -1,
        1,
        2,
    ]
    assert [i.name for i in game.infosets[MAX]][:2] == ["J", "J after pass, bet"]
    assert uniform_value(game) == Fraction(1, 8)


def test_the_state_follows_the_protocol():
    root = read_efg(KUHN).root()
    assert root.player() == NATURE
    assert list(root.actions()) == [0, 1, 2, 3, 4, 5]
    assert root.chance() == (1 / 6,) * 6
    assert root.action_name(4) == "KJ"
    state = root.child(4)
    assert isinstance(state, HasInformation)
    assert isinstance(state, HasActionNames)
    assert state.player() == MAX
    assert state.information(MAX) == "K"
    assert state.observation(MAX) == "K"
    assert state.information(MIN) != root.child(5).information(MIN)  # Bob holds J here and Q there
    assert state.information(MIN) == root.child(2).information(MIN)  # J in both
    after_bet = state.child(1)
    assert after_bet.player() == MIN
    assert [after_bet.action_name(a) for a in after_bet.actions()] == ["fold", "call"]
    assert after_bet.child(1).player() == TERMINAL
    assert after_bet.child(1).utility() == 2.0
    assert root.child(4) == state
    assert hash(root.child(4)) == hash(state)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: s.child(6), "action 6 at node 0 of kuhn.efg is not one of its 6."),
        (lambda s: s.child(-1), "action -1 at node 0 of kuhn.efg is not one of its 6."),
        (lambda s: s.action_name(9), "action 9 at node 0 of kuhn.efg does not exist."),
        (lambda s: s.utility(), "node 0 of kuhn.efg is not terminal, expected a terminal node."),
        (lambda s: s.child(0).chance(), "node 1 of kuhn.efg is not a chance node, expected a chance node."),
        (
            lambda s: s.game.exact_chance(1),
            "node 1 of kuhn.efg is not a chance node, expected a chance node.",
        ),
        (lambda s: s.information(2), "player 2 has no information, expected MAX (0) or MIN (1)."),
    ],
)
def test_wrong_calls_are_refused(call, message):
    with pytest.raises(InputError, match=re.escape(message)):
        call(read_efg(KUHN).root())


@given(seeds)
@settings(max_examples=50, deadline=None)
def test_nodes_come_parents_first_and_siblings_together(seed):
    nodes = parse_efg(random_efg(seed)).nodes
    count = len(nodes.parent)
    children: dict[int, list[int]] = {h: [] for h in range(count)}
    for node in range(1, count):
        assert nodes.parent[node] < node
        assert nodes.action[node] == len(children[nodes.parent[node]])
        children[nodes.parent[node]].append(node)
    assert (nodes.parent[0], nodes.action[0]) == (-1, -1)
    for node, block in children.items():
        first = nodes.first_child[node]
        assert block == (list(range(first, first + nodes.num_children[node])) if block else [])
        assert (nodes.player[node] == TERMINAL) == (not block) == (first == -1) == (nodes.infoset[node] == -1)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("3", Fraction(3)),
        ("-3", Fraction(-3)),
        ("+3", Fraction(3)),
        ("1/3", Fraction(1, 3)),
        ("-10/4", Fraction(-5, 2)),
        ("0.1", Fraction(1, 10)),
        (".5", Fraction(1, 2)),
        ("-.5", Fraction(-1, 2)),
        ("2.", Fraction(2)),
        ("1e3", Fraction(1000)),
        ("1.5E-3", Fraction(3, 2000)),
        ("2.e+1", Fraction(20)),
        (".5e1", Fraction(5)),
        ("0.33333333333333333333333333", Fraction(33333333333333333333333333, 10**26)),
        ("123456789012345678901234567890/7", Fraction(123456789012345678901234567890, 7)),
    ],
)
def test_numbers_are_exact(written, value):
    game = parse_efg(efg(f't "" 1 "" {{ {written} {number_text(-value)} }}'))
    assert game.exact_utility(0) == value
    assert game.root().utility() == float(value)


@pytest.mark.parametrize("payoffs", ["{ 1, -1 }", "{ 1 -1 }", "{1,-1}", "{\n1\t,\r\n-1 , }", "{ 1 , -1}"])
def test_payoffs_with_and_without_commas(payoffs):
    assert parse_efg(efg(f't "" 1 "win" {payoffs}')).exact_utility(0) == 1


def test_white_space_means_nothing():
    loose = KUHN.read_text()
    tight = re.sub(r'\s*("[^"]*"|[{},])\s*', r"\1", loose)
    wide = re.sub(r'("[^"]*")|\s+', lambda m: m[1] or "\r\n\t \v\f ", loose)
    assert len(tight) < len(loose) < len(wide)
    for text in (tight, wide, "\n\n" + loose):
        assert structure(parse_efg(text)) == structure(parse_efg(loose))


def test_prologue_variants():
    node = 't "" 0'
    assert parse_efg(f'EFG 2 D "" {{ "A" "B" }} {node}').title == ""
    assert parse_efg(f'EFG 2 R "t" {{ "A" "B" }} "several\nlines" {node}').comment == "several\nlines"
    assert parse_efg(f'EFG 2 R "t" {{"A""B"}} {node}').players == ("A", "B")
    assert parse_efg(f'EFG 2 R "t" {{ "A" "B" }} {node}').name == "t"
    assert parse_efg(f'EFG 2 R "t" {{ "A" "B" }} {node}', name="mine").name == "mine"


def test_strings_with_escapes():
    game = parse_efg(efg(r'p "a \"b\" \\ \n c\\" 1 1 "\\\"" { "\"" "{,}" } 0', 't "" 0', 't "" 0'))
    assert game.nodes.label[0] == r'a "b" \ \n c' + "\\"
    assert game.infosets[MAX][0].name == '\\"'
    assert game.infosets[MAX][0].actions == ('"', "{,}")


def test_description_once_or_every_time_or_without_name():
    once = efg('p "" 1 1 "i" { "l" "r" } 0', 'p "" 2 1 { "l" "r" } 0', 't "" 1 { 1 -1 }', 't "" 2 "x" { -1 1 }')
    once += 'p "" 2 1 0\nt "" 2\nt "" 1\n'
    always = efg('p "" 1 1 "i" { "l" "r" } 0', 'p "" 2 1 "j" { "l" "r" } 0', 't "" 1 "" { 1 -1 }')
    always += 't "" 2 "" { -1 1 }\np "" 2 1 "other" { "l" "x" } 0\nt "" 2 "" { -1.0 2/2 }\nt "" 1 "y" { 1 -1 }\n'
    assert structure(parse_efg(once)) == structure(parse_efg(always))
    assert parse_efg(always).infosets[MIN][0].actions == ("l", "r")
    assert [outcome.number for outcome in parse_efg(once).outcomes] == [1, 2]


def test_infoset_numbers_are_per_player_and_need_not_be_consecutive():
    game = parse_efg(
        efg('p "" 1 7 "" { "a" } 0', 'p "" 2 7 "" { "b" "c" } 0', 't "" 0', 'p "" 1 3 "" { "d" } 0', 't "" 0')
    )
    assert [[i.number for i in infosets] for infosets in game.infosets] == [[7, 3], [7], []]


def test_outcomes_add_up_along_the_path():
    game = parse_efg(
        efg(
            'c "" 1 "" { "h" 1/3 "t" 2/3 } 1 "fee" { -1/2, 1/2 }',
            'p "" 1 1 "" { "stop" "go" } 2 "bonus" { 1/3 -1/3 }',
            't "" 0',
            't "" 2',
            't "" 3 "" { 10 -10 }',
        )
    )
    leaves = [game.exact_utility(h) for h, p in enumerate(game.nodes.player) if p == TERMINAL]
    assert sorted(leaves) == sorted([Fraction(-1, 6), Fraction(1, 6), Fraction(19, 2)])
    assert uniform_value(game) == Fraction(19, 3)


def test_a_game_can_be_zero_sum_only_along_the_path():
    game = parse_efg(efg('p "" 1 1 "" { "a" "b" } 1 "" { 3 0 }', 't "" 2 "" { 0 -3 }', 't "" 3 "" { -4 1 }'))
    assert [game.exact_utility(1), game.exact_utility(2)] == [3, -1]


def test_decimal_probabilities_are_made_to_sum_to_one():
    def chance(items: str) -> tuple[Fraction, ...]:
        leaves = ['t "" 0'] * (items.count('"') // 2)
        return parse_efg(efg(f'c "" 1 "" {{ {items} }} 0', *leaves)).exact_chance(0)

    third = "0.3333333333333333"
    assert chance(f'"a" {third} "b" {third} "c" {third}') == (Fraction(1, 3),) * 3
    assert chance('"a" .5 "b" 1/4 "c" 2.5e-1') == (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4))
    assert chance('"a" 0.1666667 "b" 0.8333333') == (Fraction(1666667, 10**7), Fraction(8333333, 10**7))
    assert chance('"a" 0.123456789 "b" 0.876543210') == (
        Fraction(123456789, 10**9),
        Fraction(876543211, 10**9),
    )
    assert chance('"a" 0 "b" 1') == (0, 1)


def test_byte_order_mark_and_unicode(tmp_path):
    path = tmp_path / "bom.efg"
    path.write_bytes('﻿EFG 2 R "♠" { "Ä" "B" } t "ñ" 0'.encode())
    assert read_efg(str(path)).title == "♠"


def test_deep_chain():
    depth = 50_000
    nodes = []
    for i in range(1, depth + 1):
        nodes += [f'p "" {i % 2 + 1} {i} "" {{ "on" "off" }} 0', 't "" 1 "" { 1 -1 }']
    # The file lists the second child last, so the chain goes down the second action.
    text = efg(*nodes, 't "" 2 "" { -1 1 }')
    game = parse_efg(text)
    assert game.num_nodes == 2 * depth + 1
    assert len(game.information(MAX).names) == depth
    assert structure(parse_efg(write_efg(game))) == structure(game)
