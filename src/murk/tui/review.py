"""After a game of dark chess: what the agent saw, believed and meant, decision by decision."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from murk._core import Colour
from murk.darkchess.agents import Decision
from murk.darkchess.board import Board
from murk.tui.board import board_text, heat_text
from murk.tui.terminal import Terminal

if TYPE_CHECKING:
    from murk.tui.dark_chess import PlayedByAgent

__all__ = ["review"]

_SHOWN = 3
_HELP = "A number shows a decision, n and p the next and the one before, t the table, q ends."


def review(board: Board, decisions: "Sequence[PlayedByAgent]", *, you: Colour, terminal: Terminal) -> None:
    """Show what the agent decided and why; ask which decision to look at until there is no more question."""
    if not decisions:
        return
    terminal.console.print(_table(board, decisions))
    terminal.print(Text(_HELP, style="dim"))
    at = -1
    while (answer := terminal.ask("Review:")) is not None:
        match answer.lower():
            case "q" | "quit" | "exit":
                return
            case "n" | "":
                at = min(at + 1, len(decisions) - 1)
            case "p":
                at = max(at - 1, 0)
            case "t":
                terminal.console.print(_table(board, decisions))
                continue
            case number if number.isdecimal() and 1 <= int(number) <= len(decisions):
                at = int(number) - 1
            case _:
                terminal.print(f"there is no decision {answer!r}, expected 1 to {len(decisions)}. {_HELP}")
                continue
        _show(board, decisions[at], at + 1, you=you, terminal=terminal)


def _table(board: Board, decisions: "Sequence[PlayedByAgent]") -> Table:
    table = Table(title="What the agent thought", box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for name in ("", "move", "mixture", "value", "held possible"):
        table.add_column(name)
    for number, played in enumerate(decisions, start=1):
        before = _before(board, played.ply)
        decision = played.decision
        table.add_row(
            str(number),
            before.san(decision.move),
            _mixture(before, decision),
            "" if decision.value is None else f"{decision.value:+.2f}",
            _belief(decision),
        )
    return table


def _show(board: Board, played: "PlayedByAgent", number: int, *, you: Colour, terminal: Terminal) -> None:
    before, decision = _before(board, played.ply), played.decision
    flipped, colour = you == Colour.BLACK, terminal.console.color_system is not None
    terminal.print(
        Text(f"\nDecision {number}: {before.san(decision.move)}, out of {_mixture(before, decision) or 'one move'}"),
        Text("The truth:", style="dim"),
        board_text(before.position, flipped=flipped, colour=colour),
    )
    if played.probabilities is None:
        terminal.print(Text("The agent keeps no belief; it saw:", style="dim"))
        terminal.print(board_text(played.view, flipped=flipped, colour=colour))
        return
    terminal.print(
        Text(f"What it saw, and in the fog how likely you were there in per cent ({_belief(decision)}):", style="dim"),
        heat_text(played.probabilities, played.view, played.view.colour),
    )


def _before(board: Board, ply: int) -> Board:
    before = board.copy()
    while len(before.moves) > ply:
        before.pop()
    return before


def _mixture(board: Board, decision: Decision) -> str:
    shares = [choice for choice in decision.mixture if choice.probability >= 0.005][:_SHOWN]
    return ", ".join(f"{board.san(choice.move)} {100 * choice.probability:.0f} %" for choice in shares)


def _belief(decision: Decision) -> str:
    if decision.belief_size is None:
        return ""
    exact = "" if decision.belief_exact else ", a sample"
    return f"{decision.belief_size:,} position{'s' * (decision.belief_size != 1)}{exact}"
