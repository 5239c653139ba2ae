"""``murk solve``: find an equilibrium, watch it come, keep it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

import murk
from murk import plots
from murk.cli.errors import INTERRUPTED, Interrupted
from murk.cli.options import Settings, common_options, complete_from, complete_game, one_of, tree_options
from murk.cli.output import check_writable, count, gap, number, print_facts, print_json, seconds
from murk.cli.progress import solve_line
from murk.cli.strategies import write_solution
from murk.cli.trees import OpenedTree, open_tree
from murk.errors import InputError
from murk.solvers import METHODS, VARIANTS, Limits, Solution, epsilon_uniform
from murk.tree import player_of

__all__ = ["solve"]


@dataclass(frozen=True, kw_only=True)
class Request:
    """What the options of one call ask for."""

    method: str
    target: float | None
    time: float | None
    iterations: int | None
    player: str
    epsilon: float | None
    threads: int
    out: Path | None
    resume: Path | None
    plot: Path | None


_FILE = click.Path(path_type=Path)


@click.command(
    epilog="\b\nExamples:\n"
    "  murk solve kuhn_poker\n"
    "  murk solve leduc_poker --method dcfr --target 1e-3 --out leduc.murk --plot leduc.png\n"
    "  murk solve leduc_poker --resume leduc.murk --time 10 --out leduc.murk"
)
@click.argument("game", shell_complete=complete_game)
@click.option(
    "--method",
    metavar="|".join(METHODS),
    default="auto",
    show_default=True,
    callback=one_of(METHODS),
    shell_complete=complete_from(METHODS),
    help="How to solve it. lp is simplex or ipm by size.",
)
@click.option("--target", type=float, metavar="E", help="Stop at this exploitability.")
@click.option("--time", type=float, metavar="SECONDS", help="Stop after this time.")
@click.option("--iterations", type=click.IntRange(min=1), metavar="N", help="Stop after so many iterations.")
@click.option(
    "--player",
    type=click.Choice(["max", "min"]),
    default="max",
    show_default=True,
    help="Whose linear program to solve; regret minimisation is for both.",
)
@click.option(
    "--epsilon",
    type=float,
    metavar="E",
    help="Make --player choose each of m actions with probability E/m or more. LP only.",
)
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    metavar="N",
    default=1,
    show_default=True,
    help="Threads of regret minimisation.",
)
@click.option(
    "--out", type=_FILE, metavar="FILE", help="Keep the solution; .json and .csv are text, others murk's own."
)
@click.option("--resume", type=_FILE, metavar="FILE", help="Go on from a solution kept by --out.")
@click.option("--plot", type=_FILE, metavar="FILE", help="Draw exploitability over time (.png, .svg, .pdf).")
@tree_options
@common_options
@click.pass_context
def solve(ctx: click.Context, /, game: str, **options: Any) -> None:
    """Find an equilibrium of GAME.

    Without a limit the answer is exact where the game is small enough; a regret-minimising method asked for by name
    runs 1,000 iterations. Ctrl-C ends such a run early, and what it has found so far is kept and shown.
    """
    settings: Settings = ctx.obj
    request = Request(**options)
    Limits(target=request.target, seconds=request.time, iterations=request.iterations)  # before the tree is built
    _check_files(request, game)
    opened = open_tree(game, settings)
    solution = _run(opened.tree, request, settings)
    if request.out is not None:
        write_solution(solution, request.out)
    if request.plot is not None:
        plots.plot_exploitability({solution.method: solution}, request.plot, title=opened.tree.name)
    if settings.json:
        print_json(_for_machines(solution, opened, request))
    else:
        print_facts(opened.tree.name, _for_people(solution, opened, request))
    if solution.stopped == "interrupted":
        ctx.exit(INTERRUPTED)


def _check_files(request: Request, game: str) -> None:
    """Find what is wrong with the files before any work is done."""
    for path in filter(None, (request.out, request.plot)):
        check_writable(path)
        if Path(game).exists() and path.exists() and path.samefile(game):
            raise InputError(f"{path} is the game itself, expected another file to write to")
    if request.out is not None and request.out == request.plot:
        raise InputError(f"--out and --plot are both {request.out}, expected two files")
    if request.resume is not None and not request.resume.exists():
        raise InputError(f"cannot read {request.resume}: No such file or directory")
    if request.plot is not None:
        plots.check_plot(request.plot)


def _run(tree: murk.Tree, request: Request, settings: Settings) -> Solution:
    earlier = None if request.resume is None else _load_resumable(request.resume, tree)
    player = player_of(request.player)
    with solve_line(tree.name, settings) as progress:
        solution = murk.solve(
            tree,
            request.method,
            target=request.target,
            seconds=request.time,
            iterations=request.iterations,
            player=player,
            lower=None if request.epsilon is None else epsilon_uniform(tree, player, request.epsilon),
            threads=request.threads,
            resume=earlier,
            progress=progress,
        )
    if solution.stopped == "interrupted" and solution.method not in VARIANTS:
        raise Interrupted  # half a linear program is worth nothing
    return solution


def _load_resumable(path: Path, tree: murk.Tree) -> Solution:
    earlier = murk.load_solution(path, tree)
    if earlier.state is None:
        raise InputError(
            f"cannot go on from {path}: it was solved by {earlier.method}, expected one of {', '.join(VARIANTS)}"
        )
    return earlier


def _for_machines(solution: Solution, opened: OpenedTree, request: Request) -> dict[str, Any]:
    return {
        **solution.to_dict(),
        "epsilon": request.epsilon,
        "nodes": opened.tree.num_nodes,
        "build_seconds": opened.seconds,
        "tree_from": opened.origin,
        "out": request.out,
        "plot": request.plot,
    }


def _for_people(solution: Solution, opened: OpenedTree, request: Request) -> list[tuple[str, str]]:
    speed = f", {count(solution.iterations / max(solution.seconds, 1e-9))} a second"
    facts = [
        ("method", solution.method),
        ("value", number(solution.value)),
        ("exploitability", gap(solution.exploitability)),
        ("guaranteed", f"MAX gets {number(solution.lower)} or more, MIN pays {number(solution.upper)} or less"),
        ("iterations", count(solution.iterations) + (speed if solution.method in VARIANTS else "")),
        ("seconds", f"{solution.seconds:.3g} (tree {opened.describe()} in {seconds(opened.seconds)})"),
        ("stopped", solution.stopped),
    ]
    facts += [("kept in", str(request.out))] if request.out is not None else []
    facts += [("plot in", str(request.plot))] if request.plot is not None else []
    return facts
