"""Players of dark chess, from the random one to the paper's, and how they are made from text.

>>> from murk.darkchess.agents import make_agent
>>> make_agent("random").sees_everything
False
"""

from murk.darkchess.agents.base import Agent, Choice, Clock, Decision
from murk.darkchess.agents.spec import AGENTS, AgentSpec, make_agent, parse_spec, register_agent

__all__ = [
    "AGENTS",
    "Agent",
    "AgentSpec",
    "Choice",
    "Clock",
    "Decision",
    "make_agent",
    "parse_spec",
    "register_agent",
]
