"""A client of the engine, for tests."""

import sys
import threading
from collections.abc import Callable

from murk.uci import Engine
from murk.uci.options import Options

COMMAND = [sys.executable, "-m", "murk", "uci"]


class Client:
    """An engine in this process, with all it said."""

    def __init__(self, **options: str) -> None:
        self.said: list[str] = []
        self._heard = threading.Condition()
        chosen = Options()
        for name, value in options.items():
            chosen.set(name.replace("_dot_", "."), value)
        self.engine = Engine(self._hear, chosen)

    def _hear(self, line: str) -> None:
        with self._heard:
            self.said.append(line)
            self._heard.notify_all()

    def tell(self, *lines: str) -> None:
        for line in lines:
            assert self.engine.handle(line)

    def wait(self, wanted: Callable[[str], bool], start: int = 0) -> str:
        """Return the first line since ``start`` for which ``wanted`` is true."""

        def found() -> str | None:
            return next((line for line in self.said[start:] if wanted(line)), None)

        with self._heard:
            assert self._heard.wait_for(lambda: found() is not None, timeout=60), self.said[start:]
            line = found()
            assert line is not None
            return line

    def best(self, go: str) -> str:
        """Return the move that is played after ``go``, which must end by itself."""
        start = len(self.said)
        self.tell(go)
        return self.wait(lambda line: line.startswith("bestmove"), start).split()[1]

    @property
    def errors(self) -> list[str]:
        return [line for line in self.said if line.startswith("info string error")]
