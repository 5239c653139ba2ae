"""The engine itself: it reads lines, thinks in a thread of its own, and always answers.

Whatever comes in, nothing but lines of the protocol goes out; what is wrong is said as ``info string error: ...``. The
end of the input, wherever it comes, is ``quit``.
"""

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import BinaryIO

from murk import __version__
from murk._core import Move, Observation
from murk.darkchess.agents import Decision
from murk.darkchess.board import START_FEN
from murk.errors import InputError, MurkError
from murk.uci.commands import Go, PositionTold, SetOption, Simple, parse_command, shown
from murk.uci.info import describe
from murk.uci.options import Options
from murk.uci.player import Player, Players, restricted
from murk.uci.thinking import Thinking
from murk.uci.told import Told

__all__ = ["Engine", "serve"]

LONGEST_LINE = 1 << 20
"""Bytes of a line; a game of a hundred thousand moves fits."""
PATIENCE = 5.0
"""Seconds that a search is waited for after it was told to stop."""
NULL_MOVE = "0000"
_PLAIN = ("Threads", "Hash", "Agent", "Evaluator", "Seed", "FogMaterial")
"""Options that ask for another agent, as those with a dot in their names do."""


class Engine:
    """Answers commands.

    Args:
        send: writes a line to the client.
        options: set before the client sets any.
    """

    def __init__(self, send: Callable[[str], None], options: Options | None = None) -> None:
        self._send = send
        self.options = options or Options()
        self._players: Players | None = None
        self._told: Told | None = Told(PositionTold(START_FEN))
        self._search: tuple[Thinking, threading.Thread] | None = None
        self._finishing = threading.Lock()
        self._debug = False

    def handle(self, line: str) -> bool:
        """Do what a line says; return whether to go on."""
        try:
            command = parse_command(line)
            if command is None:
                return True
            if isinstance(command, Simple) and command.name == "quit":
                return False
            self._obey(command)
        except MurkError as error:
            self.complain(str(error))
        except Exception as error:  # a bug must not end a game
            self.complain(f"{type(error).__name__}: {error}")
        return True

    def close(self) -> bool:
        """Stop thinking and let go of the agent; return whether the search has ended."""
        ended = self._stop()
        if ended and self._players is not None:
            self._players.close()
        return ended

    @property
    def thinking(self) -> bool:
        """Whether a search is under way."""
        with self._finishing:
            return self._search is not None and not self._search[0].over

    def _obey(self, command: Simple | SetOption | PositionTold | Go) -> None:
        match command:
            case Simple("uci"):
                self._introduce()
            case Simple("isready"):
                if not self.thinking:
                    self._get_ready()
                self._send("readyok")
            case Simple("stop"):
                self._stop()
            case Simple("ponderhit"):
                if self._search is not None:
                    self._search[0].hit()
            case Simple("debug"):
                self._debug = command.on
            case Simple("register"):
                pass
            case _ if self.thinking:
                name = command.name if isinstance(command, Simple) else type(command).__name__.lower()
                raise InputError(f"{name} came while the engine was thinking, and was ignored: send stop first")
            case Simple("ucinewgame"):
                self._forget()
            case SetOption():
                self._set_option(command)
            case PositionTold():
                before, self._told = self._told, None
                self._told = Told(command, before)
            case Go():
                self._go(command)

    def _introduce(self) -> None:
        self._send(f"id name murk {__version__}")
        self._send("id author the murk authors")
        for option in self.options.declared:
            self._send(option.declaration())
        self._send("uciok")

    def _set_option(self, command: SetOption) -> None:
        option = self.options.set(command.name, command.value)
        if option.name == "Clear Hash":
            self._forget()
        if (option.name in _PLAIN or "." in option.name) and self._players is not None:
            self._players.close()
            self._players = None

    def _get_ready(self) -> Players:
        if self._players is None:
            spec, seed, assumed = self.options.agent(), self.options.number("Seed"), self.options.text("FogMaterial")
            self._players = Players(lambda: Player(spec, seed=seed, assumed=assumed))
        return self._players

    def _go(self, go: Go) -> None:
        if go.ignored:
            self.complain(f"go: {shown(' '.join(go.ignored))} was ignored")
        if self._told is None:
            self.complain("there is no position to think about: the last one was refused")
            self._send(f"bestmove {NULL_MOVE}")
            return
        thinking = Thinking(go, self._told.colour, self.options.number("MoveOverhead") / 1000)
        job = threading.Thread(target=self._think, args=(go, self._told, thinking), name="search", daemon=True)
        self._search = thinking, job
        job.start()

    def _stop(self) -> bool:
        """End the search if there is one; return whether it has ended."""
        if self._search is None:
            return True
        thinking, job = self._search
        thinking.stop()
        job.join(PATIENCE)
        return not job.is_alive()

    def _think(self, go: Go, told: Told, thinking: Thinking) -> None:
        """Search and send the move; whatever happens, a move is sent."""
        view = _last_view(told)
        moves = view.legal_moves if view.winner is None else []
        move = str(moves[0]) if moves else NULL_MOVE
        try:
            if moves:
                allowed = [m for m in moves if str(m) in go.searchmoves]
                if go.searchmoves and not allowed:
                    self.complain("none of the searchmoves is legal, all moves are searched")
                chosen = self._decide(told, thinking, allowed, ponder=go.ponder)
                move = move if chosen is None else str(chosen)
        except MurkError as error:
            self.complain(str(error))
            self._forget()
        except Exception as error:  # a bug must not lose a game on time
            self.complain(f"{type(error).__name__}: {error}")
            self._forget()
        thinking.wait_to_send()
        with self._finishing:  # who has read the move may send the next position at once
            self._send(f"bestmove {move}")
            thinking.over = True

    def _forget(self) -> None:
        if self._players is not None:
            self._players.forget()

    def _decide(self, told: Told, thinking: Thinking, allowed: list[Move], *, ponder: bool) -> Move | None:
        player = self._get_ready().seat(told, lambda: thinking.stopped, ponder=ponder)
        if not player.follow(told, lambda: thinking.stopped):
            return allowed[0] if allowed else None
        if self._debug:
            self._send(f"info string view {_last_view(told).text}")
        decision = player.decide(thinking.clock(self._progress(thinking)))
        move = restricted(decision, allowed)
        self._tell(decision, move, thinking)
        return move

    def _progress(self, thinking: Thinking) -> Callable[[Decision], None]:
        interval = self.options.number("InfoInterval") / 1000
        told = time.perf_counter()

        def progress(decision: Decision) -> None:
            nonlocal told
            thinking.look_at(decision)
            if interval > 0 and time.perf_counter() - told >= interval:
                told = time.perf_counter()
                self._tell(decision, None, thinking)

        return progress

    def _tell(self, decision: Decision, move: Move | None, thinking: Thinking) -> None:
        for line in describe(
            decision,
            move=move,
            seconds=time.perf_counter() - thinking.started,
            lines=self.options.number("MultiPV"),
            wdl=self.options.on("UCI_ShowWDL"),
        ):
            self._send(line)

    def complain(self, text: str) -> None:
        """Tell the client what is wrong."""
        self._send(f"info string error: {' '.join(text.split())}")


def _last_view(told: Told) -> Observation:
    seen = told.seen()
    return seen[-1].observation if seen else told.first_view()


def serve(source: BinaryIO | None = None, sink: BinaryIO | None = None, options: Options | None = None) -> None:
    """Talk to a client on standard input and output until it quits, or its end of either is closed."""
    source = source if source is not None else getattr(sys.stdin, "buffer", None)
    sink = sink if sink is not None else getattr(sys.stdout, "buffer", None)
    writer = _Writer(sink)
    engine = Engine(writer.send, options)
    try:
        for line in _lines(source, engine):
            if not engine.handle(line) or writer.broken:
                break
    except KeyboardInterrupt:
        pass
    if not engine.close():
        # The search does not end, and neither would the interpreter while it waits for it.
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
        os._exit(0)


class _Writer:
    """Writes lines from several threads, whole and at once."""

    def __init__(self, sink: BinaryIO | None) -> None:
        self._sink = sink
        self._lock = threading.Lock()
        self.broken = sink is None

    def send(self, line: str) -> None:
        with self._lock:
            if self._sink is None or self.broken:
                return
            try:
                self._sink.write(line.encode("utf-8", "replace") + b"\n")
                self._sink.flush()
            except (OSError, ValueError):
                self.broken = True  # the client is gone


def _lines(source: BinaryIO | None, engine: Engine) -> Iterator[str]:
    """Yield the lines of the input; one that is too long is passed over."""
    if source is None:
        return
    skipping = False
    while True:
        try:
            raw = source.readline(LONGEST_LINE)
        except (OSError, ValueError):
            return
        if not raw:
            return
        whole = raw.endswith(b"\n")
        if len(raw) >= LONGEST_LINE and not whole:
            if not skipping:
                engine.complain(f"a line of more than {LONGEST_LINE:,} bytes was ignored")
            skipping = True
            continue
        if not skipping:
            yield raw.decode("utf-8", "replace")
        skipping = False
