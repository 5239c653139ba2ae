"""One game on the server: the board, the clocks, the players, and who listens.

The game is a task of its own. It asks agents, waits for the person, writes every ply down before it tells anybody, and
ends by the rules, by resignation or on time. An agent's move is announced when the time it may take is over, and its
clock is charged that time, so that neither tells how hard it had to think.
"""

import asyncio
import contextlib
import math
from collections.abc import Awaitable, Callable, Iterable
from datetime import UTC, datetime
from typing import Any, TypeVar

from murk._core import Colour, Move
from murk.darkchess.agents import Clock
from murk.darkchess.board import Board
from murk.darkchess.referee import Ending
from murk.darkchess.sheet import Sheet
from murk.errors import AgentError, InputError, MurkError
from murk.web.agent_process import AgentProcess, Seen
from murk.web.inside import Inside
from murk.web.journal import GameJournal
from murk.web.levels import Offer
from murk.web.setup import COLOURS, GameSetup, colour_name

__all__ = ["Announce", "Game"]

ATTEMPTS = 2
"""How often an agent is asked before its breakdown is its loss."""
LAST_WORDS = 2.0
"""Seconds that an agent may take to say what it believes at the end."""

Result = TypeVar("Result")
Announce = Callable[["Game", dict[str, Any]], None]


class _Ended(Exception):  # noqa: N818 - part of the game, not an error
    """The game is over for a reason that is not on the board."""

    def __init__(self, ending: Ending) -> None:
        super().__init__(ending.reason)
        self.ending = ending


class Game:
    """A game that is played, watched or looked at.

    Args:
        name: its id.
        setup: what is played.
        seeds: of the agents of White and Black.
        journal: where it is written down.
        announce: told of every event: ``ply``, ``time``, ``over`` and ``failed``.

    Attributes:
        board: the true one.
        sheets: what each side knows.
        inside: what went on inside the agents.
        ending: how it ended, ``None`` while it goes on.
    """

    def __init__(
        self, name: str, setup: GameSetup, seeds: tuple[int, int], journal: GameJournal, announce: Announce
    ) -> None:
        self.name, self.setup = name, setup
        self.board = Board(setup.fen)
        self.sheets = {colour: Sheet(self.board.observation(colour)) for colour in COLOURS}
        self.inside = Inside()
        self.ending: Ending | None = None
        self.started = datetime.now(UTC).isoformat(timespec="seconds")
        self.last_seconds: list[float | None] = []
        self._seeds, self._journal, self._announce = seeds, journal, announce
        self._seen: dict[Colour, list[Seen]] = {c: [(self.sheets[c].view, None)] for c in COLOURS}
        base = None if setup.control is None else setup.control.base
        self._left: dict[Colour, float | None] = dict.fromkeys(COLOURS, base)
        self._turn_began: float | None = None
        self._thinking: tuple[float, float] | None = None
        self._agents = {c: self._seat(c, offer) for c in COLOURS if (offer := setup.agents[c]) is not None}
        self._task: asyncio.Task[None] | None = None
        self._chores: set[asyncio.Task[None]] = set()
        self._answer: asyncio.Future[Move] | None = None
        self._resigned: asyncio.Future[None] | None = None
        self._attended = asyncio.Event()
        self._writing = asyncio.Lock()
        if setup.kind == "analyse":
            for move in setup.moves:
                self._push(Move.from_uci(move), None)
            self.ending = self._over() or _agreed(setup.result)

    # From and to the journal

    def restore(self, lines: Iterable[dict[str, Any]]) -> None:
        """Take in the lines of the journal after the first."""
        for line in lines:
            self.inside.take(line)
            if line["type"] == "ply":
                self._push(Move.from_uci(line["move"]), line["seconds"])
                mover = COLOURS[1 - self.board.turn]
                self._left[mover] = line["left"]
            elif line["type"] == "end":
                winner = None if line["winner"] is None else Colour(line["winner"])
                self.ending = Ending(winner, line["reason"], line["detail"])
                self._left = dict(zip(COLOURS, line.get("left", self._left.values()), strict=True))

    async def write(self, fields: dict[str, Any]) -> None:
        """Add a line to the journal, without holding up other games."""
        async with self._writing:
            await asyncio.to_thread(self._journal.add, fields)

    # What happens

    def start(self) -> None:
        """Let the game go on, if it is not over."""
        if self.ending is None and self._task is None:
            self._resigned = asyncio.get_running_loop().create_future()
            self._task = asyncio.create_task(self._run())

    def attend(self, anybody: bool) -> None:
        """Say whether anybody listens: agents play each other only then, and a clock starts when the player comes."""
        if anybody:
            self._attended.set()
        elif self.setup.kind == "watch":
            self._attended.clear()

    def play(self, text: object, ply: object) -> None:
        """Make the person's move. ``ply`` is how many moves she thinks were made.

        Raises:
            InputError: it is not her turn, or the move is not legal.
        """
        if self.ending is not None:
            raise InputError("the game is over")
        if self.board.turn != self.setup.person or self._answer is None or self._answer.done():
            raise InputError("it is not your move")
        if ply != len(self.board.moves):
            raise InputError("the board has changed since that move was made")
        move = Move.from_uci(text) if isinstance(text, str) and len(text) in (4, 5) else None
        if move is None or move not in self.sheets[self.board.turn].view.legal_moves:
            raise InputError(f"{str(text)[:8]!r} is not a legal move here")
        self._answer.set_result(move)

    def resign(self) -> None:
        """Let the person give up.

        Raises:
            InputError: there is none, or the game is over.
        """
        if self.setup.person is None or self.ending is not None or self._resigned is None:
            raise InputError("there is nothing to resign")
        if not self._resigned.done():
            self._resigned.set_result(None)

    async def close(self) -> None:
        """Stop, and let go of processes and files. What was written down can go on later."""
        tasks = [task for task in (self._task, *self._chores) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for agent in self._agents.values():
            agent.close()
        self._journal.close()

    # What is known

    @property
    def waits(self) -> bool:
        """Whether nothing happens until somebody does something, so that the game can be put away meanwhile."""
        if self.ending is not None or self.setup.kind == "watch":
            return True
        return self.board.turn == self.setup.person and (self.setup.control is None or not self._attended.is_set())

    def clocks(self) -> dict[str, Any] | None:
        """Return the seconds on both clocks, and whose is running; ``None`` without clocks."""
        if self.setup.control is None:
            return None
        running = self.board.turn if self.ending is None and self._turn_began is not None else None
        return {
            "white": self._remaining(Colour.WHITE),
            "black": self._remaining(Colour.BLACK),
            "running": None if running is None else colour_name(running),
        }

    def thinking(self) -> dict[str, float] | None:
        """Return how many seconds the agent to move may take, and how many it has taken."""
        if self._thinking is None:
            return None
        began, seconds = self._thinking
        return {"seconds": round(seconds, 3), "elapsed": round(_now() - began, 3)}

    def seen_by(self, colour: Colour) -> list[Seen]:
        """Return all that a side has seen, from the start."""
        return self._seen[colour]

    # The task

    async def _run(self) -> None:
        for agent in self._agents.values():
            self._chore(agent.prepare())
        try:
            while (ending := self._over()) is None:
                if self.setup.kind == "watch" or self.setup.control is not None:
                    await self._attended.wait()
                if self.board.turn in self._agents:
                    await self._prepare(self.board.turn)
                self._turn_began = _now()
                await (self._persons_ply() if self.board.turn == self.setup.person else self._agents_ply())
        except _Ended as ended:
            ending = ended.ending
        except MurkError as error:
            self._announce(self, {"type": "failed", "message": f"the game cannot go on: {error}"})
            return
        await self._finish(ending)

    async def _prepare(self, colour: Colour) -> None:
        """Wait until an agent's process is there, which is not on its clock. If it is not, its move will tell."""
        with contextlib.suppress(AgentError):
            await self._unless_over(self._agents[colour].prepare(), None)

    async def _persons_ply(self) -> None:
        colour = self.board.turn
        self._answer = asyncio.get_running_loop().create_future()
        left = self._remaining(colour)
        if left is not None:
            self._announce(self, {"type": "time"})
        move = await self._unless_over(self._answer, left)
        await self._make(move, self._spent(), None)

    async def _agents_ply(self) -> None:
        colour = self.board.turn
        offer = self.setup.agents[colour]
        assert offer is not None
        control = self.setup.control
        clock = self.setup.level.clock(self._left[colour], 0.0 if control is None else control.increment)
        pace = offer.pace(self.setup.level, clock)
        self._thinking = (_now(), pace)
        self._announce(self, {"type": "time"})
        left = None if control is None or clock.remaining is None else clock.remaining + control.margin
        decision = await self._unless_over(self._decide(colour, clock), left)
        await self._unless_over(asyncio.sleep(max(0.0, pace - self._spent())), None)
        self._thinking = None
        move = Move.from_uci(decision["move"])
        if move not in self.board.legal_moves:
            raise _Ended(Ending(_other(colour), "illegal move", str(move)))
        # In tenths of a second, for the last few milliseconds would tell again how hard it was.
        await self._make(move, math.ceil(10 * self._spent()) / 10, decision)

    async def _decide(self, colour: Colour, clock: Clock) -> dict[str, Any]:
        for attempt in range(ATTEMPTS):
            try:
                return await self._agents[colour].move(self._seen[colour], clock, self.board)
            except AgentError as error:
                if attempt == ATTEMPTS - 1:
                    raise _Ended(Ending(_other(colour), "crash", str(error))) from error
        raise AssertionError("unreachable")

    async def _unless_over(self, work: Awaitable[Result], seconds: float | None) -> Result:
        """Wait for something, unless the person resigns or the time is over meanwhile."""
        assert self._resigned is not None
        task = asyncio.ensure_future(work)
        try:
            waiting: set[asyncio.Future[Any]] = {task, self._resigned}
            await asyncio.wait(waiting, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if self._resigned.done():
                assert self.setup.person is not None
                raise _Ended(Ending(_other(self.setup.person), "resignation"))
            if not task.done():
                raise _Ended(Ending(_other(self.board.turn), "time forfeit"))
            return task.result()
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _make(self, move: Move, seconds: float, decision: dict[str, Any] | None) -> None:
        """Stop the clock, write a ply down, make it, and say so."""
        mover, ply = self.board.turn, len(self.board.moves)
        left = self._stopped(mover, seconds)
        await self.write(
            {"type": "ply", "ply": ply, "move": str(move), "seconds": seconds, "left": left}
            | ({} if decision is None else {"decision": decision})
        )
        self._left[mover], self._turn_began = left, None
        if decision is not None:
            self.inside.decisions[ply] = decision
        self._push(move, seconds)
        if self._over() is None:
            self._turn_began = _now()  # so that the clock that is sent runs
            self._announce(self, {"type": "ply"})  # the last ply is told with the end
        for colour, agent in self._agents.items():
            self._chore(agent.catch_up(self._seen[colour]))

    def _stopped(self, mover: Colour, seconds: float) -> float | None:
        left, control = self._left[mover], self.setup.control
        if left is None or control is None:
            return None
        if seconds > left + control.margin:
            raise _Ended(Ending(_other(mover), "time forfeit"))
        return max(0.0, left - seconds) + control.increment

    async def _finish(self, ending: Ending) -> None:
        self._left = {colour: self._remaining(colour) for colour in COLOURS}
        await self.write(
            {
                "type": "end",
                "winner": None if ending.winner is None else int(ending.winner),
                "reason": ending.reason,
                "detail": ending.detail,
                "left": [self._left[colour] for colour in COLOURS],
            }
        )
        self._turn_began = self._thinking = None
        for colour, agent in self._agents.items():
            with contextlib.suppress(AgentError, TimeoutError):
                async with asyncio.timeout(LAST_WORDS):
                    await agent.catch_up(self._seen[colour])
            agent.close()
        self.ending = ending
        self._announce(self, {"type": "over"})

    # Small things

    def _seat(self, colour: Colour, offer: Offer) -> AgentProcess:
        return AgentProcess(
            offer.spec,
            colour,
            seed=self._seeds[colour],
            fen=self.setup.fen,
            on_belief=lambda ply, belief: self.believe(colour, ply, belief),
        )

    def believe(self, colour: Colour, ply: int, belief: dict[str, Any]) -> None:
        """Note what a side believes after so many plies; the first word counts."""
        known = self.inside.beliefs[colour]
        if ply not in known:
            known[ply] = belief
            self._chore(self.write({"type": "belief", "colour": int(colour), "ply": ply, "belief": belief}))

    def _chore(self, work: Awaitable[None]) -> None:
        """Do something beside the game; if it fails the game will notice."""

        async def run() -> None:
            with contextlib.suppress(MurkError):
                await work

        task = asyncio.create_task(run())
        self._chores.add(task)
        task.add_done_callback(self._chores.discard)

    def _push(self, move: Move, seconds: float | None) -> None:
        mover = self.board.turn
        self.board.push(move)
        self.last_seconds.append(seconds)
        for colour in COLOURS:
            own = move if colour == mover else None
            view = self.board.observation(colour)
            self.sheets[colour].add(view, own)
            self._seen[colour].append((view, own))

    def _over(self) -> Ending | None:
        outcome = self.board.outcome()
        return None if outcome is None else Ending(outcome.winner, outcome.reason)

    def _spent(self) -> float:
        assert self._turn_began is not None
        return round(_now() - self._turn_began, 3)

    def _remaining(self, colour: Colour) -> float | None:
        left = self._left[colour]
        if left is None:
            return None
        running = self.ending is None and colour == self.board.turn and self._turn_began is not None
        return round(max(0.0, left - (self._spent() if running else 0.0)), 3)


def _agreed(result: str) -> Ending:
    winner = {"1-0": Colour.WHITE, "0-1": Colour.BLACK}.get(result)
    return Ending(winner, "as the PGN says" if result != "*" else "unfinished")


def _other(colour: Colour) -> Colour:
    return COLOURS[1 - colour]


def _now() -> float:
    return asyncio.get_running_loop().time()
