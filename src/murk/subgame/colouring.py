"""Colouring small graphs: no two neighbours of one colour, with as few colours as can be.

Algorithm 3 allocates deviations by colour classes, so every colour saved raises the probability of solving.
Greedy by saturation (DSATUR, [Brélaz 1979]); exact by branch and bound in the same order, for graphs of at most
:data:`EXACT_LIMIT` vertices or where a clique shows that the greedy colouring is already best.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from murk.errors import InputError

__all__ = ["EXACT_LIMIT", "Colouring", "chromatic_number", "colour"]

EXACT_LIMIT = 24
"""Most vertices of a graph whose chromatic number is searched for; larger graphs are coloured greedily."""

Neighbours = Sequence[AbstractSet[int]]


@dataclass(frozen=True)
class Colouring:
    """A colour for each vertex.

    Attributes:
        colours: numbers from 0 on, one a vertex.
        number: how many colours are used.
        exact: whether ``number`` is known to be the chromatic number.
    """

    colours: tuple[int, ...]
    number: int
    exact: bool


def colour(neighbours: Neighbours, *, exact_limit: int = EXACT_LIMIT) -> Colouring:
    """Colour the graph in which vertex i is joined to ``neighbours[i]``.

    Raises:
        InputError: the neighbourhoods are not those of a graph without loops.
    """
    _check(neighbours)
    greedy = _dsatur(neighbours)
    number = max(greedy, default=-1) + 1
    clique = _greedy_clique(neighbours)
    if len(clique) == number:
        return Colouring(tuple(greedy), number, exact=True)
    if len(neighbours) > exact_limit:
        return Colouring(tuple(greedy), number, exact=False)
    best = _Search(neighbours, clique, greedy).run()
    return Colouring(tuple(best), max(best) + 1, exact=True)


def chromatic_number(neighbours: Neighbours, *, limit: int = EXACT_LIMIT) -> int:
    """Return the chromatic number.

    Raises:
        InputError: it is not known, the graph having more than ``limit`` vertices.
    """
    found = colour(neighbours, exact_limit=limit)
    if not found.exact:
        raise InputError(
            f"the chromatic number of a graph of {len(neighbours)} vertices was asked for, expected at most {limit}"
        )
    return found.number


def _check(neighbours: Neighbours) -> None:
    for i, near in enumerate(neighbours):
        for j in near:
            if not 0 <= j < len(neighbours) or j == i or i not in neighbours[j]:
                raise InputError(
                    f"vertex {i} is joined to {j}, expected a graph without loops, each edge given at both ends"
                )


def _dsatur(neighbours: Neighbours) -> list[int]:
    colours = [-1] * len(neighbours)
    seen: list[set[int]] = [set() for _ in neighbours]
    for _ in neighbours:
        vertex = _most_saturated(neighbours, colours, seen)
        colours[vertex] = _least(seen[vertex])
        for other in neighbours[vertex]:
            seen[other].add(colours[vertex])
    return colours


def _most_saturated(neighbours: Neighbours, colours: list[int], seen: Sequence[AbstractSet[int]]) -> int:
    """Return the uncoloured vertex that sees most colours, of these the one of largest degree, of these the first."""
    open_vertices = (v for v, c in enumerate(colours) if c < 0)
    return max(open_vertices, key=lambda v: (len(seen[v]), len(neighbours[v]), -v))


def _least(taken: AbstractSet[int]) -> int:
    return next(c for c in range(len(taken) + 1) if c not in taken)


def _greedy_clique(neighbours: Neighbours) -> list[int]:
    """Return a clique: the best of those grown from each vertex by largest degree."""
    best: list[int] = []
    for start in range(len(neighbours)):
        clique, common = [start], set(neighbours[start])
        while common:
            vertex = max(common, key=lambda v: (len(neighbours[v]), -v))
            clique.append(vertex)
            common &= neighbours[vertex]
        if len(clique) > len(best):
            best = clique
    return best


class _Search:
    """Branch and bound: give the most saturated vertex each colour it may have in turn, but only one new colour."""

    def __init__(self, neighbours: Neighbours, clique: list[int], greedy: list[int]) -> None:
        self.neighbours = neighbours
        self.clique = clique
        self.best = greedy
        self.number = max(greedy) + 1

    def run(self) -> list[int]:
        colours = [-1] * len(self.neighbours)
        for i, vertex in enumerate(self.clique):  # its vertices differ in any colouring: no loss to fix them
            colours[vertex] = i
        self._extend(colours, len(self.clique))
        return self.best

    def _extend(self, colours: list[int], used: int) -> None:
        if used >= self.number or self.number == len(self.clique):
            return
        if all(c >= 0 for c in colours):
            self.best, self.number = colours.copy(), used
            return
        seen = [{colours[j] for j in near if colours[j] >= 0} for near in self.neighbours]
        vertex = _most_saturated(self.neighbours, colours, seen)
        for c in range(min(used + 1, self.number - 1)):
            if c not in seen[vertex]:
                colours[vertex] = c
                self._extend(colours, max(used, c + 1))
        colours[vertex] = -1
