"""Agents from text."""

from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from murk.darkchess.agents import AGENTS, Agent, AgentSpec, make_agent, parse_spec, register_agent
from murk.darkchess.agents.random import RandomAgent
from murk.darkchess.agents.spec import convert, parse_call
from murk.darkchess.referee import Referee, TimeControl
from murk.errors import InputError


class Optioned(RandomAgent):
    """Keeps its options."""

    def __init__(
        self,
        *,
        count: int = 1,
        share: float = 0.5,
        wild: bool = False,
        limit: int | None = None,
        mode: Literal["a", "b"] = "a",
        text: str = "",
    ) -> None:
        self.options = (count, share, wild, limit, mode, text)


@pytest.fixture(autouse=True)
def registered():
    register_agent("optioned", Optioned)
    yield
    del AGENTS["optioned"]


def options(text: str) -> tuple[object, ...]:
    agent = make_agent(text)
    assert isinstance(agent, Optioned)
    return agent.options


def test_options_are_converted() -> None:
    assert options("optioned") == (1, 0.5, False, None, "a", "")
    assert options("optioned(count=1e3, share=2,wild=yes,limit=7,mode=b)") == (1000, 2.0, True, 7, "b", "")
    assert options("optioned(limit=none,text='a, (b')") == (1, 0.5, False, None, "a", "a, (b")
    assert options("optioned(text=inner(x=1,y=2),count=2)") == (2, 0.5, False, None, "a", "inner(x=1,y=2)")
    assert options("optioned()") == options(" optioned ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nobody", "there is no agent 'nobody'"),
        ("randon", "did you mean random"),
        ("optioned(cuont=1)", "no option 'cuont'.*did you mean count"),
        ("random(x=1)", "no option 'x': it has none"),
        ("optioned(count=1.5)", "the option count of optioned is '1.5', expected a whole number"),
        ("optioned(share=x)", "expected a number"),
        ("optioned(wild=maybe)", "expected yes or no"),
        ("optioned(mode=c)", "expected one of a, b"),
        ("optioned(limit=x)", "expected a whole number"),
        ("optioned(count)", "expected option=value"),
        ("optioned(count=1,count=2)", "given twice"),
        ("optioned(count=1", r"expected a name, or name\("),
        ("optioned(text=(]", "expected a name"),
        ("optioned(text=((x))", "no partner"),
        ("optioned(text='x)", "no partner"),
        ("", "expected a name"),
        ("(x=1)", "expected a name"),
        ("no_such_module:Agent", "cannot load the agent"),
        ("murk:__version__", "is not an agent"),
        ("nowhere.py:Agent", "cannot load the agent 'nowhere.py:Agent': cannot read nowhere.py: no such file"),
    ],
)
def test_bad_specs(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make_agent(text)


def test_an_agent_in_a_file() -> None:
    path = Path(__file__).parents[2] / "examples" / "custom_agent.py"
    agent = make_agent(f"{path}:Cautious(positions=3,evaluator=simple)")
    game = Referee(agent, make_agent("random"), seeds=(1, 2), control=TimeControl(nodes=200), max_plies=6).play()
    assert game.ending.reason == "length"
    assert all(ply.decision["evaluator"] == "simple" for ply in game.plies[::2])


def test_labels_and_text() -> None:
    assert parse_spec("random(label=me)") == AgentSpec("random", {}, "me")
    assert parse_spec("optioned(count=3)").label == "optioned(count=3)"
    assert str(parse_spec("optioned(text='a b',count=3,label=x)")) == "optioned(text='a b',count=3)"
    with pytest.raises(InputError):
        register_agent("two words", Optioned)


@given(
    st.dictionaries(
        st.sampled_from(["text", "mode", "other"]),
        st.text(st.characters(exclude_characters="'\"", exclude_categories=["Cs"])),
    )
)
def test_specs_survive_their_own_text(given_options: dict[str, str]) -> None:
    spec = AgentSpec("optioned", given_options)
    cleaned = {key: value for key, value in given_options.items() if value == value.strip()}
    spec = AgentSpec("optioned", cleaned)
    assert parse_call(str(spec)) == ("optioned", dict(spec.options))


def test_convert_leaves_what_it_does_not_know() -> None:
    assert convert("x", object) == "x"
    assert make_agent("random").__enter__() is not None
    assert issubclass(RandomAgent, Agent)
