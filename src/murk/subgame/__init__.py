"""Subgame solving without common knowledge: Sections 3 to 5 of [ZS21]."""

from murk.subgame.gadget import Subgame, gifts, make_dominating_subgame, make_subgame, make_unsafe_subgame
from murk.subgame.knowledge import Knowledge, KnowledgeStatistics
from murk.subgame.nested import NestedOptions, Step, refine_everywhere, start_chain, step_chain
from murk.subgame.solve import SubgameSolution, solve_subgame

__all__ = [
    "Knowledge",
    "KnowledgeStatistics",
    "NestedOptions",
    "Step",
    "Subgame",
    "SubgameSolution",
    "gifts",
    "make_dominating_subgame",
    "make_subgame",
    "make_unsafe_subgame",
    "refine_everywhere",
    "solve_subgame",
    "start_chain",
    "step_chain",
]
