"""What is said to a browser about a game.

Before a game that a person plays is over, only three things are said of it: her :class:`~murk.darkchess.sheet.Sheet`,
the public clocks, and that the opponent thinks. Those who watch two agents see the whole board, and the insides at the
end.
"""

from typing import Any

from murk._core import Colour
from murk.darkchess.board import Board
from murk.darkchess.pgn import GameRecord, Ply, format_game
from murk.darkchess.sheet import squares, taken_piece, view_fields
from murk.web.game import Game
from murk.web.setup import colour_name

__all__ = ["message", "pgn_text", "state"]


def state(game: Game) -> dict[str, Any]:
    """Return all that may be known about a game now."""
    fields: dict[str, Any] = {"type": "state", "game": game.setup.public(), "over": game.ending is not None}
    if game.ending is not None:
        played = [str(move) for move in game.board.moves]
        fields |= {"record": _record(game), "inside": game.inside.fields(played), "ending": _ending(game)}
    elif game.setup.person is not None:
        fields |= {"sheet": game.sheets[game.setup.person].fields()}
    else:
        fields |= {"record": _record(game)}
    return fields | _time(game)


def message(game: Game, event: str) -> dict[str, Any]:
    """Return what is said about an event: ``ply``, ``time`` or ``over``."""
    if event == "over":
        return state(game)
    if event == "time":
        return {"type": "time", **_time(game)}
    fields: dict[str, Any] = {"type": "ply", "ply": len(game.board.moves)}
    if game.setup.person is not None:
        sheet = game.sheets[game.setup.person]
        return fields | {"line": sheet.lines[-1], "view": view_fields(sheet.view), **_time(game)}
    latest = {name: entries[-1] for name, entries in _record(game).items()}
    return fields | {"latest": latest, **_time(game)}


def pgn_text(game: Game) -> str:
    """Return a game that is over as PGN, with clocks and what the agents thought in comments."""
    assert game.ending is not None
    decisions = game.inside.decisions
    names = ["Person" if name == "You" else name for name in game.setup.names]
    record = GameRecord(
        plies=tuple(Ply(move, comment=_comment(decisions.get(ply, {}))) for ply, move in enumerate(game.board.moves)),
        result=_result(game),
        fen=game.setup.fen,
        tags={
            "Event": "murk play",
            "Date": game.started[:10].replace("-", "."),
            "White": names[0],
            "Black": names[1],
            "TimeControl": "-" if game.setup.control is None else game.setup.control.tag,
            "Termination": game.ending.reason,
        },
    )
    return format_game(record)


def _comment(decision: dict[str, Any]) -> str:
    value = decision.get("value")
    return "" if value is None else f"value {value:+.3f}"


def _record(game: Game) -> dict[str, Any]:
    """Return the whole game: the true positions, the moves, and what each side saw and knew of the moves."""
    board = Board(game.setup.fen)
    full = [_position(board)]
    lines: list[dict[str, Any]] = [{}]
    for move, seconds in zip(game.board.moves, game.last_seconds, strict=True):
        by = "w" if board.turn == Colour.WHITE else "b"
        name = str(move)
        lines.append(
            {
                "by": by,
                "text": board.san(move),
                "squares": [name[:2], name[2:4]],
                "took": taken_piece(board.position, move),
                "move": name,
                "seconds": seconds,
            }
        )
        board.push(move)
        full.append(_position(board))
    views = {
        colour_name(colour): [{**view_fields(view), "moves": []} for view in sheet.views]
        for colour, sheet in game.sheets.items()
    }
    known = {f"{colour_name(colour)}_lines": [{}, *sheet.lines] for colour, sheet in game.sheets.items()}
    return {"lines": lines, "full": full, **views, **known}


def _position(board: Board) -> dict[str, Any]:
    placement, turn = board.position.fen.split()[:2]
    return {
        "fen": placement,
        "turn": turn,
        "stopped": [],
        "felt": squares(0),
        "passing": None,
        "captured": None,
        "moves": [],
    }


def _ending(game: Game) -> dict[str, Any]:
    ending = game.ending
    assert ending is not None
    return {
        "result": _result(game),
        "winner": None if ending.winner is None else colour_name(ending.winner),
        "reason": ending.reason,
        "detail": ending.detail,
    }


def _result(game: Game) -> str:
    assert game.ending is not None
    return game.setup.result if game.setup.kind == "analyse" else game.ending.result


def _time(game: Game) -> dict[str, Any]:
    return {"clocks": game.clocks(), "thinking": game.thinking()}
