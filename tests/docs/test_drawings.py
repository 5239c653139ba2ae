"""What is returned draws itself, and makes tables; without pandas it says what is missing."""

import sys
import xml.etree.ElementTree as ElementTree

import pytest

import murk
from murk.darkchess import BLACK, WHITE, Belief, Board, Position
from murk.darkchess.agents import Clock, Decision, make_agent
from murk.darkchess.analysis import analyse
from murk.darkchess.referee import PlayedGame, Referee, TimeControl
from murk.errors import MissingDependencyError
from murk.html import curve, html_table, share_bar
from murk.match import MatchConfig, MatchReport, make_players, run_match
from murk.subgame import make_subgame


@pytest.fixture(scope="module")
def game() -> PlayedGame:
    with make_agent("pimc(positions=4)") as white, make_agent("random") as black:
        return Referee(white, black, control=TimeControl(nodes=60), max_plies=12).play()


@pytest.fixture(scope="module")
def report() -> MatchReport:
    control = TimeControl(nodes=20)
    return run_match(MatchConfig(players=make_players(["random", "greedy"]), games=2, control=control, max_plies=8))


def decision() -> Decision:
    with make_agent("pimc(positions=4)") as agent:
        agent.new_game(WHITE, 1)
        return agent.move(Clock(nodes=100))


def well_formed(markup: str) -> ElementTree.Element:
    return ElementTree.fromstring(f"<all>{markup}</all>")


def test_everything_draws_itself(game: PlayedGame, report: MatchReport) -> None:
    tree = murk.build("kuhn_poker")
    solution = murk.solve(tree, "cfr", iterations=50)
    infoset = int(tree.acting_infosets(murk.MAX)[0])
    with make_agent("pimc(positions=4)") as agent:
        analysis = analyse(agent, clock=Clock(nodes=60))
    things = [
        Position(), Board(), Board().observation(BLACK), Belief(BLACK), analysis, decision(), tree,
        make_subgame(tree, murk.uniform(tree, murk.MAX), infoset), solution.strategy(murk.MIN), solution.profile,
        solution, game, report,
    ]  # fmt: skip
    for thing in things:
        made = getattr(thing, "_repr_html_", None) or thing._repr_svg_
        picture = made()
        assert picture is not None, thing
        well_formed(picture)
    assert "<polyline" in solution._repr_html_()


def test_tables(game: PlayedGame, report: MatchReport) -> None:
    tree = murk.build("kuhn_poker")
    solution = murk.solve(tree, "cfr", iterations=50)
    both = solution.profile.to_frame()
    assert both.groupby(["player", "infoset"])["probability"].sum().round(9).eq(1).all()
    assert len(both) == len(solution.strategy(0).to_frame()) + len(solution.strategy(1).to_frame()) == 24
    assert list(solution.to_frame()["iterations"])[-1] == 50
    belief = Belief(WHITE).to_frame().set_index("square")
    assert belief.loc["e1", "K"] == belief.loc["e8", "k"] == belief.loc["e4", "empty"] == 1
    assert belief.sum(axis=1).round(9).eq(1).all()
    mixture = decision().to_frame()
    assert (len(mixture), mixture["probability"].sum()) == (20, 1)
    moves = game.to_frame()
    assert list(moves["side"])[:2] == ["white", "black"]
    assert moves["belief_size"][0] == 1
    assert game.board().moves == [ply.move for ply in game.plies]
    row = report.to_frame().iloc[0]
    assert (row["first"], row["second"], row["games"]) == ("random", "greedy", 2)
    assert row["wins"] + row["draws"] + row["losses"] == 2


def test_without_pandas(monkeypatch: pytest.MonkeyPatch, game: PlayedGame) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    for thing in (Belief(WHITE), decision(), game, murk.solve(murk.build("kuhn_poker")).strategy(0)):
        with pytest.raises(MissingDependencyError, match=r"needs pandas.*murk\[frames\]"):
            thing.to_frame()


def test_html_is_escaped_and_cut() -> None:
    table = html_table("<b>", ["a&b"], [("<script>", share_bar(0.5), 1 / 3)] * 30, limit=4)
    page = well_formed(table)
    assert "<script>" in [cell.text for cell in page.iter("td")]
    assert len([*page.iter("tr")]) == 5
    assert "and 26 more" in table
    assert "0.333333" in table


def test_curves() -> None:
    assert curve([], across="s", upwards="y") == ""
    assert curve([(0, 1), (1, 0)], across="s", upwards="y") == ""
    (line,) = well_formed(curve([(0, 1), (1, 0.1), (2, 0.01)], across="s", upwards="<y>")).iter(
        "{http://www.w3.org/2000/svg}polyline"
    )
    heights = [float(point.split(",")[1]) for point in line.attrib["points"].split()]
    assert heights == sorted(heights)
    assert heights[0] == 8
