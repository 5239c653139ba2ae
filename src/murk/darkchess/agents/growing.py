"""The strong agent: it solves and grows the game tree at once, after [ZS25].

The search itself is native (``cpp/search/growing``). The agent keeps the belief, tops the tree up with positions drawn
from it, and draws its move from the purified mixture. Every idea of the reference is an option with the reference's
default, so that each can be switched off and measured; see docs/growing.md.
"""

from collections.abc import Sequence
from typing import Literal

from murk._core import ChessPlayer, Colour, GrowingOptions, Move, Observation, PlayerOptions, Report
from murk.darkchess.agents.base import Choice, Decision
from murk.darkchess.agents.believing import BELIEF_MEMORY, BelievingAgent, Deadline
from murk.darkchess.board import START_FEN
from murk.errors import InputError

__all__ = ["MurkAgent"]

MOST_NODES = 400_000
"""Expanded nodes that a tree can hold: some 14 million positions."""
DEFAULT_NODES = 3_000
"""Expanded nodes of a move without any limit."""
CANDIDATES = 4
"""Positions to choose from for each that is put into the tree, if some are more plausible than others."""
FOREVER = 1e9


class MurkAgent(BelievingAgent):
    """Growing-tree search with predictive CFR+ (2-KLUSS, both gadgets blended, last iterate, purified).

    One unit of ``nodes`` is one position valued, as for the other agents.

    Args:
        positions: positions of the own infoset that the tree should hold.
        threads: one grows and solves by turns and is deterministic with a limit on nodes; of more, one solves.
        gadget: ``blend``, or one of the two alone.
        exploration: C of the walks' upper bound.
        one_sided: one player explores in a walk, the other follows her strategy; else both explore.
        carry: keep the tree from move to move.
        neighbours: keep the order-2 knowledge set too, not only the own infoset (2-KLUSS).
        prior: of Resolve: ``reach`` counts how likely the opponent was to go there, ``uniform`` does not.
        gifts: take off what the opponent gave away from the alternate values.
        plausibility: how strongly positions that are good for the opponent are preferred when the tree is topped up
            (a value higher by 1/plausibility makes one e times as likely); 0 draws all alike.
        regrets: keep the regrets with the tree, not only the strategies.
        average: choose by the average strategy since half time, else by the last one.
        purify: play the stable top actions only.
        mix: most actions to mix over.
        solver_share: part of the time for the solver, with one thread.
        frozen_share: part of the time at the end in which the tree does not grow any more.
        evaluator: the value function by name.
        memory: bytes of the belief.
    """

    name = "murk"

    def __init__(
        self,
        *,
        positions: int = 256,
        threads: int = 1,
        gadget: Literal["blend", "resolve", "maxmargin"] = "blend",
        exploration: float = 1.0,
        one_sided: bool = True,
        carry: bool = True,
        neighbours: bool = True,
        prior: Literal["reach", "uniform"] = "reach",
        gifts: bool = True,
        plausibility: float = 0.0,
        regrets: bool = False,
        average: bool = False,
        purify: bool = True,
        mix: int = 3,
        solver_share: float = 0.12,
        frozen_share: float = 0.05,
        evaluator: str = "embedded",
        memory: int = BELIEF_MEMORY,
    ) -> None:
        super().__init__(evaluator=evaluator, memory=memory)
        for name, number in (("positions", positions), ("threads", threads), ("mix", mix)):
            if number < 1:
                raise InputError(f"{name} is {number}, expected at least 1")
        for name, share in (("solver_share", solver_share), ("frozen_share", frozen_share)):
            if not 0 < share < 1:
                raise InputError(f"{name} is {share}, expected a number between 0 and 1")
        search = GrowingOptions()
        search.threads, search.gadget, search.exploration = threads, gadget, exploration
        search.one_sided, search.solver_share, search.max_nodes = one_sided, solver_share, MOST_NODES
        search.frozen_share = frozen_share
        self._options = PlayerOptions()
        self._options.carry, self._options.neighbours, self._options.gifts = carry, neighbours, gifts
        self._options.uniform_prior, self._options.purify, self._options.mix = prior == "uniform", purify, mix
        self._options.positions = self._positions = positions
        self._options.plausibility, self._options.average, self._options.carry_regrets = plausibility, average, regrets
        self._candidates = CANDIDATES if plausibility > 0 else 1
        self._search = search

    def new_game(self, colour: Colour, seed: int, fen: str = START_FEN) -> None:
        """Begin a game with an empty tree."""
        super().new_game(colour, seed, fen)
        self._search.seed = self._random.getrandbits(63)
        self._options.search = self._search
        self._player = ChessPlayer(self.evaluator, colour, self._options)
        self._player.observe(self._view)

    def observe(self, observation: Observation, move: Move | None = None) -> None:
        """Take an observation into the belief and the key of the own infoset."""
        super().observe(observation, move)
        self._player.observe(observation, move)

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
            samples, seconds=FOREVER if seconds is None else seconds, nodes=MOST_NODES if nodes is None else nodes
        )
        return self._decision(report, moves)

    def _decision(self, report: Report, moves: Sequence[Move]) -> Decision:
        mixture = tuple(Choice(c.move, c.probability, c.value) for c in report.choices)
        if not mixture:  # the time was not enough to look at a single position
            move = moves[0]
        else:
            move = self._random.choices([c.move for c in mixture], [c.probability for c in mixture])[0]
        return Decision(
            move=move,
            mixture=mixture,
            value=report.value,
            margins=tuple(report.margins),
            gadget="resolve" if report.resolve_weight >= 0.5 else "maxmargin",
            nodes=report.leaves,
            infosets=report.infosets,
            depth=report.depth,
            iterations=report.iterations,
            notes={"expanded": report.nodes, "carried": report.carried, "roots": report.roots},
        )
