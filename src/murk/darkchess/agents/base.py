"""What an agent is: it is shown observations, it is asked for moves, and it says why it plays them.

An agent never gets hold of the true board. The referee calls, in this order and in one thread::

    agent.new_game(colour, seed, fen)            # the position it begins from is known to both
    agent.observe(observation, move)             # after every ply; with its own move if it was its own
    decision = agent.move(clock)                 # whenever it is its turn

One agent may play many games one after the other; ``new_game`` forgets everything of the last. With the same seed,
the same observations and a limit of nodes (and none of time) it makes the same decisions.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from murk._core import Colour, Move, Observation
from murk.darkchess.board import START_FEN, Board
from murk.frames import make_frame
from murk.html import html_table, share_bar

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Agent", "Choice", "Clock", "Decision"]

RESERVE = 0.05
"""Seconds that a move always leaves on the clock."""
MOVES_TO_GO = 25
"""A player expects so many more moves: that share of the clock is one move's."""


@dataclass(frozen=True)
class Clock:
    """How long the mover may think. All limits hold; what is ``None`` is no limit.

    Attributes:
        remaining: seconds on the mover's clock.
        increment: seconds that it gains by the move.
        movetime: seconds for this move alone; infinite if only ``stop`` ends the move. The time the agent took to
            observe is already taken off.
        nodes: units of work for this move. What a unit is, the agent says: mostly one value of one position.
        moves_to_go: moves that the remaining time is for, if it is known.
        stop: asked every few milliseconds, in the agent's own thread; once it is true the agent decides at once.
        progress: told now and then what the agent would decide, if it can tell.
    """

    remaining: float | None = None
    increment: float = 0.0
    movetime: float | None = None
    nodes: int | None = None
    moves_to_go: int | None = None
    stop: Callable[[], bool] | None = field(default=None, compare=False, repr=False)
    progress: "Callable[[Decision], None] | None" = field(default=None, compare=False, repr=False)

    @property
    def timed(self) -> bool:
        """Whether time is limited at all."""
        return self.remaining is not None or self.movetime is not None

    def budget(self) -> float | None:
        """Return the seconds that a sensible player spends on this move, ``None`` if it may take any time.

        Of a running clock that is a fixed share (or one for each move to go) and most of the increment, and never its
        last :data:`RESERVE` seconds.
        """
        limits = []
        if self.movetime is not None:
            limits.append(self.movetime)
        if self.remaining is not None:
            moves = MOVES_TO_GO if self.moves_to_go is None else min(MOVES_TO_GO, max(1, self.moves_to_go) + 1)
            share = self.remaining / moves + 0.8 * self.increment
            limits.append(min(share, self.remaining - RESERVE))
        return max(0.0, min(limits)) if limits else None


class Choice(NamedTuple):
    """One move of the mixture at the root, with what the agent thinks it is worth (``None`` if it cannot tell)."""

    move: Move
    probability: float
    value: float | None = None


@dataclass(frozen=True, kw_only=True)
class Decision:
    """A move, and why. Values are from the mover's side, from -1 (lost) to 1 (won).

    Attributes:
        move: what is played.
        mixture: what the move was drawn from, the likeliest first. Empty if the agent does not mix.
        value: what the agent thinks the game is worth to it.
        margins: how much the opponent loses, at each infoset she may be at, against what she could have had: the
            margins of the gadget.
        gadget: the root in use, ``maxmargin`` or ``resolve``.
        belief_size: how many positions the agent holds possible.
        belief_exact: whether that is all of them, or a sample.
        nodes: nodes of the tree, or values of positions taken.
        infosets: infosets of the tree.
        depth: plies searched.
        iterations: rounds of the search.
        seconds: how long ``move`` took.
        evaluator: the value function.
        notes: anything else, in words or numbers.
    """

    move: Move
    mixture: tuple[Choice, ...] = ()
    value: float | None = None
    margins: tuple[float, ...] = ()
    gadget: str | None = None
    belief_size: int | None = None
    belief_exact: bool | None = None
    nodes: int | None = None
    infosets: int | None = None
    depth: int | None = None
    iterations: int | None = None
    seconds: float | None = None
    evaluator: str | None = None
    notes: dict[str, Any] = field(default_factory=dict)

    def as_fields(self) -> dict[str, Any]:
        """Return it as JSON has it, without what is not said."""
        fields: dict[str, Any] = {"move": str(self.move)}
        if self.mixture:
            fields["mixture"] = [
                {"move": str(choice.move), "probability": choice.probability, "value": choice.value}
                for choice in self.mixture
            ]
        for name in ("value", "gadget", "belief_size", "belief_exact", "nodes", "infosets", "depth", "iterations"):
            if getattr(self, name) is not None:
                fields[name] = getattr(self, name)
        if self.margins:
            fields["margins"] = list(self.margins)
        for name in ("seconds", "evaluator"):
            if getattr(self, name) is not None:
                fields[name] = getattr(self, name)
        if self.notes:
            fields["notes"] = dict(self.notes)
        return fields

    def to_frame(self) -> "pd.DataFrame":
        """Return the mixture as a pandas table: move, probability, value. One row if the agent does not mix."""
        return make_frame(self._rows(), ["move", "probability", "value"])

    def _rows(self) -> list[tuple[str, float, float | None]]:
        mixture = self.mixture or (Choice(self.move, 1.0, self.value),)
        return [(str(choice.move), choice.probability, choice.value) for choice in mixture]

    def _repr_html_(self) -> str:
        rows = [
            (move, share_bar(share), "" if value is None else f"{value:+.3f}") for move, share, value in self._rows()
        ]
        left_out = ("move", "mixture", "margins", "notes")
        facts = [(name.replace("_", " "), fact) for name, fact in self.as_fields().items() if name not in left_out]
        return html_table(f"Plays {self.move}", ["move", "probability", "value"], rows, limit=8) + html_table(
            "Because", [], facts
        )


class Agent(ABC):
    """A player of dark chess. Its options are the keywords of its constructor.

    Attributes:
        name: what it is called on the command line.
        sees_everything: it is shown the true board by :meth:`see`. The referee honours the flag and every table and
            record says so; an agent without it has no way to the board.
    """

    name: ClassVar[str]
    sees_everything: bool = False

    @property
    def disclosure(self) -> str:
        """What tables and records say beside the name of an agent that is shown the board; empty for all others."""
        return "sees everything" if self.sees_everything else ""

    @abstractmethod
    def new_game(self, colour: Colour, seed: int, fen: str = START_FEN) -> None:
        """Begin a game, from a position that both players know, or from this player's view of one.

        Args:
            colour: the side to play.
            seed: of all that is drawn.
            fen: the position; a view has ``*`` for what is not seen, and agents that cannot play from one refuse it.
        """

    @abstractmethod
    def observe(self, observation: Observation, move: Move | None = None) -> None:
        """Take in what is seen after a ply; ``move`` is the agent's own, ``None`` after the opponent's."""

    @abstractmethod
    def move(self, clock: Clock) -> Decision:
        """Decide on a move."""

    def see(self, board: Board) -> None:  # noqa: B027 - most agents have nothing to see
        """Look at a copy of the true board. Called before each move, and only if :attr:`sees_everything`."""

    def close(self) -> None:  # noqa: B027 - most agents hold nothing
        """Let go of processes and files. Afterwards the agent is not used any more."""

    def __enter__(self) -> "Agent":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
