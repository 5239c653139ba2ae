"""Games in the terminal: dark chess against any agent, and small games against an equilibrium.

Input is lines of text, so it works at a terminal and in a pipe alike; the end of the input ends the game.
"""

from typing import TYPE_CHECKING, Any

from murk.tui.dark_chess import play_dark_chess
from murk.tui.small_game import play_game

if TYPE_CHECKING:
    from murk.cli.options import Settings

__all__ = ["play", "play_dark_chess", "play_game"]

_MOVETIME = 1.0


def play(game: str | None, settings: "Settings", options: dict[str, Any]) -> None:
    """Play what the command line asks for; no game is dark chess.

    Options that are used if they are there: ``agents`` (the first one plays), ``colour``, ``movetime``, ``nodes``,
    ``seed``, ``fen``, ``evaluator``, ``hints``.
    """
    colour, seed = options.get("colour"), options.get("seed")
    if game is not None:
        from murk.cli.trees import open_tree

        play_game(open_tree(game, settings).tree, player=options.get("player"), seed=seed)
        return
    from murk.darkchess.agents import AgentSpec, parse_spec
    from murk.darkchess.board import START_FEN

    spec = parse_spec((options.get("agents") or ["murk"])[0])
    if options.get("evaluator") is not None:
        spec = AgentSpec(spec.name, {**spec.options, "evaluator": options["evaluator"]}, spec.label)
    movetime = options.get("movetime")
    if movetime is None and options.get("nodes") is None:
        movetime = _MOVETIME
    play_dark_chess(
        spec,
        colour=colour or "white",
        movetime=movetime,
        nodes=options.get("nodes"),
        seed=seed,
        fen=options.get("fen") or START_FEN,
    )
