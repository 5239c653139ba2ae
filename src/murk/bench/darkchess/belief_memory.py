"""Memory of one large belief step, in a process of its own: ``python -m murk.bench.darkchess.belief_memory SIZE``.

Answers with JSON: for an unseen and a seen move, the positions before and after it and the peak of the process's
resident memory during the step, in bytes.
"""

import contextlib
import json
import resource
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from murk.bench.darkchess.games import LONG, opponent_moves
from murk.darkchess import BLACK

__all__ = ["main", "measure"]

_CLEAR_REFS, _STATUS = Path("/proc/self/clear_refs"), Path("/proc/self/status")
_RESET_PEAK = "5"
LARGEST = 10_000_000
"""Below it the games are still the same."""


def reset_peak() -> None:
    """Forget the peak so far, where the system can: on others it includes the steps before."""
    with contextlib.suppress(OSError):
        _CLEAR_REFS.write_text(_RESET_PEAK)


def peak() -> int:
    """Return the peak of the resident memory, in bytes."""
    try:
        line = next(line for line in _STATUS.read_text().splitlines() if line.startswith("VmHWM"))
        return 1024 * int(line.split()[1])
    except (OSError, StopIteration):
        unit = 1 if sys.platform == "darwin" else 1024
        return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def measure(size: int) -> Iterator[dict[str, Any]]:
    """Yield the peaks of the first step from at least ``size`` positions, for each of the games."""
    for name, game in LONG.items():
        update = next(opponent_moves(game, BLACK, smallest=size, largest=100 * size))
        reset_peak()
        after = update.before.after_opponent_move(update.seen)
        yield {"case": name, "before": len(update.before), "after": len(after), "peak": peak()}
        if size < LARGEST:
            return
        del update, after


def main() -> None:
    """Read the size, measure, answer."""
    json.dump(list(measure(int(sys.argv[1]))), sys.stdout)


if __name__ == "__main__":
    main()
