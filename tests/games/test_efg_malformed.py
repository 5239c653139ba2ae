"""Gambit `.efg` files: what is refused, and with which words."""

import contextlib
import re

import pytest
from efg_samples import HEAD, KUHN, efg, random_efg, seeds, structure
from hypothesis import given, settings
from hypothesis import strategies as st

from murk.errors import FormatError, GameError, InputError, TooLargeError
from murk.games.efg import parse_efg, read_efg, write_efg

LEAF = 't "" 1 "" { 1 -1 }'
ACTIONS = "'{' and the actions of information set"

MALFORMED = [
    ("", "line 1, column 1: found the end of the file, expected 'EFG', the first word of the format."),
    ("  \n\n", "line 3, column 1: found the end of the file, expected 'EFG', the first word of the format."),
    ("NFG 1 R", "line 1, column 1: found 'NFG', expected 'EFG', the first word of the format."),
    ('"EFG" 2', "line 1, column 1: found the string 'EFG', expected 'EFG', the first word of the format."),
    ("EFG 1 R", "line 1, column 5: found '1', expected '2', the version of the format."),
    ("EFG 2 Q", "line 1, column 7: found 'Q', expected 'R' or 'D', the type of numbers."),
    ("EFG 2 R title", "line 1, column 9: found 'title', expected the title in quotes."),
    ('EFG 2 R "t" "A"', "line 1, column 13: found the string 'A', expected '{' before the players."),
    ('EFG 2 R "t" { A', "line 1, column 15: found 'A', expected a player's name in quotes or '}'."),
    (
        'EFG 2 R "t',
        "line 1, column 9: found a string that is never closed, expected a closing quote before the end of",
    ),
    ('EFG 2 R "t\\"', "line 1, column 9: found a string that is never closed"),
    (HEAD, "line 2, column 1: found the end of the file, expected 'c', 'p' or 't' and a node (1 missing)."),
    (efg('x "" 0'), "line 2, column 1: found 'x', expected 'c', 'p' or 't' and a node (1 missing)."),
    (efg("t 0"), "line 2, column 3: found '0', expected the node's name in quotes."),
    (
        efg('t ""'),
        "line 3, column 1: found the end of the file, expected the number of an outcome, 0 for none.",
    ),
    (efg('t "" x'), "line 2, column 6: found 'x', expected the number of an outcome, 0 for none."),
    (efg('t "" -1'), "line 2, column 6: found '-1', expected the number of an outcome, 0 for none."),
    (efg('t "" 1.0'), "line 2, column 6: found '1.0', expected the number of an outcome, 0 for none."),
    (
        efg('t "" 5'),
        "line 3, column 1: found the end of the file, expected the name and payoffs of outcome 5",
    ),
    (efg('t "" 0 "" { 1 -1 }'), "line 2, column 8: found the string '', expected nothing after outcome 0"),
    (efg('t "" 1 "" 1'), "line 2, column 11: found '1', expected '{' before the payoffs."),
    (efg('t "" 1 "" { 1 }'), "line 2, column 15: found '}', expected player 2's payoff, a number."),
    (efg('t "" 1 "" { 1 -1 0 }'), "line 2, column 18: found '0', expected '}' after two payoffs."),
    (efg('t "" 1 "" { 1,, -1 }'), "line 2, column 15: found ',', expected player 2's payoff, a number."),
    (efg('t "" 1 "" { one -1 }'), "line 2, column 13: found 'one', expected player 1's payoff, a number."),
    (efg('t "" 1 "" { nan nan }'), "line 2, column 13: found 'nan', expected player 1's payoff, a number."),
    (efg('t "" 1 "" { inf -inf }'), "line 2, column 13: found 'inf', expected player 1's payoff, a number."),
    (efg('t "" 1 "" { 1_0 -10 }'), "line 2, column 13: found '1_0', expected player 1's payoff, a number."),
    (efg('t "" 1 "" { ٣ -3 }'), "line 2, column 13: found '٣', expected player 1's payoff, a number."),
    (efg('t "" 1 "" { 1/0 0 }'), "line 2, column 13: found '1/0', expected a denominator other than zero."),
    (efg('t "" 1 "" { 1/-2 0 }'), "line 2, column 13: found '1/-2', expected player 1's payoff, a number."),
    (efg('t "" 1 "" { 1.5/2 0 }'), "line 2, column 13: found '1.5/2', expected player 1's payoff, a number."),
    (efg('t "" 1 "" { . 0 }'), "line 2, column 13: found '.', expected player 1's payoff, a number."),
    (efg('t "" 1 "" { 1e 0 }'), "line 2, column 13: found '1e', expected player 1's payoff, a number."),
    (
        efg('t "" 1 "" { 1e400 -1e400 }'),
        "found '1e400', expected player 1's payoff, a number that a double can hold.",
    ),
    (
        efg('t "" 1 "" { 1e-99999999999999 0 }'),
        "found '1e-99999999999999', expected player 1's payoff, a number of fewer",
    ),
    (efg('t "" 1 "" { 1e999999999 0 }'), "expected player 1's payoff, a number of fewer digits."),
    (efg(f't "" 1 "" {{ 1/{"9" * 2000} 0 }}'), "expected player 1's payoff, a number of fewer digits."),
    (efg(f't "" 1 "" {{ {"9" * 10**6} 0 }}'), "expected player 1's payoff, a number of fewer digits."),
    (
        efg(LEAF, LEAF),
        "line 3, column 1: found 't', expected the end of the file, because the tree is complete.",
    ),
    (efg('p "" 3 1 "" { "a" } 0', LEAF), "line 2, column 6: found '3', expected player 1 or 2."),
    (efg('p "" 0 1 "" { "a" } 0', LEAF), "line 2, column 6: found '0', expected player 1 or 2."),
    (
        efg('p "" 1 0 "" { "a" } 0', LEAF),
        "line 2, column 8: found '0', expected the number of an information set, 1 or",
    ),
    (
        efg('p "" 1 "" { "a" } 0', LEAF),
        "line 2, column 8: found the string '', expected the number of an information set",
    ),
    (efg('p "" 1 1 0', LEAF), f"line 2, column 10: found '0', expected {ACTIONS} 1, which is new."),
    (efg('p "" 1 1 "x" 0', LEAF), f"line 2, column 14: found '0', expected {ACTIONS} 1, which is new."),
    (efg('p "" 1 1 "" { } 0', LEAF), "line 2, column 15: found '}', expected an action in quotes."),
    (
        efg('p "" 1 1 "" { "a" b } 0', LEAF),
        "line 2, column 19: found 'b', expected an action in quotes or '}'.",
    ),
    (
        efg('p "" 1 1 "" { "a" "b" } 0', LEAF),
        "line 4, column 1: found the end of the file, expected 'c', 'p' or 't' and",
    ),
    (
        efg('p "" 1 1 "" { "a" "b" } 0', 'p "" 1 1 "" { "a" } 0', LEAF, LEAF),
        "line 3, column 8: found information set 1 with 1 action, expected 2 as before.",
    ),
    (
        efg('p "" 1 1 "" { "a" "b" } 0', 'p "" 1 1 "" { "b" "a" } 0', LEAF, LEAF, LEAF),
        "line 3, column 13: found action 'b' at another place, expected the same order as before.",
    ),
    (
        efg('p "" 1 1 "" { "a" "b" } 0', LEAF, 't "" 1 "" { 2 -2 }'),
        "line 4, column 6: found other payoffs for outcome 1, expected the same as before.",
    ),
    (efg('c "" 1 "" { "a" 1/2 "b" } 0'), "line 2, column 25: found '}', expected a probability."),
    (
        efg('c "" 1 "" { "a" 3/2 "b" -1/2 } 0'),
        "line 2, column 17: found 3/2, expected a probability from 0 to 1.",
    ),
    (
        efg('c "" 1 "" { "a" 1/2 "b" 1/3 } 0', LEAF, LEAF),
        "line 2, column 11: found probabilities that sum to 5/6, expected probabilities that sum to 1.",
    ),
    (
        efg('c "" 1 "" { "a" 0.5 "b" 0.499 } 0', LEAF, LEAF),
        "line 2, column 11: found probabilities that sum to 999/1000",
    ),
    (
        efg('c "" 1 "" { "a" 333333333/1000000000 "b" 2/3 } 0', LEAF, LEAF),
        "expected probabilities that sum to 1.",
    ),
    (
        efg('c "" 1 "" { "a" 1/2 "b" 1/2 } 0', 'c "" 1 "" { "a" 1/3 "b" 2/3 } 0', LEAF, LEAF, LEAF),
        "line 3, column 11: found other probabilities for chance set 1, expected the same as before.",
    ),
    (
        efg('p "" 1 1 "" { ' + '"a" ' * 1000 + "} 0", *['p "" 1 1 0'] * 100),
        "found a file that is too short for its tree, expected",
    ),
    ("\0\1\2\3", "line 1, column 1: found '\\x00\\x01\\x02\\x03', expected 'EFG'"),
    (
        "EFG 2 R " + "x" * 10**7,
        "line 1, column 9: found 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...', expected the title",
    ),
    ('EFG 2 R "' + "x" * 10**7, "line 1, column 9: found a string that is never closed"),
    ('EFG 2 R "' + '\\"' * 10**6, "line 1, column 9: found a string that is never closed"),
]


@pytest.mark.parametrize(("text", "message"), MALFORMED, ids=range(len(MALFORMED)))
def test_malformed(text, message):
    with pytest.raises(FormatError) as caught:
        parse_efg(text, name="bad.efg")
    shown = str(caught.value)
    assert message in shown
    assert shown.startswith("bad.efg, line ")
    assert shown.endswith(".")
    assert "\n" not in shown
    assert len(shown) < 250


def test_payoffs_that_grow_along_the_path_are_refused():
    large = [f'p "" 1 {i} "" {{ "a" }} 1 "" {{ 1e308 -1e308 }}' for i in (1, 2)]
    with pytest.raises(FormatError, match=r"line 3, column 21: found an outcome whose payoffs, added to those above"):
        parse_efg(efg(*large, 't "" 0'))
    primes = [p for p in range(10**4, 2 * 10**4) if all(p % q for q in range(2, 150))]
    long = [f'p "" 1 {p} "" {{ "a" }} {p} "" {{ 1/{p} -1/{p} }}' for p in primes]
    with pytest.raises(FormatError, match="too long or too large"):
        parse_efg(efg(*long, 't "" 0'))
    items = " ".join(f'"a" 1/{p}' for p in primes)
    with pytest.raises(FormatError, match="expected probabilities whose sum has fewer digits"):
        parse_efg(efg(f'c "" 1 "" {{ {items} }} 0'))


@pytest.mark.parametrize(
    ("players", "message"),
    [
        ("", "bad.efg has 0 players, expected a game of two players."),
        ('"A"', "bad.efg has 1 player, expected a game of two players."),
        ('"A" "B" "C"', "bad.efg has 3 players, expected a game of two players."),
    ],
)
def test_other_numbers_of_players(players, message):
    with pytest.raises(GameError, match=re.escape(message)):
        parse_efg(f'EFG 2 R "" {{ {players} }} t "" 0', name="bad.efg")


def test_general_sum_and_constant_sum():
    with pytest.raises(GameError, match=r"bad.efg is general-sum: .* add up to 0 at one .* and to 1/2 at another"):
        parse_efg(efg('p "" 1 1 "" { "a" "b" } 0', LEAF, 't "" 2 "" { 1 -1/2 }'), name="bad.efg")
    with pytest.raises(GameError, match=r"general-sum: .* to -1/1000000000000000000 at one .* and to 0 at another"):
        parse_efg(efg('p "" 1 1 "" { "a" "b" } 0', LEAF, 't "" 2 "" { 1 -1.000000000000000001 }'))
    constant = r"constant-sum but not zero-sum: the payoffs always add up to 10, expected 0 \(take 10 off one"
    with pytest.raises(GameError, match=constant):
        parse_efg(efg('p "" 1 1 "" { "a" "b" } 3 "" { 2 1 }', 't "" 1 "" { 3 4 }', 't "" 2 "" { 7 0 }'))
    with pytest.raises(GameError, match="add up to more than a double can hold"):
        parse_efg(efg('t "" 1 "" { 1.5e308 1.5e308 }'))


def test_too_many_nodes():
    assert read_efg(KUHN, max_nodes=55).num_nodes == 55
    with pytest.raises(TooLargeError, match=re.escape("kuhn.efg has more than 54 nodes, the largest number allowed.")):
        read_efg(KUHN, max_nodes=54)
    with pytest.raises(TooLargeError):
        parse_efg(KUHN.read_text(), max_nodes=0)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match="No such file"):
        read_efg(tmp_path / "none.efg")
    with pytest.raises(InputError, match="not a regular file"):
        read_efg(tmp_path)
    with pytest.raises(InputError, match="null"):
        read_efg("a\0b")
    path = tmp_path / "latin.efg"
    path.write_bytes(b'EFG 2 R "x"\n{ "\xe9" "B" } t "" 0')
    with pytest.raises(FormatError, match=r"latin.efg, line 2, column 4: found byte 0xe9, expected UTF-8 text\."):
        read_efg(path)
    path.write_bytes(b"")
    with pytest.raises(FormatError, match="found the end of the file"):
        read_efg(path)


def test_every_truncation_is_refused():
    text = KUHN.read_text().rstrip()
    whole = text.rindex(' "Alice wins 2"')  # the last outcome is known by its number from here on
    for end in range(len(text)):
        if end not in (whole, whole + 1):
            with pytest.raises(FormatError, match=r", line \d+, column \d+: found .*, expected .*\.$"):
                parse_efg(text[:end])
    assert structure(parse_efg(text[:whole])) == structure(parse_efg(text))


@given(st.binary(max_size=300))
@settings(max_examples=300, deadline=None)
def test_fuzz_bytes(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "fuzz.efg"
    for content in (data, b'EFG 2 R "t" { "A" "B" } ' + data):
        path.write_bytes(content)
        with contextlib.suppress(FormatError, GameError, TooLargeError):
            read_efg(path, max_nodes=1000)


PIECES = ['"', *"{},\\0-.cpt \n\0é", "1/3", "e9", ' "x" ', "1e999"]


@given(seeds, st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 8), st.sampled_from(PIECES)), max_size=4))
@settings(max_examples=1000, deadline=None)
def test_fuzz_mutations(seed, edits):
    text = random_efg(seed)
    for place, removed, piece in edits:
        at = place % (len(text) + 1)
        text = text[:at] + piece + text[at + removed :]
    with contextlib.suppress(FormatError, GameError, TooLargeError):
        game = parse_efg(text, max_nodes=1000)
        assert structure(parse_efg(write_efg(game))) == structure(game)
