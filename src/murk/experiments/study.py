"""Running a study: rows computed independently of each other, in one process or several, each kept when it is done.

A row's numbers depend on its task alone, so they are the same however many processes share the work.
"""

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import murk
from murk.errors import BackendError, InputError
from murk.experiments.cache import read_row, row_key, write_row
from murk.tree import Tree
from murk.tree.files import fingerprint

__all__ = ["Report", "Row", "Task", "run", "tree_of"]

Row = dict[str, Any]
"""Plain data: what is written as JSON and kept on disk."""

Report = Callable[[float], None]
"""Called now and then with the part of a row that is done, from 0 to 1."""

_POLL_SECONDS = 0.1
_STEP = 0.01  # a report is passed on when this much more is done


@dataclass(frozen=True)
class Task:
    """A row that is yet to be computed.

    Attributes:
        compute: a function of a module, called as ``compute(**arguments, report=...)``.
        arguments: plain data.
        label: what to call the row while it is computed.
        spec: the game whose tree the row depends on.
    """

    compute: Callable[..., Row]
    arguments: Mapping[str, Any]
    label: str
    spec: str | None = None
    key: Row = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        tree = None if self.spec is None else fingerprint(tree_of(self.spec))
        function = f"{self.compute.__module__}.{self.compute.__qualname__}"
        object.__setattr__(self, "key", row_key(function, self.arguments, tree))

    def run(self, report: Report) -> Row:
        """Compute the row."""
        return {**self.compute(**self.arguments, report=report), "cached": False}


@lru_cache(maxsize=8)
def tree_of(spec: str) -> Tree:
    """Return a game's tree, built once in a process."""
    return murk.build(spec)


def run(
    tasks: Sequence[Task],
    *,
    jobs: int = 1,
    cache: bool = True,
    progress: Callable[[int, float], None] | None = None,
) -> Iterator[tuple[int, Row]]:
    """Yield the number of each task and its row, as they are done.

    Args:
        tasks: the rows wanted.
        jobs: processes to share the work.
        cache: take rows from disk that are there, and keep new ones.
        progress: called with the number of a task and the part of it that is done.

    Raises:
        InputError: ``jobs`` is not a positive number.
        BackendError: a process died.
    """
    if jobs < 1:
        raise InputError(f"jobs is {jobs}, expected 1 or more")
    say = progress or (lambda index, part: None)
    left: list[int] = []
    for index, task in enumerate(tasks):
        row = read_row(task.key) if cache else None
        if row is None:
            left.append(index)
        else:
            say(index, 1.0)
            yield index, {**row, "cached": True}
    work = _alone(tasks, left, say) if jobs == 1 or len(left) <= 1 else _shared(tasks, left, jobs, say)
    for index, row in work:
        if cache:
            write_row(tasks[index].key, row)
        say(index, 1.0)
        yield index, row


def _alone(tasks: Sequence[Task], left: Sequence[int], say: Callable[[int, float], None]) -> Iterator[tuple[int, Row]]:
    for index in left:

        def report(part: float, index: int = index) -> None:
            say(index, part)

        yield index, tasks[index].run(report)


def _shared(
    tasks: Sequence[Task], left: Sequence[int], jobs: int, say: Callable[[int, float], None]
) -> Iterator[tuple[int, Row]]:
    # Spawned and not forked: a fork copies the locks of threads that the native solvers may be running.
    context = multiprocessing.get_context("spawn")
    reports = context.Queue()
    before = set(multiprocessing.active_children())
    executor = ProcessPoolExecutor(min(jobs, len(left)), context, _start_worker, (reports,))
    with _stopping(executor, before):
        futures: dict[Future[Row], int] = {executor.submit(_work, index, tasks[index]): index for index in left}
        while futures:
            done, _ = wait(futures, timeout=_POLL_SECONDS, return_when=FIRST_COMPLETED)
            while not reports.empty():
                say(*reports.get())
            for future in done:
                try:
                    yield futures.pop(future), future.result()
                except BrokenProcessPool:
                    raise BackendError(
                        "a process of the study died, perhaps for want of memory: try fewer jobs"
                    ) from None


@contextmanager
def _stopping(executor: ProcessPoolExecutor, before: set[Any]) -> Iterator[None]:
    """Stop the processes at once if the work is cut short: what they were at is lost anyway."""
    try:
        yield
        executor.shutdown()
    except BaseException:
        executor.shutdown(wait=False, cancel_futures=True)
        for process in set(multiprocessing.active_children()) - before:
            process.terminate()
        raise


_send: Callable[[tuple[int, float]], None] = lambda message: None  # noqa: E731


def _start_worker(reports: Any) -> None:
    global _send
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl-C goes to all processes of a terminal; the first one deals with it
    _send = reports.put


def _work(index: int, task: Task) -> Row:
    sent = 0.0

    def report(part: float) -> None:
        nonlocal sent
        if part >= sent + _STEP:
            sent = part
            _send((index, part))

    return task.run(report)
