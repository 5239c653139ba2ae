"""The strong agent: it solves and grows the game tree at once, after [ZS25].

The search itself is native (``cpp/search/growing``). The agent keeps the belief, tops the tree up with positions drawn
from it, and draws its move from the purified mixture. Every idea is an option, so that each can be switched off and
measured: ``murk`` has what was measured to be best, ``zs25`` what the reference has; see docs/growing.md.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from murk._core import (
    ChessPlayer,
    Colour,
    EmbeddedEvaluator,
    GrowingOptions,
    Move,
    Observation,
    PlayerOptions,
    Report,
    SimpleEvaluator,
)
from murk.darkchess.agents.base import Choice, Clock, Decision
from murk.darkchess.agents.believing import BelievingAgent, Deadline, evaluate, point_mixture
from murk.darkchess.board import START_FEN
from murk.darkchess.evaluators.choose import make_evaluator
from murk.errors import InputError

__all__ = ["MurkAgent", "ZS25Agent"]

MOST_NODES = 400_000
"""Expanded nodes that a tree can hold: some 14 million positions."""
FEWEST_NODES = 5_000
MEMORY = 64 << 20
"""Bytes of the belief by default: a million positions."""
DEFAULT_NODES = 3_000
"""Expanded nodes of a move without any limit."""
CANDIDATES = 16
"""Positions to choose from for each that is put into the tree, if some are more plausible than others."""
AT_ONCE = 64
"""Positions to look at when there is no time for a search."""
MOST_PLAUSIBILITY = 100
FOREVER = 1e9
ANY_NODES = 1 << 40
PROGRESS_SECONDS = 0.1
"""How often progress is told: to go over the whole tree for it takes a millisecond or so."""


class MurkAgent(BelievingAgent):
    """Growing-tree search with predictive CFR+ (2-KLUSS, both gadgets blended, purified).

    One unit of ``nodes`` is one position valued, as for the other agents.

    Args:
        positions: positions of the own infoset that the tree should hold.
        most_roots: how many of the opponent's infosets are kept from the last tree, the likeliest first and each only
            if it has a position that the others have not; 0 keeps all.
        threads: one grows and solves by turns and is deterministic with a limit on nodes; of more, one solves.
        gadget: ``blend``, or one of the two alone.
        exploration: C of the walks' upper bound.
        one_sided: one player explores in a walk, the other follows her strategy; else both explore.
        carry: keep the tree from move to move.
        neighbours: keep the order-2 knowledge set too, not only the own infoset (2-KLUSS).
        prior: of Resolve: ``reach`` counts how likely the opponent was to go there, ``uniform`` does not.
        gifts: take off what the opponent gave away from the alternate values.
        hurry: how much less a certain win or loss counts for each ply that it is away.
        remember: ask the evaluator once for each position, in whatever order of moves the search comes to it. Only the
            speed depends on that.
        draw_cap: take what could be a draw (by what has been seen) for no more than one.
        plausibility: how much likelier positions are that are good for the opponent, when the tree is topped up and in
            the prior: to an opponent of middling strictness a value higher by 1/plausibility makes one e times as
            likely. 0 takes all alike.
        tremble: probability with which the opponent enters the subgame by the prior, whatever it costs her.
        kept_regret: part of the regrets that is kept from one iteration to the next; 1 forgets nothing.
        best_first: new infosets begin on their best action, else with all actions alike.
        pruning: leave out subtrees that the other side never enters.
        regrets: keep the regrets with the tree, not only the strategies.
        average: choose by the average strategy since half time, else by the last one.
        prudence: how much worse than others of the mixture a move may be if the opponent saw the whole board; 2 allows
            all.
        purify: play the stable top actions only.
        mix: most actions to mix over.
        solver_share: part of the time for the solver, with one thread.
        frozen_share: part of the time at the end in which the tree does not grow any more.
        max_nodes: expanded nodes that the tree can hold; each takes about a kilobyte.
        evaluator: the value function by name. The positions of the belief are weighed by it too if it is native, else
            by the embedded one.
        memory: bytes of the belief.
    """

    name = "murk"
    observing = 0.5

    def __init__(
        self,
        *,
        positions: int = 128,
        threads: int = 1,
        gadget: Literal["blend", "resolve", "maxmargin"] = "blend",
        exploration: float = 1.0,
        one_sided: bool = True,
        carry: bool = True,
        neighbours: bool = True,
        prior: Literal["reach", "uniform"] = "reach",
        gifts: bool = True,
        hurry: float = 0.002,
        remember: bool = True,
        draw_cap: bool = True,
        plausibility: float = 5.0,
        kept_regret: float = 0.99,
        tremble: float = 0.3,
        best_first: bool = True,
        pruning: bool = True,
        most_roots: int = 192,
        regrets: bool = False,
        average: bool = True,
        prudence: float = 0.3,
        purify: bool = True,
        mix: int = 3,
        solver_share: float = 0.05,
        frozen_share: float = 0.05,
        max_nodes: int = MOST_NODES,
        evaluator: str = "embedded",
        memory: int = MEMORY,
    ) -> None:
        super().__init__(evaluator=evaluator, memory=memory)
        for name, number in (("positions", positions), ("threads", threads), ("mix", mix)):
            if number < 1:
                raise InputError(f"{name} is {number}, expected at least 1")
        if most_roots < 0:
            raise InputError(f"most_roots is {most_roots}, expected 0 (all) or more")
        if not prudence >= 0:
            raise InputError(f"prudence is {prudence}, expected a number of 0 or more")
        if not 0 <= tremble <= 1:
            raise InputError(f"tremble is {tremble}, expected a probability")
        if not 0 <= plausibility <= MOST_PLAUSIBILITY:
            raise InputError(f"plausibility is {plausibility}, expected a number from 0 to {MOST_PLAUSIBILITY}")
        if not 0 < kept_regret <= 1:
            raise InputError(f"kept_regret is {kept_regret}, expected a number above 0 and up to 1")
        for name, share in (("solver_share", solver_share), ("frozen_share", frozen_share)):
            if not 0 < share < 1:
                raise InputError(f"{name} is {share}, expected a number between 0 and 1")
        if not FEWEST_NODES <= max_nodes <= 10 * MOST_NODES:
            raise InputError(f"max_nodes is {max_nodes}, expected a number from {FEWEST_NODES} to {10 * MOST_NODES}")
        search = GrowingOptions()
        search.threads, search.gadget, search.exploration = threads, gadget, exploration
        search.one_sided, search.solver_share, search.max_nodes = one_sided, solver_share, max_nodes
        search.frozen_share, search.kept_regret, search.hurry = frozen_share, kept_regret, hurry
        search.tremble = tremble
        search.best_first, search.pruning = best_first, pruning
        self._options = PlayerOptions()
        self._options.carry, self._options.neighbours, self._options.gifts = carry, neighbours, gifts
        self._options.uniform_prior, self._options.purify, self._options.mix = prior == "uniform", purify, mix
        self._options.positions = self._positions = positions
        self._options.draw_cap, self._options.prudence = draw_cap, prudence
        self._options.most_roots, self._options.remember = most_roots, remember
        self._options.plausibility, self._options.average, self._options.carry_regrets = plausibility, average, regrets
        self._candidates = CANDIDATES if plausibility > 0 else 1
        self._search = search
        # Thousands of positions are weighed before a search, for which an engine would take seconds.
        quick = isinstance(self.evaluator, EmbeddedEvaluator | SimpleEvaluator)
        self._quick = self.evaluator if quick else make_evaluator("embedded")

    def new_game(self, colour: Colour, seed: int, fen: str = START_FEN) -> None:
        """Begin a game with an empty tree."""
        super().new_game(colour, seed, fen)
        self._search.seed = self._random.getrandbits(63)
        self._options.search = self._search
        self._player = ChessPlayer(self.evaluator, self._quick, colour, self._options)
        self._player.observe(self._view)

    def observe(self, observation: Observation, move: Move | None = None) -> None:
        """Take an observation into the belief and the key of the own infoset."""
        super().observe(observation, move)
        self._player.observe(observation, move)

    def _limit(self, clock: Clock) -> int:
        """Return how many positions to hold: a sample that shrinks misleads for the rest of the game, so all that fit.

        What there is no time for is put aside.
        """
        self._observing = 0.0
        return self._capacity

    def decide(self, moves: Sequence[Move], deadline: Deadline) -> Decision:
        """Top the tree up, search, and draw a move."""
        held = set(self._player.begin())
        wanted = max(0, min(self._positions, len(self.belief)) - len(held))
        drawn = self.sample(min(len(self.belief), self._candidates * wanted + len(held)))
        samples = [p for p in drawn if p not in held][: self._candidates * wanted]
        nodes = DEFAULT_NODES if deadline.unlimited else None
        if deadline.values is not None:
            nodes = max(1, deadline.values // len(moves))
        seconds = deadline.seconds
        report = self._player.search(
            samples,
            stands_for=max(1.0, (len(self.belief) - len(held)) / max(1, len(samples))),
            seconds=FOREVER if seconds is None else seconds,
            nodes=ANY_NODES if nodes is None else nodes,
            stop=self._watch(moves, deadline),
        )
        mixture = report.choices
        if not mixture:  # the time was not enough to search at all
            values = evaluate(self.evaluator, self.sample(AT_ONCE), moves, deadline)
            likely = np.exp(-self._options.plausibility * np.maximum(values.max(axis=1), 0.0))
            mean = likely @ values / likely.sum()
            move = moves[int(mean.argmax())]
            return replace(
                self._decision(report, move), mixture=point_mixture(moves, mean, move), value=float(mean.max())
            )
        move = self._random.choices([c.move for c in mixture], [c.probability for c in mixture])[0]
        return self._decision(report, move)

    def _watch(self, moves: Sequence[Move], deadline: Deadline) -> Callable[[], bool]:
        """Return what the search asks every few milliseconds: whether to stop."""
        told = time.perf_counter()

        def stop() -> bool:
            nonlocal told
            if deadline.stopped():
                return True
            if deadline.progress is not None and time.perf_counter() - told >= PROGRESS_SECONDS:
                report = self._player.report()
                deadline.progress(self._decision(report, report.choices[0].move if report.choices else moves[0]))
                told = time.perf_counter()
            return False

        return stop

    def _decision(self, report: Report, move: Move) -> Decision:
        mixture = sorted(report.choices, key=lambda c: (-c.probability, -c.strategy, -c.value))
        seconds = dict(zip(("evaluating", "walking", "solving"), report.seconds, strict=True))
        return Decision(
            move=move,
            mixture=tuple(Choice(c.move, c.probability, c.value) for c in mixture),
            value=report.value,
            margins=tuple(report.margins),
            gadget="resolve" if report.resolve_weight >= 0.5 else "maxmargin",
            nodes=report.leaves,
            infosets=report.infosets,
            depth=report.depth,
            iterations=report.iterations,
            notes={
                "expanded": report.nodes,
                "carried": report.carried,
                "carried_nodes": report.carried_leaves,
                "roots": report.roots,
                "seconds": seconds,
            },
        )


class ZS25Agent(MurkAgent):
    """The same search with the settings of [ZS25], without what ``murk`` does beyond it.

    Args:
        positions: positions of the own infoset that the tree should hold.
        threads: one grows and solves by turns; of more, one solves.
        evaluator: the value function by name.
        memory: bytes of the belief.
    """

    name = "zs25"

    def __init__(
        self,
        *,
        positions: int = 256,
        threads: int = 1,
        evaluator: str = "embedded",
        memory: int = MEMORY,
    ) -> None:
        super().__init__(
            positions=positions,
            threads=threads,
            most_roots=0,
            hurry=0.0,
            plausibility=0.0,
            kept_regret=1.0,
            tremble=0.0,
            average=False,
            prudence=2.0,
            solver_share=1 / 3,  # one of its three threads solves
            evaluator=evaluator,
            memory=memory,
        )
