"""What the engine says about a search: the protocol's ``info`` lines.

A decision of an agent is a mixture of moves, which the protocol has no word for. Its moves are the lines of MultiPV,
the one to be played first and the others by their share; the mixture itself, and how many positions are held
possible, are ``info string``\\ s::

    info depth 7 multipv 1 score cp 31 wdl 537 0 463 nodes 61234 nps 122468 time 500 pv e2e4
    info string mixture e2e4 0.640 d2d4 0.360
    info string belief 5312 exact gadget maxmargin evaluator embedded
"""

import math
from collections.abc import Iterator

from murk._core import Move
from murk.darkchess.agents import Choice, Decision

__all__ = ["centipawns", "describe"]

TAU = 420.0
"""Centipawns of which the value is tanh(1): the scale that the embedded evaluator was trained on."""
MOST_CENTIPAWNS = 10_000
_NAMED = 0.0005


def describe(decision: Decision, *, move: Move | None, seconds: float, lines: int, wdl: bool) -> Iterator[str]:
    """Yield the lines about a decision.

    Args:
        decision: what the agent found, or would decide now.
        move: what is played, if that is settled.
        seconds: since the search began.
        lines: of MultiPV at most.
        wdl: say how likely a win is.
    """
    nodes, milliseconds = decision.nodes or 0, round(1000 * seconds)
    work = f"nodes {nodes} nps {round(nodes / max(seconds, 1e-3))} time {milliseconds}"
    for number, choice in enumerate(_ordered(decision, move)[:lines], start=1):
        value = choice.value if choice.value is not None else decision.value
        parts = [f"info depth {decision.depth or 1} multipv {number}"]
        if value is not None:
            parts.append(f"score cp {centipawns(value)}")
            if wdl:
                parts.append("wdl {} {} {}".format(*_win_draw_loss(value)))
        parts.append(f"{work} pv {choice.move}")
        yield " ".join(parts)
    shares = [c for c in decision.mixture if c.probability >= _NAMED]
    if shares:
        yield "info string mixture " + " ".join(f"{c.move} {c.probability:.3f}" for c in shares)
    facts = _facts(decision)
    if facts:
        yield f"info string {' '.join(facts)}"


def _ordered(decision: Decision, move: Move | None) -> list[Choice]:
    """Return the moves as they are shown: what is played, then by share, then by value."""
    first = decision.move if move is None else move
    choices = list(decision.mixture) or [Choice(first, 1.0, decision.value)]
    if all(choice.move != first for choice in choices):
        choices.append(Choice(first, 1.0, None))
    return sorted(choices, key=lambda c: (c.move != first, -c.probability, -(c.value if c.value is not None else -2)))


def _facts(decision: Decision) -> list[str]:
    facts = []
    if decision.belief_size is not None:
        facts.append(f"belief {decision.belief_size} {'exact' if decision.belief_exact else 'sampled'}")
    for name in ("gadget", "evaluator"):
        if getattr(decision, name) is not None:
            facts.append(f"{name} {getattr(decision, name)}")
    return facts


def centipawns(value: float) -> int:
    """Return a value between -1 and 1 in hundredths of a pawn."""
    if abs(value) >= 1:
        return MOST_CENTIPAWNS if value > 0 else -MOST_CENTIPAWNS
    return max(-MOST_CENTIPAWNS, min(MOST_CENTIPAWNS, round(TAU * math.atanh(value))))


def _win_draw_loss(value: float) -> tuple[int, int, int]:
    """Return how likely a win, a draw and a loss are, in thousandths. Draws are rare, and no agent foresees them."""
    win = round(500 * (1 + min(max(value, -1.0), 1.0)))
    return win, 0, 1000 - win
