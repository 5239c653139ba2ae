"""The game tree, sequence-form strategies, and their files."""

from murk.tree.files import load_solution_file, load_tree, save_tree
from murk.tree.players import MAX, MIN, NATURE, TERMINAL, Player, opponent, player_of
from murk.tree.strategy import Profile, Strategy, uniform
from murk.tree.tree import Tree

__all__ = [
    "MAX",
    "MIN",
    "NATURE",
    "TERMINAL",
    "Player",
    "Profile",
    "Strategy",
    "Tree",
    "load_solution_file",
    "load_tree",
    "opponent",
    "player_of",
    "save_tree",
    "uniform",
]
