"""``murk tree``: draws a game tree, or the gadget of a subgame, with its infosets."""

import math
from pathlib import Path
from typing import Any

import click

import murk
from murk.cli.errors import did_you_mean
from murk.cli.options import Settings, common_options, complete_game, tree_options
from murk.cli.output import check_writable, print_facts, print_json
from murk.cli.trees import open_tree
from murk.errors import InputError
from murk.subgame import make_subgame
from murk.tree import Player, Strategy, Tree, player_of, uniform
from murk.tree.drawing import DRAWN_NODES
from murk.tree.files import write_atomically

__all__ = ["tree"]


@click.command(
    short_help="Draw the tree of GAME, or a gadget, as a picture.",
    epilog="\b\nExamples:\n"
    "  murk tree figure1 --infosets all --out figure1.svg\n"
    "  murk tree leduc_poker --depth 3 --out leduc.svg\n"
    "  murk tree kuhn_poker --gadget maxmargin --infoset 2 --out gadget.svg",
)
@click.argument("game", shell_complete=complete_game)
@click.option("--depth", type=click.IntRange(min=0), metavar="N", help="Draw so many levels below the root.")
@click.option(
    "--limit", type=click.IntRange(min=1), metavar="N", default=DRAWN_NODES, show_default=True, help="Nodes at most."
)
@click.option(
    "--infosets",
    type=click.Choice(["acting", "all", "none"]),
    default="acting",
    show_default=True,
    help="Join those at which their owner moves, or all of both players.",
)
@click.option("--gadget", type=click.Choice(["maxmargin", "resolve"]), help="Draw the gadget of an infoset instead.")
@click.option("--infoset", metavar="I", help="The infoset, by name or number.")
@click.option("--player", type=click.Choice(["max", "min"]), default="max", show_default=True, help="Whose infoset.")
@click.option("--order", metavar="K", default="1", show_default=True, help="Of knowledge: odd, or inf.")
@click.option(
    "--blueprint",
    type=click.Choice(["uniform", "equilibrium"]),
    default="uniform",
    show_default=True,
    help="What is played outside the gadget.",
)
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="The picture (.svg); else it is printed.")
@tree_options
@common_options
@click.pass_obj
def tree(settings: Settings, /, game: str, **options: Any) -> None:
    """Draw the tree of GAME as an SVG picture, infosets as dotted lines.

    MAX is red, MIN is blue, as in the paper. With --gadget it is what Algorithm 1 makes of an infoset: the opponent
    enters at the top, with her alternate values as extra payoffs that the picture does not show.
    """
    out = options["out"]
    if out is not None:
        check_writable(out)
        if out.suffix.lower() != ".svg":
            raise InputError(f"cannot draw {out}: expected an ending of .svg")
    if (options["gadget"] is None) != (options["infoset"] is None):
        raise InputError("--gadget and --infoset go together: say which gadget, and of which infoset")
    drawn = opened = open_tree(game, settings).tree
    if options["gadget"] is not None:
        drawn = gadget_tree(
            opened, **{key: options[key] for key in ("gadget", "infoset", "player", "order", "blueprint")}
        )
    picture = drawn.to_svg(depth=options["depth"], limit=options["limit"], infosets=options["infosets"])
    if out is not None:
        write_atomically(out, [picture.encode()])
    facts = {"game": opened.name, "drawn": drawn.name, "nodes": drawn.num_nodes, "depth": int(drawn.depths().max())}
    if settings.json:
        print_json({**facts, "out": out, "svg": None if out is not None else picture})
    elif out is None:
        click.echo(picture)
    elif not settings.quiet:
        print_facts(drawn.name, [("nodes", f"{drawn.num_nodes:,}"), ("picture in", str(out))])


def gadget_tree(game: Tree, *, gadget: str, infoset: str, player: str, order: str, blueprint: str) -> Tree:
    """Return the tree of a gadget, with the names of the game."""
    who = player_of(player)
    number = find_infoset(game, who, infoset)
    strategy: Strategy = uniform(game, who) if blueprint == "uniform" else murk.solve(game).strategy(who)
    subgame = make_subgame(game, strategy, number, order=_order(order))
    if gadget == "resolve":
        subgame = subgame.to_resolve()
    return subgame.named_tree()


def find_infoset(game: Tree, player: Player, text: str) -> int:
    """Return the number of an infoset of ``player`` at which she acts, given by name or number.

    Raises:
        InputError: there is none.
    """
    acting: list[int] = game.acting_infosets(player).tolist()
    names = {game.infoset_name(player, i): i for i in acting}
    if text in names:
        return names[text]
    if text.isdecimal() and int(text) in acting:
        return int(text)
    hint = (
        did_you_mean(text, names) or f": it has {len(acting)}, numbered {acting[0]} to {acting[-1]}" if acting else ""
    )
    raise InputError(f"{player.name} acts at no infoset {text!r} of {game.name}{hint}")


def _order(text: str) -> float:
    if text == "inf":
        return math.inf
    if not text.isdecimal():
        raise InputError(f"--order is {text!r}, expected an odd number or inf")
    return int(text)
