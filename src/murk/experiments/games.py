"""The games of Tables 1 and 2 of [ZS21], how their blueprints are restricted, and the figures the paper prints.

The conventions are those under which all ten blueprints come out to the paper's digits (``docs/errata.md``): payoffs
are mapped to [-1, 1]; the restricted actions have probability at least ε/m where m actions are legal; Kuhn poker's
ε-bet concerns the opening bet only.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import floor

import numpy as np
import numpy.typing as npt

from murk.errors import InputError
from murk.solvers import epsilon_uniform
from murk.tree import MAX, Tree

__all__ = ["CASES", "EPSILON", "GAMES", "Case", "Floor", "Published", "Statistics", "chosen", "lower_bounds"]

EPSILON = 0.25
"""ε of Table 1."""


@dataclass(frozen=True)
class Published:
    """A figure as it is printed: the digits matter."""

    text: str

    @cached_property
    def value(self) -> float:
        """The number."""
        return float(self.text)

    def agrees(self, value: float) -> bool:
        """Tell whether ``value``, rounded or cut to the digits printed, is this figure (the paper has both)."""
        scale = 10 ** len(self.text.partition(".")[2])
        printed = round(self.value * scale)
        return printed in (floor(value * scale + 0.5), floor(value * scale))


@dataclass(frozen=True)
class Floor:
    """Which actions of MAX have a least probability in the blueprint.

    Attributes:
        action: the name of the one restricted action; ``None`` for all of them.
        opening: only where MAX has not acted before.
    """

    action: str | None = None
    opening: bool = False


@dataclass(frozen=True)
class Statistics:
    """A row of the paper's Table 2; ``average`` is as printed, for k = 1, 2, ... and, where there are five, ∞."""

    nodes: int
    infosets: int
    diameter: int
    average: tuple[Published, ...]


@dataclass(frozen=True)
class Case:
    """A row of Table 1, and of Table 2 unless it is a variant of another.

    Attributes:
        name: what it goes by on the command line.
        title: what the paper calls it.
        spec: the game, as :func:`murk.load` takes it.
        floor: how the blueprint is restricted.
        blueprint: the paper's exploitability of the blueprint.
        after: the paper's exploitability after 1-KLSS.
        ratio: the paper's ratio of the two; ``None`` where it is infinite.
        statistics: the paper's row of Table 2.
    """

    name: str
    title: str
    spec: str
    floor: Floor
    blueprint: Published
    after: Published
    ratio: Published | None
    statistics: Statistics | None = None


def _case(
    name: str,
    title: str,
    spec: str,
    figures: tuple[str, str, str | None],
    statistics: Statistics | None = None,
    floor: Floor | None = None,
) -> Case:
    before, after, ratio = figures
    return Case(
        name, title, spec, floor or Floor(), Published(before), Published(after),
        None if ratio is None else Published(ratio), statistics,
    )  # fmt: skip


def _statistics(nodes: int, infosets: int, diameter: int, *average: str) -> Statistics:
    return Statistics(nodes, infosets, diameter, tuple(Published(text) for text in average))


CASES: tuple[Case, ...] = (
    _case(
        "dark_hex", "2x2 Abrupt Dark Hex", "dark_hex(board_size=2,gameversion=adh)", (".0683", ".0625", "1.093"),
        _statistics(471, 94, 13, "5.23", "12.00", "18.17", "22.04", "29.58"),
    ),
    _case(
        "goofspiel_random", "4-card Goofspiel, random order",
        "goofspiel(imp_info=True,num_cards=4,points_order=random,players=2)", (".171", ".077", "2.2"),
        _statistics(26773, 3608, 4, "5.84", "8.90", "9.19", "9.20"),
    ),
    _case(
        "goofspiel_increasing", "4-card Goofspiel, increasing order",
        "goofspiel(imp_info=True,num_cards=4,points_order=ascending,players=2)", (".17", ".0", None),
        _statistics(1077, 162, 4, "5.83", "9.05", "9.31", "9.32"),
    ),
    _case(
        "kuhn", "Kuhn poker", "kuhn_poker", (".0124", ".0015", "8.3"),
        _statistics(58, 12, 3, "2.50", "3.50", "4.00"),
    ),
    _case(
        "kuhn_bet", "Kuhn poker (ε-bet)", "kuhn_poker", (".0035", ".0", None), floor=Floor("Bet", opening=True)
    ),
    _case(
        "leduc", "3-rank limit Leduc poker", "leduc_poker", (".0207", ".0191", "1.087"),
        _statistics(9457, 936, 3, "6.14", "14.71", "15.40"),
    ),
    _case(
        "leduc_fold", "3-rank limit Leduc poker (ε-fold)", "leduc_poker", (".0065", ".0057", "1.087"),
        floor=Floor("Fold"),
    ),
    _case(
        "leduc_bet", "3-rank limit Leduc poker (ε-bet)", "leduc_poker", (".0097", ".0096", "1.011"),
        floor=Floor("Raise"),
    ),
    _case(
        "liars_dice", "Liar's Dice, 5-sided die", "liars_dice(dice_sides=5)", (".181", ".125", "1.45"),
        _statistics(51181, 5120, 2, "7.00", "15.00"),
    ),
    _case(
        "matching_pennies", "100-Matching pennies", "matching_pennies(n=100)", (".0013", ".0098", "0.13"),
        _statistics(701, 101, 99, "3.63", "4.29", "4.93", "5.57", "35.97"),
    ),
)  # fmt: skip
"""The rows of Table 1, in the paper's order."""

GAMES: tuple[Case, ...] = tuple(case for case in CASES if case.statistics is not None)
"""The rows of Table 2."""


def chosen(names: Sequence[str], among: Sequence[Case] = CASES) -> list[Case]:
    """Return the cases of these names, in the table's order; all of them if there are none.

    Raises:
        InputError: there is no case of that name.
    """
    known = {case.name: case for case in among}
    for name in names:
        if name not in known:
            raise InputError(f"there is no game {name!r} in this study, expected one of {', '.join(known)}")
    return [case for case in among if case.name in names or not names]


def lower_bounds(tree: Tree, floor: Floor, epsilon: float) -> npt.NDArray[np.float64]:
    """Return the least probability of each of MAX's sequences' last action under a restriction."""
    bounds = epsilon_uniform(tree, MAX, epsilon)
    if floor.action is None:
        return bounds
    kept = np.zeros_like(bounds)
    for infoset in tree.acting_infosets(MAX).tolist():
        names = tree.action_names(MAX, infoset)
        if floor.action in names and not (floor.opening and tree.infoset_parent(MAX)[infoset] != 0):
            sequence = int(tree.infoset_first(MAX)[infoset]) + names.index(floor.action)
            kept[sequence] = bounds[sequence]
    return kept
