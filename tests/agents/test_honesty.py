"""No agent knows what it cannot have seen; every agent is a function of what it has seen, its seed and its nodes.

New agents are covered by being in ``AGENTS``.
"""

import pytest
from honesty import TwinGames, moves_along, told, twin_games

from murk.darkchess import Board
from murk.darkchess.agents import AGENTS, Clock, make_agent
from murk.darkchess.agents.base import Agent

NODES = 600
SMALL = {"zs21": "zs21(particles=12)", "baseline": "baseline(particles=12)", "pimc": "pimc(positions=12)"}
"""Agents that would otherwise take long."""
SHOWN_THE_BOARD = {"cheat", "uci"}
HONEST = sorted(set(AGENTS) - SHOWN_THE_BOARD)


@pytest.fixture(scope="module")
def twins() -> list[TwinGames]:
    return list(twin_games(1, count=4))


def make(name: str) -> Agent:
    return make_agent(SMALL.get(name, name))


def test_twins_are_twins(twins: list[TwinGames]) -> None:
    for pair in twins:
        one, two = Board(), Board()
        for a, b in zip(pair.one, pair.two, strict=True):
            assert one.observation(pair.colour) == two.observation(pair.colour)
            one.push(a)
            two.push(b)
        assert one.observation(pair.colour) == two.observation(pair.colour)
        assert one.position != two.position
        assert one.turn == pair.colour


@pytest.mark.parametrize("name", HONEST)
def test_equal_observations_equal_decisions(name: str, twins: list[TwinGames]) -> None:
    with make(name) as agent:
        assert not agent.sees_everything
        assert agent.disclosure == ""
        for seed, pair in enumerate(twins):
            clock = Clock(nodes=NODES)
            one = moves_along(agent, pair.one, pair.colour, seed, clock)
            two = moves_along(agent, pair.two, pair.colour, seed, clock)
            assert [told(d) for d in one] == [told(d) for d in two]


@pytest.mark.parametrize("name", HONEST)
def test_a_game_is_the_same_in_a_fresh_agent_and_in_a_used_one(name: str, twins: list[TwinGames]) -> None:
    first, second = twins[:2]
    clock = Clock(nodes=NODES)
    with make(name) as used, make(name) as fresh:
        moves_along(used, first.one, first.colour, 1, clock)
        one = moves_along(used, second.one, second.colour, 2, clock)
        two = moves_along(fresh, second.one, second.colour, 2, clock)
        assert [told(d) for d in one] == [told(d) for d in two]


@pytest.mark.parametrize("name", sorted(SHOWN_THE_BOARD))
def test_who_is_shown_the_board_says_so(name: str) -> None:
    from murk.darkchess.agents.cheat import CheatAgent
    from murk.darkchess.agents.uci import UciAgent

    assert {"cheat": CheatAgent, "uci": UciAgent}[name].sees_everything
