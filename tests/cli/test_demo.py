"""``make demo``: what it prints is true and the same every time, with a terminal or without one."""

import io
import re
import sys

import pytest
from rich.console import Console

from murk import demo
from murk.darkchess import WHITE, Belief, Board
from murk.demo import dark_chess, table1
from murk.experiments.games import chosen
from murk.experiments.study import tree_of
from murk.solvers import side_exploitability, solve_lp


def on_paper() -> Console:
    return Console(file=io.StringIO(), width=80, highlight=False, markup=False, emoji=False)


def printed(out: Console) -> str:
    assert isinstance(out.file, io.StringIO)
    return out.file.getvalue()


def test_table1_has_three_games_and_exploitability_falls() -> None:
    out = on_paper()
    table1.show_table1(out)
    rows = re.findall(r"(\S.*?) +([\d,]+) +(0\.\d{4}) +([▁-█]+) +(0\.\d{4}) +(0\.\d+) → (0\.\d+)", printed(out))
    assert [row[0] for row in rows] == [*table1.SHOWN.values()]
    for (_, nodes, before, curve, after, paper_before, paper_after), case in zip(
        rows, (chosen([name])[0] for name in table1.SHOWN), strict=True
    ):
        assert int(nodes.replace(",", "")) == tree_of(case.spec).num_nodes
        assert case.blueprint.agrees(float(before))
        assert float(paper_before) == case.blueprint.value
        assert float(paper_after) == case.after.value
        assert float(after) <= case.after.value + 5e-5 < float(before)
        assert curve[-1] == "▁" < curve[0]


def test_the_curve_is_that_of_the_strategy() -> None:
    (case,) = chosen(["kuhn"])
    told: list[tuple[int, float]] = []
    row = table1.falling(case, lambda solved, gap: told.append((solved, gap)))
    assert told == [*enumerate(row.curve)][1:]
    value = solve_lp(tree_of(case.spec)).value
    assert side_exploitability(row.profile.max, value) / 2 == pytest.approx(row.curve[-1], abs=1e-9)  # payoffs of +-2
    assert row.curve[-1] == pytest.approx(1 / 672)


def test_sparklines() -> None:
    assert table1.sparkline([7, 6, 5, 4, 3, 2, 1, 0], 8) == table1.BARS[::-1]
    assert table1.sparkline([3.0], 5) == "▁▁▁▁▁"
    assert table1.sparkline([1, 0], 4) == "██▁▁"


def test_the_game_shows_what_white_saw_believed_and_considered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dark_chess, "NODES", 4000)
    monkeypatch.setattr(dark_chess, "MOST_PLIES", 12)
    texts = []
    for _ in range(2):
        out = on_paper()
        dark_chess.show_dark_chess(out)
        texts.append(printed(out))
    assert texts[0] == texts[1]
    game, _ = dark_chess.play(on_paper())
    blocks = re.split(r"Move (?=\d+ *\n)", texts[0])[1:]
    assert len(blocks) == (len(game.plies) + 1) // 2
    board, belief = Board(), Belief(WHITE)
    for number, ply in enumerate(game.plies):
        if board.turn == WHITE:
            shown = blocks[number // 2]
            assert f"belief   {len(belief):,} position" in shown
            assert f"plays    {board.san(ply.move)} " in shown
            shares = [int(share) for share in re.findall(r"(\d+) % █", shown)]
            assert sum(shares) == pytest.approx(100, abs=2)
            assert re.search(r"value +[+-][01]\.\d\d", shown)
            seen = str(board.observation(WHITE)).splitlines()[1:8]
            assert [line[3:18].strip() for line in shown.splitlines()[1:8]] == [line[2:].strip() for line in seen]
        board.push(ply.move)
        if board.outcome() is None:
            belief.observe(board.observation(WHITE))
    assert "The thickest fog" in texts[0]
    assert game.ending.reason in texts[0]


def test_it_ends_with_how_to_open_the_board(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    monkeypatch.setattr(dark_chess, "NODES", 200)
    monkeypatch.setattr(dark_chess, "MOST_PLIES", 2)
    assert demo.main() == 0
    text = capsys.readouterr().out
    assert "OpenSpiel, which is not installed" in text
    assert "\x1b" not in text
    assert all(len(line) <= demo.PAGE_WIDTH for line in text.splitlines())
    ending = text.partition("Your move")[2]
    assert ending.index("make web") < ending.index(".venv/bin/murk play")


def test_openspiel_agrees() -> None:
    out = on_paper()
    table1.show_agreement(out)
    assert ": the same." in re.sub(r"\s+", " ", printed(out))


def test_at_a_terminal_it_is_in_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dark_chess, "NODES", 200)
    monkeypatch.setattr(dark_chess, "MOST_PLIES", 1)
    out = Console(file=io.StringIO(), width=80, force_terminal=True, color_system="truecolor", legacy_windows=False)
    dark_chess.show_dark_chess(out)
    assert "♜" in printed(out)
    assert "\x1b[" in printed(out)
    assert "fog is grey" in printed(out)


def test_ctrl_c_ends_it_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(out: Console) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, "_show", interrupted)
    assert demo.main() == demo.INTERRUPTED
