"""How long to think: the limits of ``go`` as an agent's clock, and pondering.

A search that ponders, or that only a depth ends, is to the agent a search without a limit of time that is asked to
stop when it is time: after ``stop``; after ``ponderhit`` and the time that the clocks then allow; when the depth is
reached.
"""

import math
import threading
import time
from collections.abc import Callable
from dataclasses import replace

from murk._core import Colour
from murk.darkchess.agents import Clock, Decision
from murk.uci.commands import Go

__all__ = ["Thinking"]

DEPTH_NODES = 3_000_000
"""Values after which a search to a depth ends, if it does not get there."""
LEAST = 0.001


class Thinking:
    """One search: when it has to stop, and when its move may be sent.

    Args:
        go: what the client said.
        colour: the side to move.
        overhead: seconds that a move loses on its way.

    Attributes:
        started: when it began, as :func:`time.perf_counter` has it.
        over: whether its move was sent.
    """

    def __init__(self, go: Go, colour: Colour, overhead: float) -> None:
        self.started = time.perf_counter()
        self.over = False
        self._go, self._overhead = go, overhead
        white = colour == Colour.WHITE
        self._time, self._increment = (go.wtime, go.winc) if white else (go.btime, go.binc)
        self._depth = go.depth if go.mate is None else max(1, 2 * go.mate - 1)
        self._deep_enough = False
        self._stopped = threading.Event()
        self._released = threading.Event()
        self._end: float | None = None
        if not (go.ponder or go.infinite):
            self._released.set()

    def stop(self) -> None:
        """End the search; its move may be sent."""
        self._stopped.set()
        self._released.set()

    def hit(self) -> None:
        """Go on as a search on the clock: the opponent has made the expected move."""
        if self._go.infinite or self._released.is_set():
            return
        budget = self._on_clock(0.0).budget()
        if budget is not None:
            self._end = time.perf_counter() + budget
        self._released.set()

    @property
    def stopped(self) -> bool:
        """Whether the agent has to decide now."""
        return (
            self._stopped.is_set() or self._deep_enough or (self._end is not None and time.perf_counter() >= self._end)
        )

    def wait_to_send(self) -> None:
        """Wait until the move may be sent: while the client ponders or wants to see more it may not."""
        self._released.wait()

    def look_at(self, decision: Decision) -> None:
        """Note how deep the search has come."""
        if self._depth is not None and decision.depth is not None and decision.depth >= self._depth:
            self._deep_enough = True

    def clock(self, progress: Callable[[Decision], None] | None = None) -> Clock:
        """Return the clock for the agent; the time since the beginning is already taken off."""
        clock = self._on_clock(time.perf_counter() - self.started)
        go = self._go
        if go.ponder or go.infinite:
            clock = replace(clock, remaining=None, movetime=math.inf)
        elif self._depth is not None and not clock.timed:
            clock = replace(clock, movetime=math.inf, nodes=min(clock.nodes or DEPTH_NODES, DEPTH_NODES))
        return replace(clock, stop=lambda: self.stopped, progress=progress)

    def _on_clock(self, spent: float) -> Clock:
        """Return what the client's clocks allow after ``spent`` seconds of it."""
        go = self._go
        return Clock(
            remaining=None if self._time is None else self._seconds(self._time, spent),
            increment=max(0, self._increment or 0) / 1000,
            movetime=None if go.movetime is None else self._seconds(go.movetime, spent),
            nodes=None if go.nodes is None else max(1, go.nodes),
            moves_to_go=None if go.movestogo is None else max(1, go.movestogo),
        )

    def _seconds(self, milliseconds: int, spent: float) -> float:
        return max(LEAST, milliseconds / 1000 - self._overhead - spent)
