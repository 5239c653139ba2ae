"""Gambit `.efg` files: what is written, and that nothing is lost."""

from fractions import Fraction
from pathlib import Path

import pytest
from efg_samples import KUHN, efg, names, random_efg, recall_seeds, seeds, structure
from hypothesis import given, settings
from hypothesis import strategies as st

from murk.errors import GameError, InputError
from murk.games.build import build_tree
from murk.games.efg import parse_efg, read_efg, write_efg
from murk.games.efg.lexer import Lexer
from murk.games.efg.rationals import exact_float, exact_probabilities, number_text
from murk.games.protocol import MAX


@given(seeds)
@settings(max_examples=100, deadline=None)
def test_what_is_written_reads_back_exactly(seed):
    game = parse_efg(random_efg(seed))
    text = write_efg(game)
    again = parse_efg(text)
    assert structure(again) == structure(game)
    assert names(again) == names(game)
    assert write_efg(again) == text


def test_kuhn_is_written_as_it_was_read():
    again = parse_efg(write_efg(read_efg(KUHN)))
    assert names(again) == names(read_efg(KUHN))
    assert (again.title, again.comment, again.players) == (
        "Kuhn poker",
        "Three cards, one bet. Value -1/18 for Alice.",
        ("Alice", "Bob"),
    )


@given(recall_seeds)
@settings(max_examples=50, deadline=None)
def test_a_tree_is_written_with_nice_fractions(seed):
    game = parse_efg(random_efg(seed))
    tree = build_tree(game)
    rows, expected = structure(parse_efg(write_efg(tree))), structure(game)
    if not tree.chance_reach.all():  # where nature never goes a tree does not know her probabilities
        rows, expected = ([row[:3] for row in source] for source in (rows, expected))
    assert rows == expected


def test_title_and_names_of_a_tree():
    tree = build_tree(read_efg(KUHN))
    game = parse_efg(write_efg(tree, title="another"))
    assert game.title == "another"
    assert parse_efg(write_efg(tree)).title == "kuhn.efg"
    assert game.players == ("MAX", "MIN")
    assert game.infosets[MAX][0].name == "J"
    assert game.infosets[MAX][0].actions == ("pass", "bet")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_come_back(value):
    text = number_text(exact_float(value))
    exact, _ = Lexer(text, "x").number("a number")
    assert float(exact) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (3.0, "3"),
        (1 / 3, "1/3"),
        (-2 / 7, "-2/7"),
        (0.1, "1/10"),
        (12.75, "51/4"),
        (1e10 + 1 / 3, "10000000000.333334"),
        (0.1234567890123, "0.1234567890123"),
        (1e22, "10000000000000000000000"),
        (5e-324, "0." + "0" * 323 + "5"),
    ],
)
def test_floats_are_written_short(value, text):
    assert number_text(exact_float(value)) == text


def test_long_rationals_are_written_as_decimals_where_they_have_one():
    assert number_text(Fraction(1, 2**40)) == "0." + "9094947017729282379150390625".rjust(40, "0")
    assert number_text(Fraction(-3, 10**12)) == "-0.000000000003"
    assert number_text(Fraction(1, 3**30)) == f"1/{3**30}"
    assert number_text(Fraction(1, 2**4000)) == f"1/{2**4000}"


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=20).filter(any), st.floats(1e-12, 1))
def test_chance_is_reconstructed_from_reach(weights, reach):
    total = sum(weights)
    ratios = [reach * (weight / total) / reach for weight in weights]
    exact = exact_probabilities(ratios)
    assert sum(exact) == 1
    assert all(p >= 0 for p in exact)
    assert max(abs(float(p) - r) for p, r in zip(exact, ratios, strict=True)) < 1e-14
    if total <= 10**6:
        assert exact == [Fraction(weight, total) for weight in weights]


@given(st.lists(st.floats(1e-300, 1), min_size=1, max_size=20))
def test_any_chance_sums_to_one(weights):
    ratios = [weight / sum(weights) for weight in weights]
    exact = exact_probabilities(ratios)
    assert sum(exact) == 1
    assert max(abs(float(p) - r) for p, r in zip(exact, ratios, strict=True)) < 1e-14
    game = parse_efg(
        efg(
            'c "" 1 "" { ' + " ".join(f'"a" {number_text(p)}' for p in exact) + " } 0",
            *['t "" 0'] * len(exact),
        )
    )
    assert list(game.exact_chance(0)) == exact


def test_a_tree_with_extra_payoffs_is_refused():
    tree = build_tree(read_efg(KUHN))
    tree.add_extra(MAX, 0, 1.0)
    with pytest.raises(GameError, match="extra payoffs"):
        write_efg(tree)


def test_the_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "game.efg"
    text = write_efg(read_efg(KUHN), path)
    assert path.read_text() == text
    assert list(tmp_path.iterdir()) == [path]

    def fail(self, target):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", fail)
        with pytest.raises(InputError, match=r"cannot write .*game.efg: No space left on device"):
            write_efg(parse_efg(efg('t "" 0')), path)
    assert path.read_text() == text
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(InputError, match=r"cannot write .*: No such file or directory"):
        write_efg(read_efg(KUHN), tmp_path / "none" / "game.efg")
    with pytest.raises(InputError, match="cannot write"):
        write_efg(read_efg(KUHN), tmp_path)
    for path in ("", "/", "a\0b"):
        with pytest.raises(InputError, match="cannot write"):
            write_efg(read_efg(KUHN), path)
