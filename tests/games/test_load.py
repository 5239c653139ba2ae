"""The way in: names, paths, objects, Python code; and the trees kept on disk."""

import logging
import os
import random
import sys
from pathlib import Path

import pyspiel
import pytest
from samples import KUHN, LEDUC

import murk
from murk.errors import GameError, InputError, TooLargeError
from murk.games import load as loading
from murk.games.builtin import MatchingPennies
from murk.games.load import SavedTree, cache_directory
from murk.games.openspiel import OpenSpielGame
from murk.solvers import solve_lp
from murk.tree import files


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache directory of its own for one test."""
    monkeypatch.setenv("MURK_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache" / "trees"


@pytest.fixture
def walks(monkeypatch):
    """A list that grows by one name with each walk over an OpenSpiel game."""
    made = []
    real = loading.build_openspiel

    def counting(game, **options):
        made.append(game.name)
        return real(game, **options)

    monkeypatch.setattr(loading, "build_openspiel", counting)
    return made


def test_what_a_description_may_be(tmp_path):
    assert isinstance(murk.load(KUHN), OpenSpielGame)
    assert isinstance(murk.load(pyspiel.load_game(KUHN)), OpenSpielGame)
    assert murk.load("matching_pennies(n=3)") == MatchingPennies(3)
    game = MatchingPennies(4)
    assert murk.load(game) is game
    tree = murk.build(game)
    assert murk.build(tree) is tree
    murk.save_tree(tree, tmp_path / "pennies.murk")
    saved = murk.load(tmp_path / "pennies.murk")
    assert isinstance(saved, SavedTree)
    assert saved.name == "pennies"
    assert murk.build(str(tmp_path / "pennies.murk")).num_nodes == 29
    with pytest.raises(TooLargeError, match="has more than 28 nodes"):
        murk.build(tmp_path / "pennies.murk", max_nodes=28)


def test_efg_files_are_recognised_by_their_name(tmp_path):
    from murk.games.efg import write_efg

    write_efg(murk.build("matching_pennies(n=2)"), tmp_path / "pennies.efg")
    assert murk.build(tmp_path / "pennies.efg").num_nodes == 15
    assert solve_lp(murk.build(str(tmp_path / "pennies.efg"))).value == pytest.approx(
        solve_lp(murk.build("matching_pennies(n=2)")).value, abs=1e-12
    )


@pytest.mark.parametrize("spec", [7, None, 1.5, [], object(), b"kuhn_poker"])
def test_what_a_description_may_not_be(spec):
    with pytest.raises(InputError, match="a game is given by a name, a path or a game object, got"):
        murk.load(spec)


# Python code

PYTHON = """
from dataclasses import dataclass

from murk.games.builtin import MatchingPennies
from murk.games.explicit import ExplicitGame, decision, leaf
from murk.games.protocol import MAX


@dataclass
class Sized:
    n: int = 2

    def game(self):
        return MatchingPennies(self.n)


instance = ExplicitGame("choice", decision(MAX, {"a": leaf(1), "b": leaf(2)}))


def function():
    return Sized(3).game()


class Class(MatchingPennies):
    def __init__(self):
        super().__init__(6)


number = 7
nothing = None
"""


@pytest.mark.parametrize(("attribute", "nodes"), [("instance", 3), ("function", 22), ("Class", 43)])
def test_games_in_python_files(tmp_path, attribute, nodes):
    path = tmp_path / "my game.py"
    path.write_text(PYTHON)
    assert murk.build(f"{path}:{attribute}").num_nodes == nodes


def test_games_in_python_modules(tmp_path, monkeypatch):
    (tmp_path / "a_package_of_games").mkdir()
    (tmp_path / "a_package_of_games" / "__init__.py").write_text("")
    (tmp_path / "a_package_of_games" / "toys.py").write_text(PYTHON)
    monkeypatch.syspath_prepend(tmp_path)
    assert murk.build("a_package_of_games.toys:function").num_nodes == 22
    assert murk.build("murk.games.builtin:MatchingPennies").num_nodes == 701


def test_a_file_may_have_the_name_of_a_module(tmp_path):
    path = tmp_path / "random.py"
    path.write_text(PYTHON)
    assert murk.build(f"{path}:function").num_nodes == 22
    assert sys.modules["random"] is random


def test_a_file_is_read_anew_each_time(tmp_path):
    path = tmp_path / "game.py"
    for n in (2, 3):
        path.write_text(f"from murk.games.builtin import MatchingPennies\ngame = MatchingPennies({n})\n# {'x' * n}\n")
        assert murk.load(f"{path}:game").n == n


@pytest.mark.parametrize(
    ("text", "attribute", "error", "message"),
    [
        (PYTHON, "missing", InputError, r"game\.py has no 'missing'"),
        (PYTHON, "nothing", InputError, r"game\.py has no 'nothing'"),
        (PYTHON, "number", GameError, r"is a int, expected a game with `name` and `root\(\)`"),
        (PYTHON, "Sized", GameError, r"is a Sized, expected a game with `name` and `root\(\)`"),
        ("def broken(:\n", "x", InputError, r"cannot import .*game\.py: .* in line 1"),
        ("import no_such_module_at_all", "x", InputError, r"cannot import .*game\.py: No module named"),
    ],
)
def test_python_files_that_hold_no_game(tmp_path, text, attribute, error, message):
    path = tmp_path / "game.py"
    path.write_text(text)
    before = set(sys.modules)
    with pytest.raises(error, match=message):
        murk.load(f"{path}:{attribute}")
    assert {name for name in set(sys.modules) - before if "murk_file" not in name} == set()


def test_python_that_is_not_there():
    with pytest.raises(InputError, match=r"cannot read nowhere\.py: no such file"):
        murk.load("nowhere.py:Game")
    with pytest.raises(InputError, match="cannot import no_such_module_at_all"):
        murk.load("no_such_module_at_all:Game")


# Trees kept on disk


def test_the_second_time_a_tree_comes_from_disk(cache, walks):
    first = murk.build(LEDUC)
    assert len(list(cache.iterdir())) == 1
    second = murk.build(LEDUC)
    assert walks == [LEDUC]
    assert files.fingerprint(first) == files.fingerprint(second)
    assert second.name == LEDUC
    for p in (0, 1):
        assert first.infoset_names(p) == second.infoset_names(p)


def test_other_games_and_other_readings_are_kept_apart(cache, walks):
    names = [KUHN, "matrix_rps", "matrix_mp", "dark_hex(board_size=2,gameversion=adh)"]
    sizes = [murk.build(name).num_nodes for name in names]
    murk.build(KUHN, recall="actions")
    assert len(list(cache.iterdir())) == len(walks) == 5
    assert [murk.build(name).num_nodes for name in names] == sizes
    assert len(walks) == 5


def test_a_name_written_differently_is_the_same_game(cache, walks):
    murk.build("goofspiel(num_cards=3,imp_info=True,players=2)")
    tree = murk.build("goofspiel(imp_info=True,num_cards=3,players=2)")
    assert len(walks) == 1
    assert tree.name == "goofspiel(imp_info=True,num_cards=3,players=2)"


def test_no_cache_if_none_is_wanted(cache, walks):
    for _ in range(2):
        murk.build(KUHN, cache=False)
    assert len(walks) == 2
    assert not cache.exists()


def test_games_that_have_only_a_name_in_common_are_not_kept(cache):
    """OpenSpiel calls every matrix game made by hand the same."""
    values = []
    for corner in (1.0, 3.0):
        rows = [[corner, -1.0], [-1.0, 1.0]]
        game = pyspiel.create_matrix_game(rows, [[-u for u in row] for row in rows])
        values.append(solve_lp(murk.build(game)).value)
    assert values == pytest.approx([0.0, 1 / 3], abs=1e-9)
    assert not cache.exists()


def test_games_read_from_files_are_not_kept(cache, tmp_path):
    path = tmp_path / "game.efg"
    for payoff in (1, 2):
        path.write_text(
            f'EFG 2 R "game" {{ "one" "two" }} ""\np "" 1 1 "" {{ "a" "b" }} 0\n'
            f't "" 1 "" {{ {payoff} -{payoff} }}\nt "" 2 "" {{ 0 0 }}\n'
        )
        assert solve_lp(murk.build(f"efg_game(filename={path})")).value == payoff
    assert not cache.exists()


def test_a_spoilt_file_is_ignored_with_a_warning_and_replaced(cache, walks, caplog):
    murk.build(KUHN)
    (path,) = cache.iterdir()
    good = path.read_bytes()
    for spoilt in (b"", b"hello", good[:-1], good[:100] + b"\xff" + good[101:]):
        path.write_bytes(spoilt)
        caplog.clear()
        with caplog.at_level(logging.WARNING, logger="murk"):
            tree = murk.build(KUHN)
        assert tree.num_nodes == 58
        assert [r.levelname for r in caplog.records] == ["WARNING"]
        assert "ignoring a spoilt cache file" in caplog.text
        assert path.read_bytes() == good
    assert len(walks) == 5


def test_a_cache_that_cannot_be_written_is_a_warning(tmp_path, monkeypatch, caplog):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("MURK_CACHE_DIR", str(tmp_path / "file"))
    with caplog.at_level(logging.WARNING, logger="murk"):
        assert murk.build(KUHN).num_nodes == 58
    assert "the tree of kuhn_poker is not kept" in caplog.text


def test_the_limit_holds_for_kept_trees_too(cache):
    murk.build(KUHN)
    with pytest.raises(TooLargeError, match="kuhn_poker has more than 57 nodes"):
        murk.build(KUHN, max_nodes=57)


def test_where_the_cache_is(monkeypatch, tmp_path):
    monkeypatch.setenv("MURK_CACHE_DIR", "/somewhere")
    assert cache_directory() == Path("/somewhere")
    monkeypatch.delenv("MURK_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_directory() == tmp_path / "murk"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_directory() == tmp_path / ".cache" / "murk"


def test_tests_do_not_touch_the_users_cache():
    assert "murk-tests-" in os.environ["MURK_CACHE_DIR"]
