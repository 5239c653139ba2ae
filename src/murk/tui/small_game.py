"""Any small game in the terminal, against an equilibrium.

The game is solved first. You see what your infoset is called and your actions; the opponent and nature draw theirs.
After each round you see what the opponent knew and did, and how your choices compare with an equilibrium: what each
would have lost on average against the opponent's strategy.
"""

import secrets
from dataclasses import dataclass
from typing import Literal

import numpy as np
from rich.text import Text

from murk.errors import InputError
from murk.solvers import Solution, best_response, solve
from murk.tree.players import MAX, MIN, NATURE, TERMINAL, Player, opponent, player_of
from murk.tree.tree import Tree
from murk.tui.terminal import Terminal

__all__ = ["play_game"]

LARGEST = 2_000_000
"""Nodes of a game that is solved while you wait."""
_GOOD_ENOUGH = 1e-3
_SECONDS = 20.0
HELP = """\
  a number or the name of an action   choose it
  hint   what an equilibrium does here, and what each action is worth
  quit   leave"""


@dataclass(frozen=True)
class _Choice:
    infoset: int
    action: int


def play_game(
    tree: Tree,
    *,
    player: Literal["max", "min"] | None = None,
    seed: int | None = None,
    terminal: Terminal | None = None,
) -> float:
    """Play round after round until you leave; return what you won in all.

    Args:
        tree: the game.
        player: your side; the one that moves first by default.
        seed: of nature and the opponent.
        terminal: where to play.

    Raises:
        InputError: the game is too large to be solved, or you have nothing to decide in it.
    """
    out = terminal or Terminal()
    if tree.num_nodes > LARGEST:
        raise InputError(f"{tree.name} has {tree.num_nodes:,} nodes, expected at most {LARGEST:,} to be played here")
    you = _first_mover(tree) if player is None else player_of(player)
    if len(tree.acting_infosets(you)) == 0:
        raise InputError(f"{you.name} has no decision to make in {tree.name}, expected the other player")
    table = _Table(tree, you, out, seed)
    out.print(f"{tree.name}: you are {you.name} against an equilibrium, and can expect {table.expected:+.4g} a round.")
    out.print(Text(HELP, style="dim"))
    total, rounds = 0.0, 0
    while (payoff := table.round()) is not None:
        rounds += 1
        total += payoff
        out.print(f"You have {total:+.4g} after {rounds} round{'s' * (rounds > 1)}.\n")
    out.print(f"\nYou leave with {total:+.4g} after {rounds} round{'s' * (rounds != 1)}.")
    return total


def _first_mover(tree: Tree) -> Player:
    movers = tree.player[(tree.player == MAX) | (tree.player == MIN)]
    return player_of(int(movers[0])) if len(movers) else MAX


class _Table:
    """A solved game, and one who plays it."""

    def __init__(self, tree: Tree, you: Player, out: Terminal, seed: int | None) -> None:
        self._tree, self._you, self._out = tree, you, out
        self._random = np.random.default_rng(secrets.randbits(62) if seed is None else seed)
        with out.waiting(f"Solving {tree.name}"):
            self._solution = _equilibrium(tree)
        self._behaviour = {p: self._solution.strategy(p).behaviour() for p in (MAX, MIN)}
        self._values = best_response(self._solution.strategy(opponent(you)))
        self._chance = tree.chance_probabilities()
        self._sign = 1.0 if you == MAX else -1.0
        self.expected = self._sign * self._solution.value

    def round(self) -> float | None:
        """Play a round and return what you won, ``None`` if you left."""
        tree, node = self._tree, 0
        yours: list[_Choice] = []
        theirs: list[_Choice] = []
        while int(tree.player[node]) != TERMINAL:
            mover, first, count = int(tree.player[node]), int(tree.first_child[node]), int(tree.num_children[node])
            if mover == NATURE:
                shares = self._chance[first : first + count]
                node = first + self._draw(shares)
                continue
            infoset = int(tree.infoset(mover)[node])
            if mover == self._you:
                action = self._ask(infoset)
                if action is None:
                    return None
                yours.append(_Choice(infoset, action))
            else:
                begin = int(tree.infoset_first(mover)[infoset])
                action = self._draw(self._behaviour[player_of(mover)][begin : begin + count])
                theirs.append(_Choice(infoset, action))
                if self._sees(node, first + action):
                    self._out.print(f"Your opponent: {tree.action_names(mover, infoset)[action]}")
            node = first + action
        payoff = self._sign * float(tree.utility[node])
        self._out.print(Text(f"The round ends: you {'win' if payoff > 0 else 'lose' if payoff < 0 else 'get'} "
                             f"{abs(payoff):.4g}.", style="bold"))  # fmt: skip
        self._reveal(yours, theirs)
        return payoff

    def _draw(self, shares: np.ndarray) -> int:
        weights = np.maximum(np.asarray(shares, dtype=np.float64), 0.0)
        return int(self._random.choice(len(weights), p=weights / weights.sum()))

    def _sees(self, node: int, child: int) -> bool:
        """Tell whether you learn which action was taken: after another one you would be at another infoset."""
        tree, you = self._tree, self._you
        first, count = int(tree.first_child[node]), int(tree.num_children[node])
        if any(int(tree.player[c]) == TERMINAL for c in range(first, first + count)):
            return True
        infosets = [int(tree.infoset(you)[c]) for c in range(first, first + count)]
        return infosets.count(infosets[child - first]) == 1

    def _ask(self, infoset: int) -> int | None:
        tree, you, out = self._tree, self._you, self._out
        names = tree.action_names(you, infoset)
        out.print(
            Text(tree.infoset_name(you, infoset).strip() or "(you know nothing)", style="bold"),
            "  ".join(f"{i + 1}: {name}" for i, name in enumerate(names)),
        )
        by_name = {name.lower(): i for i, name in enumerate(names)}
        while True:
            answer = out.ask("Your choice (? for help):")
            if answer is None or answer.lower() in ("q", "quit", "exit"):
                return None
            if answer.lower() in by_name:
                return by_name[answer.lower()]
            if answer.isdecimal() and 1 <= int(answer) <= len(names):
                return int(answer) - 1
            if answer.lower() == "hint":
                self._hint(infoset)
            elif answer in ("?", "help"):
                out.print(Text(HELP, style="dim"))
            elif answer:
                out.print(f"{answer!r} is none of your actions: {', '.join(names)}, or 1 to {len(names)}")

    def _worth(self, infoset: int) -> "np.ndarray":
        """Return what each action is worth to you here if the opponent plays her strategy; NaN if she never does."""
        tree, you = self._tree, self._you
        first, count = int(tree.infoset_first(you)[infoset]), int(tree.infoset_actions(you)[infoset])
        return np.asarray(self._sign * self._values.counterfactual()[first : first + count])

    def _hint(self, infoset: int) -> None:
        first = int(self._tree.infoset_first(self._you)[infoset])
        names, worth = self._tree.action_names(self._you, infoset), self._worth(infoset)
        for i, name in enumerate(names):
            share = float(self._behaviour[self._you][first + i])
            value = "" if np.isnan(worth[i]) else f", worth {worth[i]:+.4g}"
            self._out.print(f"  {name}: {100 * share:.1f} % in equilibrium{value}")

    def _reveal(self, yours: list[_Choice], theirs: list[_Choice]) -> None:
        they = opponent(self._you)
        for choice in theirs:
            self._out.print(
                Text(f"  opponent at {self._tree.infoset_name(they, choice.infoset).strip()}: ", style="dim")
                + self._mixture(they, choice)
            )
        for choice in yours:
            worth = self._worth(choice.infoset)
            lost = float(np.nanmax(worth) - worth[choice.action]) if np.isfinite(worth).any() else 0.0
            cost = f", which lost {lost:.4g}" if lost > _GOOD_ENOUGH else ""
            self._out.print(
                Text(f"  you at {self._tree.infoset_name(self._you, choice.infoset).strip()}: ", style="dim")
                + self._mixture(self._you, choice)
                + cost
            )

    def _mixture(self, player: Player, choice: _Choice) -> str:
        first = int(self._tree.infoset_first(player)[choice.infoset])
        names = self._tree.action_names(player, choice.infoset)
        shares = self._behaviour[player][first : first + len(names)]
        mixture = ", ".join(f"{name} {100 * float(share):.0f} %" for name, share in zip(names, shares, strict=True))
        return f"{names[choice.action]} (an equilibrium: {mixture})"


def _equilibrium(tree: Tree) -> Solution:
    """Solve the game, exactly if that does not take long."""
    if tree.sequence_form.num_entries <= 100_000:
        return solve(tree)
    low, high = tree.utility_range()
    return solve(tree, "pcfr+", target=1e-4 * (high - low), seconds=_SECONDS)
