"""Who can be played against, and how strongly.

A browser never names an agent's options: it picks one of the agents that the server offers. An option can be a command
(``uci(command=...)``) or a module to import, and those are for whoever starts the server to choose.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from murk.darkchess.agents import AgentSpec, Clock, make_agent, parse_spec
from murk.errors import InputError

__all__ = ["LEVELS", "Level", "Offer", "Offers"]

_TOLD = {
    "murk": "grows and solves the game tree at once",
    "zs25": "the same, as it was published in 2025",
    "zs21": "subgame solving without common knowledge",
    "baseline": "one ply of imperfect information",
    "pimc": "averages over positions it holds possible",
    "greedy": "takes what it sees",
    "random": "any legal move",
    "cheat": "sees the whole board",
}
"""The agents that are always offered; ``uci`` needs a command."""
_WITHOUT_EVALUATOR = frozenset({"random"})
SIMPLE = frozenset({"random", "greedy"})
"""Agents that do not use their time: they answer after :data:`SIMPLE_PACE`."""
SIMPLE_PACE = 0.4


@dataclass(frozen=True)
class Level:
    """How much an agent may think about a move.

    Attributes:
        name: for people.
        seconds: for a move. It is never announced earlier, so that the time it took tells nothing.
        nodes: units of work, for those that shall not use all of that time.
    """

    name: str
    seconds: float
    nodes: int | None = None

    def clock(self, remaining: float | None, increment: float) -> Clock:
        """Return the limits of one move."""
        movetime = self.seconds if self.nodes is None else None
        return Clock(remaining=remaining, increment=increment, movetime=movetime, nodes=self.nodes)


LEVELS: tuple[Level, ...] = (
    Level("Novice", 0.5, nodes=300),
    Level("Quick", 0.5),
    Level("Club", 1.5),
    Level("Strong", 4.0),
    Level("Deep", 10.0),
    Level("Longest", 30.0),
)
"""From the weakest to the strongest."""
DEFAULT_LEVEL = 2
REVIEW = Level("Review", 0.4)
"""Of whoever thinks through a game afterwards, for each ply."""


@dataclass(frozen=True)
class Offer:
    """An agent that can be chosen.

    Attributes:
        name: what it is called in the browser.
        spec: how it is made.
        about: a few words.
        fair: it sees its own side only.
    """

    name: str
    spec: str
    about: str
    fair: bool = True

    def pace(self, level: Level, clock: Clock) -> float:
        """Return the seconds after which a move is announced, whatever it is."""
        budget = clock.budget()
        pace = level.seconds if budget is None else min(level.seconds, budget)
        return min(SIMPLE_PACE, pace) if parse_spec(self.spec).name in SIMPLE else pace


class Offers:
    """All agents that can be chosen; the first is the default.

    Args:
        specs: agents to offer before the usual ones.
        evaluator: the value function of all that have one and are not given another.

    Raises:
        InputError: a spec is malformed, or its agent cannot be made.
    """

    def __init__(self, specs: Sequence[str] = (), *, evaluator: str | None = None) -> None:
        self._offers: dict[str, Offer] = {}
        if evaluator is not None:
            make_agent(AgentSpec("greedy", {"evaluator": evaluator})).close()
        for text in specs:
            offer = _tried(text, evaluator)
            self._offers.setdefault(offer.name, offer)
        for name, about in _TOLD.items():
            spec = AgentSpec(name, {"evaluator": evaluator} if evaluator and name not in _WITHOUT_EVALUATOR else {})
            self._offers.setdefault(name, Offer(name, str(spec), about, name != "cheat"))

    def __iter__(self) -> Iterator[Offer]:
        return iter(self._offers.values())

    @property
    def reviewer(self) -> Offer:
        """Who thinks games through afterwards: the strongest."""
        return self._offers["murk"]

    def get(self, name: object) -> Offer:
        """Return the agent of that name.

        Raises:
            InputError: it is not offered.
        """
        if not isinstance(name, str) or name not in self._offers:
            raise InputError(f"there is no agent {str(name)[:40]!r} here, expected one of {', '.join(self._offers)}")
        return self._offers[name]


def _tried(text: str, evaluator: str | None) -> Offer:
    """Return an agent of somebody's own, after it was made once."""
    spec = parse_spec(text)
    with make_agent(spec) as agent:
        fair = not agent.sees_everything
        takes_evaluator = hasattr(agent, "evaluator")
    if evaluator is not None and takes_evaluator and "evaluator" not in spec.options:
        spec = replace(spec, options={**spec.options, "evaluator": evaluator})
        make_agent(spec).close()
    return Offer(spec.label, str(spec), _TOLD.get(spec.name, "an agent of your own"), fair)
