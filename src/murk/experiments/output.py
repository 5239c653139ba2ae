"""The rows of a study for people: tables beside the paper's figures, CSV files, plots."""

import csv
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from murk.errors import InputError
from murk.experiments.study import Row
from murk.plots import new_figure, save_figure

__all__ = ["PLOTS", "TABLES", "Table", "plot", "tables", "write_csv"]

_FLOOR = 1e-5
"""Exploitability below this is drawn as this: a logarithmic axis has no zero."""


@dataclass(frozen=True)
class Table:
    """A table of text."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def tables(study: str, rows: Sequence[Row]) -> list[Table]:
    """Return the tables of a study."""
    return TABLES[study](rows)


def write_csv(path: Path, rows: Sequence[Row]) -> None:
    """Write rows with a header; what is not a number or text is written as JSON, and nothing for ``None``."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    try:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, names)
            writer.writeheader()
            for row in rows:
                writer.writerow({name: _csv_cell(value) for name, value in row.items()})
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from None


def plot(study: str, rows: Sequence[Row], path: Path) -> None:
    """Draw a study."""
    save_figure(PLOTS[study](rows), path)


def _csv_cell(value: object) -> object:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value


def _number(value: float | None, digits: int = 4) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def _printed(value: float | None) -> str:
    """Return a figure of the paper's, which has as many digits as were printed."""
    return "" if value is None else f"{value:g}"


def _ratio(row: Row) -> str:
    if row["ratio"] is not None:
        return f"{row['ratio']:.3f}"
    return "∞" if row["blueprint"] > 0 else ""


# Tables


def _grouped(rows: Sequence[Row], key: str) -> dict[Any, list[Row]]:
    out: dict[Any, list[Row]] = {}
    for row in rows:
        out.setdefault(row[key], []).append(row)
    return out


def _beside(ours: str, paper: str) -> str:
    return f"{ours} ({paper})" if paper else ours


def _table1(rows: Sequence[Row]) -> list[Table]:
    columns = ("game", "refinement", "blueprint (paper)", "after (paper)", "ratio (paper)", "subgames", "seconds")
    out = []
    for kind, some in _grouped(rows, "kind").items():
        cells = [
            (
                row["game"], row["refinement"], _beside(_number(row["blueprint"]), _printed(row["paper_blueprint"])),
                _beside(_number(row["after"]), _printed(row["paper_after"])), _beside(_ratio(row), _paper_ratio(row)),
                f"{row['subgames']:,}", f"{row['seconds']:.2f}",
            )
            for row in some
        ]  # fmt: skip
        title = f"Table 1: exploitability before and after nested 1-KLSS ({kind}), payoffs in [-1, 1]"
        out.append(Table(title, columns, cells))
    return out


def _paper_ratio(row: Row) -> str:
    if row["paper_after"] is None:
        return ""
    return "∞" if row["paper_ratio"] is None else _printed(row["paper_ratio"])


def _table2(rows: Sequence[Row]) -> list[Table]:
    columns = ("game", "by", "nodes", "infosets", "diameter", "k = 1", "2", "3", "4", "∞")
    cells: list[tuple[str, ...]] = []
    for row in rows:
        size = (f"{row['nodes']:,}", f"{row['infosets']:,}", str(row["diameter"]))
        theirs = (f"{row['paper_nodes']:,}", f"{row['paper_infosets']:,}", str(row["paper_diameter"]))
        cells.append((row["game"], "murk", *size, *_averages(row["average"])))
        if row["forced_nodes"]:
            without = f"murk, without {row['forced_nodes']} forced"
            cells.append(("", without, "", "", "", *_averages(row["average_unforced"])))
        cells.append(("", "paper", *theirs, *_averages(row["paper_average"], last=len(row["paper_average"]) == 5)))
    return [Table("Table 2: mean sizes of order-k knowledge sets", columns, cells)]


def _averages(values: Sequence[float], *, last: bool | None = None) -> tuple[str, ...]:
    """Return the cells for k = 1 to 4 and ∞; the last value is that of ∞ if there are more than four."""
    shown = [f"{value:.2f}" for value in values[:4]] + [""] * (4 - min(len(values), 4))
    closed = len(values) > 4 if last is None else last
    return (*shown, f"{values[-1]:.2f}" if closed else "")


def _epsilon(rows: Sequence[Row]) -> list[Table]:
    columns = ("game", "refinement", "ε", "blueprint (paper)", "after (paper)", "ratio")
    cells = [
        (
            row["game"], row["refinement"], f"{row['epsilon']:g}",
            _beside(_number(row["blueprint"]), _printed(row["paper_blueprint"])),
            _beside(_number(row["after"]), _printed(row["paper_after"])), _ratio(row),
        )
        for row in rows
    ]  # fmt: skip
    return [Table("Exploitability before and after nested 1-KLSS, over ε", columns, cells)]


def _orders(rows: Sequence[Row]) -> list[Table]:
    columns = ("game", "variant", "k", "lifted at", "refinement", "blueprint", "after", "ratio", "subgames", "seconds")
    cells = [
        (
            row["game"], row["variant"], "∞" if row["order"] == "inf" else str(row["order"]), row["lift"],
            row["refinement"], _number(row["blueprint"]), _number(row["after"]), _ratio(row),
            f"{row['subgames']:,}", f"{row['seconds']:.2f}",
        )
        for row in rows
    ]  # fmt: skip
    return [Table("Exploitability before and after nested subgame solving of order k", columns, cells)]


def _safety(rows: Sequence[Row]) -> list[Table]:
    out = []
    examples = [row for row in rows if "n" in row]
    if examples:
        figures = [
            (
                str(row["n"]), _number(row["blueprint"]), _printed(row["paper_blueprint"]), _number(row["after"]),
                _printed(row["paper_after"]), _number(row["updated"]),
            )
            for row in examples
        ]  # fmt: skip
        heads = ("N", "blueprint", "paper 4/N", "after 1-KLSS", "paper after", "with updating")
        out.append(Table("pr:ws-counterexample: exploitability", heads, figures))
    theorems = [row for row in rows if "games" in row]
    if theorems:
        misses = [
            (
                row["claim"], f"{row['games']:,}", f"{row['checks']:,}", f"{row['worst']:.1e}",
                f"{row['plain_worst']:.1e}", "yes" if row["holds"] else "NO", f"{row['note']}: {row['noted']:,}",
            )
            for row in theorems
        ]  # fmt: skip
        columns = ("statement", "random games", "checks", "worst miss", "plain 1-KLSS", "holds", "besides")
        out.append(Table("The roads to safety, payoffs in [-1, 1]", columns, misses))
    return out


def _example(rows: Sequence[Row]) -> list[Table]:
    out = []
    for row in rows:
        name = f"figure {row['figure']}, the {row['gadget']} gadget at {row['infoset']}"
        columns = ("", *row["min_sequences"])
        cells = [(ours, *(_entry(v) for v in line)) for ours, line in zip(row["max_sequences"], row["A"], strict=True)]
        out.append(Table(f"A of {name}", columns, cells))
        top = [("∅, murk", *(_entry(v) for v in row["B"][0])), ("∅, paper", *(_entry(v) for v in row["paper_B"][0]))]
        out.append(Table(f"B of {name}", columns, top))
        values = [
            (infoset, _entry(value), " or ".join(_entry(v) for v in row["paper_alternate"][infoset]))
            for infoset, value in row["alternate"].items()
        ]
        title = f"alternate values; solved: margin {row['margin']:g}, P(h | {row['infoset']}) = {row['heads']:g}"
        out.append(Table(title, ("infoset", "murk", "paper"), values))
    return out


def _entry(value: float) -> str:
    return f"{value:g}" if value else ""


def _trunk(rows: Sequence[Row]) -> list[Table]:
    columns = ("game", "value function", "nodes", "of", "solves", "first", "half way", "last", "finished", "seconds")
    cells = [
        (
            row["name"], row["value_function"], f"{row['nodes'][-1]:,}", f"{row['whole']:,}", str(row["iterations"]),
            *(f"{_at(row, part):.1e}" for part in (0.0, 0.5, 1.0)), "yes" if row["finished"] else "no",
            f"{row['seconds'][-1]:.2f}",
        )
        for row in rows
    ]  # fmt: skip
    return [Table("Trunk search: exploitability as the tree grows, payoffs in [-1, 1]", columns, cells)]


def _at(row: Row, part: float) -> float:
    figures: list[float] = row["exploitability"]
    return max(0.0, figures[round(part * (len(figures) - 1))])


TABLES: dict[str, Callable[[Sequence[Row]], list[Table]]] = {
    "table1": _table1, "table2": _table2, "example": _example, "safety": _safety, "epsilon": _epsilon,
    "orders": _orders, "trunk": _trunk,
}  # fmt: skip


# Plots


def _drawn(value: float) -> float:
    return max(value, _FLOOR)


_BARS = {"blueprint": "blueprint", "after, in the paper": "paper_after"}


def _plot_table1(rows: Sequence[Row]) -> Any:
    games = _grouped(rows, "game")
    figure = new_figure((8, 1 + 0.6 * len(games)))
    axes = figure.subplots()
    bars = {name: [mine[0][key] for mine in games.values()] for name, key in _BARS.items()}
    for kind, refinement in dict.fromkeys((row["kind"], row["refinement"]) for row in rows):
        same = {row["game"]: row["after"] for row in rows if (row["kind"], row["refinement"]) == (kind, refinement)}
        bars[f"after, {kind}, refinement {refinement}"] = [same.get(game) for game in games]
    height = 0.8 / len(bars)
    for i, (label, values) in enumerate(bars.items()):
        places = [place + i * height for place, v in enumerate(values) if v is not None]
        axes.barh(places, [_drawn(v) for v in values if v is not None], height=height, label=label)
    axes.set_yticks([place + 0.4 - height / 2 for place in range(len(games))], list(games))
    axes.invert_yaxis()
    axes.set(xscale="log", xlabel=f"exploitability (below {_FLOOR:g} drawn as that)")
    figure.legend(loc="outside upper center", ncols=2, fontsize="small")
    return figure


def _plot_table2(rows: Sequence[Row]) -> Any:
    figure = new_figure((7, 4.5))
    axes = figure.subplots()
    for row in rows:
        (line,) = axes.plot(range(1, len(row["average"]) + 1), row["average"], marker=".", label=row["game"])
        theirs = row["paper_average"]
        closed = len(theirs) == 5
        axes.plot(range(1, 5)[: len(theirs)], theirs[:4], "x", color=line.get_color())
        if closed:
            axes.plot([row["paper_diameter"]], theirs[-1:], "x", color=line.get_color())
    axes.set(xscale="log", xlabel="k", ylabel="mean size (crosses: the paper)")
    axes.legend(fontsize="small")
    return figure


def _plot_example(rows: Sequence[Row]) -> Any:
    figure = new_figure((9, 4))
    for axes, row in zip(figure.subplots(1, len(rows), sharey=True, squeeze=False)[0], rows, strict=True):
        for name, margins in row["curve"]["margins"].items():
            axes.plot(row["curve"]["heads"], margins, label=name)
        axes.axhline(0, color="black", linewidth=0.5)
        axes.set(title=f"the {row['gadget']} gadget", xlabel=f"P(h | {row['infoset']})", ylabel="margin")
        axes.legend()
    return figure


def _plot_safety(rows: Sequence[Row]) -> Any:
    figure = new_figure((7, 4.5))
    axes = figure.subplots()
    found = [row for row in rows if "n" in row]
    for name, label in (("blueprint", "blueprint"), ("after", "after 1-KLSS"), ("updated", "with updating")):
        axes.loglog([r["n"] for r in found], [_drawn(r[name]) for r in found], marker="o", label=label)
    axes.set(xlabel="N", ylabel=f"exploitability (below {_FLOOR:g} drawn as that)", title="pr:ws-counterexample")
    axes.legend()
    return figure


def _panels(rows: Sequence[Row]) -> tuple[Any, list[tuple[Any, str, list[Row]]]]:
    """Return a figure with a panel for each game."""
    games = _grouped(rows, "game")
    across = min(3, len(games))
    down = -(-len(games) // across)
    figure = new_figure((4.2 * across, 3.2 * down))
    grid = figure.subplots(down, across, squeeze=False).ravel()
    for axes in grid[len(games) :]:
        axes.set_axis_off()
    return figure, [(axes, game, mine) for axes, (game, mine) in zip(grid, games.items(), strict=False)]


def _plot_epsilon(rows: Sequence[Row]) -> Any:
    figure, panels = _panels(rows)
    for axes, game, mine in panels:
        for refinement, some in _grouped(mine, "refinement").items():
            places = [row["epsilon"] for row in some]
            if refinement == mine[0]["refinement"]:
                axes.plot(places, [row["blueprint"] for row in some], "k--", label="blueprint")
            axes.plot(places, [row["after"] for row in some], marker="o", label=f"after, {refinement}")
        axes.set(title=game, xlabel="ε", ylabel="exploitability")
        axes.title.set_fontsize("small")
        axes.legend(fontsize="x-small")
    return figure


def _plot_orders(rows: Sequence[Row]) -> Any:
    figure, panels = _panels(rows)
    orders = list(dict.fromkeys(str(row["order"]) for row in rows))
    for axes, game, mine in panels:
        axes.axhline(mine[0]["blueprint"], color="black", linestyle="--", label="blueprint")
        for variant, some in _grouped(mine, "variant").items():
            for lift in dict.fromkeys(row["lift"] for row in some):
                # For k = 1 both readings are one row.
                line = [row for row in some if row["lift"] == lift or row["order"] == 1]
                places = [orders.index(str(row["order"])) for row in line]
                label = f"{variant}, lifted at the {lift}" if len(line) > 1 else variant
                axes.plot(places, [row["after"] for row in line], marker="o", label=label)
        axes.set_xticks(range(len(orders)), ["∞" if order == "inf" else order for order in orders])
        axes.set(title=game, xlabel="k", ylabel="exploitability")
        axes.title.set_fontsize("small")
    figure.legend(*panels[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=4, fontsize="small")
    return figure


def _plot_trunk(rows: Sequence[Row]) -> Any:
    figure, panels = _panels(rows)
    for axes, _, mine in panels:
        for row in mine:
            axes.plot(row["nodes"], [_drawn(v) for v in row["exploitability"]], marker=".", label=row["value_function"])
        axes.axvline(mine[0]["whole"], color="black", linewidth=0.5)
        axes.set(title=mine[0]["name"], xscale="log", yscale="log", xlabel="nodes of the trunk (line: the whole game)")
        axes.set_ylabel(f"exploitability (below {_FLOOR:g} drawn as that)", fontsize="small")
        axes.legend(fontsize="small")
    return figure


PLOTS: dict[str, Callable[[Sequence[Row]], Any]] = {
    "table1": _plot_table1, "table2": _plot_table2, "example": _plot_example, "safety": _plot_safety,
    "epsilon": _plot_epsilon, "orders": _plot_orders, "trunk": _plot_trunk,
}  # fmt: skip
