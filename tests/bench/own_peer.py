"""A peer made to order, and the harness run as fast as can be."""

from collections.abc import Mapping
from typing import Any

import murk
from murk.bench.solvers import Case, Settings, run
from murk.errors import MissingDependencyError
from murk.solvers import CfrSolver

KUHN = Case("kuhn_poker", "kuhn_poker")
KUHN_NODES = 58


class OwnSession:
    """murk itself, in a peer's clothes."""

    def __init__(self, game: Any, method: str, error: float) -> None:
        self.tree = murk.build(game, cache=False)
        self.solver = CfrSolver(self.tree, method)
        self.error = error

    def iterate(self, count: int) -> None:
        self.solver.iterate(count)

    def profile(self, tree: murk.Tree) -> murk.Profile:
        x, y = self.solver.strategies()
        return murk.Profile(murk.Strategy(tree, murk.MAX, x), murk.Strategy(tree, murk.MIN, y))

    def nash_conv(self) -> float:
        return 2 * self.solver.exploitability() + self.error


class OwnPeer:
    """A peer for regret minimisation that does what a test tells it."""

    name = "Own"
    ours = "pcfr+"
    method = "PCFR+"
    building = "build"
    largest_build = 1000
    cost: Mapping[str, float] = {"build": 1e-6, "start": 1e-6, "iterate": 1e-6, "nash_conv": 1e-6}

    def __init__(self, *, error: float = 0.0, nodes: int = KUHN_NODES, missing: bool = False, broken: bool = False):
        self.error = error
        self.nodes = nodes
        self.missing = missing
        self.broken = broken
        self.started = 0

    def require(self) -> None:
        if self.missing:
            raise MissingDependencyError("own is not installed: pip install 'murk[bench]'")

    def start(self, game: Any) -> OwnSession:
        self.started += 1
        if self.broken:
            raise RuntimeError("out\nof order")
        return OwnSession(game, self.ours, self.error)

    def build(self, game: Any) -> int:
        return self.nodes


def rows(*cases: Case, **settings: Any) -> list[Any]:
    """Measure as fast as can be."""
    quick = {"repeat": 1, "batch_seconds": 1e-4, "job_seconds": 0.1, "cfr_peers": (), "lp_peers": ()}
    return list(run(cases, Settings(**{**quick, **settings})))
