"""A finished game of a match: as one line of JSON in the journal, and as PGN."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from murk._core import Move
from murk.darkchess.board import START_FEN
from murk.darkchess.pgn import GameRecord, Ply, format_game
from murk.darkchess.referee import PlayedGame, PlayedPly
from murk.errors import FormatError, InputError
from murk.match.config import MatchConfig
from murk.match.schedule import GameJob

__all__ = ["FORFEITS", "FinishedGame", "ply_from_json", "ply_to_json"]

FORFEITS = ("time forfeit", "illegal move", "crash")
_TERMINATIONS = {
    "time forfeit": "time forfeit",
    "illegal move": "rules infraction",
    "crash": "abandoned",
    "length": "adjudication",
}
SHOWN_MOVES = 6
"""Moves of a mixture in a comment."""
KEPT_MOVES, KEPT_MARGINS = 3, 8
"""Of what is not played, and of the lowest margins, so many go into the journal."""


@dataclass(frozen=True)
class FinishedGame:
    """A game that counts.

    Attributes:
        key: its name in the schedule.
        white, black: the players by number.
        result: ``1-0``, ``0-1`` or ``1/2-1/2``.
        reason: how it ended, see :class:`murk.darkchess.referee.Ending`.
        detail: more about a forfeit.
        fen: where it began.
        seeds: of White and Black.
        plies: its moves.
        started: when, as ISO 8601; empty if it is not known.
        memory: bytes that the process with both players held after it; ``None`` if that is not known.
    """

    key: str
    white: int
    black: int
    result: str
    reason: str
    detail: str = ""
    fen: str = START_FEN
    seeds: tuple[int, int] = (0, 0)
    plies: tuple[PlayedPly, ...] = field(default=(), repr=False)
    started: str = ""
    memory: int | None = None

    @classmethod
    def of(cls, job: GameJob, game: PlayedGame, *, started: str = "", memory: int | None = None) -> "FinishedGame":
        """Return the record of a game that was played."""
        ending = game.ending
        return cls(
            key=job.key,
            white=job.white,
            black=job.black,
            result=ending.result,
            reason=ending.reason,
            detail=ending.detail,
            fen=game.fen,
            seeds=job.seeds,
            plies=game.plies,
            started=started,
            memory=memory,
        )

    @property
    def forfeit(self) -> bool:
        """Whether it ended by a player's failure and not on the board."""
        return self.reason in FORFEITS

    @property
    def loser(self) -> int | None:
        """The player that lost, by number."""
        return {"1-0": self.black, "0-1": self.white}.get(self.result)

    def points_of(self, player: int) -> float:
        """Return what the game was worth to a player."""
        if self.result == "1/2-1/2":
            return 0.5
        return float((self.result == "1-0") == (player == self.white))

    def to_json(self) -> dict[str, Any]:
        """Return it as the journal has it."""
        return {
            "type": "game",
            "key": self.key,
            "white": self.white,
            "black": self.black,
            "result": self.result,
            "reason": self.reason,
            "detail": self.detail,
            "fen": self.fen,
            "seeds": list(self.seeds),
            "started": self.started,
            "memory": self.memory,
            "plies": [ply_to_json(ply) for ply in self.plies],
        }

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> "FinishedGame":
        """Read what :meth:`to_json` wrote.

        Raises:
            FormatError: it is something else.
        """
        try:
            white_seed, black_seed = fields["seeds"]
            game = cls(
                key=str(fields["key"]),
                white=int(fields["white"]),
                black=int(fields["black"]),
                result=str(fields["result"]),
                reason=str(fields["reason"]),
                detail=str(fields["detail"]),
                fen=str(fields["fen"]),
                seeds=(int(white_seed), int(black_seed)),
                plies=tuple(ply_from_json(ply) for ply in fields["plies"]),
                started=str(fields["started"]),
                memory=None if fields.get("memory") is None else int(fields["memory"]),
            )
        except (KeyError, TypeError, ValueError, InputError) as error:
            raise FormatError(f"a game in the journal is malformed: {error}") from None
        if game.result not in ("1-0", "0-1", "1/2-1/2"):
            raise FormatError(f"a game in the journal has the result {game.result!r}")
        return game

    def to_pgn(self, config: MatchConfig) -> str:
        """Return it as PGN, with clocks and with what the players thought."""
        number = self.key.split(".")[0]
        tags = {
            "Event": "murk match",
            "Site": "?",
            "Date": self.started[:10].replace("-", ".") or "????.??.??",
            "Round": f"{int(number) + 1}" if number.isdecimal() else "?",
            "White": config.players[self.white].title,
            "Black": config.players[self.black].title,
            "WhiteAgent": str(config.players[self.white].spec),
            "BlackAgent": str(config.players[self.black].spec),
            "TimeControl": config.control.tag,
            "Termination": _TERMINATIONS.get(self.reason, "normal"),
            "Reason": f"{self.reason}: {self.detail}" if self.detail else self.reason,
            "Game": self.key,
            "Seeds": f"{self.seeds[0]} {self.seeds[1]}",
        }
        if config.control.nodes is not None:
            tags["Nodes"] = str(config.control.nodes)
        for side, player in (("White", config.players[self.white]), ("Black", config.players[self.black])):
            if player.odds != 1.0:
                tags[f"{side}Odds"] = f"{player.odds:g}"
        plies = tuple(Ply(ply.move, comment=_comment(ply), clock=ply.clock) for ply in self.plies)
        return format_game(GameRecord(plies=plies, result=self.result, fen=self.fen, tags=tags))


def ply_to_json(ply: PlayedPly) -> dict[str, Any]:
    """Return a ply as the journal has it."""
    fields: dict[str, Any] = {"move": str(ply.move)}
    if ply.seconds is not None:
        fields["seconds"] = round(ply.seconds, 6)
    if ply.clock is not None:
        fields["clock"] = round(ply.clock, 6)
    if ply.decision:
        fields["decision"] = {name: _plain(value) for name, value in _trimmed(ply.decision).items()}
    return fields


def ply_from_json(fields: Mapping[str, Any]) -> PlayedPly:
    """Read what :func:`ply_to_json` wrote."""
    return PlayedPly(
        Move.from_uci(fields["move"]), fields.get("seconds"), fields.get("clock"), dict(fields.get("decision", {}))
    )


def _trimmed(decision: Mapping[str, Any]) -> dict[str, Any]:
    """Return a decision without what would only fill the disk: moves that are not played, margins by the hundred."""
    fields = {name: value for name, value in decision.items() if name != "move"}
    if "mixture" in fields:
        fields["mixture"] = [c for n, c in enumerate(fields["mixture"]) if n < KEPT_MOVES or c["probability"] > 0]
    if "margins" in fields:
        fields["margins"] = sorted(fields["margins"])[:KEPT_MARGINS]
    return fields


def _plain(value: Any) -> Any:
    """Return what JSON can say of a value: an agent's notes may hold anything."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return round(value, 6) if math.isfinite(value) else None
        case Mapping():
            return {str(key): _plain(item) for key, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
    return _plain(value.item()) if hasattr(value, "item") and getattr(value, "size", 1) == 1 else str(value)


def _comment(ply: PlayedPly) -> str:
    if ply.seconds is None:
        return "book"
    told, parts = ply.decision, [f"[%emt {ply.seconds:.3f}]"]
    if told.get("value") is not None:
        parts.append(f"value={told['value']:+.3f}")
    for name, short in (("belief_size", "belief"), ("nodes", "nodes"), ("depth", "depth"), ("gadget", "gadget")):
        if told.get(name) is not None:
            sample = "~" if name == "belief_size" and told.get("belief_exact") is False else ""
            parts.append(f"{short}={sample}{told[name]}")
    mixture = [choice for choice in told.get("mixture", ()) if choice["probability"] > 0]
    if len(mixture) > 1 and any(choice["value"] is not None for choice in mixture):
        shown = [f"{choice['move']}:{choice['probability']:.2f}" for choice in mixture[:SHOWN_MOVES]]
        parts.append("mix=" + "/".join(shown) + ("/..." if len(mixture) > SHOWN_MOVES else ""))
    return " ".join(parts)
