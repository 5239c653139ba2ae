"""What is to be played: agreed before a game begins, and known to all."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from murk._core import Colour
from murk.darkchess import pgn
from murk.darkchess.board import START_FEN, Board
from murk.darkchess.referee import TimeControl
from murk.errors import FormatError, InputError
from murk.web.levels import Level, Offer, Offers

__all__ = ["COLOURS", "GameSetup", "Kind", "analysis_setup", "colour_name", "read_setup"]

Kind = Literal["play", "watch", "analyse"]
COLOURS = (Colour.WHITE, Colour.BLACK)
LONGEST_BASE = 24 * 3600.0
LONGEST_INCREMENT = 3600.0
MOST_PLIES = 1000
"""Plies of a game to analyse."""


def colour_name(colour: Colour) -> str:
    """Return ``white`` or ``black``."""
    return "white" if colour == Colour.WHITE else "black"


@dataclass(frozen=True)
class GameSetup:
    """A game to be played, watched or analysed.

    Attributes:
        kind: ``play`` has one person, ``watch`` none, and ``analyse`` is a game that is over.
        names: of White and Black, for people.
        agents: of White and Black; ``None`` is a person, or somebody of long ago.
        level: how much the agents may think.
        control: the clocks, if there are any.
        fen: where the game begins; both sides know it.
        moves: of a game to analyse, in UCI.
        result: of a game to analyse.
    """

    kind: Kind
    names: tuple[str, str]
    agents: tuple[Offer | None, Offer | None]
    level: Level
    control: TimeControl | None = None
    fen: str = START_FEN
    moves: tuple[str, ...] = ()
    result: str = "*"

    @property
    def person(self) -> Colour | None:
        """The side that a person plays."""
        return next((c for c in COLOURS if self.agents[c] is None), None) if self.kind == "play" else None

    def public(self) -> dict[str, Any]:
        """Return what everybody may know, as the browser is told."""
        return {
            "kind": self.kind,
            "colour": None if self.person is None else colour_name(self.person),
            "white": self.names[Colour.WHITE],
            "black": self.names[Colour.BLACK],
            "fair": all(agent is None or agent.fair for agent in self.agents),
            "level": {"name": self.level.name, "seconds": self.level.seconds},
            "control": None if self.control is None else [self.control.base, self.control.increment],
            "fen": self.fen,
        }

    def to_json(self) -> dict[str, Any]:
        """Return it as the journal has it."""
        return {
            "kind": self.kind,
            "names": list(self.names),
            "agents": [None if a is None else [a.name, a.spec, a.about, a.fair] for a in self.agents],
            "level": [self.level.name, self.level.seconds, self.level.nodes],
            "control": None if self.control is None else [self.control.base, self.control.increment],
            "fen": self.fen,
            "moves": list(self.moves),
            "result": self.result,
        }

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> "GameSetup":
        """Return what :meth:`to_json` wrote.

        Raises:
            FormatError: it did not.
        """
        try:
            white, black = (None if a is None else Offer(*a) for a in fields["agents"])
            control = fields["control"]
            return cls(
                kind=fields["kind"],
                names=(fields["names"][0], fields["names"][1]),
                agents=(white, black),
                level=Level(*fields["level"]),
                control=None if control is None else TimeControl(base=control[0], increment=control[1]),
                fen=fields["fen"],
                moves=tuple(fields["moves"]),
                result=fields["result"],
            )
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise FormatError(f"a game's setup is damaged: {error}") from None


def read_setup(fields: object, offers: Offers, levels: tuple[Level, ...]) -> GameSetup:
    """Return the game that a browser asks for.

    Raises:
        InputError: it asks for what cannot be.
    """
    if not isinstance(fields, dict):
        raise InputError("the game is not a JSON object")
    agents: tuple[Offer | None, Offer | None]
    match fields.get("kind"):
        case "play":
            offer = offers.get(fields.get("agent"))
            agents = (None, offer) if _side(fields.get("colour")) == Colour.WHITE else (offer, None)
        case "watch":
            agents = (offers.get(fields.get("white")), offers.get(fields.get("black")))
        case other:
            raise InputError(f"the kind of game is {str(other)[:20]!r}, expected play, watch or analyse")
    white, black = ("You" if agent is None else agent.name for agent in agents)
    return GameSetup(
        kind=fields["kind"],
        names=(white, black),
        agents=agents,
        level=_level(fields.get("level"), levels),
        control=_control(fields.get("control")),
        fen=_start(fields.get("fen")),
    )


def analysis_setup(text: object, reviewer: Offer, level: Level) -> GameSetup:
    """Return the analysis of the first game of a PGN.

    Raises:
        InputError: there is none, or it cannot be analysed.
    """
    if not isinstance(text, str):
        raise InputError("there is no PGN to analyse")
    record = pgn.parse_game(text)
    if not record.plies:
        raise InputError("the game has no moves, expected at least one")
    if len(record.plies) > MOST_PLIES:
        raise InputError(f"the game has {len(record.plies)} plies, expected {MOST_PLIES} at most")
    names = (record.tags.get("White", "White")[:60], record.tags.get("Black", "Black")[:60])
    return GameSetup(
        kind="analyse",
        names=names,
        agents=(reviewer, reviewer),
        level=level,
        fen=record.fen,
        moves=tuple(str(move) for move in record.moves),
        result=record.result,
    )


def _side(text: object) -> Colour:
    if text not in ("white", "black"):
        raise InputError(f"the colour is {str(text)[:20]!r}, expected white or black")
    return Colour.WHITE if text == "white" else Colour.BLACK


def _level(number: object, levels: tuple[Level, ...]) -> Level:
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(levels):
        raise InputError(f"the level is {str(number)[:20]!r}, expected a number from 0 to {len(levels) - 1}")
    return levels[number]


def _control(pair: object) -> TimeControl | None:
    if pair is None:
        return None
    if not (isinstance(pair, list) and len(pair) == 2 and all(_is_number(value) for value in pair)):
        raise InputError("the clock is not a pair of numbers, expected seconds and increment, or null")
    base, increment = float(pair[0]), float(pair[1])
    if not (1 <= base <= LONGEST_BASE and 0 <= increment <= LONGEST_INCREMENT):
        raise InputError(
            f"the clock is {base:g}+{increment:g} s, expected 1 to {LONGEST_BASE:g} and at most an hour more"
        )
    return TimeControl(base=base, increment=increment)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _start(fen: object) -> str:
    if fen is None or fen == "":
        return START_FEN
    if not isinstance(fen, str) or len(fen) > 200:
        raise InputError("the position to begin from is no FEN")
    board = Board(fen)
    if board.outcome() is not None:
        raise InputError("the game would be over before it begins, expected a position with a move to make")
    return board.fen
