"""MakeSubgame: the gadgets of knowledge-limited subgame solving (Algorithm 1 of [ZS21]).

The tree is built natively (``cpp/solve/subgame.h``, which lists the deviations); here are the choices round it: how
far to look (the order k), what to subtract (gifts), what to merge (transpositions), and how the opponent enters
(maxmargin, resolving, or as the blueprint
has her: unsafe).
"""

import math
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import numpy.typing as npt
import scipy.sparse

from murk import _core
from murk.errors import InputError
from murk.solvers.response import best_response
from murk.subgame.knowledge import Knowledge
from murk.tree.players import MAX, MIN, NATURE, Player, opponent
from murk.tree.strategy import Profile, Strategy
from murk.tree.tree import Tree

__all__ = ["Subgame", "gifts", "make_dominating_subgame", "make_subgame", "make_unsafe_subgame"]

Floats = npt.NDArray[np.float64]
Kind = Literal["maxmargin", "resolve", "unsafe"]

_NO_FLOATS: Floats = np.empty(0)
_NO_MARKS: npt.NDArray[np.uint8] = np.empty(0, dtype=np.uint8)


@dataclass(frozen=True, eq=False)
class Subgame:
    """A gadget game Γ[I^k] and how it hangs together with the game it was made from.

    Attributes:
        game: the game it was made from (itself a gadget, if play has been refined before).
        tree: the gadget.
        player: whose infoset it was made for ("we").
        infoset: that infoset, in ``game``.
        order: k.
        kind: ``"maxmargin"``, ``"resolve"`` or ``"unsafe"``.
        infosets: for each player, the game's infoset of each of the gadget's, -1 for the gadget's own.
        roots: the opponent's infosets among which she chooses at the root, in ``game``.
        reach: D of each of them.
        alternate: the alternate value of each, in the gadget's scale.
        blueprint: the strategy we had, in the gadget.
    """

    game: Tree
    tree: Tree
    player: Player
    infoset: int
    order: float
    kind: Kind
    infosets: tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]
    roots: npt.NDArray[np.int32]
    reach: Floats
    alternate: Floats
    blueprint: Strategy
    _maxmargin: "Subgame | None" = field(default=None, repr=False)

    @property
    def root_infoset(self) -> int:
        """The infoset the gadget was made for, in ``tree``."""
        return int(np.flatnonzero(self.infosets[self.player] == self.infoset)[0])

    def named_tree(self) -> Tree:
        """Return ``tree`` with the infosets and actions named as in the game.

        At a maxmargin gadget's root the opponent chooses among her infosets; at a resolving one's she exits or plays.
        """
        game = self.game
        names: list[list[str]] = []
        actions: list[dict[int, list[str]]] = []
        for player in (MAX, MIN):
            origins = self.infosets[player].tolist()
            names.append([game.infoset_name(player, i) if i >= 0 else "gadget" for i in origins])
            entrance = [] if player == self.player else [game.infoset_name(player, i) for i in self.roots.tolist()]
            own = entrance if self.kind == "maxmargin" else ["exit", "play"]
            acting = self.tree.acting_infosets(player).tolist()
            actions.append({i: game.action_names(player, origins[i]) if origins[i] >= 0 else own for i in acting})
        self.tree.set_names(names, actions)
        return self.tree

    def _repr_svg_(self) -> str | None:
        return self.named_tree()._repr_svg_()

    def first_infosets(self) -> npt.NDArray[np.int64]:
        """Return our infosets in ``tree`` before which we have not acted in it: the ones of I^k."""
        acting = self.tree.acting_infosets(self.player)
        return np.asarray(acting[self.tree.infoset_parent(self.player)[acting] == 0])

    def next_infosets(self, infoset: int) -> npt.NDArray[np.int64]:
        """Return our infosets in ``tree`` that come next after one of them."""
        acting = self.tree.acting_infosets(self.player)
        parent = self.tree.infoset_parent(self.player)[acting]
        return np.asarray(acting[(parent > 0) & (self.tree.sequence_infoset(self.player)[parent] == infoset)])

    def margins(self, strategy: Strategy) -> Floats:
        """Return the margin of each root infoset under ``strategy`` of the gadget: how much more than her alternate
        value we get.

        For MIN's gadgets the sign is turned, so that a positive margin is always good for us. (Maxmargin gadgets only.)
        """
        if self.kind != "maxmargin":
            raise InputError(f"margins are of a maxmargin gadget, got a gadget of kind {self.kind!r}")
        values = best_response(strategy).sequence_values[1 : 1 + len(self.roots)]
        return values if self.player == MAX else -values

    def to_resolve(self) -> "Subgame":
        """Return the resolving gadget (MaxmarginToResolve)."""
        if self.kind != "maxmargin":
            raise InputError(
                f"a gadget of kind {self.kind!r} cannot be turned into a resolving one, expected 'maxmargin'"
            )
        tree = Tree(_core.to_resolve(self.tree, self.player))
        tree.name = self.tree.name
        they = opponent(self.player)
        own = self.infosets[self.player]
        theirs = np.concatenate([np.full(len(self.roots) + 1, -1, dtype=np.int32), self.infosets[they][1:]])
        pair = (own, theirs) if self.player == MAX else (theirs, own)
        blueprint = Strategy(tree, self.player, self.blueprint.sequences)
        return replace(self, tree=tree, kind="resolve", infosets=pair, blueprint=blueprint, _maxmargin=self)

    def to_maxmargin(self) -> "Subgame":
        """Return the maxmargin gadget a resolving one came from (ResolveToMaxmargin)."""
        if self._maxmargin is None:
            raise InputError(f"a gadget of kind {self.kind!r} has no maxmargin form")
        return self._maxmargin

    def translate(self, values: npt.ArrayLike, *, fill: float = 0.0) -> Floats:
        """Return what ``values``, one for each of our sequences in ``game``, are for our sequences in ``tree``."""
        given = np.asarray(values, dtype=np.float64)
        tree, game, p = self.tree, self.game, self.player
        out = np.full(tree.num_sequences(p), fill)
        infoset = tree.sequence_infoset(p)[1:]
        known = self.infosets[p][infoset] >= 0
        place = np.arange(1, tree.num_sequences(p)) - tree.infoset_first(p)[infoset]
        source = game.infoset_first(p)[self.infosets[p][infoset]] + place
        out[1:][known] = given[source[known]]
        return out


def gifts(blueprint: Strategy) -> Floats:
    """Return the gift estimate g^ of each of the opponent's infosets: what her earlier choices lost against our
    blueprint.

    The sum over the choices (I', a') on the way of u*(x | I'a') - u*(x | I'), in the opponent's disfavour, hence
    never negative; 0 where an infoset on the way is unreachable. (The paper's Algorithm 1 and its footnote differ in
    the indices: ``docs/errata.md``.)
    """
    tree, they = blueprint.tree, opponent(blueprint.player)
    response = best_response(blueprint)
    sign = 1.0 if they != MAX else -1.0
    loss = np.zeros(tree.num_sequences(they))
    of_sequence, of_infoset = response.counterfactual(), response.counterfactual_infosets()
    infoset = tree.sequence_infoset(they)[1:]
    with np.errstate(invalid="ignore"):
        loss[1:] = np.nan_to_num(np.maximum(sign * (of_sequence[1:] - of_infoset[infoset]), 0.0))
    total = np.zeros_like(loss)
    parent = tree.infoset_parent(they)
    for s in range(1, len(loss)):  # a prefix comes before what extends it
        total[s] = loss[s] + total[parent[infoset[s - 1]]]
    return np.asarray(total[parent] * sign)


def make_subgame(
    game: Tree,
    blueprint: Strategy,
    infoset: int,
    *,
    order: float = 1,
    unfrozen: bool = False,
    reach: bool = False,
    transpositions: npt.ArrayLike | None = None,
    seed: int | None = None,
    knowledge: Knowledge | None = None,
) -> Subgame:
    """Return the maxmargin gadget for ``infoset`` of the blueprint's player: Algorithm 1.

    Args:
        game: the game, or the gadget that has replaced it.
        blueprint: our strategy in it.
        infoset: where we are, one of our infosets.
        order: k, odd or infinite. We may change our strategy below I^k; it is fixed elsewhere.
        unfrozen: also leave our strategy open in I^{k+1}, where KLSS holds it to the blueprint: KLUSS [Zhang &
            Sandholm 2025]. Our infosets there are seen in part only, so no theorem makes this safe.
        reach: subtract :func:`gifts` from the alternate values (Reach).
        transpositions: a key for each node, equal for transpositions, to merge them (k = 1 only). Which of several
            stays is drawn with ``seed``.
        knowledge: of ``game``, if it is at hand.

    Raises:
        InputError: an argument is wrong, or the blueprint never comes to this infoset.
    """
    player = blueprint.player
    if blueprint.tree is not game:
        raise InputError(f"the blueprint is of {blueprint.tree.name}, expected one of {game.name}")
    _check_infoset(game, player, infoset)
    if order != math.inf and (order != int(order) or order < 1 or int(order) % 2 == 0):
        raise InputError(f"order is {order!r}, expected an odd number or infinity")
    if unfrozen and order == math.inf:
        raise InputError("nothing is frozen outside the common-knowledge closure, expected a finite order")
    if transpositions is not None and order != 1:
        raise InputError(f"transpositions can be merged for order 1 only, got order {order!r}")
    knowledge = knowledge or Knowledge(game)
    inside = knowledge.order(player, infoset, order + 1 if unfrozen else order)
    skip = _NO_MARKS if transpositions is None else _merged(blueprint, inside, transpositions, seed)
    native = _core.make_subgame(
        game, game.sequence_form, knowledge.hypergraph, player, blueprint.sequences, inside,
        gifts(blueprint) if reach else _NO_FLOATS, skip,
    )  # fmt: skip
    if infoset not in native.infosets(player):  # other infosets of I^k may be reached where this one is not
        raise InputError(
            f"the blueprint never comes to infoset {game.infoset_name(player, infoset)!r} of {player.name}"
        )
    roots, reached, alternate = native.roots(), native.reach(), native.alternate()
    maps = (native.infosets(0), native.infosets(1))
    tree = Tree(native)
    tree.name = f"{game.name}[{game.infoset_name(player, infoset)}]"
    behaviour = _behaviour(game, tree, player, maps[player], blueprint)
    return Subgame(
        game=game, tree=tree, player=player, infoset=infoset, order=order, kind="maxmargin", infosets=maps,
        roots=roots, reach=reached, alternate=alternate, blueprint=Strategy.from_behaviour(tree, player, behaviour),
    )  # fmt: skip


def make_dominating_subgame(
    game: Tree, blueprint: Strategy, infoset: int, *, knowledge: Knowledge | None = None
) -> Subgame:
    """Return the gadget of Safe-1-KLSS [Liu et al. 2023]: improve on the blueprint against *every* opponent.

    Where maxmargin subtracts the value of her best response at each of her infosets, this subtracts what the
    blueprint earns at each of her sequences. A value that is not negative then means that no opponent strategy fares
    better than before, so solves at different infosets add up safely; the price is that the strategy can hardly leave
    the blueprint. The paper names no such gadget; this is the payoff difference (x' - x)'Ay as a game of its own.
    """
    subgame = make_subgame(game, blueprint, infoset, knowledge=knowledge)
    tree, they = subgame.tree, opponent(subgame.player)
    start, column, value = tree.sequence_form.matrix()
    payoffs = scipy.sparse.csr_array((value, column, start), shape=(tree.num_sequences(MAX), tree.num_sequences(MIN)))
    x = subgame.blueprint.sequences
    earned = payoffs.T @ x if subgame.player == MAX else payoffs @ x
    tree.clear_extra(they)
    for sequence in np.flatnonzero(earned).tolist():
        tree.add_extra(they, sequence, -float(earned[sequence]))
    return replace(subgame, alternate=np.zeros_like(subgame.alternate))


def make_unsafe_subgame(game: Tree, profile: Profile, player: int, infoset: int, *, order: float = 1) -> Subgame:
    """Return the unsafe subgame: nature draws the root from the blueprint's own distribution, the opponent's play
    included.

    A baseline: an opponent who plays otherwise before the subgame can exploit it.
    """
    blueprint, other = profile[player], profile[1 - player]
    safe = make_subgame(game, blueprint, infoset, order=order)
    they = opponent(blueprint.player)
    weights = safe.reach * other.sequences[game.infoset_parent(they)[safe.roots]]
    if not weights.sum() > 0:
        raise InputError(f"the blueprints never come to infoset {game.infoset_name(player, infoset)!r} together")
    gadget = safe.tree
    players = np.array(gadget.player)
    players[0] = NATURE
    chance = gadget.chance_probabilities()
    chance[1 : 1 + len(weights)] = weights / weights.sum()
    tree = Tree.from_arrays(
        parent=gadget.parent, player=players, action=gadget.action, chance=chance, utility=gadget.utility,
        infosets=(gadget.infoset(0), gadget.infoset(1)), name=gadget.name,
    )  # fmt: skip
    labels = [tree.infoset_labels(p) for p in (0, 1)]
    maps = (safe.infosets[0][labels[0]], safe.infosets[1][labels[1]])
    behaviour = _behaviour(game, tree, blueprint.player, maps[blueprint.player], blueprint)
    return replace(
        safe, tree=tree, kind="unsafe", infosets=maps,
        blueprint=Strategy.from_behaviour(tree, blueprint.player, behaviour),
    )  # fmt: skip


def _check_infoset(game: Tree, player: Player, infoset: int) -> None:
    count = game.num_infosets(player)
    if not 0 <= infoset < count or game.infoset_actions(player)[infoset] == 0:
        raise InputError(f"{player.name} does not act at infoset {infoset} of {game.name}, expected one where she does")


def _behaviour(game: Tree, tree: Tree, player: Player, infosets: npt.NDArray[np.int32], blueprint: Strategy) -> Floats:
    """Return the blueprint's behaviour at the gadget's sequences."""
    out = np.ones(tree.num_sequences(player))
    infoset = tree.sequence_infoset(player)[1:]
    place = np.arange(1, len(out)) - tree.infoset_first(player)[infoset]
    out[1:] = blueprint.behaviour()[game.infoset_first(player)[infosets[infoset]] + place]
    return out


def _merged(
    blueprint: Strategy, inside: npt.NDArray[np.int32], transpositions: npt.ArrayLike, seed: int | None
) -> npt.NDArray[np.uint8]:
    """Mark the opponent's infosets whose node is a transposition of another's: Alg. 1, l. 10-14, in shuffled order.

    One that has several nodes of I is left out if each of them is a transposition of a node that stays. Nodes
    that are never reached stand for nobody.
    """
    game, player, they = blueprint.tree, blueprint.player, opponent(blueprint.player)
    keys = np.asarray(transpositions)
    if keys.shape != (game.num_nodes,):
        raise InputError(f"transpositions have shape {keys.shape}, expected one key for each of {game.num_nodes} nodes")
    reach = game.chance_reach[inside] * blueprint.sequences[game.sequence(player)[inside]]
    members: dict[int, set[object]] = {}
    for node in inside[reach > 0].tolist():
        members.setdefault(int(game.infoset(they)[node]), set()).add(keys[node].item())
    skip = np.zeros(game.num_infosets(they), dtype=np.uint8)
    infosets = np.array(list(members), dtype=np.int64)
    kept: set[object] = set()
    for infoset in np.random.default_rng(seed).permutation(infosets).tolist():
        if members[infoset] <= kept:
            skip[infoset] = 1
        kept |= members[infoset]
    return skip
