"""Safety by allocating deviations: Algorithm 3 of [ZS21] (``al:bp-allocate``, ``th:allocation-safety``).

1-KLSS at several infosets at once is safe if no infoset of the opponent meets two of them. The graph G' joins
our infosets that do share one; the infosets at which we solve must be independent in it and closed under
ancestors. :class:`Allocation` colours G' closure by closure. For each playthrough it draws a colour for every
closure, from a seed and the closure alone; we go on solving as long as we are at infosets of the colours drawn,
so at I with probability p(I) = 1/χ(I^∞), if we have been solving up to I.

Deviation (``docs/errata.md``): the pseudocode looks at the infosets at which we act only. Where the opponent
does not know *whether* we are to move that is not enough: two of our infosets may act at different times, share
no infoset of hers, and yet the margins of one depend on the other. The theorem's G' has all our infosets as
vertices, those at which we wait too, and "closed under ancestors" counts them. So do we (``watching=True``),
but only where some node of the closure is ours to move; in games in which the turn is common knowledge the two
readings are the same.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse

from murk.errors import InputError
from murk.subgame.colouring import EXACT_LIMIT, colour
from murk.subgame.knowledge import Knowledge
from murk.subgame.nested import NestedOptions, Step, start_chain, step_chain
from murk.subgame.update import write_back
from murk.tree.players import opponent, player_of
from murk.tree.strategy import Strategy, clean
from murk.tree.tree import Tree

__all__ = ["Allocation", "Closure", "allocated_strategy", "check_allocating", "expected_strategy"]


@dataclass(frozen=True)
class Closure:
    """G'[I^∞] and its colouring.

    Attributes:
        infosets: the vertices: our infosets of the closure at which we act, and if need be those at which we wait.
        colours: the colour of each.
        number: how many colours there are.
        exact: whether that is known to be the chromatic number χ(I^∞); else it is an upper bound.
    """

    infosets: tuple[int, ...]
    colours: tuple[int, ...]
    number: int
    exact: bool


class Allocation:
    """A distribution over independent sets of G' that are closed under ancestors.

    Args:
        tree: the full game.
        player: whose infosets.
        knowledge: of the game, if it is at hand.
        exact_limit: the largest graph whose chromatic number is searched for; larger ones are coloured greedily, which
            is as safe but solves less often.
        watching: count infosets at which we wait, where that matters (see above). Without it this is the
            literal pseudocode.

    Attributes:
        closures: the closures in which we act, each with its colouring.
    """

    def __init__(
        self,
        tree: Tree,
        player: int,
        *,
        knowledge: Knowledge | None = None,
        exact_limit: int = EXACT_LIMIT,
        watching: bool = True,
    ) -> None:
        self.tree = tree
        self.player = player_of(player)
        self.watching = watching
        knowledge = knowledge or Knowledge(tree)
        component = _components(tree, self.player, knowledge)
        vertices = _vertices(tree, self.player, knowledge, component, watching)
        self.closures = _coloured(_graph(tree, self.player, vertices), component, vertices, exact_limit)
        self._colour = {
            i: (n, c) for n, k in enumerate(self.closures) for i, c in zip(k.infosets, k.colours, strict=True)
        }
        self._conditions = _conditions(tree, self.player, self._colour)

    def conditions(self, infoset: int) -> dict[int, int] | None:
        """Return which colours must be drawn, for which closures, for us to go on solving at ``infoset``.

        A closure is given by its number. None if no draw allows it, as where one closure would need two colours.
        """
        if self.tree.infoset_actions(self.player)[infoset] == 0:
            raise InputError(f"{self.player.name} does not act at infoset {infoset} of {self.tree.name}")
        return self._conditions[infoset]

    def probability(self, infoset: int) -> float:
        """Return p(I): how likely we are to solve at ``infoset``, if we have been solving up to it."""
        conditions = self.conditions(infoset)
        if conditions is None:
            return 0.0
        return float(np.prod([1.0 / self.closures[n].number for n in conditions]))

    def drawn(self, closure: int, seed: int) -> int:
        """Return the colour drawn for a closure in the playthrough of this seed. It depends on nothing else."""
        number = self.closures[closure].number
        return int(np.random.default_rng((seed, closure)).integers(number)) if number > 1 else 0

    def allows(self, infoset: int, seed: int) -> bool:
        """Tell whether we may go on solving at ``infoset`` in the playthrough of this seed."""
        conditions = self.conditions(infoset)
        return conditions is not None and all(self.drawn(n, seed) == c for n, c in conditions.items())

    def independent_set(self, seed: int) -> frozenset[int]:
        """Return the infosets at which we solve in the playthrough of this seed, if we come to them."""
        tree, player = self.tree, self.player
        parent, owner = tree.infoset_parent(player), tree.sequence_infoset(player)
        inside: set[int] = set()
        acting = tree.acting_infosets(player)
        for infoset in acting[
            np.argsort(tree.infoset_first(player)[acting])
        ].tolist():  # prefixes before what extends them
            before = int(owner[parent[infoset]]) if parent[infoset] > 0 else None
            if (before is None or before in inside) and self.allows(infoset, seed):
                inside.add(infoset)
        return frozenset(inside)


def check_allocating(options: NestedOptions) -> None:
    """Raise :class:`InputError` unless the options are those of a solve that Algorithm 3 can allocate."""
    if options.order != 1 or options.variant == "kluss":
        raise InputError(
            f"deviations are allocated for 1-KLSS, got variant {options.variant!r} of order {options.order!r}, "
            "expected 'klss' or 'safe' of order 1"
        )


def allocated_strategy(
    blueprint: Strategy, allocation: Allocation, seed: int, options: NestedOptions | None = None
) -> Strategy:
    """Return x' of ``th:allocation-safety``: the blueprint with 1-KLSS at every infoset of one independent set."""

    def weigh(infoset: int, drawn: dict[int, int]) -> tuple[float, dict[int, int]]:
        return float(allocation.allows(infoset, seed)), drawn

    return _mixture(blueprint, allocation, options or NestedOptions(), weigh)


def expected_strategy(blueprint: Strategy, allocation: Allocation, options: NestedOptions | None = None) -> Strategy:
    """Return what Algorithm 3 plays as a whole: the mixture of its strategies over all draws, exactly.

    Draws of different closures are independent; no draw is made twice on a path.
    """

    def weigh(infoset: int, drawn: dict[int, int]) -> tuple[float, dict[int, int]]:
        needed = allocation.conditions(infoset)
        if needed is None or any(drawn.get(n, c) != c for n, c in needed.items()):
            return 0.0, drawn
        fresh = [n for n in needed if n not in drawn]
        return float(np.prod([1.0 / allocation.closures[n].number for n in fresh])), drawn | needed

    return _mixture(blueprint, allocation, options or NestedOptions(), weigh)


Weigh = Callable[[int, dict[int, int]], tuple[float, dict[int, int]]]
"""From an infoset and the colours drawn on the way: the probability of solving there, and the colours drawn then."""


def _mixture(blueprint: Strategy, allocation: Allocation, options: NestedOptions, weigh: Weigh) -> Strategy:
    """Sum, over all chains of solves, what each solve changes times the probability that it is made."""
    check_allocating(options)
    if blueprint.tree is not allocation.tree or blueprint.player is not allocation.player:
        raise InputError(
            f"the blueprint is of {blueprint.player.name} in {blueprint.tree.name}, "
            f"expected one of {allocation.player.name} in {allocation.tree.name}"
        )
    total = blueprint.sequences.copy()
    knowledge = Knowledge(blueprint.tree)
    stack: list[tuple[Step | None, Strategy, float, dict[int, int]]] = [(None, blueprint, 1.0, {})]
    while stack:
        step, current, weight, drawn = stack.pop()
        for here, infoset in _next(step, blueprint):
            chance, after = weigh(infoset, drawn)
            if chance == 0.0:
                continue
            if step is None:
                solved = start_chain(blueprint, here, options, knowledge=knowledge)
            else:
                solved = step_chain(step, here, options)
            changed = write_back(current, solved)
            total += weight * chance * (changed.sequences - current.sequences)
            stack.append((solved, changed, weight * chance, after))
    return Strategy(blueprint.tree, blueprint.player, clean(blueprint.tree, blueprint.player, total))


def _next(step: Step | None, blueprint: Strategy) -> Iterator[tuple[int, int]]:
    """Yield our next infosets: in the current subgame, and in the full game."""
    if step is not None:
        yield from ((i, int(step.origin[i])) for i in step.next_infosets())
        return
    tree, player = blueprint.tree, blueprint.player
    acting = tree.acting_infosets(player)
    reach = tree.infoset_reach(player, player, blueprint.sequences)
    for i in acting[(tree.infoset_parent(player)[acting] == 0) & (reach[acting] > 0)].tolist():
        yield i, i


def _components(tree: Tree, player: int, knowledge: Knowledge) -> npt.NDArray[np.int32]:
    """Return the number of each node's closure, -1 where ``player`` acts nowhere in it."""
    component = np.array(knowledge.components())
    ours = np.unique(component[tree.player == player])
    component[~np.isin(component, ours)] = -1
    return component


def _vertices(
    tree: Tree, player: int, knowledge: Knowledge, component: npt.NDArray[np.int32], watching: bool
) -> dict[int, int]:
    """Return the vertices of G' and the closure each is in."""
    nodes = np.flatnonzero((component >= 0) if watching else (tree.player == player))
    infosets = tree.infoset(player)[nodes]
    found: dict[int, int] = {}
    for infoset, closure in zip(infosets.tolist(), component[nodes].tolist(), strict=True):
        if infoset not in found and knowledge.hypergraph.is_edge(player, infoset):
            found[infoset] = closure
    return found


def _graph(tree: Tree, player: int, vertices: dict[int, int]) -> "scipy.sparse.csr_array":
    """Return G': joined are two vertices that share an infoset of the opponent, if we act in at least one of them."""
    ours, theirs = tree.infoset(player), tree.infoset(opponent(player))
    nodes = np.flatnonzero(np.isin(ours, np.fromiter(vertices, dtype=np.int64)))
    shape = (tree.num_infosets(player), tree.num_infosets(opponent(player)))
    meets = scipy.sparse.csr_array((np.ones(len(nodes)), (ours[nodes], theirs[nodes])), shape=shape)
    acts = scipy.sparse.diags_array((tree.infoset_actions(player) > 0).astype(np.float64)) @ meets
    return (acts @ meets.T + meets @ acts.T).tocsr()


def _coloured(
    graph: "scipy.sparse.csr_array", component: npt.NDArray[np.int32], vertices: dict[int, int], exact_limit: int
) -> tuple[Closure, ...]:
    members: dict[int, list[int]] = {}
    for infoset, closure in sorted(vertices.items()):
        members.setdefault(closure, []).append(infoset)
    out = []
    for closure in sorted(members):
        infosets = members[closure]
        number = {infoset: i for i, infoset in enumerate(infosets)}
        near = [
            {number[j] for j in graph.indices[graph.indptr[i] : graph.indptr[i + 1]].tolist() if j in number and j != i}
            for i in infosets
        ]
        found = colour(near, exact_limit=exact_limit)
        out.append(Closure(tuple(infosets), found.colours, found.number, found.exact))
    return tuple(out)


def _conditions(tree: Tree, player: int, colours: dict[int, tuple[int, int]]) -> dict[int, dict[int, int] | None]:
    """Return, for each infoset at which we act, what must be drawn there and where we waited since our last move."""
    acts = tree.infoset_actions(player) > 0
    waits = any(not acts[i] for i in colours)
    infoset, parent, mover = tree.infoset(player).tolist(), tree.parent.tolist(), tree.player.tolist()
    needed: dict[int, set[int]] = {int(i): {int(i)} for i in np.flatnonzero(acts)}
    for node in np.flatnonzero(tree.player == player).tolist() if waits else ():
        up = parent[node]
        while up >= 0 and mover[up] != player:
            if infoset[up] in colours:
                needed[infoset[node]].add(infoset[up])
            up = parent[up]
    return {i: _merged([colours[j] for j in sorted(vertices)]) for i, vertices in needed.items()}


def _merged(pairs: list[tuple[int, int]]) -> dict[int, int] | None:
    out: dict[int, int] = {}
    for closure, wanted in pairs:
        if out.setdefault(closure, wanted) != wanted:
            return None
    return out
