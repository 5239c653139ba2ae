"""A short game of dark chess, with what the agent saw, believed and considered at each of its moves."""

from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table
from rich.text import Text

from murk.darkchess import WHITE, Board, Move, Observation, square_name
from murk.darkchess.agents import make_agent
from murk.darkchess.agents.believing import BelievingAgent
from murk.darkchess.referee import PlayedGame, PlayedPly, Referee, TimeControl
from murk.tui.board import board_text, heat_text

__all__ = ["PlayedWithBelief", "play", "show_dark_chess"]

AGENT, OPPONENT = "murk", "pimc(positions=100)"
NODES = 30_000
SEED = 9
MOST_PLIES = 36
MOVES_SHOWN = 3
BAR = 20
BLACK_KING = 12
"""Its column of :meth:`murk.darkchess.Belief.probabilities`."""


class PlayedWithBelief:
    """Follows a game for one side and shows each of its decisions.

    Args:
        out: where to show them.
        agent: White; it is asked for its belief, and nothing else.
    """

    def __init__(self, out: Console, agent: BelievingAgent) -> None:
        self._out, self._agent = out, agent
        self.board = Board()
        self.largest = 0
        self.at_largest: tuple[int, Observation, Board, npt.NDArray[np.float64]] | None = None

    def __call__(self, ply: PlayedPly) -> None:
        """Show a ply that was just played."""
        if self.board.turn == WHITE:
            self._own(ply)
        self.board.push(ply.move)
        if self.board.turn == WHITE and self.board.outcome() is None:
            captured = self.board.observation(WHITE).captured
            self._out.print(Text("Black moves" if captured is None else f"Black takes on {square_name(captured)}"))

    def _own(self, ply: PlayedPly) -> None:
        view, colour = self.board.observation(WHITE), self._out.color_system is not None
        probabilities, decision = self._agent.belief.probabilities(), ply.decision
        if decision["belief_size"] > self.largest:
            self.largest = decision["belief_size"]
            self.at_largest = (self.board.fullmove_number, view, self.board.copy(), probabilities)
        grid = Table.grid(padding=(0, 3))
        marked = () if view.captured is None else (view.captured,)
        grid.add_row(board_text(view, marked=marked, colour=colour), self._why(ply, decision, probabilities))
        self._out.print(grid)

    def _why(self, ply: PlayedPly, decision: dict[str, Any], probabilities: npt.NDArray[np.float64]) -> Text:
        size = decision["belief_size"]
        text = Text.assemble(
            (f"Move {self.board.fullmove_number}\n", "bold"),
            f"belief   {size:,} position{'s' * (size != 1)}{'' if decision['belief_exact'] else ', a sample'}"
            f"; Black's king {_likeliest(probabilities[:, BLACK_KING])}\n",
        )
        for number, choice in enumerate(decision["mixture"][:MOVES_SHOWN]):
            share = choice["probability"]
            if number and share < 0.005:
                break
            text.append("mixture  " if number == 0 else " " * 9)
            text.append(f"{self.board.san(Move.from_uci(choice['move'])):6}{100 * share:4.0f} % ")
            text.append("█" * round(BAR * share) + "\n", style="cyan")
        if decision.get("value") is not None:
            text.append(f"value    {decision['value']:+.2f}, {decision['gadget']}, {decision['depth']} plies deep\n")
        text.append("plays    ")
        text.append(self.board.san(ply.move), style="bold")
        return text


def _likeliest(squares: npt.NDArray[np.float64], most: int = 3) -> str:
    order = np.argsort(-squares, kind="stable")[:most]
    return ", ".join(f"{square_name(int(s))} {100 * squares[s]:.0f} %" for s in order if squares[s] >= 0.005)


def play(out: Console) -> tuple[PlayedGame, PlayedWithBelief]:
    """Play the game, showing it as it goes."""
    with make_agent(AGENT) as white, make_agent(OPPONENT) as black:
        assert isinstance(white, BelievingAgent)
        told = PlayedWithBelief(out, white)
        game = Referee(
            white, black, seeds=(SEED, SEED), control=TimeControl(nodes=NODES), max_plies=MOST_PLIES, on_ply=told
        ).play()
    return game, told


def show_dark_chess(out: Console) -> None:
    """Show the game, and afterwards what was hidden."""
    colour = out.color_system is not None
    out.print(
        Text("Dark chess: a player sees what her pieces can move to, and wins by taking the king.", style="bold"),
        f"White is {AGENT}, Black {OPPONENT}, {NODES:,} positions a move, seed {SEED}. You see what White "
        f"sees ({'fog is grey' if colour else '? is fog'}), how many positions it holds possible and where it looks for"
        " the king, the mixture it draws its move from, and what it thinks the game is worth, from -1 to 1.\n",
        sep="\n",
    )
    game, told = play(out)
    ending = game.ending
    who = "Nobody has won yet" if ending.winner is None else f"{ending.winner.name.title()} has won"
    out.print(Text(f"{who}: {ending.reason}, {len(game.plies)} plies. The whole board:", style="bold"))
    out.print(board_text(told.board.position, colour=colour))
    if told.at_largest is None:
        return
    number, view, board, probabilities = told.at_largest
    out.print(
        f"\nThe thickest fog was at move {number}, {told.largest:,} position{'s' * (told.largest != 1)}."
        " What White saw, with the chance in per cent that Black is on a square it did not see; and what was there:\n"
    )
    grid = Table.grid(padding=(0, 4))
    grid.add_row(heat_text(probabilities, view, WHITE), board_text(board.position, colour=colour))
    out.print(grid)
    out.print()
