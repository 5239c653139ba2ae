"""``murk analyse``: a decision as a table, as JSON and as a picture."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

GAME = "1. e4 d5 2. d4 Nc6 3. Nf3 Bg4 *\n"
AGENT = "baseline(particles=10,evaluator=simple)"


@pytest.fixture
def game() -> Path:
    path = Path("game.pgn")
    path.write_text(GAME)
    return path


def test_the_table(ok, game: Path) -> None:
    text = ok("analyse", game, "--agent", AGENT, "--nodes", "2000", "--moves", "3").stdout
    assert text.startswith(f"{AGENT} plays ")
    for word in ("belief", "gadget", "margins", "evaluator", "Mixture (and", "probability"):
        assert word in text
    assert "1 R N B Q K B . R" in text, "what it sees of its own side"


def test_json(as_json, game: Path) -> None:
    fields = as_json("analyse", game, "--ply", "5", "--agent", AGENT, "--nodes", "2000")
    assert (fields["ply"], fields["plies"], fields["colour"]) == (5, 6, "black")
    assert fields["sees"] == "own observations"
    assert len(fields["heat"]) == 64
    assert sum(choice["probability"] for choice in fields["mixture"]) == pytest.approx(1)
    assert fields == {
        **as_json("analyse", game, "--ply", "5", "--agent", AGENT, "--nodes", "2000"),
        "seconds": fields["seconds"],
    }
    page = (Path(__file__).parents[2] / "docs" / "match.md").read_text()
    for name in fields:
        assert f"`{name}`" in page, name


def test_who_sees_everything_is_named(ok) -> None:
    text = ok("analyse", "start", "--agent", "cheat(evaluator=simple)", "--nodes", "500").stdout
    assert text.startswith("cheat(evaluator=simple) (sees everything) plays ")


def test_pictures(ok, game: Path) -> None:
    for name in ("why.svg", "why.png"):
        ok("analyse", game, "--agent", AGENT, "--nodes", "500", "--picture", name)
    picture = ElementTree.parse("why.svg").getroot()
    polygons = [node for node in picture.iter() if node.tag.endswith("polygon")]
    assert len(polygons) >= 1
    assert Path("why.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["start", "--ply", "1"], "--ply 1 is beyond the last move"),
        (["nonsense"], "nor is it a file"),
        (["start", "--agent", "nobody"], "there is no agent 'nobody'"),
        (["start", "--picture", "x.gif"], "expected an ending of .svg or .png"),
        (["4k3/8/8/8/8/8/8/8 w - -", "--agent", "random"], "murk:"),
    ],
)
def test_errors_are_one_line(run, arguments: list[str], message: str) -> None:
    result = run("analyse", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_game_that_is_over_cannot_be_analysed(run) -> None:
    Path("over.pgn").write_text("1. e4 d5 2. Bb5 Nf6 3. Bxe8# 1-0\n")
    result = run("analyse", "over.pgn", "--agent", "random")
    assert (result.exit_code, "the game is over after 5 plies (king captured)" in result.stderr) == (2, True)
