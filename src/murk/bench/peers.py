"""The other programs, each behind a small adapter.

Two kinds. A :class:`CfrPeer` builds its own form of an OpenSpiel game, runs regret minimisation on it and measures
exploitability, in this process. An :class:`LpPeer` solves a game exactly, in a process of its own that can be stopped
(:mod:`murk.bench.worker`). What a peer cannot do here is a :class:`SkipError` with the reason.
"""

import importlib
import io
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

import numpy as np

from murk.errors import MissingDependencyError, MurkError
from murk.games.efg import write_efg
from murk.tree import MAX, MIN, Profile, Strategy, Tree

__all__ = [
    "CFR_PEERS",
    "LP_PEERS",
    "CfrPeer",
    "GambitLp",
    "LiteEfg",
    "LpPeer",
    "OpenSpiel",
    "OpenSpielLp",
    "Session",
    "SkipError",
    "environ",
]


class SkipError(MurkError):
    """A peer has no figure for a case; the message is the reason."""


class Session(Protocol):
    """A peer's regret minimisation on one game."""

    def iterate(self, count: int) -> None:
        """Run iterations in which both players are updated and averaged."""

    def profile(self, tree: Tree) -> Profile:
        """Return the average strategies as strategies of our tree."""

    def nash_conv(self) -> float:
        """Return what both players together could gain against the average strategies."""


class CfrPeer(Protocol):
    """A program with regret minimisation.

    Attributes:
        name: what it is called in the rows.
        ours: our variant that does the same.
        method: what it calls its own.
        building: what comes nearest to building a tree there.
        cost: rough seconds a node of ``build``, ``start``, ``iterate`` and ``nash_conv``, to foresee what takes
            too long.
        largest_build: nodes up to which memory suffices for ``build``.
    """

    name: str
    ours: str
    method: str
    building: str
    cost: Mapping[str, float]
    largest_build: int

    def require(self) -> None:
        """Raise MissingDependencyError if it is not installed."""

    def start(self, game: Any) -> Session:
        """Take in a turn-based ``pyspiel.Game``."""

    def build(self, game: Any) -> int | None:
        """Do what ``building`` says; return the number of nodes if it is known."""


class LpPeer(Protocol):
    """A program with an exact solver.

    Attributes:
        name, method: as for :class:`CfrPeer`.
        largest: nodes of the largest tree it is tried on.
        tolerance: how exact its value is, relative to the range of payoffs.
    """

    name: str
    method: str
    largest: int
    tolerance: float

    def require(self) -> None:
        """Raise MissingDependencyError if it is not installed."""

    def source(self, tree: Tree, game: Any, folder: Path) -> str:
        """Return what :meth:`prepare` makes the game from. ``game`` is ``None`` if it is none of OpenSpiel's."""

    def prepare(self, source: str) -> Callable[[], float]:
        """Return the call to be timed, which solves the game and returns MAX's value."""


def _require(*modules: str) -> None:
    for module in modules:
        try:
            importlib.import_module(module)
        except ImportError:
            raise MissingDependencyError(f"{module} is not installed: pip install 'murk[bench]'") from None


@contextmanager
def _quiet() -> Iterator[None]:
    """Swallow the banners that some constructors print."""
    with redirect_stdout(io.StringIO()):
        yield


class OpenSpiel:
    """OpenSpiel's CFR+ and exploitability, both C++, and its walk over all states, Python."""

    name = "OpenSpiel"
    ours = "cfr+"
    method = "CFR+"
    cost: Mapping[str, float] = {"build": 2e-5, "start": 1e-5, "iterate": 3e-6, "nash_conv": 2e-5}
    building = "get_all_states"
    largest_build = 400_000  # it keeps every state, some kilobytes each

    def require(self) -> None:
        """Raise MissingDependencyError if OpenSpiel is not installed."""
        _require("pyspiel")

    def start(self, game: Any) -> Session:
        """Make the C++ solver, which makes its table of infosets."""
        return _OpenSpielSession(game)

    def build(self, game: Any) -> int:
        """List all states. It makes no tree and asks for no information state."""
        from open_spiel.python.algorithms.get_all_states import get_all_states

        return len(get_all_states(game, include_terminals=True, include_chance_states=True))


class _OpenSpielSession:
    def __init__(self, game: Any) -> None:
        import pyspiel

        self._game = game
        self._pyspiel = pyspiel
        self._solver = pyspiel.CFRPlusSolver(game)
        self._policy: Any = None

    def iterate(self, count: int) -> None:
        self._policy = None
        step = self._solver.evaluate_and_update_policy
        for _ in range(count):
            step()

    def profile(self, tree: Tree) -> Profile:
        table = {state: dict(row) for state, row in self._average().policy_table().items()}
        return Profile(Strategy.from_mapping(tree, MAX, table), Strategy.from_mapping(tree, MIN, table))

    def nash_conv(self) -> float:
        # Its exploitability is half of nash_conv, and the cheaper of its two functions.
        return 2.0 * float(self._pyspiel.exploitability(self._game, self._average()))

    def _average(self) -> Any:
        if self._policy is None:
            self._policy = self._solver.tabular_average_policy()
        return self._policy


class LiteEfg:
    """LiteEFG's PCFR+ and exploitability (C++), and its import of OpenSpiel games (Python and C++)."""

    name = "LiteEFG"
    ours = "pcfr+"
    method = "PCFR+"
    building = "import"
    largest_build = 10_000_000
    cost: Mapping[str, float] = {"build": 3e-5, "start": 3e-5, "iterate": 1e-6, "nash_conv": 5e-7}

    def require(self) -> None:
        """Raise MissingDependencyError if LiteEFG is not installed."""
        _require("pyspiel", "LiteEFG")

    def start(self, game: Any) -> Session:
        """Import the game and set up PCFR+ on it."""
        return _LiteEfgSession(game)

    def build(self, game: Any) -> None:
        """Import the game afresh. It does not say how many nodes it made."""
        _import_into_liteefg(game)


def _import_into_liteefg(game: Any) -> Any:
    import LiteEFG

    # It keeps games as text below the home directory. A fresh one each time leaves nothing behind and finds nothing.
    with tempfile.TemporaryDirectory() as home, environ("HOME", home), _quiet():
        return LiteEFG.OpenSpielEnv(game)


@contextmanager
def environ(name: str, value: str) -> Iterator[None]:
    """Set an environment variable for a while."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


class _LiteEfgSession:
    _AVERAGE = "linear-avg-iterate"

    def __init__(self, game: Any) -> None:
        variant: Any = importlib.import_module("LiteEFG.baselines.PCFR")
        self._env = _import_into_liteefg(game)
        with _quiet():
            self._graph = variant.graph()
            self._env.set_graph(self._graph)

    def iterate(self, count: int) -> None:
        env, graph = self._env, self._graph
        for _ in range(count):
            graph.update_graph(env)
            env.update_strategy(graph.current_strategy())  # the averages; about 2 % of the time

    def profile(self, tree: Tree) -> Profile:
        return Profile(self._strategy(tree, MAX), self._strategy(tree, MIN))

    def _strategy(self, tree: Tree, player: int) -> Strategy:
        from LiteEFG import FileEnv

        # Past the override in OpenSpielEnv, which makes a TabularPolicy, to what it is made from. Infosets are called
        # "pl1_0__" and their information state, quoted as in a URL; actions stand in OpenSpiel's order, as ours do.
        listed = FileEnv.get_strategy(self._env, player + 1, self._graph.current_strategy(), self._AVERAGE)
        given = {name.partition("__")[2]: probabilities for name, probabilities in listed}
        names, first = tree.infoset_names(player), tree.infoset_first(player)
        behaviour = np.ones(tree.num_sequences(player))
        for infoset in tree.acting_infosets(player).tolist():
            row = np.maximum(np.array(given[quote(names[infoset], safe="")]), 0.0)
            begin = int(first[infoset])
            behaviour[begin : begin + len(row)] = row / row.sum() if row.sum() > 0 else 1.0 / len(row)
        return Strategy.from_behaviour(tree, player, behaviour)

    def nash_conv(self) -> float:
        return float(sum(self._env.exploitability(self._graph.current_strategy(), self._AVERAGE)))


class OpenSpielLp:
    """OpenSpiel's sequence-form LP (Python), through cvxpy and ECOS: the one solver it runs with."""

    name = "OpenSpiel"
    method = "sequence_form_lp"
    largest = 400_000
    tolerance = 1e-5

    def require(self) -> None:
        """Raise MissingDependencyError if OpenSpiel, cvxpy or ECOS is not installed."""
        _require("pyspiel", "cvxpy", "ecos")

    def source(self, tree: Tree, game: Any, folder: Path) -> str:
        """Return the game's name with all its parameters."""
        if game is None:
            raise SkipError("not a game of OpenSpiel's")
        return str(game)

    def prepare(self, source: str) -> Callable[[], float]:
        """Load the game. The call walks it, assembles both players' programs and solves them."""
        import pyspiel
        from open_spiel.python.algorithms.sequence_form_lp import solve_zero_sum_game

        game = pyspiel.load_game(source)
        return lambda: float(solve_zero_sum_game(game, solver="ECOS")[0])


class GambitLp:
    """Gambit's ``lp_solve`` in floating point, through pygambit."""

    name = "pygambit"
    method = "lp_solve"
    largest = 10_000
    tolerance = 1e-6

    def require(self) -> None:
        """Raise MissingDependencyError if pygambit is not installed."""
        _require("pygambit")

    def source(self, tree: Tree, game: Any, folder: Path) -> str:
        """Write the tree as an ``.efg`` file and return its path."""
        path = folder / "game.efg"
        write_efg(tree, path)
        return str(path)

    def prepare(self, source: str) -> Callable[[], float]:
        """Read the file. The call solves the game."""
        import pygambit

        game = pygambit.read_efg(source)

        def solve() -> float:
            result = pygambit.nash.lp_solve(game, rational=False)
            # One equilibrium in version 17, a list of them before.
            profile = result.equilibrium if hasattr(result, "equilibrium") else result.equilibria[0]
            first = next(iter(game.players))  # a label in version 17, an object with a label before
            by_label = getattr(first, "label", first)
            return float(profile.payoffs[by_label] if hasattr(profile, "payoffs") else profile.payoff(first))

        return solve


CFR_PEERS: tuple[CfrPeer, ...] = (LiteEfg(), OpenSpiel())
LP_PEERS: tuple[LpPeer, ...] = (OpenSpielLp(), GambitLp())
