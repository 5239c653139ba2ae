"""Three rows of Table 1 of [ZS21], with exploitability on the way from the blueprint to the refined strategy."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from murk.experiments.games import EPSILON, Case, chosen
from murk.experiments.refined import blueprint_of
from murk.games.policy import to_openspiel_policy
from murk.solvers import nash_conv
from murk.subgame import NestedOptions
from murk.subgame.nested import all_steps
from murk.tree import MAX, Profile, Strategy

__all__ = ["SHOWN", "Falling", "falling", "show_agreement", "show_table1", "sparkline"]

SHOWN = {"kuhn": "Kuhn poker", "leduc": "Leduc poker", "goofspiel_random": "4-card Goofspiel"}
"""The rows, by what they go by on the command line, with names that are short enough."""
BARS = "▁▂▃▄▅▆▇█"
WIDTH = 16


@dataclass(frozen=True, eq=False)
class Falling:
    """A row of the table.

    Attributes:
        case: the game, with the paper's figures.
        curve: exploitability of the blueprint, and after each solve as far as the strategy then was refined.
        profile: the refined strategy, and the opponent's side of the blueprint.
    """

    case: Case
    curve: tuple[float, ...]
    profile: Profile


def falling(case: Case, report: Callable[[int, float], None] = lambda solved, gap: None) -> Falling:
    """Refine a blueprint at every infoset by nested 1-KLSS, measuring the strategy after each solve.

    Args:
        case: a row of Table 1.
        report: told the number of subgames solved and the exploitability then.
    """
    blueprint = blueprint_of(case.name, EPSILON, "sequential")
    tree = blueprint.profile.max.tree
    behaviour = blueprint.profile.max.behaviour()
    strategy = blueprint.profile.max
    curve = [blueprint.exploitability(strategy)]
    options = NestedOptions(refinement="sequential", lower=blueprint.lower)
    for step in all_steps(blueprint.profile.max, options):
        first, there = int(tree.infoset_first(MAX)[step.infoset]), step.solution.behaviour()
        behaviour[first : first + len(there)] = there
        strategy = Strategy.from_behaviour(tree, MAX, behaviour)
        curve.append(blueprint.exploitability(strategy))
        report(len(curve) - 1, curve[-1])
    return Falling(case, tuple(curve), Profile(strategy, blueprint.profile.min))


def sparkline(values: Sequence[float], width: int = WIDTH) -> str:
    """Return a curve as a line of bars, the lowest of its values as the lowest bar and the highest as the highest."""
    low, high = min(values), max(values)
    scale = (len(BARS) - 1) / (high - low) if high > low else 0.0
    picked = (values[round(i * (len(values) - 1) / (width - 1))] for i in range(width))
    return "".join(BARS[round((value - low) * scale)] for value in picked)


def show_table1(out: Console) -> None:
    """Compute and show the rows."""
    out.print(
        Text("Table 1 of the paper, three rows.", style="bold"),
        "A blueprint that must play every action now and then can be exploited. Solve a subgame at every infoset it "
        "reaches, looking only at the nodes it may be at (1-KLSS), and exploitability falls, solve by solve:\n",
        sep="\n",
    )
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True)
    for name in ("game", "nodes", "before", "exploitability", "after", "paper"):
        table.add_column(Text(name), justify="right" if name == "nodes" else "left", no_wrap=True)
    for name, title in SHOWN.items():
        (case,) = chosen([name])
        row = _watched(out, case)
        table.add_row(
            title,
            f"{row.profile.max.tree.num_nodes:,}",
            f"{row.curve[0]:.4f}",
            Text(sparkline(row.curve), style="cyan"),
            Text(f"{row.curve[-1]:.4f}", style="bold"),
            f"0{case.blueprint.text} → 0{case.after.text}",
        )
    out.print(table)


def _watched(out: Console, case: Case) -> Falling:
    """Compute a row; at a terminal the exploitability is seen to fall."""
    if not out.is_terminal:
        return falling(case)
    with out.status(Text(case.title)) as status:

        def report(solved: int, gap: float) -> None:
            status.update(Text(f"{case.title}: {solved:,} subgames solved, exploitability {gap:.4f}"))

        return falling(case, report)


def show_agreement(out: Console) -> None:
    """Measure the refined strategy of Kuhn poker here and with OpenSpiel."""
    try:
        from open_spiel.python.algorithms.exploitability import nash_conv as openspiel_nash_conv
    except ImportError as error:
        out.print(f"\nOpenSpiel's own measure cannot be had: {error}", soft_wrap=True)
        return
    (case,) = chosen(["kuhn"])
    profile = falling(case).profile
    ours, policy = nash_conv(profile), to_openspiel_policy(profile, case.spec)
    theirs = float(openspiel_nash_conv(policy.game, policy))
    verdict = "the same" if abs(ours - theirs) < 1e-12 else "NOT the same"
    out.print(f"\nNashConv of the refined Kuhn poker: {ours:.12f}; by OpenSpiel's own code {theirs:.12f}: {verdict}.\n")
