"""``docs/json.md`` and ``docs/cli.md`` name what there is."""

import re
from pathlib import Path

import pytest

from murk.cli import main

DOCS = Path(__file__).parents[2] / "docs"


def section(page: str, heading: str) -> str:
    """Return the text below a heading, up to the next one."""
    _, _, below = (DOCS / page).read_text().partition(f"\n## {heading}\n")
    assert below, f"{page} has no section {heading}"
    return below.partition("\n## ")[0]


def named(text: str) -> set[str]:
    """Return what stands in backticks in the first cells of the rows of tables."""
    rows = re.findall(r"^\| (`[^|]*) \|", text, re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("solve", ["kuhn_poker", "--out", "other.murk"]),
        ("exploit", ["kuhn_poker", "kuhn.murk"]),
        ("info", ["kuhn_poker"]),
        ("convert", ["kuhn_poker", "kuhn.efg"]),
        ("tree", ["kuhn_poker"]),
    ],
)
def test_every_field_is_documented_and_there(as_json, command: str, arguments: list[str]):
    as_json("solve", "kuhn_poker", "--out", "kuhn.murk")
    assert named(section("json.md", f"`murk {command}`")) == set(as_json(command, *arguments))


def test_the_fields_of_games_and_of_strategies(as_json, ok):
    for game in as_json("games")["games"]:
        assert set(game) == named(section("json.md", "`murk games`"))
    ok("solve", "kuhn_poker", "--out", "kuhn.csv")
    header = Path("kuhn.csv").read_text().partition("\n")[0]
    assert set(header.split(",")) == named(section("json.md", "Strategies as text"))


@pytest.mark.parametrize("command", ["games", "info", "solve", "exploit", "convert"])
def test_every_option_is_documented(command: str):
    context = main.make_context("murk", [command, "--help"], resilient_parsing=True)
    found = main.get_command(context, command)
    assert found is not None
    page = (DOCS / "cli.md").read_text()
    for parameter in found.params:
        assert parameter.param_type_name == "argument" or any(
            f"`{name}" in page for name in (*parameter.opts, *parameter.secondary_opts)
        ), parameter.opts
