"""Whose turn it is."""

from enum import IntEnum

__all__ = ["MAX", "MIN", "NATURE", "TERMINAL", "Player", "opponent", "player_of"]

from murk.errors import InputError


class Player(IntEnum):
    """Whose turn it is. MAX (the paper's ⊕) receives the utility, MIN (⊖) pays it."""

    MAX = 0
    MIN = 1
    NATURE = 2
    TERMINAL = 3


MAX = Player.MAX
MIN = Player.MIN
NATURE = Player.NATURE
TERMINAL = Player.TERMINAL


def player_of(player: int | str) -> Player:
    """Return ``MAX`` or ``MIN`` from a number or a name; raise :class:`InputError` for anything else."""
    if isinstance(player, str) and player.lower() in ("max", "min"):
        return MAX if player.lower() == "max" else MIN
    if isinstance(player, int) and player in (0, 1):
        return Player(player)
    raise InputError(f"player is {player!r}, expected MAX (0) or MIN (1)")


def opponent(player: int) -> Player:
    """Return the other player."""
    return MIN if player_of(player) is MAX else MAX
