"""CPU time of small and large jobs, fairly.

A machine is rarely idle. So jobs that are to be compared take turns, batch by batch, and the best batch of each counts.
That evens out noise that comes and goes. Load that stays is not evened out, since it slows some jobs more than
others. Times are CPU seconds of this process; nothing measured here runs more than one thread at a time.
"""

import gc
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

__all__ = ["Job", "Pace", "Timing", "best_of", "cpu_seconds"]

Job = Callable[[int], object]
"""Makes the call to be measured as often as the argument says."""

cpu_seconds = time.process_time


@dataclass(frozen=True)
class Timing:
    """What one job took.

    Attributes:
        seconds: CPU seconds of one call in the best batch.
        calls: calls in a batch.
        batches: batches measured.
    """

    seconds: float
    calls: int
    batches: int


class _Entry:
    """A job on its way to a :class:`Timing`."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.calls = 1
        self.best = math.inf
        self.batches = 0
        self.spent = 0.0

    def run(self) -> float:
        started = cpu_seconds()
        self.job(self.calls)
        seconds = cpu_seconds() - started
        self.best = min(self.best, seconds / self.calls)
        self.batches += 1
        self.spent += seconds
        return seconds

    def calibrate(self, batch_seconds: float) -> None:
        """Find how many calls make a batch. Shorter batches are not kept: they are all overhead and luck."""
        while (seconds := self.run()) < batch_seconds:
            growth = batch_seconds / max(seconds, 1e-6)
            self.calls = math.ceil(self.calls * min(10.0, 1.2 * growth))
            self.best, self.batches = math.inf, 0

    def timing(self) -> Timing:
        return Timing(self.best, self.calls, self.batches)


def best_of(*jobs: Job, repeat: int, batch_seconds: float = 0.1, budget: float = math.inf) -> tuple[Timing, ...]:
    """Time ``jobs`` in turns and return the best batch of each.

    Args:
        jobs: what to time. Each is called at least once.
        repeat: batches of each job.
        batch_seconds: a batch makes so many calls that it lasts at least this long.
        budget: a job is not repeated once it has used this many seconds.
    """
    entries = [_Entry(job) for job in jobs]
    with _paused_gc():
        for entry in entries:
            entry.calibrate(batch_seconds)
        for _ in range(repeat - 1):
            for entry in entries:
                if entry.spent < budget:
                    entry.run()
    return tuple(entry.timing() for entry in entries)


@contextmanager
def _paused_gc() -> Iterator[None]:
    """Keep the garbage collector from striking one job and not the other."""
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class Pace:
    """Foresees what an operation will cost from what it cost a node before, so that none begins that takes too long.

    Args:
        budget: seconds an operation may take.
    """

    _SMALLEST = 1000  # nodes below which fixed costs hide the cost of a node

    def __init__(self, budget: float) -> None:
        self.budget = budget
        self._seconds_per_node: dict[tuple[str, str], float] = {}

    def learn(self, who: str, what: str, nodes: int, seconds: float) -> None:
        """Remember that ``what`` took ``who`` so many seconds on a tree of so many nodes."""
        if nodes >= self._SMALLEST:
            self._seconds_per_node[who, what] = max(seconds / nodes, self._seconds_per_node.get((who, what), 0.0))

    def foresee(self, who: str, what: str, nodes: int, seconds_per_node: float) -> float:
        """Return the seconds to expect; ``seconds_per_node`` is what to go by while nothing was measured."""
        return nodes * self._seconds_per_node.get((who, what), seconds_per_node)
