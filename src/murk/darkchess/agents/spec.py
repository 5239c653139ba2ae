"""Agents from text: ``name``, or ``name(option=value, ...)`` as in ``zs21(particles=200)``.

A value may be put in quotation marks, and may itself have brackets: ``pimc(evaluator=stockfish(depth=2))``. The
options are the keywords of the agent's constructor, and are converted to what their annotations say. One option
belongs to every agent: ``label``, what it is called in tables.
"""

import inspect
import re
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from murk.darkchess.agents.base import Agent
from murk.errors import InputError
from murk.games.load import import_named

__all__ = ["AGENTS", "AgentSpec", "agent_class", "convert", "make_agent", "parse_call", "parse_spec", "register_agent"]

AGENTS: dict[str, str | Callable[..., Agent]] = {
    "murk": "murk.darkchess.agents.growing:MurkAgent",
    "zs25": "murk.darkchess.agents.growing:ZS25Agent",
    "zs21": "murk.darkchess.agents.zs21:ZS21Agent",
    "baseline": "murk.darkchess.agents.baseline:BaselineAgent",
    "pimc": "murk.darkchess.agents.pimc:PimcAgent",
    "greedy": "murk.darkchess.agents.greedy:GreedyAgent",
    "random": "murk.darkchess.agents.random:RandomAgent",
    "cheat": "murk.darkchess.agents.cheat:CheatAgent",
    "uci": "murk.darkchess.agents.uci:UciAgent",
}
"""Each agent by name: its class, or where to import it from."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.+-]*")
_OPENING, _CLOSING = "([{", ")]}"


@dataclass(frozen=True)
class AgentSpec:
    """An agent that can be made, here or in another process.

    Attributes:
        name: of the agent.
        options: its options as text, without the label.
        label: what to call it.
    """

    name: str
    options: Mapping[str, str] = field(default_factory=dict)
    label: str = ""

    def __str__(self) -> str:
        if not self.options:
            return self.name
        return f"{self.name}({','.join(f'{key}={_quoted(value)}' for key, value in self.options.items())})"


def register_agent(name: str, agent: str | Callable[..., Agent]) -> None:
    """Make an agent known by a name: its class, or ``"module:Class"``."""
    if not _NAME.fullmatch(name):
        raise InputError(f"cannot call an agent {name!r}: expected a word of letters, digits and -._+")
    AGENTS[name] = agent


def parse_spec(text: str) -> AgentSpec:
    """Read an agent's spec. A class of one's own is ``module:Class`` or ``file.py:Class``, with options or without.

    Raises:
        InputError: it is malformed, or there is no such agent.
    """
    name, options = parse_call(text)
    if name not in AGENTS and ":" not in name:
        near = get_close_matches(name, AGENTS, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise InputError(f"there is no agent {name!r}: expected one of {', '.join(AGENTS)}{hint}")
    label = options.pop("label", "")
    spec = AgentSpec(name, options, label)
    return AgentSpec(name, options, label or str(spec))


def make_agent(spec: str | AgentSpec) -> Agent:
    """Return the agent that a spec describes.

    Raises:
        InputError: there is no such agent, or an option is unknown or cannot be what was given.
    """
    if isinstance(spec, str):
        spec = parse_spec(spec)
    factory = agent_class(spec.name)
    return factory(**_converted(spec, factory))


def parse_call(text: str) -> tuple[str, dict[str, str]]:
    """Split ``name(key=value, ...)`` into the name and the options as text.

    Raises:
        InputError: it is malformed.
    """
    text = text.strip()
    head, bracket, rest = text.partition("(")
    name = head.strip()
    if not name or (bracket and not rest.endswith(")")):
        raise InputError(f"cannot read {text!r}: expected a name, or name(option=value, ...)")
    options: dict[str, str] = {}
    for part in _split(rest[:-1], text) if bracket else ():
        key, equals, value = part.partition("=")
        key = key.strip()
        if not equals or not key:
            raise InputError(f"cannot read {part.strip()!r} in {text!r}: expected option=value")
        if key in options:
            raise InputError(f"the option {key!r} is given twice in {text!r}")
        options[key] = _unquoted(value.strip())
    return name, options


def _split(text: str, whole: str) -> Iterator[str]:
    """Yield what stands between commas that are in no brackets and no quotation marks."""
    depth, quote, part = 0, "", ""
    for letter in text:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter in _OPENING:
            depth += 1
        elif letter in _CLOSING:
            depth -= 1
        if letter == "," and depth == 0 and not quote:
            yield part
            part = ""
        else:
            part += letter
        if depth < 0:
            break
    if depth or quote:
        raise InputError(f"cannot read {whole!r}: a bracket or quotation mark has no partner")
    if part.strip():
        yield part


def _quoted(value: str) -> str:
    plain = not re.search(r"[\s,()'\"\[\]{}]", value) or (value.endswith(")") and _NAME.match(value) is not None)
    if plain:
        return value
    return f"'{value}'" if "'" not in value else f'"{value}"'


def _unquoted(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "'\"":
        return value[1:-1]
    return value


def agent_class(name: str) -> Callable[..., Agent]:
    """Return what makes the agent of a name: its class, mostly.

    Raises:
        InputError: it cannot be imported.
    """
    factory = AGENTS.get(name, name)
    if not isinstance(factory, str):
        return factory
    try:
        found = import_named(factory)
    except InputError as error:
        raise InputError(f"cannot load the agent {name!r}: {error}") from None
    if not callable(found):
        raise InputError(f"{factory} is not an agent: expected a class")
    return typing.cast(Callable[..., Agent], found)


def _converted(spec: AgentSpec, factory: Callable[..., Agent]) -> dict[str, Any]:
    parameters = inspect.signature(factory).parameters
    init = factory.__init__ if isinstance(factory, type) else factory  # type: ignore[misc]
    hints = typing.get_type_hints(init)
    rest = next((p.name for p in parameters.values() if p.kind is p.VAR_KEYWORD), None)
    known = [p.name for p in parameters.values() if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)]
    values = {}
    for key, text in spec.options.items():
        if key not in known and rest is None:
            near = get_close_matches(key, known, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            expected = f"expected one of {', '.join(known)}" if known else "it has none"
            raise InputError(f"the agent {spec.name} has no option {key!r}: {expected}{hint}")
        kind = hints.get(key if key in known else rest or "", str)
        try:
            values[key] = convert(text, kind)
        except ValueError as error:
            raise InputError(f"the option {key} of {spec.name} is {text!r}, {error}") from None
    needed = [p.name for p in parameters.values() if p.name in known and p.default is p.empty and p.name not in values]
    if needed:
        raise InputError(f"the agent {spec.name} needs the option {needed[0]!r}: {spec.name}({needed[0]}=...)")
    return values


_WORDS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


def convert(text: str, kind: Any) -> Any:
    """Return ``text`` as what an annotation says: a number, a truth value, one of some words, or text.

    Raises:
        ValueError: it is none. The message says what was expected.
    """
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return _one_of(text, arguments)
    if origin is typing.Literal:
        if text not in arguments:
            raise ValueError(f"expected one of {', '.join(map(str, arguments))}")
        return text
    if kind is bool:
        if text.lower() not in _WORDS:
            raise ValueError("expected yes or no")
        return _WORDS[text.lower()]
    if kind in (int, float):
        return _number(text, kind)
    return text


def _one_of(text: str, kinds: tuple[Any, ...]) -> Any:
    if type(None) in kinds and text.lower() in ("none", ""):
        return None
    problem = ValueError("expected none")
    for kind in (kind for kind in kinds if kind is not type(None)):
        try:
            return convert(text, kind)
        except ValueError as error:
            problem = error
    raise problem


def _number(text: str, kind: type[int] | type[float]) -> int | float:
    try:
        value = float(text.replace("_", ""))
        if kind is int:
            if value != int(value):
                raise ValueError
            return int(text.replace("_", "")) if "e" not in text.lower() else int(value)
    except (ValueError, OverflowError):
        raise ValueError(f"expected a {'whole ' if kind is int else ''}number") from None
    return value
