"""Gambit's extensive-form files: read, play, write.

    game = read_efg("poker.efg")
    text = write_efg(game)

Payoffs and probabilities are kept as exact rationals. What is written loads in Gambit and in OpenSpiel, and
what those write is read here.
"""

from murk.games.efg.game import EfgGame, EfgInfoset, EfgNodes, EfgOutcome, EfgState
from murk.games.efg.information import Information
from murk.games.efg.parser import parse_efg, read_efg
from murk.games.efg.writer import write_efg

__all__ = [
    "EfgGame",
    "EfgInfoset",
    "EfgNodes",
    "EfgOutcome",
    "EfgState",
    "Information",
    "parse_efg",
    "read_efg",
    "write_efg",
]
