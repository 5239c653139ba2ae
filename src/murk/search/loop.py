"""The loop of Algorithm 4 of [ZS21]: solve the trunk exactly, expand what the solution reaches, repeat.

Without a gadget (a trunk of the whole game) it is the iterative deepening of the appendix: when it stops because there
is nothing left to expand, an equilibrium of the full game has been found.

Deviations:
    - The root states are expanded at once. All have x(h) = 1, so the first round would do just that.
    - Among the children of a node that not both players reach, the most interesting is chosen of those that
      MaybeExpand would expand, not of all: else a child that nobody wants to reach could hold up the others for good.
    - The sign that switches gadgets is that of the value without the information term, which text and pseudocode give
      with different constants (``docs/errata.md``).
    - ``growth`` bounds how much one round may add; what both players reach comes first.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from murk import _core
from murk.search.lp import Gadget, GrowingProgram, TrunkSolution, smaller_side
from murk.search.options import Budget, Deadline, SearchOptions
from murk.tree.players import MAX, MIN

__all__ = ["SearchResult", "Timings", "TrunkSearch"]

Floats = npt.NDArray[np.float64]

_SIGN = 1e-9  # a value nearer to 0 than this is rounding
_NO_CAP = 1 << 30
_ROOTS = 0.5  # part of the time that the root states may take
_FIT = 0.6  # part of the remaining time that the next round should take
_LEAST_GROWTH = 0.1  # part of the tree that a round adds at least
_BARELY = 0.9  # part of the remaining time that such a round may take
_NOT_TINY = 5_000  # nodes
_ALWAYS = 0.02  # seconds that the first solve may take even if the budget is smaller


@dataclass
class Timings:
    """Where the time went, in seconds.

    Attributes:
        solve: in the linear programs, building them included.
        build: building them.
        expand: in expanding nodes, the value function included.
        total: altogether.
    """

    solve: float = 0.0
    build: float = 0.0
    expand: float = 0.0
    total: float = 0.0


@dataclass(frozen=True, eq=False)
class SearchResult:
    """What a search has found.

    Attributes:
        x: our strategy in the trunk, in sequence form.
        y: the opponent's.
        value: of the trunk to us; below a gadget, the value of the gadget without the information term.
        gadget: the root it was solved below.
        finished: nothing is left to expand.
        iterations: rounds of solving and expanding.
        depth: plies of the deepest node below the root.
        nodes: nodes of the tree.
        infosets: infosets at which we act and at which the opponent acts.
        margins: of each root of the gadget, at the last solve.
        action_values: what each action at the root was worth at the last solve, against the opponent's strategy.
        timings: where the time went.
        history: (nodes, value, seconds) after each solve.
    """

    x: Floats
    y: Floats
    value: float
    gadget: Gadget
    finished: bool
    iterations: int
    depth: int
    nodes: int
    infosets: tuple[int, int]
    margins: Floats
    action_values: Floats
    timings: Timings
    history: list[tuple[int, float, float]] = field(repr=False, default_factory=list)


class TrunkSearch:
    """Algorithm 4's loop on one trunk, which it grows.

    Args:
        trunk: a trunk of the whole game, or one below a gadget.
        options: the hyper-parameters.
        infoset_size: ``|I|``, the number of states we hold possible, for the information term.
        observer: called after each solve, with the search itself.
        pace: seconds of solving for each node, as earlier searches found; see :attr:`pace`.

    Attributes:
        pace: the most seconds for each node that solving has taken, of a tree that is not tiny.
    """

    def __init__(
        self,
        trunk: _core.Trunk,
        options: SearchOptions | None = None,
        *,
        infoset_size: int | None = None,
        observer: "Callable[[TrunkSearch], None] | None" = None,
        pace: float = 0.0,
    ) -> None:
        self.trunk = trunk
        self.options = options or SearchOptions()
        self.infoset_size = infoset_size
        self.observer = observer
        self.pace = pace
        self.gadget: Gadget = self._first_gadget()
        self.solution: TrunkSolution | None = None
        self._program: GrowingProgram | None = None
        self._timings = Timings()
        self._nodes_before = 0
        self._margins = self._values = np.empty(0)

    def run(self, budget: Budget | Deadline | None = None) -> SearchResult:
        """Search until the budget is used up or nothing is left to expand."""
        clock = budget if isinstance(budget, Deadline) else (budget or Budget()).start()
        self._begin(clock)
        depth, iterations, finished = 0, 0, False
        history: list[tuple[int, float, float]] = []
        while self._solve_and_switch(clock):  # Alg. 4, l. 22-30
            assert self.solution is not None
            iterations += 1
            history.append((self.trunk.num_nodes, self._margin_value(self.solution), clock.elapsed()))
            if self.observer is not None:
                self.observer(self)
            if self._out_of_time(clock, iterations) or not self._growth(clock):  # Alg. 4, l. 31
                break
            expanded, depth, limited = self._expand(depth + 1, clock)  # Alg. 4, l. 32-41
            if expanded == 0:
                finished = not limited
                break
        return self._result(clock, iterations, finished, history)

    def _begin(self, clock: Deadline) -> None:
        started, left = time.perf_counter(), clock.left()
        self._nodes_before = self.trunk.num_nodes
        self.trunk.expand_roots(None if left is None else _ROOTS * max(left, 0.0), clock.budget.stop)
        self._timings.expand += time.perf_counter() - started
        if self.trunk.has_gadget and self.infoset_size is not None:
            self._add_information_term()

    def _add_information_term(self) -> None:
        """Reward actions after which we know more: Alg. 4, l. 21."""
        tree, trunk = self.trunk.tree, self.trunk
        infoset = int(tree.infoset(MAX)[trunk.root_nodes[0]])
        first = int(tree.infoset_first(MAX)[infoset])
        scale = float(self.infoset_size or 0) / self.options.information
        tree.clear_extra(MAX)
        for action, bits in enumerate(trunk.next_observation_entropy().tolist()):
            tree.add_extra(MAX, first + action, (1.0 - 2.0**-bits) * scale)

    def _first_gadget(self) -> Gadget:
        if not self.trunk.has_gadget:
            return "plain"
        return "resolve" if self.options.gadget == "resolve" else "maxmargin"

    def _solve_and_switch(self, clock: Deadline) -> bool:
        """Solve the trunk, below the other root if the sign of the value asks for it; tell whether there was time."""
        solution = self._solve(clock)
        if solution is None:
            return False
        self._accept(solution)
        if self.options.gadget != "hybrid" or self.gadget == "plain":
            return True
        value = self._margin_value(solution)
        if value < -_SIGN and self.gadget == "maxmargin":
            self.gadget = "resolve"  # Alg. 4, l. 26
        elif value >= -_SIGN and self.gadget == "resolve":
            self.gadget = "maxmargin"  # Alg. 4, l. 29
        else:
            return True
        left = clock.left()
        in_time = left is None or left > solution.seconds
        other = self._solve(clock) if in_time else None  # Alg. 4, l. 27 and l. 30
        if other is None:
            self.gadget = solution.gadget
            return False
        self._accept(other)
        return True

    def _solve(self, clock: Deadline) -> TrunkSolution | None:
        options, started = self.options, time.perf_counter()
        if self.solution is not None and clock.stopped():
            return None  # to set up a program takes time, too
        if self._program is None:
            side = {"ours": int(MAX), "theirs": int(MIN)}.get(options.side)
            self._program = GrowingProgram(
                self.trunk, smaller_side(self.trunk) if side is None else side,
                warm_start=options.warm_start, tolerance=options.tolerance,
                tremble=options.tremble if self.trunk.has_gadget else 0.0,
            )  # fmt: skip
        left = clock.left()
        if left is not None:
            left = max(left, _ALWAYS if self.solution is None else 0.0)
        solution = self._program.solve(self.gadget, seconds=left, stop=clock.budget.stop)
        seconds = time.perf_counter() - started
        self._timings.solve += seconds
        if self.trunk.num_nodes >= _NOT_TINY:
            self.pace = max(self.pace, seconds / self.trunk.num_nodes)
        self._timings.build = self._program.build_seconds
        return solution

    def _margin_value(self, solution: TrunkSolution) -> float:
        """Return the value of the game, or of the gadget without the information term and without trembling."""
        if solution.gadget == "plain":
            return solution.value
        margins = solution.margins
        return float(margins.min() if solution.gadget == "maxmargin" else np.minimum(margins, 0.0).mean())

    def _out_of_time(self, clock: Deadline, iterations: int) -> bool:
        budget, left = clock.budget, clock.left()
        return (
            (left is not None and left <= 0)
            or clock.stopped()
            or (budget.iterations is not None and iterations >= budget.iterations)
            or (budget.nodes is not None and self.trunk.num_nodes >= budget.nodes)
        )

    def _expand(self, depth: int, clock: Deadline) -> tuple[int, int, bool]:
        """Do one round of expansion; return the nodes expanded, the depth it came to, and whether a limit cut it."""
        started = time.perf_counter()
        assert self.solution is not None
        options, trunk, budget = self.options, self.trunk, clock.budget
        nodes = min(
            options.max_nodes - 1024,
            trunk.num_nodes + self._growth(clock),
            budget.nodes if budget.nodes is not None else options.max_nodes,
        )
        while True:
            expanded, waiting, limited = trunk.grow(
                self.solution.x, self.solution.y, rule=options.expansion, depth=depth if options.depth_cap else _NO_CAP,
                nodes=nodes, seconds=clock.left(), stop=budget.stop,
            )  # fmt: skip
            if expanded or not waiting or limited:
                break
            depth += 1
        self._timings.expand += time.perf_counter() - started
        return expanded, depth, limited

    def _growth(self, clock: Deadline) -> int:
        """Return how many nodes one round may add, 0 if there is no time for another round.

        HiGHS can be stopped only once it has prepared a program, which may be half of a solve. So no round begins that
        does not seem to have the time to end. Expanding takes as long for each node as it did so far. The next solve is
        longer than the last by the square of the growth, and not faster than :attr:`pace`: the first program of a move
        is of the roots alone, with next to no rows, and says little about the next.
        """
        options, size, left = self.options, self.trunk.num_nodes, clock.left()
        growth = options.max_nodes
        if options.growth is not None:
            growth = max(int(options.growth * size), options.growth_floor)
        if left is None or self.solution is None:
            return growth
        expand = self._timings.expand * size / max(size - self._nodes_before, 1)  # to double the tree
        solve, slow = max(self.solution.seconds, 1e-6), self.pace * size

        def seconds(added: float) -> float:
            return added * expand + max((1 + added) ** 2 * solve, (1 + added) * slow)

        if seconds(_LEAST_GROWTH) > _BARELY * left:
            return 0
        # The largest g with seconds(g) <= _FIT * left.
        half = solve + expand / 2
        square = half * half - solve * (solve - _FIT * left)
        fitting = min((math.sqrt(max(square, 0.0)) - half) / solve, (_FIT * left - slow) / max(expand + slow, 1e-9))
        return min(growth, math.ceil(max(fitting, _LEAST_GROWTH) * size))

    @property
    def action_values(self) -> Floats:
        """What each action at the root was worth at the last solve, against the opponent's strategy."""
        return self._values

    def _accept(self, solution: TrunkSolution) -> None:
        """Take a solution, and note what it says about the root while the trunk is as it was solved."""
        self.solution = solution
        self._margins = solution.margins
        self._values = self.trunk.action_values(solution.x, solution.y)

    def _result(
        self, clock: Deadline, iterations: int, finished: bool, history: list[tuple[int, float, float]]
    ) -> SearchResult:
        trunk, solution = self.trunk, self.solution
        if solution is None:
            x, y = self._guess()
            value = 0.0
            self._values = trunk.action_values(x, y)
        else:
            x = trunk.extend(MAX, solution.x, solution.y)
            y = trunk.extend(MIN, solution.y, solution.x)
            value = self._margin_value(solution)
        self._timings.total = clock.elapsed()
        ours, theirs = trunk.num_infosets
        return SearchResult(
            x=x, y=y, value=value, gadget=self.gadget, finished=finished, iterations=iterations, depth=trunk.max_depth,
            nodes=trunk.num_nodes, infosets=(ours, theirs), margins=self._margins, action_values=self._values,
            timings=self._timings, history=history,
        )  # fmt: skip

    def _guess(self) -> tuple[Floats, Floats]:
        """Return strategies that play what looks best everywhere, for want of a solution."""
        nothing = np.ones(1)
        x = self.trunk.extend(MAX, nothing, nothing)
        return x, self.trunk.extend(MIN, nothing, x)
