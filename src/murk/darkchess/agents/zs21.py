"""The paper's agent: nested 1-KLSS with only a value function, Algorithm 4 of [ZS21], on dark chess.

The algorithm is :mod:`murk.search`; here is what belongs to the game. I is the agent's belief. Our infoset is found
in the trunk again by a key: a hash of all that was observed and played. For the draw cap (appendix, "Dark chess") the
agent remembers what it has seen, and for how long nothing irreversible.
"""

import math
from collections.abc import Sequence

from murk import _core
from murk._core import Colour, Move, Observation, Position
from murk.darkchess.agents.base import Choice, Decision
from murk.darkchess.agents.believing import BELIEF_MEMORY, BelievingAgent, Deadline
from murk.darkchess.board import START_FEN
from murk.darkchess.picture import FOG
from murk.darkchess.tracking import Tracker
from murk.search.loop import TrunkSearch
from murk.search.nested import NestedSearch, root_mixture
from murk.search.options import Budget, ExpansionRule, GadgetChoice, SearchOptions, Side

__all__ = ["ZS21Agent"]

UNLIMITED_NODES = 100_000
"""Nodes of the tree if the clock sets no limit at all."""
REPETITIONS = 3


class ZS21Agent(BelievingAgent):
    """The paper's agent. The options are those of :class:`murk.search.SearchOptions` and the belief's.

    Defaults that are not the paper's are ``max_particles``, ``root_gifts``, ``tremble``, ``growth`` and the bounds on
    the tree: ``docs/searching.md`` says why, with measurements.

    Args:
        particles: the paper's L.
        max_particles: at most so many come from the move before; none for any number, which is the paper's.
        information: the paper's M.
        reach: give back the opponent's gifts.
        root_gifts: count her choice at the old gadget's root among them, as the paper does by the letter.
        merge_transpositions: of equal positions keep one.
        gadget: hybrid, maxmargin or resolve.
        expansion: text or pseudocode.
        depth_cap: let new roots catch up.
        draw_cap: value what could be a draw at 0 at most.
        carry: take the subgame over from move to move.
        side: whose linear program is solved.
        tremble: choose among the optima of the gadget one that does well at every root; 0 is the paper's.
        warm_start: begin each program with the last one's basis.
        growth: by how much the tree may grow in a round; none for any amount, which is the paper's.
        growth_floor: nodes by which it may grow in any case.
        max_nodes: of the tree.
        max_carried: nodes taken over from move to move.
        evaluator: the value function by name.
        memory: bytes of the belief.
    """

    name = "zs21"

    def __init__(
        self,
        *,
        particles: int = 200,
        max_particles: int | None = 100,
        information: float = 1e7,
        reach: bool = True,
        root_gifts: bool = False,
        merge_transpositions: bool = True,
        gadget: GadgetChoice = "hybrid",
        expansion: ExpansionRule = "text",
        depth_cap: bool = True,
        draw_cap: bool = True,
        carry: bool = True,
        side: Side = "auto",
        tremble: float = 0.01,
        warm_start: bool = True,
        growth: float | None = 1.0,
        growth_floor: int = 5_000,
        max_nodes: int = 2_000_000,
        max_carried: int = 20_000,
        evaluator: str = "embedded",
        memory: int = BELIEF_MEMORY,
    ) -> None:
        super().__init__(evaluator=evaluator, memory=memory)
        self.options = SearchOptions(
            particles=particles, max_particles=max_particles, information=information, reach=reach,
            root_gifts=root_gifts, merge_transpositions=merge_transpositions, gadget=gadget, expansion=expansion,
            depth_cap=depth_cap, side=side, tremble=tremble, warm_start=warm_start, growth=growth,
            growth_floor=growth_floor, max_nodes=max_nodes, max_carried=max_carried,
        )  # fmt: skip
        self._draw_cap, self._carry = draw_cap, carry

    @property
    def reserve(self) -> float:
        """Seconds to give up a linear program and to draw the move."""
        return 0.03

    def new_game(self, colour: Colour, seed: int, fen: str = START_FEN) -> None:
        """Begin a game: the trunk is cleared and the belief is one position."""
        super().new_game(colour, seed, fen)
        self._game = _core.ChessGame(colour, self.evaluator, self._draw_cap)
        self._search = NestedSearch(self._game, self.options, seed=self._random.getrandbits(63))
        self._key = _core.view_key(self._view)
        self._views = [self._key]
        self._quiet = 0

    def observe(self, observation: Observation, move: Move | None = None) -> None:
        """Take in what is seen after a ply."""
        before = self._view
        super().observe(observation, move)
        view = _core.view_key(observation)
        self._key = _core.next_key(self._key, None if move is None else move.bits, view)
        self._views.append(view)
        self._quiet = 0 if _irreversible(before, observation, move) else self._quiet + 1

    def decide(self, moves: Sequence[Move], deadline: Deadline) -> Decision:
        """Search, and draw a move from the mixture found."""
        if not self._carry or self._views.count(self._views[-1]) >= REPETITIONS:
            self._search.forget()  # what the trunk took for a draw was none
        self._game.set_history(self._views, self._quiet)
        nodes = UNLIMITED_NODES if deadline.unlimited else deadline.values
        before = self._game.evaluations
        self._search.observer = None if deadline.progress is None else lambda search: _tell(search, deadline)
        result = self._search.receive_observation(
            self._key,
            _Particles(self._game, self.belief),
            Budget(seconds=deadline.seconds, nodes=nodes, stop=deadline.stopped if deadline.stoppable else None),
        )
        move = Move(self._search.draw())
        mixture = sorted(self._search.mixture(), key=lambda choice: (-choice[1], -choice[2]))
        timings = result.timings
        trunk = self._search.trunk
        assert trunk is not None
        return Decision(
            move=move,
            mixture=tuple(Choice(Move(action), p, value) for action, p, value in mixture),
            value=math.fsum(p * value for _, p, value in mixture),
            margins=tuple(sorted(result.margins.tolist())),
            gadget=result.gadget,
            nodes=result.nodes,
            infosets=sum(result.infosets),
            depth=result.depth,
            iterations=result.iterations,
            notes={
                "particles": trunk.num_roots,
                "carried": self._search.carried,
                "found": self._search.found,
                "carried_nodes": self._search.carried_nodes,
                "evaluations": self._game.evaluations - before,
                "gadget_value": result.value,
                "finished": result.finished,
                "seconds": {"solve": timings.solve, "build": timings.build, "expand": timings.expand},
            },
        )


class _Particles:
    """The belief as the search asks for it."""

    def __init__(self, game: _core.ChessGame, belief: Tracker) -> None:
        self._game, self._belief = game, belief
        self._sampled: dict[int, Position] = {}

    def __len__(self) -> int:
        return len(self._belief)

    def sample(self, count: int, seed: int) -> list[int]:
        positions = self._belief.sample(count, seed)
        self._sampled = {position.key: position for position in positions}
        return list(self._sampled)

    def seeds(self, states: Sequence[int], key: int, seconds: float | None) -> list[_core.Seed]:
        return list(self._game.add_positions([self._sampled[state] for state in states], key, seconds))


def _tell(search: TrunkSearch, deadline: Deadline) -> None:
    """Tell what a running search would decide."""
    assert search.solution is not None
    assert deadline.progress is not None
    found = root_mixture(search.trunk, search.solution.x, search.action_values)
    mixture = tuple(Choice(Move(a), p, value) for a, p, value in sorted(found, key=lambda c: (-c[1], -c[2])))
    deadline.progress(
        Decision(
            move=mixture[0].move,
            mixture=mixture,
            value=math.fsum(c.probability * (c.value or 0.0) for c in mixture),
            gadget=search.gadget,
            nodes=search.trunk.num_nodes,
            depth=search.trunk.max_depth,
        )
    )


def _irreversible(before: Observation, after: Observation, move: Move | None) -> bool:
    """Tell whether a player has seen a capture or a pawn move."""
    if move is not None:
        moved = str(before.piece_at(move.from_square)).lower()
        return moved == "p" or before.piece_at(move.to_square) not in (None, FOG)
    if after.captured is not None:
        return True
    seen_twice = before.visible & after.visible
    return any(
        seen_twice >> square & 1
        and str(after.piece_at(square)).lower() == "p"
        and before.piece_at(square) != after.piece_at(square)
        for square in range(64)
    )
