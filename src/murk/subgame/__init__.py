"""Subgame solving without common knowledge: Sections 3 to 5 of [ZS21]."""

from murk.subgame.affine import AffineHull, is_best_response_to_all_equilibria
from murk.subgame.allocate import Allocation, Closure, allocated_strategy, expected_strategy
from murk.subgame.colouring import Colouring, chromatic_number, colour
from murk.subgame.files import load_updater, save_updater
from murk.subgame.gadget import Subgame, gifts, make_dominating_subgame, make_subgame, make_unsafe_subgame
from murk.subgame.knowledge import Knowledge, KnowledgeStatistics
from murk.subgame.nested import NestedOptions, Step, refine_everywhere, start_chain, step_chain
from murk.subgame.openspiel import OpenSpielPlayer, to_openspiel_bot
from murk.subgame.players import (
    AllocatingPlayer,
    BlueprintPlayer,
    MatchResult,
    NestedPlayer,
    SubgamePlayer,
    UpdatingPlayer,
    play,
)
from murk.subgame.solve import SubgameSolution, solve_subgame
from murk.subgame.update import BlueprintUpdater, updated_blueprints

__all__ = [
    "AffineHull",
    "AllocatingPlayer",
    "Allocation",
    "BlueprintPlayer",
    "BlueprintUpdater",
    "Closure",
    "Colouring",
    "Knowledge",
    "KnowledgeStatistics",
    "MatchResult",
    "NestedOptions",
    "NestedPlayer",
    "OpenSpielPlayer",
    "Step",
    "Subgame",
    "SubgamePlayer",
    "SubgameSolution",
    "UpdatingPlayer",
    "allocated_strategy",
    "chromatic_number",
    "colour",
    "expected_strategy",
    "gifts",
    "is_best_response_to_all_equilibria",
    "load_updater",
    "make_dominating_subgame",
    "make_subgame",
    "make_unsafe_subgame",
    "play",
    "refine_everywhere",
    "save_updater",
    "solve_subgame",
    "start_chain",
    "step_chain",
    "to_openspiel_bot",
    "updated_blueprints",
]
