"""Engines that speak UCI as players: ``uci(command=stockfish, Hash=16)``.

UCI has no fog: ``position`` tells an engine everything. So such a player is one that sees everything, and is labelled
so. An engine that offers ``fogofwar`` among the values of its ``UCI_Variant`` knows the game, is told that it is this,
and is labelled ``told everything, plays fogofwar``: it should look at its own side's view only, and nobody can check.

An engine of ordinary chess is helped over what it cannot know. A king that can be captured is captured without asking;
it gets the position with only the rights that ordinary chess grants; and where ordinary chess knows no legal move,
one is drawn at random.
"""

import random
import time

from murk._core import Colour, Move, Observation, orthodox_fen
from murk.darkchess.agents.base import Agent, Clock, Decision
from murk.darkchess.agents.uci_engine import UciEngine
from murk.darkchess.board import START_FEN, Board
from murk.errors import AgentError, InputError

__all__ = ["UciAgent"]

VARIANT = "fogofwar"
GRACE = 0.05
"""Seconds beyond its limit that an engine is waited for; the referee then judges the time it took."""
_KINGS = ("k", "K")


class UciAgent(Agent):
    """A UCI engine as a player.

    Args:
        command: the program, with its arguments if it has any.
        timeout: seconds for it to start, and for a move without any limit of time.
        options: UCI options, set at the start.
    """

    name = "uci"
    sees_everything = True

    def __init__(self, *, command: str, timeout: float = 60.0, **options: str) -> None:
        if not command.strip():
            raise InputError("the command of the engine is empty, expected a program")
        self._timeout = timeout
        self._engine = UciEngine(command, options, timeout=min(timeout, 10.0))
        variant = self._engine.options.get("uci_variant")
        self.knows_fog = variant is not None and VARIANT in variant.choices
        if self.knows_fog:
            self._engine.set_option("UCI_Variant", VARIANT)
        self.engine_name = self._engine.name

    @property
    def disclosure(self) -> str:
        """What it sees."""
        return "told everything, plays fogofwar" if self.knows_fog else "sees everything"

    def new_game(self, colour: Colour, seed: int, fen: str = START_FEN) -> None:
        """Tell the engine that a new game begins."""
        self._random = random.Random(seed)
        self._start, self._board = fen, Board(fen)
        self._engine.send("ucinewgame")
        self._engine.ready()

    def observe(self, observation: Observation, move: Move | None = None) -> None:
        """Do nothing: the engine is told the position when it is asked for a move."""

    def see(self, board: Board) -> None:
        """Look at the true board."""
        self._board = board

    def move(self, clock: Clock) -> Decision:
        """Ask the engine."""
        started = time.perf_counter()
        position = self._board.position
        moves = position.legal_moves
        king = next((m for m in moves if position.piece_at(m.to_square) in _KINGS), None)
        if king is not None and not self.knows_fog:
            return Decision(move=king, evaluator=self.engine_name, notes={"takes": "king"})
        self._engine.send(self._position())
        self._engine.send(self._go(clock, position.turn))
        limit = clock.movetime if clock.movetime is not None else clock.remaining
        seconds = self._timeout if limit is None else limit + GRACE + 0.1
        line = self._engine.wait_for(lambda text: text.startswith("bestmove"), seconds)
        move, drawn = self._chosen(line, moves)
        return Decision(
            move=move,
            seconds=time.perf_counter() - started,
            evaluator=self.engine_name,
            notes={"sees": self.disclosure, **({"drawn": True} if drawn else {})},
        )

    def _position(self) -> str:
        if not self.knows_fog:
            return f"position fen {orthodox_fen(self._board.position)}"
        # One that plays by its view must know how it came about.
        moves = " ".join(map(str, self._board.moves))
        return f"position fen {self._start}{' moves ' + moves if moves else ''}"

    def _go(self, clock: Clock, turn: Colour) -> str:
        parts = ["go"]
        if clock.remaining is not None:
            side = "w" if turn == Colour.WHITE else "b"
            left, gain = max(1, round(1000 * clock.remaining)), round(1000 * clock.increment)
            other = "b" if side == "w" else "w"
            parts.append(f"{side}time {left} {side}inc {gain} {other}time {left} {other}inc {gain}")
        if clock.movetime is not None:
            parts.append(f"movetime {max(1, round(1000 * clock.movetime))}")
        if clock.nodes is not None:
            parts.append(f"nodes {clock.nodes}")
        return " ".join(parts) if len(parts) > 1 else "go movetime 1000"

    def _chosen(self, line: str, moves: list[Move]) -> tuple[Move, bool]:
        words = line.split()
        word = words[1] if len(words) > 1 else ""
        found = next((move for move in moves if str(move) == word), None)
        if found is not None:
            return found, False
        if word in ("(none)", "0000", "none") and not self.knows_fog:
            # Mated or stalemated in its own game, and ours goes on.
            return self._random.choice(moves), True
        try:
            return Move.from_uci(word), False
        except InputError:
            raise AgentError(f"the engine {self.engine_name} played {word!r}, which is no move") from None

    def close(self) -> None:
        """End the engine."""
        self._engine.close()
