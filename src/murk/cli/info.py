"""``murk info``: the size of a game."""

from typing import Any

import click
import numpy as np

from murk.cli.options import Settings, common_options, complete_game, tree_options
from murk.cli.output import count, number, print_facts, print_json, seconds, size
from murk.cli.trees import OpenedTree, open_tree
from murk.solvers import choose_method
from murk.tree import MAX, MIN, NATURE, TERMINAL, Tree

__all__ = ["info"]

_CFR_BYTES_PER_SEQUENCE = 64
"""Seven vectors of doubles, and some for their padding."""
_LP_BYTES_PER_NONZERO = 400
"""Measured: HiGHS took 240 to 470 bytes a nonzero on the games of 50,000 to 300,000 nodes."""


@click.command(
    short_help="Count the nodes, infosets and sequences of GAME.",
    epilog='\b\nExample:\n  murk info "liars_dice(dice_sides=5)"',
)
@click.argument("game", shell_complete=complete_game)
@tree_options
@common_options
@click.pass_obj
def info(settings: Settings, game: str) -> None:
    """Count the nodes, infosets and sequences of GAME and estimate the memory to solve it."""
    opened = open_tree(game, settings)
    facts = gather(opened)
    if settings.json:
        print_json(facts)
    else:
        print_facts(opened.tree.name, _for_people(facts, opened))


def gather(opened: OpenedTree) -> dict[str, Any]:
    """Return all there is to say about a tree."""
    tree = opened.tree
    players = np.bincount(tree.player, minlength=4)
    low, high = tree.utility_range()
    return {
        "game": tree.name,
        "nodes": tree.num_nodes,
        "depth": int(tree.depths().max()),
        "chance_nodes": int(players[NATURE]),
        "decision_nodes": {"max": int(players[MAX]), "min": int(players[MIN])},
        "terminal_nodes": int(players[TERMINAL]),
        "infosets": {"max": len(tree.acting_infosets(MAX)), "min": len(tree.acting_infosets(MIN))},
        "sequences": {"max": tree.num_sequences(MAX), "min": tree.num_sequences(MIN)},
        "payoff_entries": tree.sequence_form.num_entries,
        "payoffs": {"lowest": low, "highest": high},
        "memory": _memory(tree),
        "auto_method": choose_method(tree, None),
        "build_seconds": opened.seconds,
        "nodes_per_second": opened.nodes_per_second,
        "tree_from": opened.origin,
    }


def _memory(tree: Tree) -> dict[str, float]:
    form, sequences = tree.sequence_form, tree.num_sequences(MAX) + tree.num_sequences(MIN)
    nonzeros = form.num_entries + 1.5 * sequences  # the payoffs and both players' flow constraints
    return {
        "tree_bytes": tree.nbytes,
        "bytes_per_node": tree.nbytes / tree.num_nodes,
        "cfr_bytes": form.nbytes + _CFR_BYTES_PER_SEQUENCE * sequences,
        "lp_bytes": form.nbytes + round(_LP_BYTES_PER_NONZERO * nonzeros),
    }


def _for_people(facts: dict[str, Any], opened: OpenedTree) -> list[tuple[str, str]]:
    decisions, infosets, sequences = facts["decision_nodes"], facts["infosets"], facts["sequences"]
    memory, payoffs = facts["memory"], facts["payoffs"]
    return [
        ("nodes", count(facts["nodes"])),
        ("  decisions", f"{count(sum(decisions.values()))} ({_both(decisions)})"),
        ("  chance", count(facts["chance_nodes"])),
        ("  terminal", count(facts["terminal_nodes"])),
        ("depth", count(facts["depth"])),
        ("infosets", f"{count(sum(infosets.values()))} ({_both(infosets)})"),
        ("sequences", f"{count(sum(sequences.values()))} ({_both(sequences)})"),
        ("payoffs", f"{number(payoffs['lowest'])} to {number(payoffs['highest'])}"),
        ("memory", f"{size(memory['tree_bytes'])}, {memory['bytes_per_node']:.1f} bytes a node"),
        ("  to solve", f"about {size(memory['cfr_bytes'])} by regret, {size(memory['lp_bytes'])} by LP"),
        ("auto", f"{facts['auto_method']} (without a target)"),
        ("tree", f"{opened.describe()} in {seconds(opened.seconds)}, {count(opened.nodes_per_second)} nodes/s"),
    ]


def _both(counts: dict[str, int]) -> str:
    return f"MAX {count(counts['max'])}, MIN {count(counts['min'])}"
