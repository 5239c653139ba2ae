"""``murk games`` and ``murk info``."""

import sys
from pathlib import Path

import pytest

import murk
from murk.cli import options

KUHN = "kuhn_poker"


def test_games_lists_built_in_and_openspiel_games(as_json):
    games = {game["name"]: game for game in as_json("games")["games"]}
    assert {"matching_pennies", "counterexample", "figure1", "random", KUHN, "leduc_poker", "liars_dice"} <= set(games)
    assert games["matching_pennies"]["source"] == "murk"
    assert games["matching_pennies"]["parameters"] == {"n": 100}
    assert games["counterexample"]["parameters"] == {"n": None}
    assert games[KUHN] == {
        "name": KUHN,
        "source": "openspiel",
        "description": "Kuhn Poker",
        "information": "imperfect",
        "recall": "states",
        "parameters": {"players": 2},
    }
    assert games["dark_chess"]["recall"] == "actions"


def test_games_leaves_out_what_murk_cannot_take(as_json):
    names = {game["name"] for game in as_json("games")["games"]}
    three_players, general_sum, one_player = "matching_pennies_3p", "matrix_pd", "2048"
    assert not names & {three_players, general_sum, one_player}


def test_every_openspiel_game_in_the_list_loads(as_json):
    for game in as_json("games")["games"]:
        if game["source"] == "openspiel":
            murk.load(game["name"], recall=game["recall"])


def test_games_table(ok):
    lines = ok("games", "leduc").stdout.splitlines()
    assert lines[0] == "2 games"
    assert lines[1].split() == ["name", "source", "description", "parameters"]
    assert lines[3].split()[:4] == ["leduc_poker", "openspiel", "Leduc", "Poker"]
    assert lines[4].split()[0] == "repeated_leduc_poker"
    assert len(lines) == 5


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("poker", {KUHN, "leduc_poker"}),
        ("LEDUC", {"leduc_poker"}),
        ("liars_d*", {"liars_dice"}),
        ("Fog", {"dark_chess_endgame"}),
        ("Smog", set()),
    ],
)
def test_games_pattern(as_json, pattern: str, expected: set[str]):
    names = {game["name"] for game in as_json("games", pattern)["games"]}
    assert expected <= names
    assert bool(expected) == bool(names)
    assert "chess" not in names


def test_games_that_nothing_matches_suggests(ok):
    assert ok("games", "kuhn_pokr").stdout == "no game matches 'kuhn_pokr'; did you mean kuhn_poker?\n"


def test_games_without_openspiel(run, monkeypatch: pytest.MonkeyPatch):
    without_openspiel(monkeypatch)
    result = run("games")
    assert result.exit_code == 0
    assert "openspiel" not in result.stdout
    assert "figure1" in result.stdout
    assert result.stderr == "OpenSpiel is not installed: pip install 'murk[openspiel]' adds its games\n"
    assert run("games", "--quiet").stderr == ""


def test_info_of_kuhn_is_the_textbooks(as_json):
    facts = as_json("info", KUHN)
    # 1 deal, 3 second deals, 6 deals of cards with 9 nodes each (4 decisions, 5 endings).
    assert facts["nodes"] == 1 + 3 + 6 * 9 == 58
    assert facts["chance_nodes"] == 4
    assert facts["decision_nodes"] == {"max": 6 * 2, "min": 6 * 2}
    assert facts["terminal_nodes"] == 6 * 5
    assert facts["depth"] == 5
    assert facts["infosets"] == {"max": 6, "min": 6}
    assert facts["sequences"] == {"max": 13, "min": 13}
    assert facts["payoffs"] == {"lowest": -2.0, "highest": 2.0}
    assert facts["payoff_entries"] == 30
    assert facts["auto_method"] == "simplex"


def test_info_fields_and_types(as_json):
    facts = as_json("info", "figure1")
    kinds = {key: type(value) for key, value in facts.items()}
    assert kinds == {
        "game": str,
        "nodes": int,
        "depth": int,
        "chance_nodes": int,
        "decision_nodes": dict,
        "terminal_nodes": int,
        "infosets": dict,
        "sequences": dict,
        "payoff_entries": int,
        "payoffs": dict,
        "memory": dict,
        "auto_method": str,
        "build_seconds": float,
        "nodes_per_second": float,
        "tree_from": str,
    }
    memory = facts["memory"]
    assert set(memory) == {"tree_bytes", "bytes_per_node", "cfr_bytes", "lp_bytes"}
    assert memory["bytes_per_node"] == pytest.approx(memory["tree_bytes"] / facts["nodes"])
    parts = facts["chance_nodes"] + sum(facts["decision_nodes"].values()) + facts["terminal_nodes"]
    assert parts == facts["nodes"] == 31


def test_info_table(ok):
    facts = dict(line.split(maxsplit=1) for line in ok("info", KUHN).stdout.splitlines()[1:])
    assert facts["nodes"] == "58"
    assert facts["decisions"] == "24 (MAX 12, MIN 12)"
    assert facts["infosets"] == "12 (MAX 6, MIN 6)"
    assert facts["sequences"] == "26 (MAX 13, MIN 13)"
    assert facts["payoffs"] == "-2 to 2"


def test_info_says_where_the_tree_came_from(as_json, scratch: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MURK_CACHE_DIR", str(scratch / "fresh"))
    seen = [as_json("info", KUHN, *options)["tree_from"] for options in ((), (), ("--no-cache",))]
    assert seen == ["built", "cache", "built"]
    murk.save_tree(murk.build(KUHN), scratch / "kuhn.murk")
    assert as_json("info", "kuhn.murk")["tree_from"] == "file"


def test_recall_from_actions(as_json):
    """OpenSpiel's information states of this game forget; with recall repaired MAX wins for certain."""
    game = "dark_hex(num_rows=2,num_cols=3)"
    assert as_json("solve", game, "--recall", "actions", "--method", "ipm")["value"] == pytest.approx(1.0, abs=1e-6)


def without_openspiel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    options.openspiel_names.cache_clear()
    monkeypatch.setattr(options, "openspiel_names", options.openspiel_names.__wrapped__)
    monkeypatch.setattr("murk.cli.games.openspiel_names", options.openspiel_names)
    monkeypatch.setattr("murk.cli.trees.openspiel_names", options.openspiel_names)
