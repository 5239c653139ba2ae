"""What went on inside the players: shown when the game is over, and not before.

Decisions and beliefs of an agent are written down while it plays. A side that no agent played is thought through
afterwards by a reviewer, which is shown what that side saw; a move then loses the value of the mixture less its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from murk._core import Colour
from murk.web.setup import COLOURS, colour_name

__all__ = ["Inside", "told_decision", "value_lost"]

SHOWN_MOVES = 8
SMALL = 0.005


@dataclass
class Inside:
    """Decisions by ply (counted from 0), and beliefs by side and number of plies seen."""

    decisions: dict[int, dict[str, Any]] = field(default_factory=dict)
    beliefs: dict[Colour, dict[int, dict[str, Any]]] = field(default_factory=lambda: {colour: {} for colour in COLOURS})

    def take(self, line: Mapping[str, Any]) -> None:
        """Take in a line of the journal."""
        match line["type"]:
            case "ply" if line.get("decision"):
                self.decisions[line["ply"]] = line["decision"]
            case "review":
                self.decisions[line["ply"]] = line["decision"]
            case "belief":
                self.beliefs[Colour(line["colour"])][line["ply"]] = line["belief"]

    def fields(self, played: list[str]) -> dict[str, Any]:
        """Return all of it as the browser is told; ``played`` are the moves in UCI."""
        return {
            "decisions": {ply: told_decision(d, played[ply]) for ply, d in sorted(self.decisions.items())},
            "beliefs": {colour_name(colour): dict(sorted(self.beliefs[colour].items())) for colour in COLOURS},
        }


def value_lost(decision: Mapping[str, Any], played: str) -> float | None:
    """Return how much less the move played is worth than what the agent would have done; ``None`` if it cannot tell."""
    values = {choice["move"]: choice["value"] for choice in decision.get("mixture", ())}
    mine, best = values.get(played), decision.get("value")
    if mine is None or best is None:
        return None
    return max(0.0, float(best) - float(mine))


def told_decision(decision: Mapping[str, Any], played: str) -> dict[str, Any]:
    """Return a decision as the browser is told: the likely and the best moves, rounded, and what was played."""
    mixture = list(decision.get("mixture", ()))
    likely = [choice for choice in mixture if choice["probability"] >= SMALL]
    rest = [choice for choice in mixture if choice["probability"] < SMALL and choice["value"] is not None]
    rest.sort(key=lambda choice: -choice["value"])
    shown = (likely + rest)[: max(SHOWN_MOVES, len(likely))]
    shown += [choice for choice in mixture if choice["move"] == played and choice not in shown]
    lost = value_lost(decision, played) if decision.get("reviewed") else None
    margins = decision.get("margins")
    return {
        "move": decision["move"],
        "mixture": [
            {"move": c["move"], "probability": round(c["probability"], 4), "value": _rounded(c["value"])} for c in shown
        ],
        "value": _rounded(decision.get("value")),
        "reviewed": bool(decision.get("reviewed")),
        "lost": _rounded(lost),
        "margin": _rounded(min(margins)) if margins else None,
        **{
            name: decision[name]
            for name in ("gadget", "belief_size", "belief_exact", "nodes", "infosets", "depth", "iterations")
            if name in decision
        },
        "seconds": _rounded(decision.get("seconds")),
        "evaluator": decision.get("evaluator"),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(float(value), 4)
