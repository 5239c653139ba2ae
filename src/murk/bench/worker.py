"""Exact solvers of others, in a process of their own: they can take hours or all memory, and cannot be interrupted.

``python -m murk.bench.worker`` reads a job as JSON, limits itself, and answers with JSON. :func:`run_limited` is the
other side.
"""

import contextlib
import json
import math
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any

from murk.bench.peers import LP_PEERS, LpPeer, SkipError

__all__ = ["Outcome", "UnfinishedError", "memory_limit", "run_limited"]

_GIB = 1 << 30


class UnfinishedError(SkipError):
    """A solver was stopped. ``seconds`` is the CPU time it had, or ``None`` if that is not known."""

    def __init__(self, note: str, seconds: float | None) -> None:
        super().__init__(note)
        self.seconds = seconds


@dataclass(frozen=True)
class Outcome:
    """MAX's value, the CPU seconds of the best solve, and how many there were."""

    value: float
    seconds: float
    solves: int


def memory_limit() -> int:
    """Return the bytes a solver may use: 8 GiB, or half of the machine's memory if that is less."""
    return min(8 * _GIB, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2)


def run_limited(peer: LpPeer, source: str, *, seconds: float, repeat: int, enough: float) -> Outcome:
    """Solve a game in a process of its own, in at most ``seconds`` of CPU time.

    It is solved ``repeat`` times, but not again once ``enough`` seconds are spent.

    Raises:
        UnfinishedError: not even one solve was over in that time.
        SkipError: the solver failed or ran out of memory.
    """
    job = {
        "peer": peer.name,
        "source": source,
        "seconds": seconds,
        "repeat": repeat,
        "enough": min(enough, seconds / 2),
        "memory": memory_limit(),
    }
    one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    try:
        done = subprocess.run(
            [sys.executable, "-m", "murk.bench.worker"],
            input=json.dumps(job),
            capture_output=True,
            text=True,
            check=False,
            timeout=4 * seconds + 60,  # a crowded machine is no reason to give up early
            env={**os.environ, **one_thread},
        )
    except subprocess.TimeoutExpired:
        raise UnfinishedError(f"did not get {seconds:g} s of CPU time in {4 * seconds + 60:g} s", None) from None
    if done.returncode == -signal.SIGXCPU:
        raise UnfinishedError(f"did not finish in {seconds:g} s", seconds)
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        raise SkipError(f"failed: it ended with code {done.returncode}") from None
    if "error" in answer:
        raise SkipError(answer["error"])
    return Outcome(answer["value"], answer["seconds"], answer["solves"])


def _limit(seconds: float, memory: int) -> None:
    import resource

    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(time.process_time() + seconds), hard))
    resource.setrlimit(resource.RLIMIT_AS, (memory, resource.getrlimit(resource.RLIMIT_AS)[1]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def _work(job: dict[str, Any]) -> dict[str, Any]:
    peer = next(peer for peer in LP_PEERS if peer.name == job["peer"])
    solve = peer.prepare(job["source"])
    _limit(job["seconds"], job["memory"])
    best, spent, solves, value = math.inf, 0.0, 0, math.nan
    try:
        while solves < job["repeat"] and spent <= job["enough"]:
            # The process's clock ticks in milliseconds under a limit of its CPU time, the thread's does not.
            started = time.thread_time()
            value = solve()
            taken = time.thread_time() - started
            best, spent, solves = min(best, taken), spent + taken, solves + 1
    except MemoryError:
        return {"error": f"failed: it needs more than {job['memory'] / _GIB:.3g} GiB"}
    except Exception as error:
        return {"error": f"failed: {type(error).__name__}: {' '.join(str(error).split())[:120]}"}
    return {"value": value, "seconds": best, "solves": solves}


def main() -> None:
    """Read a job, do it, answer."""
    job = json.load(sys.stdin)
    with contextlib.redirect_stdout(sys.stderr):
        answer = _work(job)
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
