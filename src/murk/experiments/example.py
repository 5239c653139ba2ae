"""The worked example of [ZS21]: figures 1 to 3 and the matrices of the appendix, from gadgets made by Algorithm 1.

MAX is at R1 of figure 1's game with the uniform blueprint. The common-knowledge gadget (figure 2) and the 1-KLSS
gadget (figure 3) are built by :func:`murk.subgame.make_subgame`, and their matrices A and B read off them. The paper
prints other alternate values for C2' (``docs/errata.md``); ours are beside them.
"""

import ast
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from murk.experiments.study import Report, Row, Task, tree_of
from murk.subgame import Subgame, make_subgame, solve_subgame
from murk.tree import MAX, MIN, TERMINAL, Strategy, Tree, uniform

__all__ = ["GADGETS", "INFOSET", "SPEC", "example_gadget", "example_row", "matrices", "tasks"]

SPEC = "figure1"
INFOSET = "R1"

GADGETS: dict[str, dict[str, Any]] = {
    "common knowledge": {
        "order": math.inf, "figure": 2,
        "paper_alternate": {"C0'": [0.5], "C2'": [2.5], "C4'": [0.5, 2.0]},
        "paper_B": {"c0'": -0.5, "c2'": -2.5, "c4'": -0.5},
    },
    "1-KLSS": {
        "order": 1, "figure": 3,
        "paper_alternate": {"C0'": [0.5], "C2'": [3.0, 5.0]},
        "paper_B": {"c0'": -0.5, "c2'": -5.0, "C2h": 1.5, "C2t": 1.0},
    },
}  # fmt: skip
"""The two gadgets at R1 and what the paper prints of them: each alternate value it gives somewhere, and B's top row.

Its matrices A are right and so are not repeated here.
"""

_GRID = 21
"""Probabilities of heads at R1 at which the margins are drawn."""


def tasks() -> list[Task]:
    """Return one task for each gadget."""
    return [Task(example_row, {"gadget": name}, f"the {name} gadget", SPEC) for name in GADGETS]


def example_gadget(name: str) -> Subgame:
    """Return one of the :data:`GADGETS`, at R1 with the uniform blueprint."""
    tree = tree_of(SPEC)
    named = [i for i in tree.acting_infosets(MAX).tolist() if _short(tree, MAX, i) == INFOSET]
    return make_subgame(tree, uniform(tree, MAX), named[0], order=GADGETS[name]["order"])


def example_row(*, gadget: str, report: Report) -> Row:
    """Build a gadget, read off its matrices, and solve it."""
    facts = GADGETS[gadget]
    subgame = example_gadget(gadget)
    ours, theirs, payoff, extra = matrices(subgame)
    solution = solve_subgame(subgame, refinement="sequential")
    names = [_short(subgame.game, MIN, int(i)) for i in subgame.roots]
    paper_extra = np.zeros_like(extra)
    for column, value in facts["paper_B"].items():
        paper_extra[0, theirs.index(column)] = value
    return {
        "gadget": gadget, "figure": facts["figure"], "infoset": INFOSET,
        "order": "inf" if facts["order"] == math.inf else facts["order"],
        "max_sequences": ours, "min_sequences": theirs, "A": payoff.tolist(), "B": extra.tolist(),
        "paper_B": paper_extra.tolist(),
        "alternate": dict(zip(names, subgame.alternate.tolist(), strict=True)),
        "paper_alternate": facts["paper_alternate"],
        "reach": dict(zip(names, subgame.reach.tolist(), strict=True)),
        "margin": solution.value + 0.0, "heads": float(solution.behaviour()[0]),
        "curve": _curve(subgame, names),
    }  # fmt: skip


def matrices(
    subgame: Subgame,
) -> tuple[list[str], list[str], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return MAX's sequences, MIN's, and the matrices A and B of a gadget, in the paper's order and under its names."""
    tree = subgame.tree
    names = [_names(subgame, p) for p in (MAX, MIN)]
    order = [_paper_order(tree, p) for p in (MAX, MIN)]
    payoff, extra = (np.zeros((len(names[0]), len(names[1]))) for _ in range(2))
    leaves = np.flatnonzero(tree.player == TERMINAL)
    weights = tree.utility[leaves] * tree.chance_reach[leaves]
    np.add.at(payoff, (tree.sequence(MAX)[leaves], tree.sequence(MIN)[leaves]), weights)
    for sequence, value in tree.extra(MAX):
        extra[sequence, 0] += value
    for sequence, value in tree.extra(MIN):
        extra[0, sequence] += value
    ours, theirs = ([names[p][s] for s in order[p]] for p in (MAX, MIN))
    within = np.ix_(*order)
    return ours, theirs, payoff[within], extra[within]


def _names(subgame: Subgame, player: int) -> list[str]:
    """Return the paper's names of sequences: ∅, c0' for entering C0', C0h for playing h at C0."""
    tree, game = subgame.tree, subgame.game
    names = ["∅"]
    for sequence in range(1, tree.num_sequences(player)):
        infoset = int(tree.sequence_infoset(player)[sequence])
        place = sequence - int(tree.infoset_first(player)[infoset])
        original = int(subgame.infosets[player][infoset])
        if original < 0:  # the gadget's root, where MIN chooses
            names.append(_short(game, player, int(subgame.roots[place])).lower())
        else:
            names.append(_short(game, player, original) + game.action_names(player, original)[place])
    return names


def _paper_order(tree: Tree, player: int) -> list[int]:
    """Return the sequences in the order of a walk: each before those that extend it, families together."""
    children: dict[int, list[int]] = {}
    for sequence in range(1, tree.num_sequences(player)):
        parent = int(tree.infoset_parent(player)[tree.sequence_infoset(player)[sequence]])
        children.setdefault(parent, []).append(sequence)

    def walk(sequence: int) -> list[int]:
        return [sequence, *(s for child in children.get(sequence, ()) for s in walk(child))]

    return walk(0)


def _short(tree: Tree, player: int, infoset: int) -> str:
    """Return the figure's name of an infoset: what its player was told last, without the star for whose move it is."""
    told = ast.literal_eval(tree.infoset_name(player, infoset))[-1]
    return str(told).rstrip("*")


def _curve(subgame: Subgame, names: Sequence[str]) -> Row:
    """Return the margin of each of MIN's infosets over the probability of heads at R1, the rest as in the blueprint."""
    tree, root = subgame.tree, subgame.root_infoset
    first = int(tree.infoset_first(MAX)[root])
    heads = np.linspace(0.0, 1.0, _GRID)
    margins = []
    for probability in heads:
        behaviour = subgame.blueprint.behaviour()
        behaviour[first : first + 2] = probability, 1 - probability
        margins.append(subgame.margins(Strategy.from_behaviour(tree, MAX, behaviour)) + 0.0)
    return {
        "heads": heads.tolist(),
        "margins": {name: [float(m[i]) for m in margins] for i, name in enumerate(names)},
    }
