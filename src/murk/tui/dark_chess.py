"""Dark chess in the terminal: you against an agent, and afterwards what it believed."""

import random
import secrets
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Literal

import numpy as np
import numpy.typing as npt
from rich.text import Text

from murk._core import Colour, Move, Observation, square_name
from murk.darkchess.agents import Agent, AgentSpec, Clock, Decision, make_agent, parse_spec
from murk.darkchess.agents.believing import BelievingAgent
from murk.darkchess.board import START_FEN, Board, Outcome
from murk.darkchess.picture import FOG
from murk.darkchess.sheet import Sheet
from murk.tui.board import board_text
from murk.tui.review import review
from murk.tui.terminal import Terminal

__all__ = ["PlayedByAgent", "play_dark_chess"]

Side = Literal["white", "black", "random"]
HELP = """\
  e4, Nf3, exd5, e2e4, O-O   play a move
  moves   legal moves            list   the game so far, ? for moves you did not see
  board   show the board again   view   what you see, as a fog FEN
  resign  give up                quit   leave at once"""


@dataclass(frozen=True)
class PlayedByAgent:
    """A decision of the agent, kept for the review.

    Attributes:
        ply: how many moves had been made.
        decision: what it played, and why.
        view: what it saw.
        probabilities: what it held possible, if it has a belief.
    """

    ply: int
    decision: Decision
    view: Observation
    probabilities: npt.NDArray[np.float64] | None


@dataclass
class _Game:
    """A game in progress, as the referee of this terminal has it."""

    board: Board
    you: Colour
    agent: Agent
    clock: Clock
    terminal: Terminal
    decisions: list[PlayedByAgent] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.sheet = Sheet(self.board.observation(self.you))

    @property
    def notation(self) -> list[str]:
        """The moves as you know them."""
        return [line["text"] for line in self.sheet.lines]

    def make(self, move: Move) -> None:
        """Play a move and show the agent what it sees of it."""
        mover = self.board.turn
        self.board.push(move)
        self.sheet.add(self.board.observation(self.you), move if mover == self.you else None)
        they = Colour.BLACK if self.you == Colour.WHITE else Colour.WHITE
        observation = self.board.observation(they)
        if observation.winner is None:
            self.agent.observe(observation, move if mover == they else None)


def play_dark_chess(
    agent: str | AgentSpec = "murk",
    *,
    colour: Side = "white",
    movetime: float | None = 1.0,
    nodes: int | None = None,
    seed: int | None = None,
    fen: str = START_FEN,
    terminal: Terminal | None = None,
) -> Outcome | None:
    """Play a game and return how it ended; ``None`` if it was left, or ended by resignation.

    Args:
        agent: the opponent.
        colour: your side.
        movetime: seconds that the agent has for a move.
        nodes: work that it may do instead.
        seed: of the agent, and of a random colour.
        fen: where the game begins; both sides know it.
        terminal: where to play.

    Raises:
        InputError: there is no such agent, or the FEN is none.
    """
    out = terminal or Terminal()
    spec = parse_spec(agent) if isinstance(agent, str) else agent
    chosen = secrets.randbits(62) if seed is None else seed
    side = random.Random(chosen).choice(["white", "black"]) if colour == "random" else colour
    you = Colour.WHITE if side == "white" else Colour.BLACK
    with make_agent(spec) as player:
        game = _Game(Board(fen), you, player, Clock(movetime=movetime, nodes=nodes), out)
        player.new_game(Colour.BLACK if you == Colour.WHITE else Colour.WHITE, chosen, fen)
        out.print(
            f"You are {side.title()}, against {spec.label or spec.name}"
            f"{f' ({player.disclosure})' if player.disclosure else ''}. You see what your pieces can move to.",
            Text(HELP, style="dim"),
        )
        outcome, how = _play(game)
    if how == "quit":
        out.print("The game was left.")
        return None
    _announce(game, outcome, how)
    review(game.board, game.decisions, you=you, terminal=out)
    return outcome


def _play(game: _Game) -> tuple[Outcome | None, str]:
    """Play to the end; return the outcome, and ``over``, ``resigned`` or ``quit``."""
    while (outcome := game.board.outcome()) is None:
        if game.board.turn == game.you:
            _show(game)
            answer = _your_move(game)
            if isinstance(answer, str):
                return None, answer
            game.make(answer)
        else:
            with game.terminal.waiting("The agent is thinking"):
                played = _agents_move(game)
            game.decisions.append(played)
            game.make(played.decision.move)
    return outcome, "over"


def _agents_move(game: _Game) -> PlayedByAgent:
    if game.agent.sees_everything:
        game.agent.see(game.board.copy())
    decision = game.agent.move(game.clock)
    believes = isinstance(game.agent, BelievingAgent)
    return PlayedByAgent(
        ply=len(game.board.moves),
        decision=decision,
        view=game.board.observation(game.board.turn),
        probabilities=game.agent.belief.probabilities() if believes else None,  # type: ignore[attr-defined]
    )


def _show(game: _Game) -> None:
    view = game.board.observation(game.you)
    out = game.terminal
    if game.sheet.lines and game.board.turn == game.you:
        seen = game.notation[-1]
        taken = "" if view.captured is None else f" and taken on {square_name(view.captured)}"
        out.print(f"\nYour opponent has moved{taken}{'' if seen.startswith('?') else f': {seen}'}.")
    out.print(
        board_text(
            view,
            flipped=game.you == Colour.BLACK,
            marked=() if view.captured is None else (view.captured,),
            colour=out.console.color_system is not None,
        )
    )
    facts = []
    step = 8 if game.you == Colour.WHITE else -8
    blocked = [s for s in range(64) if view.blocked >> s & 1 and view.piece_at(s + step) == FOG]
    if blocked:
        squares = ", ".join(square_name(square) for square in blocked)
        facts.append(f"blocked by something unseen: the pawn on {squares}")
    if view.en_passant is not None:
        facts.append(f"en passant is possible on {square_name(view.en_passant)}")
    if facts:
        out.print(Text(f"({'; '.join(facts)})", style="dim"))


def _your_move(game: _Game) -> Move | Literal["resigned", "quit"]:
    """Ask until there is a move, or the end."""
    out, legal = game.terminal, game.board.observation(game.you).legal_moves
    names = {}
    for move in legal:
        names[str(move)] = names[game.board.san(move)] = names[_plain(game.board.san(move))] = move
    while True:
        answer = out.ask("Your move (? for help):")
        if answer is None or answer.lower() in ("quit", "exit"):
            return "quit"
        match answer.lower():
            case "":
                continue
            case "?" | "help":
                out.print(Text(HELP, style="dim"))
            case "resign":
                return "resigned"
            case "moves":
                out.print(" ".join(sorted(game.board.san(move) for move in legal)))
            case "list":
                out.print(_numbered(game))
            case "board":
                _show(game)
            case "view":
                out.print(game.board.observation(game.you).fog_fen)
            case _:
                found = names.get(answer) or names.get(_plain(answer)) or names.get(answer.lower())
                if found is not None:
                    return found
                near = get_close_matches(answer, names, n=1)
                hint = f"; did you mean {near[0]}?" if near else ": `moves` lists those there are"
                out.print(f"{answer!r} is no move you can make here{hint}")


def _plain(san: str) -> str:
    return san.replace("x", "").replace("=", "").replace("+", "").replace("#", "").replace("0", "O")


def _numbered(game: _Game) -> str:
    """Return the game as you saw it."""
    moves = game.notation
    if not moves:
        return "no move was made yet"
    first = game.board.fullmove_number - (len(moves) + (game.board.turn == Colour.WHITE)) // 2
    white_began = (len(moves) % 2 == 0) == (game.board.turn == Colour.WHITE)
    words, number = [], max(1, first)
    for i, move in enumerate(moves):
        white = (i % 2 == 0) == white_began
        if white:
            words.append(f"{number}. {move}")
        else:
            words.append(f"{number}... {move}" if i == 0 else move)
            number += 1
    return " ".join(words)


def _announce(game: _Game, outcome: Outcome | None, how: str) -> None:
    out = game.terminal
    if outcome is None:
        text = "You resigned." if how == "resigned" else "The game is over."
    elif outcome.winner is None:
        text = f"A draw: {outcome.reason}."
    else:
        text = f"{'You won' if outcome.winner == game.you else 'You lost'}: {outcome.reason}."
    out.print(
        Text(f"\n{text} The whole board:", style="bold"),
        board_text(
            game.board.position,
            flipped=game.you == Colour.BLACK,
            colour=out.console.color_system is not None,
        ),
    )
