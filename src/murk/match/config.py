"""What a match is: players, games, clocks, openings, seeds."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from murk.darkchess.agents.spec import AgentSpec, make_agent, parse_spec
from murk.darkchess.referee import TimeControl
from murk.errors import InputError
from murk.match.openings import START, Opening, fingerprint
from murk.match.schedule import Format
from murk.match.sprt import Sprt

__all__ = ["MatchConfig", "Player", "make_players"]


@dataclass(frozen=True)
class Player:
    """An agent in a match.

    Attributes:
        spec: how to make it.
        label: its name in tables, which no other player has.
        disclosure: ``sees everything`` or the like, empty for an honest player.
        odds: how many times the match's time and work it has.
    """

    spec: AgentSpec
    label: str
    disclosure: str = ""
    odds: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.odds < 1e6:
            raise InputError(f"the odds of {self.label} are {self.odds:g}, expected a positive number")

    @property
    def title(self) -> str:
        """The label, and what the player sees if that is more than it should."""
        return f"{self.label} ({self.disclosure})" if self.disclosure else self.label


@dataclass(frozen=True, kw_only=True)
class MatchConfig:
    """A match. Equal configurations play the same games.

    Attributes:
        players: two or more.
        games: for each pairing; even, so that each opening is played with either colour.
        control: time and work.
        form: who plays whom.
        openings: where the rounds begin.
        seed: from which all seeds follow.
        max_plies: a game of so many plies is drawn; ``None`` for the rules alone.
        sprt: a test that may end the match early; for two players.
        stall: seconds after which a player without a limit of time counts as hung.
    """

    players: tuple[Player, ...]
    games: int = 100
    control: TimeControl = field(default_factory=TimeControl)
    form: Format = "round-robin"
    openings: tuple[Opening, ...] = (START,)
    seed: int = 0
    max_plies: int | None = None
    sprt: Sprt | None = None
    stall: float = 300.0

    def __post_init__(self) -> None:
        if len(self.players) < 2:
            raise InputError(f"there are {len(self.players)} players, expected two or more")
        if self.games < 1:
            raise InputError(f"the number of games is {self.games}, expected at least 1")
        if self.sprt is not None and len(self.players) != 2:
            raise InputError(f"the SPRT is for two players, and there are {len(self.players)}")
        if self.max_plies is not None and self.max_plies < 1:
            raise InputError(f"max_plies is {self.max_plies}, expected at least 1")
        if not self.openings:
            raise InputError("there are no openings, expected at least one")
        if not self.stall > 0:
            raise InputError(f"stall is {self.stall}, expected a positive number of seconds")

    def controls(self, white: int, black: int) -> tuple[TimeControl, TimeControl]:
        """Return the time and work of two players, by their numbers."""
        first, second = (self.control.times(self.players[number].odds) for number in (white, black))
        return first, second

    def identity(self) -> dict[str, Any]:
        """Return what the games depend on, as JSON has it; a match can be resumed only with the same.

        The number of games and the SPRT are not part of it: more games may be added, and a test asked for later.
        """
        control = self.control
        players: list[dict[str, Any]] = []
        for p in self.players:
            odds = {} if p.odds == 1.0 else {"odds": p.odds}
            players.append({"agent": str(p.spec), "label": p.label, "disclosure": p.disclosure, **odds})
        return {
            "players": players,
            "form": self.form,
            "base": control.base,
            "increment": control.increment,
            "movetime": control.movetime,
            "nodes": control.nodes,
            "margin": control.margin,
            "openings": fingerprint(self.openings),
            "seed": self.seed,
            "max_plies": self.max_plies,
        }


def make_players(specs: list[str], odds: Sequence[float] = ()) -> tuple[Player, ...]:
    """Read specs and find out, by making each agent once, that they can be made and what they see.

    Agents with the same name get a number: ``random``, ``random#2``. One with odds has them in its name: ``murk x2``.

    Args:
        specs: of each.
        odds: how many times the match's time and work each has; by default once.

    Raises:
        InputError: a spec is malformed, or an agent cannot be made.
    """
    if odds and len(odds) != len(specs):
        raise InputError(f"there are {len(odds)} odds for {len(specs)} agents, expected one for each")
    players: list[Player] = []
    for text, factor in zip(specs, odds or [1.0] * len(specs), strict=True):
        spec = parse_spec(text)
        with make_agent(spec) as agent:
            disclosure = agent.disclosure
        taken = {player.label for player in players}
        name = spec.label if factor == 1.0 else f"{spec.label} x{factor:g}"
        label, number = name, 1
        while label in taken:
            number += 1
            label = f"{name}#{number}"
        players.append(Player(spec, label, disclosure, factor))
    return tuple(players)
