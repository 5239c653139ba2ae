"""Games of one deal, in which plain 1-KLSS often goes wrong: most of what a player is told matters to nobody.

As in ``pr:ws-counterexample``, solving corrects the same error of the blueprint at many infosets, each as if
the others did not.
"""

import numpy as np

from murk.games.build import build_tree
from murk.games.builtin import HEADS, TAILS, Counterexample
from murk.games.explicit import ExplicitGame, Node, decision, leaf, nature
from murk.tree import MAX, MIN, Player, Strategy, Tree


def deal_tree(seed: int, *, deals: int = 6, rounds: int = 1) -> Tree:
    """Nature deals and tells each player something; in each round both move, and then see what the other did.

    MAX wins if the last moves match. How much is paid depends on the moves and, now and then, on the deal.
    """
    rng = np.random.default_rng(seed)
    first = Player(int(rng.integers(2)))
    second = MIN if first == MAX else MAX
    known = [(deals, 1), (1, deals), (deals, 2), (2, deals), (2, 3)][int(rng.integers(5))]
    hints = np.stack([np.arange(deals) if k == deals else rng.integers(0, k, size=deals) for k in known], axis=1)
    usual: dict[tuple[int, ...], float] = {}

    def end(moves: tuple[int, ...]) -> Node:
        sign = 1.0 if moves[-1] == moves[-2] else -1.0
        payoff = usual.setdefault(moves, sign * float(rng.integers(1, 4)))
        return leaf(payoff if rng.random() < 0.85 else sign * float(rng.integers(1, 4)))

    def move(moves: tuple[int, ...], sees: tuple[str, str]) -> Node:
        if len(moves) == 2 * rounds:
            return end(moves)
        if len(moves) % 2:
            return decision(second, {str(b): move((*moves, b), _both(moves, b)) for b in range(2)})
        return decision(first, {str(a): move((*moves, a), ("", "")) for a in range(2)}, sees=sees)

    dealt = {str(d): (1 / deals, move((), (f"h{hints[d, 0]}", f"h{hints[d, 1]}"))) for d in range(deals)}
    return build_tree(ExplicitGame(f"deal({seed})", nature(dealt)))


def _both(moves: tuple[int, ...], last: int) -> tuple[str, str]:
    seen = f"{moves[-1]}{last}"
    return seen, seen


def late_movers_tree(n: int) -> Tree:
    """The game of ``pr:ws-counterexample`` with MAX, told n, moving at time n; at other times nature has a dull move.

    MIN knows nothing, not even whether MAX has moved. No two of MAX's infosets share an infoset of MIN's.
    """

    def dull(count: int, then: Node, number: int) -> Node:
        for _ in range(count):
            then = nature({"wait": (1.0, then)}, sees=(str(number), ""))
        return then

    def guess(side: int, number: int) -> Node:
        ends = {"heads": leaf(-1 if side == 0 else 1), "tails": leaf(-1 if side == 1 else 1)}
        return decision(MIN, ends, sees=(str(number), "guess"))

    def drawn(number: int) -> Node:
        sides = {name: dull(n - number, guess(i, number), number) for i, name in enumerate(("heads", "tails"))}
        return dull(number - 1, decision(MAX, sides, sees=(str(number), "")), number)

    return build_tree(ExplicitGame(f"late_movers({n})", nature({str(k): (1 / n, drawn(k)) for k in range(1, n + 1)})))


def tilted(strategy: Strategy, amount: float = 0.15) -> Strategy:
    """Return a strategy with a systematic error: too much of the first action at every infoset."""
    tree, player = strategy.tree, strategy.player
    behaviour = (1 - amount) * strategy.behaviour()
    behaviour[tree.infoset_first(player)[tree.acting_infosets(player)]] += amount
    return Strategy.from_behaviour(tree, player, behaviour)


def counterexample(n: int) -> tuple[Tree, Strategy]:
    """Return the game of ``pr:ws-counterexample`` and the blueprint of its proof."""
    game = Counterexample(n)
    tree = build_tree(game)
    heads = game.blueprint_heads
    names = [tree.infoset_name(MAX, int(i)) for i in tree.acting_infosets(MAX)]
    policy = {name: {HEADS: heads, TAILS: 1 - heads} for name in names}
    return tree, Strategy.from_mapping(tree, MAX, policy)
