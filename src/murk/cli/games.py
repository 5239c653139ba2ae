"""``murk games``: what there is to solve."""

import fnmatch
import inspect
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import click

from murk.cli.errors import did_you_mean
from murk.cli.options import Settings, common_options, openspiel_names
from murk.cli.output import Fit, print_json, print_table
from murk.games.builtin import BUILTIN

__all__ = ["games"]


@dataclass(frozen=True)
class Listed:
    """One game of the list. A parameter without a default is null in ``parameters``."""

    name: str
    source: str
    description: str
    information: str
    recall: str
    parameters: dict[str, Any]


@click.command(epilog="\b\nExample:\n  murk games poker")
@click.argument("pattern", required=False)
@common_options
@click.pass_obj
def games(settings: Settings, pattern: str | None) -> None:
    """List the games murk knows by name.

    Built-in games, and OpenSpiel's two-player zero-sum games if OpenSpiel is installed. Parameters go in
    brackets after the name, as in "liars_dice(dice_sides=5)". PATTERN is a part of a name or of a description, or a
    pattern with * and ?.

    A game in the list may still be too large to solve, such as chess.
    """
    listed = [*builtin_games(), *openspiel_games()]
    found = [game for game in listed if pattern is None or _matches(game, pattern)]
    if settings.json:
        print_json({"games": [asdict(game) for game in found]})
    elif found:
        rows = [(g.name, g.source, g.description, _parameters(g)) for g in found]
        columns: dict[str, Fit] = {"name": "whole", "source": "whole", "description": "wrap", "parameters": "cut"}
        print_table(f"{len(found)} game{'s' * (len(found) > 1)}", columns, rows)
    else:
        click.echo(f"no game matches {pattern!r}{did_you_mean(pattern or '', [g.name for g in listed])}")
    if not openspiel_names() and not settings.quiet:
        click.echo("OpenSpiel is not installed: pip install 'murk[openspiel]' adds its games", err=True)


def builtin_games() -> Iterator[Listed]:
    """Yield the built-in games with the first line of their documentation."""
    for name, make in BUILTIN.items():
        parameters = {
            key: None if p.default is inspect.Parameter.empty else p.default
            for key, p in inspect.signature(make).parameters.items()
        }
        description = (inspect.getdoc(make) or "").partition("\n")[0].replace("`", "").rstrip(".")
        yield Listed(name, "murk", description, "imperfect", "states", parameters)


def openspiel_games() -> Iterator[Listed]:
    """Yield OpenSpiel's two-player zero-sum games that need no parameters; nothing if it is not installed.

    ``recall`` is ``actions`` where the game has no information states, so that only ``--recall actions`` works.
    """
    if not openspiel_names():
        return
    import pyspiel

    for kind in pyspiel.registered_games():
        if (
            kind.default_loadable
            and kind.utility == pyspiel.GameType.Utility.ZERO_SUM
            and kind.min_num_players <= 2 <= kind.max_num_players
            and kind.chance_mode != pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC
            and kind.dynamics != pyspiel.GameType.Dynamics.MEAN_FIELD
            and (kind.provides_information_state_string or kind.provides_observation_string)
        ):
            information = kind.information.name.lower().replace("_information", "").replace("_", "-")
            recall = "states" if kind.provides_information_state_string else "actions"
            yield Listed(
                kind.short_name, "openspiel", kind.long_name, information, recall, dict(kind.parameter_specification)
            )


def _matches(game: Listed, pattern: str) -> bool:
    if any(c in pattern for c in "*?["):
        return fnmatch.fnmatch(game.name, pattern)
    return pattern.lower() in game.name.lower() or pattern.lower() in game.description.lower()


def _parameters(game: Listed) -> str:
    shown = [key if default is None else f"{key}={default}" for key, default in game.parameters.items()]
    return ",".join(shown).replace("\n", "/")
