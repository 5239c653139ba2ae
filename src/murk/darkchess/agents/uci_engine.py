"""A UCI engine in a process of its own, which may crash, hang or flood us without harm.

Its output is read without a thread: one non-blocking pipe, a bounded buffer, lines of bounded length, and a bounded
amount of text for each answer. Standard error is thrown away. On Linux the engine dies with us, however we die.
"""

import contextlib
import ctypes
import os
import selectors
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from murk.errors import AgentError, AgentTimeoutError, InputError

__all__ = ["UciEngine", "UciOption"]

LONGEST_LINE = 1 << 16
MOST_OUTPUT = 64 << 20
"""Bytes that one answer may have; an engine that says more is flooding."""
START_SECONDS = 10.0
QUIT_SECONDS = 0.5
GONE_SECONDS = 2.0


@dataclass(frozen=True)
class UciOption:
    """An option that an engine declares."""

    name: str
    kind: str = ""
    default: str = ""
    choices: tuple[str, ...] = field(default=())


class UciEngine:
    """Talks to one engine.

    Args:
        command: the program and its arguments.
        options: to be set; names as the engine declares them, in any case.
        timeout: seconds for it to start, and to get ready.

    Raises:
        InputError: there is no such program, or no such option.
        AgentError: it does not start, or is no UCI engine.
    """

    def __init__(self, command: str, options: Mapping[str, str], *, timeout: float = START_SECONDS) -> None:
        self._command, self._timeout = command, timeout
        self.name = command
        self.options: dict[str, UciOption] = {}
        self._buffer = b""
        self._process = _start(command)
        assert self._process.stdout is not None
        os.set_blocking(self._process.stdout.fileno(), False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._process.stdout, selectors.EVENT_READ)
        try:
            self.send("uci")
            self.wait_for(self._declared, timeout)
            for name, value in options.items():
                self.set_option(name, value)
            self.ready()
        except BaseException:
            self.close()
            raise

    def set_option(self, name: str, value: str) -> None:
        """Set an option that the engine declared."""
        option = self.options.get(name.lower())
        if option is None:
            known = ", ".join(o.name for o in self.options.values()) or "none"
            raise InputError(f"the engine {self.name} has no option {name!r}, expected one of {known}")
        self.send(f"setoption name {option.name} value {value}")

    def ready(self) -> None:
        """Wait until the engine has done what it was told."""
        self.send("isready")
        self.wait_for(lambda line: line == "readyok", self._timeout)

    def send(self, line: str) -> None:
        """Send a line."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise AgentError(self._gone()) from None

    def wait_for(self, wanted: Callable[[str], bool], seconds: float | None) -> str:
        """Read lines until ``wanted`` is true of one, and return it.

        Raises:
            AgentTimeoutError: there was none in time.
            AgentError: the engine is gone, or flooding.
        """
        end = None if seconds is None else time.monotonic() + seconds
        read = 0
        while True:
            while b"\n" in self._buffer:
                raw, self._buffer = self._buffer.split(b"\n", 1)
                line = raw.decode("utf-8", "replace").strip()
                if wanted(line):
                    return line
            if len(self._buffer) > LONGEST_LINE:
                raise AgentError(f"the engine {self.name} wrote a line of more than {LONGEST_LINE:,} bytes")
            if read > MOST_OUTPUT:
                raise AgentError(f"the engine {self.name} wrote more than {MOST_OUTPUT:,} bytes in one answer")
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                raise AgentTimeoutError(f"the engine {self.name} did not answer within {seconds:.3g} s")
            read += self._read(left)

    def _read(self, seconds: float | None) -> int:
        if not self._selector.select(seconds):
            return 0
        assert self._process.stdout is not None
        data = os.read(self._process.stdout.fileno(), 1 << 16)
        if not data:
            raise AgentError(self._gone())
        self._buffer += data
        return len(data)

    def _declared(self, line: str) -> bool:
        words = line.split()
        if line.startswith("id name "):
            self.name = line.removeprefix("id name ")[:80]
        elif words[:2] == ["option", "name"] and "type" in words:
            option = _option(words)
            self.options[option.name.lower()] = option
        return line == "uciok"

    def _gone(self) -> str:
        code = None
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self._process.wait(GONE_SECONDS)
        how = "closed its output" if code is None else f"ended with code {code}"
        return f"the engine {self.name} {how}"

    def close(self) -> None:
        """Ask the engine to quit, and end it if it does not."""
        with contextlib.suppress(AgentError):
            self.send("quit")
        try:
            self._process.wait(QUIT_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._selector.close()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


def _start(command: str) -> "subprocess.Popen[bytes]":
    try:
        return subprocess.Popen(
            shlex.split(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for us to handle
            preexec_fn=die_with_parent if sys.platform == "linux" else None,
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot start the engine {command!r}: {reason}") from None


def die_with_parent() -> None:
    """Ask Linux to kill this process when its parent dies, even by SIGKILL."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            set_death_signal = 1
            ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)


def _option(words: list[str]) -> UciOption:
    keys = ("name", "type", "default", "min", "max", "var")
    found: dict[str, list[list[str]]] = {key: [] for key in keys}
    current: list[str] = []
    for word in words[1:]:
        if word in keys:
            current = []
            found[word].append(current)
        else:
            current.append(word)
    text = {key: [" ".join(words) for words in lists] for key, lists in found.items()}
    return UciOption(
        name=text["name"][0],
        kind=text["type"][0],
        default=text["default"][0] if text["default"] else "",
        choices=tuple(text["var"]),
    )
