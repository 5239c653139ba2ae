"""The referee: holds the true board, shows each side what it may see and nothing else, and keeps the clocks.

Everything an agent does is on its own time, taking in observations included: what :meth:`Agent.observe` takes is
charged to the move that follows. An agent that raises an error, plays an illegal move or oversteps its time loses.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from murk._core import Colour, Move
from murk.darkchess.agents.base import Agent, Clock, Decision
from murk.darkchess.board import START_FEN, Board
from murk.errors import AgentTimeoutError, InputError
from murk.frames import make_frame

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Ending", "PlayedGame", "PlayedPly", "Referee", "TimeControl"]

SHOWN_ERROR = 300
"""Characters of an agent's error that are kept."""


@dataclass(frozen=True, kw_only=True)
class TimeControl:
    """How much time or work the players have. All limits that are given hold.

    Attributes:
        base: seconds on each clock at the start.
        increment: seconds a clock gains with each move.
        movetime: seconds a move.
        nodes: units of work a move, as each agent counts them.
        margin: seconds by which a limit may be overstepped without loss.
    """

    base: float | None = None
    increment: float = 0.0
    movetime: float | None = None
    nodes: int | None = None
    margin: float = 0.1

    def __post_init__(self) -> None:
        for name in ("base", "movetime", "nodes"):
            value = getattr(self, name)
            if value is not None and not 0 < value < 1e9:
                raise InputError(f"{name} is {value}, expected a positive number")
        if not (0 <= self.increment < 1e9 and 0 <= self.margin < 1e9):
            raise InputError(f"increment and margin are {self.increment} and {self.margin}, expected no less than 0")

    @classmethod
    def parse(cls, text: str) -> "TimeControl":
        """Read ``base+increment`` in seconds, the base also as ``minutes:seconds``, as in ``1:30+0.5``.

        Raises:
            InputError: it is malformed.
        """
        base, _, increment = text.partition("+")
        minutes, colon, seconds = base.rpartition(":")
        try:
            total = 60 * int(minutes) + float(seconds) if colon else float(base)
            return cls(base=total, increment=float(increment or 0))
        except ValueError:
            raise InputError(f"the time control is {text!r}, expected seconds+increment as in 60+0.6") from None

    def times(self, odds: float) -> "TimeControl":
        """Return so many times the time and the work."""

        def scaled(limit: float | None) -> float | None:
            return None if limit is None else odds * limit

        nodes = None if self.nodes is None else max(1, round(odds * self.nodes))
        return replace(
            self,
            base=scaled(self.base),
            increment=odds * self.increment,
            movetime=scaled(self.movetime),
            nodes=nodes,
        )

    @property
    def text(self) -> str:
        """The limits in a few words."""
        parts = []
        if self.base is not None:
            parts.append(f"{self.base:g}+{self.increment:g} s")
        if self.movetime is not None:
            parts.append(f"{self.movetime:g} s a move")
        if self.nodes is not None:
            parts.append(f"{self.nodes:,} nodes a move")
        return ", ".join(parts) or "no limit"

    @property
    def tag(self) -> str:
        """The limits as PGN's ``TimeControl`` has them."""
        if self.base is not None:
            return f"{self.base:g}+{self.increment:g}"
        return "-" if self.movetime is None else f"1/{self.movetime:g}"


@dataclass(frozen=True)
class PlayedPly:
    """A move with the time it took.

    Attributes:
        move: what was played.
        seconds: how long the player took, observing included; ``None`` for a move of the opening.
        clock: seconds on the player's clock afterwards, if it has one.
        decision: what the player says about the move, as :meth:`Decision.as_fields` gives it.
    """

    move: Move
    seconds: float | None = None
    clock: float | None = None
    decision: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Ending:
    """How a game ended.

    Attributes:
        winner: ``None`` for a draw.
        reason: that of :class:`~murk.darkchess.board.Outcome`, or ``time forfeit``, ``illegal move``, ``crash``,
            ``length`` (drawn because it has as many plies as were allowed).
        detail: more about a forfeit.
    """

    winner: Colour | None
    reason: str
    detail: str = ""

    @property
    def result(self) -> str:
        """``1-0``, ``0-1`` or ``1/2-1/2``."""
        if self.winner is None:
            return "1/2-1/2"
        return "1-0" if self.winner == Colour.WHITE else "0-1"


@dataclass(frozen=True)
class PlayedGame:
    """A finished game: where it began, its moves, and its end."""

    fen: str
    plies: tuple[PlayedPly, ...]
    ending: Ending

    def board(self) -> Board:
        """Return the board at the end."""
        board = Board(self.fen)
        for ply in self.plies:
            board.push(ply.move)
        return board

    def to_frame(self) -> "pd.DataFrame":
        """Return the moves as a pandas table, with what the players said about them."""
        board, rows = Board(self.fen), []
        for number, ply in enumerate(self.plies, start=1):
            said = [ply.decision.get(name) for name in _SAID]
            rows.append((number, board.turn.name.lower(), board.san(ply.move), ply.seconds, ply.clock, *said))
            board.push(ply.move)
        return make_frame(rows, ["ply", "side", "move", "seconds", "clock", *_SAID])

    def _repr_svg_(self) -> str:
        return self.board()._repr_svg_()


_SAID = ("value", "belief_size", "nodes", "depth")


class _Forfeit(Exception):  # noqa: N818 - part of the game, not an error
    """The game is over because of what a player did."""

    def __init__(self, loser: Colour, reason: str, detail: str) -> None:
        super().__init__(reason)
        self.ending = Ending(other(loser), reason, detail)


OnTurn = Callable[[Colour, float | None], None]
OnPly = Callable[[PlayedPly], None]


class Referee:
    """Plays one game between two agents.

    Args:
        white, black: the players. The referee closes neither.
        fen: where the game begins; both players know it.
        opening: moves that are made for them, and that they see as if they had been played.
        seeds: one for White and one for Black.
        control: the clocks; two if White's and Black's differ.
        max_plies: a game of so many plies is drawn.
        on_turn: told who is about to be called, and how many seconds it has (``None`` for any number).
        on_ply: told about each ply.
    """

    def __init__(
        self,
        white: Agent,
        black: Agent,
        *,
        fen: str = START_FEN,
        opening: Sequence[Move] = (),
        seeds: tuple[int, int] = (0, 0),
        control: TimeControl | tuple[TimeControl, TimeControl] | None = None,
        max_plies: int | None = None,
        on_turn: OnTurn | None = None,
        on_ply: OnPly | None = None,
    ) -> None:
        self._agents = {Colour.WHITE: white, Colour.BLACK: black}
        self._seeds = dict(zip((Colour.WHITE, Colour.BLACK), seeds, strict=True))
        self._board = Board(fen)
        self._fen = fen
        self._opening = list(opening)
        controls = control if isinstance(control, tuple) else (control or TimeControl(),) * 2
        self._control = dict(zip((Colour.WHITE, Colour.BLACK), controls, strict=True))
        self._max_plies = max_plies
        self._on_turn, self._on_ply = on_turn, on_ply
        self._clock = {colour: control.base for colour, control in self._control.items()}
        self._spent = dict.fromkeys(self._agents, 0.0)
        self._plies: list[PlayedPly] = []

    def play(self) -> PlayedGame:
        """Play the game to its end."""
        try:
            ending = self._run()
        except _Forfeit as forfeit:
            ending = forfeit.ending
        return PlayedGame(self._fen, tuple(self._plies), ending)

    def _run(self) -> Ending:
        for colour, agent in self._agents.items():
            with self._on_the_clock(colour):
                agent.new_game(colour, self._seeds[colour], self._fen)
            # Getting ready is no part of the game.
            self._spent[colour] = 0.0
        for move in self._opening:
            if self._over() is not None:
                break
            self._make(PlayedPly(move))
        self._spent = dict.fromkeys(self._agents, 0.0)
        while (ending := self._over()) is None:
            self._make(self._next())
        return ending

    def _over(self) -> Ending | None:
        outcome = self._board.outcome()
        if outcome is not None:
            return Ending(outcome.winner, outcome.reason)
        if self._max_plies is not None and len(self._plies) >= self._max_plies:
            return Ending(None, "length", f"{self._max_plies} plies")
        return None

    def _next(self) -> PlayedPly:
        """Ask the side to move for its move, on its time."""
        colour = self._board.turn
        agent = self._agents[colour]
        clock = self._limits(colour)
        with self._on_the_clock(colour):
            if agent.sees_everything:
                agent.see(self._board.copy())
            decision = agent.move(clock)
        if not isinstance(decision, Decision) or decision.move not in self._board.legal_moves:
            played = decision.move if isinstance(decision, Decision) else decision
            raise _Forfeit(colour, "illegal move", f"{played} in {self._board.fen}")
        seconds, self._spent[colour] = self._spent[colour], 0.0
        left = self._stop_clock(colour, seconds)
        return PlayedPly(decision.move, seconds, left, decision.as_fields())

    def _limits(self, colour: Colour) -> Clock:
        """Return what the mover has left, less what it has already spent on observing."""
        spent, control, clock = self._spent[colour], self._control[colour], self._clock[colour]
        return Clock(
            remaining=None if clock is None else max(0.0, clock - spent),
            increment=control.increment,
            movetime=None if control.movetime is None else max(0.0, control.movetime - spent),
            nodes=control.nodes,
        )

    def _stop_clock(self, colour: Colour, seconds: float) -> float | None:
        """Take the time of a move off the clock and return what is left."""
        control = self._control[colour]
        if control.movetime is not None and seconds > control.movetime + control.margin:
            raise _Forfeit(colour, "time forfeit", f"{seconds:.3f} s for a move of {control.movetime:g} s")
        clock = self._clock[colour]
        if clock is None:
            return None
        if seconds > clock + control.margin:
            raise _Forfeit(colour, "time forfeit", f"{seconds:.3f} s with {clock:.3f} s on the clock")
        self._clock[colour] = max(0.0, clock - seconds) + control.increment
        return self._clock[colour]

    def _make(self, ply: PlayedPly) -> None:
        """Play a move on the board and show both sides what they see of it; the mover first."""
        mover = self._board.turn
        self._board.push(ply.move)
        self._plies.append(ply)
        if self._on_ply is not None:
            self._on_ply(ply)
        for colour in (mover, other(mover)):
            try:
                with self._on_the_clock(colour):
                    self._agents[colour].observe(self._board.observation(colour), ply.move if colour == mover else None)
            except _Forfeit:
                # A game that is over is over, whatever a player does on seeing it.
                if self._over() is None:
                    raise

    @contextmanager
    def _on_the_clock(self, colour: Colour) -> Iterator[None]:
        """Charge what happens to a player's time, and make its failure its loss."""
        if self._on_turn is not None:
            self._on_turn(colour, self._allowed(colour))
        started = time.perf_counter()
        try:
            yield
        except AgentTimeoutError as error:
            raise _Forfeit(colour, "time forfeit", _shown(error)) from error
        except Exception as error:
            # Whatever an agent raises is its own failure, and must not take the match with it.
            raise _Forfeit(colour, "crash", f"{type(error).__name__}: {_shown(error)}") from error
        finally:
            self._spent[colour] += time.perf_counter() - started

    def _allowed(self, colour: Colour) -> float | None:
        clock = self._limits(colour)
        limits = [limit for limit in (clock.remaining, clock.movetime) if limit is not None]
        return min(limits) + self._control[colour].margin if limits else None


def other(colour: Colour) -> Colour:
    """Return the opponent."""
    return Colour.BLACK if colour == Colour.WHITE else Colour.WHITE


def _shown(error: Exception) -> str:
    return " ".join(str(error).split())[:SHOWN_ERROR]
