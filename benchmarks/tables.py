"""Prints the tables of docs/benchmarks.md from files written by ``murk bench solvers --out``.

Of several runs each row is the one least favourable to murk: load on the machine mostly slows the peers more than
murk, so that the best of several runs would flatter it. Rows without a ratio are of the last run.
"""

import json
import math
import sys
from pathlib import Path
from typing import Any

METRICS = {
    "cfr_iterations_per_second": "Iterations of regret minimisation a second",
    "exploitability_seconds": "Exploitability on a built tree",
    "lp_seconds": "Linear program, with assembly",
    "build_nodes_per_second": "Nodes built a second",
}


def main(paths: list[Path]) -> None:
    lines = [json.loads(line) for path in paths for line in path.read_text().splitlines()]
    rows = least_favourable([line for line in lines if line.get("peer")])
    for metric, title in METRICS.items():
        print_table(title, [row for row in rows if row["metric"] == metric])


def least_favourable(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return one row for each metric, case and peer: that with the lowest ratio, or else the lowest bound."""
    kept: dict[tuple[str, str, str], dict[str, Any]] = {}
    for row in rows:
        key = row["metric"], row["case"], row["peer"]
        if key not in kept or standing(row) <= standing(kept[key]):
            kept[key] = row
    return list(kept.values())


def standing(row: dict[str, Any]) -> float:
    bounds = (row["ratio"], row["ratio_at_least"])
    return next((bound for bound in bounds if bound is not None), math.inf)


def print_table(title: str, rows: list[dict[str, Any]]) -> None:
    """Print one line a case: murk's figure, or one for each peer if they differ, and each peer's with the ratio."""
    peers = list(dict.fromkeys(row["peer"] for row in rows))
    print(f"{title}:\n")
    print(f"| case (nodes) | murk | {' | '.join(peers)} |")
    print("| --- | --- |" + " --- |" * len(peers))
    for case in dict.fromkeys(row["case"] for row in rows):
        here = {row["peer"]: row for row in rows if row["case"] == case}
        ours = " / ".join(dict.fromkeys(ours_of(row) for row in here.values()))
        cells = [theirs_of(here[peer]) if peer in here else "" for peer in peers]
        nodes = next(iter(here.values()))["nodes"]
        print(f"| `{case}` ({nodes:,}) | {ours} | {' | '.join(cells)} |")
    print()


def ours_of(row: dict[str, Any]) -> str:
    return quantity(row["ours"], row["unit"])


def theirs_of(row: dict[str, Any]) -> str:
    """Return the peer's figure and how far ahead murk is, or why there is none."""
    if row["ratio"] is not None:
        return f"{quantity(row['peer_value'], row['unit'])} (**{rounded(row['ratio'])}**)"
    if row["ratio_at_least"] is not None:
        return f"{row['note']} (**> {math.floor(row['ratio_at_least']):,}**)"
    return "not tried" if row["note"].startswith("skipped") else str(row["note"])


def quantity(value: float, unit: str) -> str:
    if unit != "s":
        return rounded(value)
    factor, name = next((f, n) for f, n in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")) if value >= f or n == "µs")
    return f"{value / factor:.2g} {name}" if value < 100 * factor else f"{value / factor:.0f} {name}"


def rounded(value: float) -> str:
    """Return two significant digits, which is what such measurements are worth."""
    return f"{float(f'{value:.2g}'):,.0f}" if value >= 10 else f"{value:.2g}"


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]])
