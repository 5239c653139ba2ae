"""``murk bench subgames``: nested 1-KLSS over the rows of Table 1, beside a naive Python loop.

The loop is ``benchmarks/naive_table1.py`` of the source tree, in its two tempers: as the pseudocode stands, and looking
at no more than it has to. That it solves the same programs is checked by the margins of the first subgames.
"""

import importlib.util
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType

import click

import murk
from murk.bench.measure import best_of, cpu_seconds
from murk.bench.report import Row, make_row
from murk.cli import options
from murk.cli.native_stderr import muted_native_stderr
from murk.cli.output import check_writable
from murk.errors import BackendError
from murk.experiments.blueprint import Blueprint
from murk.experiments.games import CASES, EPSILON, Case, chosen
from murk.experiments.refined import blueprint_of
from murk.subgame import NestedOptions, refine_everywhere, start_chain
from murk.tree import MAX

__all__ = ["measure", "subgames"]

METRIC = "nested_klss_seconds"
TEMPERS = {"naive": "as the pseudocode stands", "careful": "only what it needs"}
SLOW = ("liars_dice", "goofspiel_random")
"""Rows that take the naive loop more than a few seconds."""
_TOLERANCE = 1e-6


def measure(
    cases: Sequence[Case],
    *,
    peers: bool = True,
    repeat: int = 3,
    script: Path | None = None,
    progress: Callable[[str], None] = lambda text: None,
) -> Iterator[Row]:
    """Yield a row for each case and temper, and at the end one for all of them together.

    Raises:
        BackendError: the loop and murk disagree about a margin.
    """
    path = script or Path(murk.__file__).parents[2] / "benchmarks" / "naive_table1.py"
    loop = _loaded(path) if peers and path.exists() else None
    missing = f"{path.name} is not there: it comes with the source tree" if peers and loop is None else None
    total, theirs = 0.0, dict.fromkeys(TEMPERS, 0.0)
    nodes = 0
    for case in cases:
        progress(case.title)
        blueprint = blueprint_of(case.name, EPSILON)
        tree = blueprint.profile.max.tree
        ours = _ours(blueprint, repeat)
        total, nodes = total + ours, nodes + tree.num_nodes
        if loop is None:
            yield make_row(METRIC, case=case.name, nodes=tree.num_nodes, ours=ours, note=missing)
            continue
        for temper, method in TEMPERS.items():
            progress(f"{case.title}, {temper} loop")
            seconds = _theirs(loop, blueprint, temper)
            theirs[temper] += seconds
            yield _row(case.name, tree.num_nodes, ours, method, seconds)
    if loop is not None and len(cases) > 1:
        for temper, method in TEMPERS.items():
            yield _row(f"{len(cases)} rows of Table 1", nodes, total, method, theirs[temper])


def _row(case: str, nodes: int, ours: float, method: str, seconds: float) -> Row:
    return make_row(
        METRIC, case=case, nodes=nodes, ours=ours, peer="Python loop", peer_method=method, peer_value=seconds
    )


def _ours(blueprint: Blueprint, repeat: int) -> float:
    def job(count: int) -> None:
        for _ in range(count):
            refine_everywhere(blueprint.profile.max, NestedOptions(lower=blueprint.lower))

    return best_of(job, repeat=repeat)[0].seconds


def _theirs(loop: ModuleType, blueprint: Blueprint, temper: str) -> float:
    """Return the CPU seconds of one run of the loop: it is slow enough not to need more."""
    x = blueprint.profile.max
    started = cpu_seconds()
    game, lower = loop.NaiveGame(x.tree), loop.behaviour_of(x, blueprint.lower)
    _, margins = loop.refine(game, loop.behaviour_of(x), lower, careful=temper == "careful")
    seconds = cpu_seconds() - started
    _agree(blueprint, margins, temper)
    return seconds


def _agree(blueprint: Blueprint, margins: dict[int, float], temper: str) -> None:
    tree, options_ = blueprint.profile.max.tree, NestedOptions(lower=blueprint.lower)
    low, high = tree.utility_range()
    for infoset, margin in margins.items():
        if tree.infoset_parent(MAX)[infoset] != 0:
            continue  # what comes later depends on which optimal strategy was taken before
        ours = start_chain(blueprint.profile.max, infoset, options_).solution.value
        if not abs(ours - margin) <= _TOLERANCE * (high - low):
            raise BackendError(
                f"murk and the {temper} loop disagree on {tree.name} about the margin at infoset {infoset}: "
                f"{ours:.9g} and {margin:.9g}"
            )


def _loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("_murk_naive_table1", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up there
    spec.loader.exec_module(module)
    return module


@click.command(
    short_help="Nested 1-KLSS beside a plain Python loop.", epilog="\b\nExample:\n  murk bench subgames --quick"
)
@click.option("--case", "names", multiple=True, metavar="NAME", help="Only this row of Table 1 (repeatable).")
@click.option("--quick/--full", default=False, help="Leave out the two rows that take the loop minutes.")
@click.option("--peers/--no-peers", default=True, help="Run the loop too (default), or murk alone.")
@click.option("--repeat", type=click.IntRange(min=1), default=3, show_default=True, metavar="N",
              help="Runs of murk, of which the best counts.")  # fmt: skip
@click.option("--csv", "csv_file", type=click.Path(dir_okay=False, path_type=Path),
              help="Write the rows to this CSV file.")  # fmt: skip
@options.common_options
@click.pass_context
def subgames(
    context: click.Context, names: tuple[str, ...], quick: bool, peers: bool, repeat: int, csv_file: Path | None
) -> None:
    """Measure nested 1-KLSS over Table 1 beside a naive Python loop that assembles each program from scratch.

    CPU seconds of one thread. A ratio above 1 means that murk is ahead. Ctrl-C shows what was measured so far.
    """
    from murk.bench.cli import _INTERRUPTED, _progress_line, _show  # that module imports this one

    shared: options.Settings = context.obj
    cases = chosen(names) if names else [case for case in CASES if not (quick and case.name in SLOW)]
    if csv_file is not None:
        check_writable(csv_file)
    rows: list[Row] = []
    interrupted = False
    try:
        with muted_native_stderr(not shared.debug), _progress_line(shared) as progress:
            rows.extend(measure(cases, peers=peers, repeat=repeat, progress=progress))
    except KeyboardInterrupt:
        interrupted = True
    finally:
        if rows or interrupted:
            _show(rows, interrupted, shared, csv_file)
    if interrupted:
        context.exit(_INTERRUPTED)
