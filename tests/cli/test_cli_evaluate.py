"""``murk evaluate`` and ``murk label``."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from murk.cli import main
from murk.darkchess import Position

FEN = "4k3/8/8/8/4Q3/8/8/4K2R w K -"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


@pytest.mark.parametrize("evaluator", ["embedded", "stockfish", "simple"])
def test_json_has_every_move_best_first(evaluator: str) -> None:
    result = run("evaluate", FEN, "--evaluator", evaluator, "--json")
    assert result.exit_code == 0, result.stderr
    answer = json.loads(result.stdout)
    assert answer["fen"] == FEN
    assert answer["turn"] == "white"
    assert answer["evaluator"]["name"] == evaluator
    moves = answer["moves"]
    assert {move["uci"] for move in moves} == {str(move) for move in Position(FEN).legal_moves}
    assert moves[0] == {"uci": "e4e8", "san": "Qxe8", "value": 1.0, "decided": "captures the king"}
    values = [move["value"] for move in moves]
    assert values == sorted(values, reverse=True)


def test_the_start_and_an_evaluator_of_ones_own() -> None:
    own = Path(__file__).parents[2] / "examples" / "custom_evaluator.py"
    answer = json.loads(run("evaluate", "start", "--evaluator", f"{own}:Greedy", "--json").stdout)
    assert answer["fen"] == Position().fen
    assert answer["evaluator"]["name"] == "greedy"
    assert {move["value"] for move in answer["moves"]} == {0.0}
    for name, message in (("PAWNS", "is a dict, expected an evaluator"), ("Nobody", "has no 'Nobody'")):
        result = run("evaluate", "start", "--evaluator", f"{own}:{name}")
        assert result.exit_code == 2
        assert message in result.stderr


def test_a_table_for_people() -> None:
    result = run("evaluate", "4k3/8/8/8/8/5r2/8/4K2R w K -", "--evaluator", "stockfish", "--depth", "2")
    assert result.exit_code == 0, result.stderr
    assert "by stockfish (engine Stockfish" in result.stdout
    assert "depth 2" in result.stdout
    assert "the own king can be captured" in result.stdout
    assert "O-O" in result.stdout


def test_what_the_rules_decide_is_said() -> None:
    # After this the black king has no move and no other piece: it loses.
    fen = "8/8/8/8/8/2k5/2p5/K7 w - -"
    moves = {m["uci"]: m for m in json.loads(run("evaluate", fen, "--evaluator", "simple", "--json").stdout)["moves"]}
    assert moves["a1b2"]["decided"] == "the own king can be captured"
    assert moves["a1a2"]["decided"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rubbish"], "FEN"),
        ([FEN, "--evaluator", "net"], "evaluator is 'net', expected embedded, embedded:WEIGHTS, stockfish,"),
        ([FEN, "--evaluator", "stockfish:/no/such"], "there is no program '/no/such'"),
        ([FEN, "--depth", "3"], "depth and nodes are for stockfish, and the evaluator is embedded"),
    ],
)
def test_errors_are_one_line(arguments: list[str], message: str) -> None:
    result = run("evaluate", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_label_makes_shards_and_goes_on(tmp_path: Path) -> None:
    command = ["label", str(tmp_path / "data"), "--labels", "400", "--held-out", "100", "--shard", "300", "--json"]
    result = run(*command)
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["new"] == 500
    assert len(list((tmp_path / "data").glob("*.bin"))) == 3
    assert json.loads(run(*command).stdout)["new"] == 0
    result = run(*command, "--seed", "2")
    assert result.exit_code == 2
    assert "were made with seed 1, not 2" in result.stderr
