"""The options of the engine: those of the protocol, its own, and those of its agents.

An agent's options are the keywords of its constructor, declared as ``agent.option``: a truth value is a ``check``, a
whole number a ``spin``, one of some words a ``combo``, anything else a ``string``. So a new agent needs nothing here.
"""

import inspect
import typing
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Literal

from murk.darkchess.agents import AGENTS, AgentSpec, make_agent
from murk.darkchess.agents.spec import agent_class, convert
from murk.darkchess.evaluators.choose import make_evaluator
from murk.darkchess.fog_start import opponents_pieces
from murk.errors import InputError
from murk.uci.commands import LARGEST, parse_number, shown

__all__ = ["Option", "Options"]

Kind = Literal["check", "spin", "combo", "string", "button"]
VARIANT = "fogofwar"
BYTES_PER_NODE = 2_400
"""What an expanded node of the agent ``murk`` may take: some 800 bytes, more where infosets are many, and twice that
while a tree is taken over from move to move."""
_EMPTY = "<empty>"
_BY_NAME = ("threads", "evaluator", "max_nodes")
"""Options of agents that are set by options of the engine."""


@dataclass(frozen=True)
class Option:
    """An option as it is declared.

    Attributes:
        name: its name; clients may write it in any case.
        kind: its type in the protocol.
        default: as text.
        low, high: of a ``spin``.
        choices: of a ``combo``.
        annotation: of an agent's option: what its text is converted to.
    """

    name: str
    kind: Kind
    default: str = ""
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()
    annotation: Any = field(default=str, compare=False)

    def declaration(self) -> str:
        """Return the line that declares it."""
        parts = [f"option name {self.name} type {self.kind}"]
        if self.kind != "button":
            parts.append(f"default {self.default or _EMPTY}")
        if self.kind == "spin":
            parts.append(f"min {self.low} max {self.high}")
        parts += [f"var {choice}" for choice in self.choices]
        return " ".join(parts)

    def check(self, value: str) -> str:
        """Return a value as it is kept.

        Raises:
            InputError: it is none that the option can have.
        """
        match self.kind:
            case "check":
                if value.lower() not in ("true", "false"):
                    raise self._wrong(value, "true or false")
                return value.lower()
            case "spin":
                number = parse_number(value)
                if number is None or not self.low <= number <= self.high:
                    raise self._wrong(value, f"a number from {self.low} to {self.high}")
                return str(number)
            case "combo":
                found = next((c for c in self.choices if c.lower() == value.lower()), None)
                if found is None:
                    raise self._wrong(value, f"one of {', '.join(self.choices)}")
                return found
        text = "" if value == _EMPTY else value
        try:
            convert(text, self.annotation)
        except ValueError as error:
            raise self._wrong(value, str(error).removeprefix("expected ")) from None
        return text

    def _wrong(self, value: str, expected: str) -> InputError:
        return InputError(f"the option {self.name} is {shown(value)}, expected {expected}")


class Options:
    """All options and their values."""

    def __init__(self) -> None:
        self.declared = [*_own_options(), *_agents_options()]
        self._by_name = {_key(option.name): option for option in self.declared}
        self._values = {_key(option.name): option.default for option in self.declared}

    def set(self, name: str, value: str | None) -> Option:
        """Set an option and return it.

        Raises:
            InputError: there is no such option, or it cannot be that.
        """
        option = self._by_name.get(_key(name))
        if option is None:
            near = get_close_matches(_key(name), self._by_name, n=1)
            hint = f"; did you mean {self._by_name[near[0]].name}?" if near else ""
            raise InputError(f"there is no option {shown(name)}{hint}")
        if option.kind != "button":
            if value is None:
                raise InputError(f"the option {option.name} was given no value")
            checked = option.check(value)
            if option.name == "Evaluator":
                make_evaluator(checked)
            elif option.name == "FogMaterial":
                opponents_pieces(checked)
            elif "." in option.name:
                agent, _, key = option.name.partition(".")
                make_agent(AgentSpec(agent, {key: checked})).close()  # only the agent knows what is too small or large
            self._values[_key(option.name)] = checked
        return option

    def text(self, name: str) -> str:
        """Return the value of an option."""
        return self._values[_key(name)]

    def number(self, name: str) -> int:
        """Return the value of a ``spin``."""
        return int(self.text(name))

    def on(self, name: str) -> bool:
        """Return the value of a ``check``."""
        return self.text(name) == "true"

    def agent(self) -> AgentSpec:
        """Return the agent that the options describe."""
        name = self.text("Agent")
        known = inspect.signature(agent_class(name)).parameters
        general = {
            "threads": self.text("Threads"),
            "evaluator": self.text("Evaluator"),
            "max_nodes": str(max(10_000, self.number("Hash") * 1_000_000 // BYTES_PER_NODE)),
        }
        chosen = {key: value for key, value in general.items() if key in known}
        for option in self.declared:
            agent, dot, key = option.name.partition(".")
            if dot and agent == name and self.text(option.name) != option.default:
                chosen[key] = self.text(option.name)
        return AgentSpec(name, chosen, name)


def _key(name: str) -> str:
    """Return a name as options are found by: in any case, with spaces or without."""
    return name.lower().replace(" ", "")


def _own_options() -> Iterator[Option]:
    yield Option("UCI_Variant", "combo", VARIANT, choices=(VARIANT,))
    yield Option("Threads", "spin", "1", 1, 256)
    yield Option("Hash", "spin", "960", 24, 9_600)
    yield Option("Clear Hash", "button")
    yield Option("Ponder", "check", "false")
    yield Option("MultiPV", "spin", "1", 1, 218)
    yield Option("UCI_ShowWDL", "check", "false")
    yield Option("UCI_AnalyseMode", "check", "false")
    yield Option("MoveOverhead", "spin", "20", 0, 5_000)
    yield Option("InfoInterval", "spin", "500", 0, 60_000)
    yield Option("Seed", "spin", "0", 0, 2**31 - 1)
    yield Option("Agent", "combo", "murk", choices=tuple(_agents()))
    yield Option("Evaluator", "string", "embedded")
    yield Option("FogMaterial", "string", "mirror")


def _agents() -> list[str]:
    """Return the agents that play by observations alone."""
    return [name for name in AGENTS if not getattr(agent_class(name), "sees_everything", False)]


def _agents_options() -> Iterator[Option]:
    for name in _agents():
        factory = agent_class(name)
        hints = typing.get_type_hints(getattr(factory, "__init__", factory))
        for parameter in inspect.signature(factory).parameters.values():
            if parameter.name not in _BY_NAME and parameter.default is not parameter.empty:
                yield _agents_option(f"{name}.{parameter.name}", parameter.default, hints.get(parameter.name, str))


def _agents_option(name: str, default: Any, annotation: Any) -> Option:
    if annotation is bool:
        return Option(name, "check", str(default).lower())
    if annotation is int:
        return Option(name, "spin", str(default), 0, min(LARGEST, 2**31 - 1))
    if typing.get_origin(annotation) is Literal:
        return Option(name, "combo", str(default), choices=tuple(map(str, typing.get_args(annotation))))
    return Option(name, "string", "" if default is None else f"{default}", annotation=annotation)
