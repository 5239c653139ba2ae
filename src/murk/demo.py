"""``make demo``: a few games solved in a few seconds, with what came out.

Three games by linear programming and by two kinds of regret minimisation; how much a blueprint loses for having to
play every action a little; the same exploitability measured by OpenSpiel; and a plot. Nothing is read but what is
installed, and without OpenSpiel built-in games take the place of its own.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

import murk
from murk import plots
from murk.errors import MissingDependencyError
from murk.games.openspiel import import_pyspiel
from murk.games.policy import to_openspiel_policy
from murk.solvers import VARIANTS, Solution, epsilon_uniform

__all__ = ["main"]

PLOT = Path("results") / "demo-exploitability.png"
METHODS = ("lp", "dcfr", "pcfr+")
SECONDS = 2.0
RELATIVE_TARGET = 1e-6
"""Regret minimisation stops at this part of the range of payoffs, or after ``SECONDS``."""


@dataclass(frozen=True)
class Showcase:
    """A game and the value it is known to have."""

    title: str
    spec: str
    value: float


OPENSPIEL = (
    Showcase("Kuhn poker", "kuhn_poker", -1 / 18),
    Showcase("Leduc poker", "leduc_poker", -0.085606424078),
    Showcase("liar's dice, 5 sides", "liars_dice(dice_sides=5)", 0.008),
)
BUILTIN = (
    Showcase("4-matching pennies", "matching_pennies(n=4)", 0.95),
    Showcase("the paper's figure 1", "figure1", 0.76),
    Showcase("a counterexample", "counterexample(n=1000)", 0.0),
)


def main() -> None:
    """Run the demonstration."""
    started = time.perf_counter()
    out = Console(highlight=False)
    out.rule(f"murk {murk.__version__}")
    games = _games(out)
    solutions = show_solutions(out, games)
    show_blueprints(out)
    if games is OPENSPIEL:
        show_agreement(out)
    show_plot(out, solutions)
    out.print(f"\nAll of it took {time.perf_counter() - started:.1f} s. Try next (`make` puts murk in .venv/bin):\n")
    for command, purpose in NEXT.items():
        out.print(f"  {command:<66} [dim]{purpose}[/]", soft_wrap=True)


NEXT = {
    "murk games": "what there is to solve",
    "murk info leduc_poker": "how large it is",
    "murk solve leduc_poker --target 1e-4 --plot leduc.png": "watch it converge",
    "murk solve examples/rock_paper_scissors.py:RockPaperScissors": "a game of your own",
    "make bench": "murk beside OpenSpiel, LiteEFG and Gambit",
}


def _games(out: Console) -> tuple[Showcase, ...]:
    try:
        import_pyspiel()
    except MissingDependencyError:
        out.print("OpenSpiel is not installed, so these are built-in games: pip install 'murk[openspiel]' for more.\n")
        return BUILTIN
    return OPENSPIEL


def show_solutions(out: Console, games: tuple[Showcase, ...]) -> dict[str, Solution]:
    """Solve each game by each method, show a table, and return the solutions of the largest game."""
    table = Table(title="Three games, three methods", title_justify="left", box=box.SIMPLE_HEAD)
    for name in ("game", "method", "value", "known", "exploitability", "seconds", "iterations/s"):
        table.add_column(name, justify="left" if name in ("game", "method") else "right")
    largest: dict[str, Solution] = {}
    most_nodes = 0
    for game in games:
        with out.status(f"solving {game.title}"):
            tree = murk.build(game.spec)
            solutions = dict(solve_all(tree))
        for row, (method, solution) in enumerate(solutions.items()):
            table.add_row(*_cells(game, tree, solution, method, first=row == 0), end_section=row == len(METHODS) - 1)
        if tree.num_nodes > most_nodes:
            most_nodes, largest = tree.num_nodes, solutions
    out.print(table)
    return largest


def solve_all(tree: murk.Tree) -> Iterator[tuple[str, Solution]]:
    """Yield a solution by each method."""
    low, high = tree.utility_range()
    for method in METHODS:
        if method in VARIANTS:
            yield method, murk.solve(tree, method, target=RELATIVE_TARGET * (high - low), seconds=SECONDS)
        else:
            yield method, murk.solve(tree, method)


def _cells(game: Showcase, tree: murk.Tree, solution: Solution, method: str, *, first: bool) -> list[str]:
    speed = f"{solution.iterations / solution.seconds:,.0f}" if method in VARIANTS else ""
    return [
        f"{game.title} [dim]({tree.num_nodes:,} nodes)[/]" if first else "",
        method,
        f"{solution.value:.6f}",
        f"{game.value:.6f}" if first else "",
        f"{solution.exploitability:.1e}",
        f"{solution.seconds:.4f}",
        speed,
    ]


def show_blueprints(out: Console) -> None:
    """Show what MAX loses when she must play every action with probability epsilon / 2 or more."""
    tree = murk.build("matching_pennies(n=100)")
    value = murk.solve(tree, "lp").value
    losses = {}
    for epsilon in (0.5, 0.4, 0.3, 0.2, 0.1, 0.0):
        floor = epsilon_uniform(tree, murk.MAX, epsilon)
        blueprint = murk.solve(tree, "lp", lower=floor).strategy(murk.MAX)
        losses[epsilon] = murk.side_exploitability(blueprint, value)
    out.print("Blueprints of 100-matching pennies: the best that plays each action with probability epsilon/2 or more")
    out.print("[dim]  epsilon  loses to a best response[/]")
    most = max(losses.values())
    for epsilon, loss in losses.items():
        bar = "█" * round(30 * loss / most) if loss > 0 else ""
        out.print(f"  {epsilon:<7}  {abs(loss):<8.4f} {bar}")


def show_agreement(out: Console) -> None:
    """Measure the same unfinished strategies of Kuhn poker here and with OpenSpiel."""
    try:
        from open_spiel.python.algorithms.exploitability import exploitability
    except ImportError as error:
        out.print(f"\nOpenSpiel's own exploitability cannot be had: {error}")
        return
    solution = murk.solve(murk.build("kuhn_poker"), "cfr", iterations=20)
    policy = to_openspiel_policy(solution.profile, "kuhn_poker")
    theirs = float(exploitability(policy.game, policy))
    verdict = "the same" if abs(theirs - solution.exploitability) < 1e-12 else "NOT the same"
    out.print(
        f"\nKuhn poker after 20 iterations of CFR: exploitability {solution.exploitability:.12f},"
        f" by OpenSpiel's own code {theirs:.12f}: {verdict}."
    )


def show_plot(out: Console, solutions: dict[str, Solution]) -> None:
    """Draw how fast the largest game was solved."""
    try:
        PLOT.parent.mkdir(parents=True, exist_ok=True)
        title = next(iter(solutions.values())).tree.name
        plots.plot_exploitability(solutions, PLOT, title=title)
    except MissingDependencyError as error:
        out.print(f"\nNo plot: {error}")
    else:
        out.print(f"\nExploitability over time is drawn in {PLOT}.")


if __name__ == "__main__":
    main()
