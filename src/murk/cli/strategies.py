"""Strategies as text: one row for each action of each infoset, as JSON or CSV."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from murk.solvers import Solution, save_solution
from murk.tree import MAX, MIN
from murk.tree.files import write_atomically

__all__ = ["TEXT_ENDINGS", "strategy_rows", "write_solution"]

TEXT_ENDINGS = (".json", ".csv")
COLUMNS = ("player", "number", "infoset", "action", "probability", "reach")


def write_solution(solution: Solution, path: Path) -> None:
    """Write a solution, atomically: as text if the name ends in .json or .csv, else as a file murk reads back."""
    match path.suffix.lower():
        case ".json":
            fields = {**solution.to_dict(), "strategy": list(strategy_rows(solution))}
            write_atomically(path, [json.dumps(fields, indent=1, ensure_ascii=False).encode(), b"\n"])
        case ".csv":
            text = io.StringIO()
            table = csv.DictWriter(text, COLUMNS, lineterminator="\n")
            table.writeheader()
            table.writerows(strategy_rows(solution))
            write_atomically(path, [text.getvalue().encode()])
        case _:
            save_solution(solution, path)


def strategy_rows(solution: Solution) -> Iterator[dict[str, Any]]:
    """Yield a row for each action.

    ``number`` tells infosets apart that the game calls by the same name; ``reach`` is the probability of all the
    player's own choices up to and with this one.
    """
    for player in (MAX, MIN):
        strategy, tree = solution.strategy(player), solution.tree
        behaviour = strategy.behaviour()
        for infoset in tree.acting_infosets(player).tolist():
            first = int(tree.infoset_first(player)[infoset])
            for i, action in enumerate(tree.action_names(player, infoset)):
                yield {
                    "player": player.name.lower(),
                    "number": infoset,
                    "infoset": tree.infoset_name(player, infoset),
                    "action": action,
                    "probability": float(behaviour[first + i]),
                    "reach": float(strategy.sequences[first + i]),
                }
