"""``murk solve`` and ``murk exploit``: answers, files, resuming."""

import csv
import json
from pathlib import Path

import pyspiel
import pytest

import murk
from murk.solvers import METHODS, VARIANTS

KUHN, KUHN_VALUE = "kuhn_poker", -1 / 18
LEDUC = "leduc_poker"


@pytest.mark.parametrize("method", METHODS)
def test_every_method_finds_the_value_of_kuhn(as_json, method: str):
    limit = ("--iterations", "3000") if method in VARIANTS else ()
    fields = as_json("solve", KUHN, "--method", method, *limit)
    assert fields["value"] == pytest.approx(KUHN_VALUE, abs=2e-3)
    assert 0 <= fields["exploitability"] < 2e-3
    assert fields["method"] == {"auto": "simplex", "lp": "simplex"}.get(method, method)
    assert fields["stopped"] == ("iterations" if method in VARIANTS else "optimal")


def test_solve_fields_and_types(as_json):
    fields = as_json("solve", KUHN, "--out", "kuhn.murk")
    assert {key: type(value) for key, value in fields.items()} == {
        "game": str,
        "method": str,
        "value": float,
        "exploitability": float,
        "nash_conv": float,
        "lower": float,
        "upper": float,
        "iterations": int,
        "seconds": float,
        "stopped": str,
        "epsilon": type(None),
        "nodes": int,
        "build_seconds": float,
        "tree_from": str,
        "out": str,
        "plot": type(None),
    }
    assert fields["out"] == "kuhn.murk"
    assert fields["nodes"] == 58
    assert fields["lower"] - 1e-12 <= fields["value"] <= fields["upper"] + 1e-12


def test_solve_for_people(ok):
    lines = ok("solve", KUHN, "--method", "lp").stdout.splitlines()
    assert lines[0] == KUHN
    facts = dict(line.split(maxsplit=1) for line in lines[1:])
    assert list(facts) == ["method", "value", "exploitability", "guaranteed", "iterations", "seconds", "stopped"]
    assert facts["value"] == "-0.0555556"
    assert facts["guaranteed"] == "MAX gets -0.0555556 or more, MIN pays -0.0555556 or less"
    assert facts["stopped"] == "optimal"


def test_stops_at_the_target(as_json):
    fields = as_json("solve", LEDUC, "--method", "dcfr", "--target", "1e-2")
    assert fields["stopped"] == "target"
    assert 0 < fields["exploitability"] <= 1e-2


def test_stops_after_the_time(as_json):
    fields = as_json("solve", LEDUC, "--method", "cfr", "--target", "0", "--time", "0.2")
    assert fields["stopped"] == "seconds"
    assert fields["seconds"] >= 0.2


def test_threads_do_not_change_the_answer(as_json):
    one, two = (as_json("solve", LEDUC, "--method", "pcfr+", "--iterations", "50", "--threads", n) for n in ("1", "2"))
    assert one["value"] == pytest.approx(two["value"], rel=1e-12)
    assert one["exploitability"] == pytest.approx(two["exploitability"], rel=1e-9)


def test_epsilon_bounds_every_probability(as_json):
    """With all probabilities at least 0.3/2 MAX cannot bluff seldom enough, and loses more than 1/18."""
    fields = as_json("solve", KUHN, "--epsilon", "0.3", "--out", "kuhn.csv")
    assert fields["epsilon"] == 0.3
    assert fields["value"] < KUHN_VALUE - 0.01
    assert fields["lower"] == pytest.approx(fields["value"])
    rows = list(csv.DictReader(Path("kuhn.csv").read_text().splitlines()))
    assert min(float(row["probability"]) for row in rows if row["player"] == "max") >= 0.15 - 1e-9


def test_epsilon_of_the_other_player(as_json):
    fields = as_json("solve", KUHN, "--epsilon", "0.3", "--player", "min", "--out", "kuhn.csv")
    assert fields["value"] > KUHN_VALUE + 0.01
    rows = list(csv.DictReader(Path("kuhn.csv").read_text().splitlines()))
    assert min(float(row["probability"]) for row in rows if row["player"] == "min") >= 0.15 - 1e-9


def test_a_game_in_python(as_json):
    game = Path(__file__).parents[2] / "examples" / "rock_paper_scissors.py"
    assert as_json("solve", f"{game}:RockPaperScissors")["value"] == pytest.approx(0, abs=1e-12)


# Files


def test_out_as_text_is_the_strategy(as_json):
    as_json("solve", KUHN, "--out", "kuhn.json")
    as_json("solve", KUHN, "--out", "kuhn.csv")
    data = json.loads(Path("kuhn.json").read_text())
    rows = data["strategy"]
    assert data["value"] == pytest.approx(KUHN_VALUE)
    assert list(rows[0]) == ["player", "number", "infoset", "action", "probability", "reach"]
    assert {row["infoset"] for row in rows if row["player"] == "max"} == {
        card + history for card in "012" for history in ("", "pb")
    }
    text = list(csv.DictReader(Path("kuhn.csv").read_text().splitlines()))
    assert [(row["infoset"], row["action"]) for row in text] == [(row["infoset"], row["action"]) for row in rows]
    # Unique in equilibrium: MAX never bets the middle card, MIN always calls with the best.
    chosen = {(row["player"], row["infoset"], row["action"]): row["probability"] for row in rows}
    assert chosen["max", "1", "Bet"] == pytest.approx(0, abs=1e-9)
    assert chosen["min", "2b", "Bet"] == pytest.approx(1, abs=1e-9)
    assert chosen["min", "1b", "Bet"] == pytest.approx(1 / 3, abs=1e-9)


def test_what_is_written_has_the_exploitability_that_openspiel_measures(as_json):
    from open_spiel.python.algorithms.exploitability import exploitability
    from open_spiel.python.policy import TabularPolicy

    as_json("solve", KUHN, "--method", "cfr", "--iterations", "17", "--out", "kuhn.murk")
    as_json("convert", "kuhn.murk", "kuhn.json", "--game", KUHN)
    measured = as_json("exploit", KUHN, "kuhn.murk")
    game = pyspiel.load_game(KUHN)
    policy = TabularPolicy(game)
    for row in json.loads(Path("kuhn.json").read_text())["strategy"]:
        action = ["Pass", "Bet"].index(row["action"])
        policy.action_probability_array[policy.state_lookup[row["infoset"]], action] = row["probability"]
    assert exploitability(game, policy) == pytest.approx(measured["exploitability"], abs=1e-12)


def test_resuming_goes_on_from_where_it_was(as_json):
    first = as_json("solve", LEDUC, "--method", "dcfr", "--iterations", "40", "--out", "a.murk")
    second = as_json("solve", LEDUC, "--resume", "a.murk", "--iterations", "60", "--out", "a.murk")
    whole = as_json("solve", LEDUC, "--method", "dcfr", "--iterations", "100", "--out", "b.murk")
    assert [first["iterations"], second["iterations"], whole["iterations"]] == [40, 100, 100]
    assert second["method"] == "dcfr"
    assert second["value"] == pytest.approx(whole["value"], rel=1e-12)
    assert second["exploitability"] == pytest.approx(whole["exploitability"], rel=1e-9)


@pytest.mark.parametrize(
    ("name", "magic"), [("a.png", b"\x89PNG\r\n"), ("a.svg", b"<?xml"), ("a.pdf", b"%PDF")], ids=lambda v: str(v)
)
def test_plot(as_json, name: str, magic: bytes):
    fields = as_json("solve", KUHN, "--method", "dcfr", "--iterations", "50", "--plot", name)
    assert fields["plot"] == name
    assert Path(name).read_bytes().startswith(magic)


def test_plot_of_a_linear_program_is_a_point(ok):
    result = ok("solve", KUHN, "--method", "lp", "--plot", "lp.svg")
    assert "plot in         lp.svg" in result.stdout
    assert "<svg" in Path("lp.svg").read_text()


# Measuring


def test_exploit_fields(as_json):
    as_json("solve", KUHN, "--method", "cfr", "--iterations", "10", "--out", "kuhn.murk")
    fields = as_json("exploit", KUHN, "kuhn.murk")
    assert {key: type(value) for key, value in fields.items()} == {
        "game": str,
        "method": str,
        "iterations": int,
        "value": float,
        "lower": float,
        "upper": float,
        "nash_conv": float,
        "exploitability": float,
        "game_value": float,
        "game_value_from": str,
        "side_exploitability": dict,
    }
    assert (fields["method"], fields["iterations"], fields["game_value_from"]) == ("cfr", 10, "lp")
    assert fields["game_value"] == pytest.approx(KUHN_VALUE)
    assert fields["nash_conv"] == pytest.approx(2 * fields["exploitability"])
    sides = fields["side_exploitability"]
    assert sides["max"] == pytest.approx(KUHN_VALUE - fields["lower"])
    assert sides["min"] == pytest.approx(fields["upper"] - KUHN_VALUE)
    assert sides["max"] + sides["min"] == pytest.approx(fields["nash_conv"])


def test_exploit_against_a_given_value(as_json, ok):
    as_json("solve", KUHN, "--out", "kuhn.murk")
    fields = as_json("exploit", KUHN, "kuhn.murk", "--value", "0")
    assert (fields["game_value"], fields["game_value_from"]) == (0.0, "given")
    assert fields["side_exploitability"]["max"] == pytest.approx(1 / 18)
    text = ok("exploit", KUHN, "kuhn.murk", "--value", "0").stdout
    assert "game value      0, as given" in text
    assert "MAX alone       0.0556 below it" in text


def test_exploit_says_when_the_value_is_not_known(as_json, ok, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("murk.cli.exploit._LP_ENTRIES", 3)
    as_json("solve", KUHN, "--out", "kuhn.murk")
    fields = as_json("exploit", KUHN, "kuhn.murk")
    assert fields["game_value"] is None
    assert fields["game_value_from"] is None
    assert fields["side_exploitability"] == {"max": None, "min": None}
    assert "game value      not known" in ok("exploit", KUHN, "kuhn.murk").stdout


# Converting


@pytest.mark.parametrize("ending", ["efg", "murk"])
def test_a_converted_game_is_the_same_game(as_json, ending: str):
    fields = as_json("convert", KUHN, f"kuhn.{ending}")
    assert fields == {
        "source": KUHN,
        "dest": f"kuhn.{ending}",
        "kind": "game",
        "nodes": 58,
        "bytes": Path(f"kuhn.{ending}").stat().st_size,
    }
    again = as_json("solve", f"kuhn.{ending}")
    assert again["nodes"] == 58
    assert again["value"] == pytest.approx(KUHN_VALUE, abs=1e-12)


def test_a_converted_game_loads_in_openspiel(as_json, scratch: Path):
    as_json("convert", "matching_pennies(n=3)", "pennies.efg")
    game = pyspiel.load_game(f"efg_game(filename={scratch / 'pennies.efg'})")
    assert game.num_players() == 2
    assert game.max_utility() == 3.0


def test_efg_to_efg_keeps_rationals(as_json):
    chance, leaves = 'c "" 1 "" { "a" 1/3 "b" 2/3 } 0', 't "" 1 "" { 1/7, -1/7 }\nt "" 2 "" { 0, 0 }'
    Path("a.efg").write_text(f'EFG 2 R "third" {{ "MAX" "MIN" }}\n{chance}\n{leaves}\n')
    as_json("convert", "a.efg", "b.efg")
    text = Path("b.efg").read_text()
    assert '"a" 1/3 "b" 2/3' in text
    assert "1/7" in text


def test_convert_overwrites_only_when_told(run, ok):
    Path("kuhn.efg").write_text("precious")
    result = run("convert", KUHN, "kuhn.efg")
    assert (result.exit_code, result.stderr) == (
        2,
        "murk: kuhn.efg exists already, expected a new file or --force\n",
    )
    assert Path("kuhn.efg").read_text() == "precious"
    assert "nodes  58" in ok("convert", KUHN, "kuhn.efg", "--force").stdout
    assert Path("kuhn.efg").read_text().startswith("EFG 2 R")


def test_a_saved_solution_is_readable_from_python(as_json):
    fields = as_json("solve", KUHN, "--out", "kuhn.murk")
    solution = murk.load_solution("kuhn.murk", murk.build(KUHN))
    assert solution.value == fields["value"]
    assert solution.exploitability == fields["exploitability"]
