"""``murk bench solvers``: what it prints, keeps and answers."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import murk.bench.cli as bench_cli
from murk.bench.report import make_row
from murk.cli import main
from murk.errors import BackendError

FAST = ("bench", "solvers", "--quick", "--repeat", "1")
ROW = make_row("lp_seconds", ours=0.5, peer_value=1.0, peer="Peer", case="kuhn_poker", nodes=58)


def murk(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_json_is_one_object_with_rows_and_environment():
    result = murk(*FAST, "--no-peers", "--case", "kuhn_poker", "--metric", "bytes_per_node", "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    answer = json.loads(result.stdout)
    assert {row["metric"] for row in answer["rows"]} == {"bytes_per_node"}
    assert all(
        {"metric", "case", "ours", "unit", "peer", "peer_value", "ratio", "note"} <= set(r) for r in answer["rows"]
    )
    assert answer["environment"]["instruction_set"]
    assert answer["interrupted"] is False


def test_a_table_is_for_people():
    result = murk(*FAST, "--no-peers", "--case", "kuhn_poker", "--metric", "bytes_per_node")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "memory of the tree" in result.stdout
    assert "60.8 bytes" in result.stdout


def test_ctrl_c_shows_and_keeps_what_was_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def interrupted(*args):
        yield ROW
        raise KeyboardInterrupt

    monkeypatch.setattr(bench_cli, "run", interrupted)
    out, table = tmp_path / "rows.jsonl", tmp_path / "rows.csv"
    result = murk("bench", "solvers", "--json", "--out", out, "--csv", table)
    assert result.exit_code == 130
    answer = json.loads(result.stdout)
    assert answer["interrupted"] is True
    assert answer["rows"] == [ROW.to_dict()]
    assert json.loads(out.read_text().splitlines()[1]) == ROW.to_dict()
    assert len(table.read_text().splitlines()) == 2


def test_a_disagreement_fails_after_showing_what_was_measured(monkeypatch: pytest.MonkeyPatch):
    def wrong(*args):
        yield ROW
        raise BackendError("the value is 1 by murk and 2 by the peer, expected the same")

    monkeypatch.setattr(bench_cli, "run", wrong)
    result = murk("bench", "solvers")
    assert result.exit_code == 1
    assert "kuhn_poker" in result.stdout
    assert result.stderr == "murk: the value is 1 by murk and 2 by the peer, expected the same\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--case", "kuhn_pokr"), "murk: case is 'kuhn_pokr', expected a game or one of kuhn_poker, leduc_poker"),
        (("--metric", "speed"), "murk: metric is 'speed', expected one of build_nodes_per_second"),
        (("--repeat", "0"), "murk: repeat is 0, expected at least 1"),
        (("--out", "no/rows.jsonl"), "murk: cannot write no/rows.jsonl"),
        (("--csv", "no/rows.csv"), "murk: cannot write no/rows.csv"),
    ],
)
def test_wrong_options_are_one_line_and_code_2(arguments: tuple[str, ...], message: str):
    result = murk("bench", "solvers", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(message)
    assert result.stderr.count("\n") == 1


def test_quick_and_full_choose_the_cases(monkeypatch: pytest.MonkeyPatch):
    chosen = []

    def record(cases, settings):
        chosen.append(([case.name for case in cases], settings.peer_seconds))
        return iter(())

    monkeypatch.setattr(bench_cli, "run", record)
    murk("bench", "solvers", "--quick")
    murk("bench", "solvers")
    murk("bench", "solvers", "--case", "leduc_13", "--peer-seconds", "200")
    assert chosen[0] == (["kuhn_poker", "leduc_poker", "liars_dice_5"], 10.0)
    assert len(chosen[1][0]) == 7
    assert chosen[2] == (["leduc_13"], 200.0)
