"""``murk convert``: games and solutions as other kinds of file."""

from pathlib import Path
from typing import Any

import click

import murk
from murk.cli.options import Settings, common_options, complete_game, tree_options
from murk.cli.output import check_writable, count, print_facts, print_json, size
from murk.cli.strategies import TEXT_ENDINGS, write_solution
from murk.cli.trees import load_game, open_tree
from murk.errors import InputError
from murk.games.efg import EfgGame, write_efg
from murk.tree.files import read_container

__all__ = ["convert"]

GAME_ENDINGS = (".efg", ".murk")


@click.command(
    short_help="Write a game or a solution as another kind of file.",
    epilog="\b\nExamples:\n  murk convert kuhn_poker kuhn.efg\n  murk convert kuhn.murk kuhn.csv --game kuhn_poker",
)
@click.argument("source", shell_complete=complete_game)
@click.argument("dest", type=click.Path(path_type=Path))
@click.option("--game", metavar="GAME", shell_complete=complete_game, help="The game that a solution is of.")
@click.option("--force", is_flag=True, help="Overwrite DEST.")
@tree_options
@common_options
@click.pass_obj
def convert(settings: Settings, source: str, dest: Path, game: str | None, force: bool) -> None:
    """Write SOURCE as another kind of file, told by the ending of DEST.

    SOURCE is a game, and DEST an .efg file (Gambit's) or a .murk file (the built tree); or SOURCE is a solution saved
    by `murk solve --out`, which needs --game, and DEST is .json or .csv.
    """
    is_solution = _holds_solution(source)
    _check_endings(source, dest, is_solution=is_solution)
    if dest.exists() and not force:
        raise InputError(f"{dest} exists already, expected a new file or --force")
    check_writable(dest)
    if is_solution:
        nodes = _convert_solution(Path(source), dest, game, settings)
    elif game is not None:
        raise InputError(f"--game goes with a solution, and {source} is not one")
    else:
        nodes = _convert_game(source, dest, settings)
    fields: dict[str, Any] = {
        "source": source,
        "dest": dest,
        "kind": "solution" if is_solution else "game",
        "nodes": nodes,
        "bytes": dest.stat().st_size,
    }
    if settings.json:
        print_json(fields)
    else:
        print_facts(str(dest), [("from", source), ("nodes", count(nodes)), ("size", size(fields["bytes"]))])


def _holds_solution(source: str) -> bool:
    """Whether ``source`` is a file of murk's with a solution in it; the checks of a tree come later."""
    if not Path(source).is_file() or source.endswith(".efg"):
        return False
    with Path(source).open("rb") as file:
        is_murk = file.read(5) == b"\x93MURK"
    return is_murk and read_container(source)[0] == "solution"


def _check_endings(source: str, dest: Path, *, is_solution: bool) -> None:
    expected = TEXT_ENDINGS if is_solution else GAME_ENDINGS
    if dest.suffix.lower() not in expected:
        what = f"{source} is a solution" if is_solution else f"{source} is a game"
        raise InputError(f"cannot write {dest}: {what}, expected an ending of {' or '.join(expected)}")


def _convert_solution(source: Path, dest: Path, game: str | None, settings: Settings) -> int:
    if game is None:
        raise InputError(f"{source} is a solution, expected --game to say of which game")
    tree = open_tree(game, settings).tree
    write_solution(murk.load_solution(source, tree), dest)
    return tree.num_nodes


def _convert_game(source: str, dest: Path, settings: Settings) -> int:
    if dest.suffix.lower() == ".efg" and source.endswith(".efg"):
        game = load_game(source, settings)
        assert isinstance(game, EfgGame)
        write_efg(game, dest)  # without a tree of floating-point numbers between, rationals stay exact
        return game.num_nodes
    tree = open_tree(source, settings).tree
    if dest.suffix.lower() == ".efg":
        write_efg(tree, dest)
    else:
        murk.save_tree(tree, dest)
    return tree.num_nodes
