"""Fairy-Stockfish's Fog of War chess (pyffish) as a game of murk's protocol: an independent twin of ``DarkChess``."""

from dataclasses import dataclass
from functools import cache

import pyffish
from rules_oracles import FOG_OF_WAR

from murk.games.protocol import MAX, MIN, TERMINAL, Player

VARIANT = "fogofwar"

pyffish.load_variant_config(FOG_OF_WAR)  # before the name is used: pyffish crashes on a variant it does not know


@cache
def moves_of(fen: str) -> tuple[str, ...]:
    placement = fen.partition(" ")[0]
    return tuple(sorted(pyffish.legal_moves(VARIANT, fen, []))) if "k" in placement and "K" in placement else ()


@cache
def fog(fen: str) -> str:
    """Return what the side to move sees."""
    return pyffish.get_fog_fen(f"{fen} 0 1", VARIANT).partition(" ")[0]


@dataclass(frozen=True)
class FairyState:
    """A position by its FEN, with the number of plies left."""

    fen: str
    left: int

    def _moves(self) -> tuple[str, ...]:
        return moves_of(self.fen)

    def _white(self) -> bool:
        return self.fen.split()[1] == "w"

    def player(self) -> Player:
        if self.left == 0 or not self._moves():
            return TERMINAL
        return MAX if self._white() else MIN

    def actions(self) -> range:
        return range(len(self._moves()))

    def child(self, action: int) -> "FairyState":
        move = self._moves()[action]
        return FairyState(pyffish.get_fen(VARIANT, self.fen, [move]), self.left - 1)

    def utility(self) -> float:
        if self._moves():
            return 0.0
        return -1.0 if self._white() else 1.0

    def observation(self, player: int) -> str:
        # Fog is drawn for the side to move, so a player who waits is shown the board with the turn passed to her.
        fields = self.fen.split()
        mine = "w" if player == MAX else "b"
        waiting = fields[1] != mine
        fields[1] = mine
        if waiting:
            fields[3] = "-"
        return f"{fog(' '.join(fields[:4]))} {waiting}"

    def action_name(self, action: int) -> str:
        return self._moves()[action]


class FairyGame:
    """The game from a FEN, drawn after ``max_plies``."""

    def __init__(self, fen: str, max_plies: int) -> None:
        self.name = f"fairy({fen})"
        self._root = FairyState(fen, max_plies)

    def root(self) -> FairyState:
        return self._root
