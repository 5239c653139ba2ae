"""An engine that misbehaves: run as a UCI program, told how by a file beside it.

The file ``behaviour.json`` has ``mode``, how often it still applies (``times``) and a ``trigger``, a text in the FEN
that sets it off. Otherwise every legal move is worth as many centipawns as the number of its target square.
"""

import fcntl
import json
import os
import sys
import time
from pathlib import Path

import chess

STATE = Path(__file__).with_name("behaviour.json")


def due(fen: str) -> str | None:
    """Return the mode if this FEN sets it off, and count it."""
    with STATE.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        state = json.loads(STATE.read_text())
        if state["times"] == 0 or state["trigger"] not in fen:
            return None
        state["times"] -= 1
        state["seen"] = state.get("seen", 0) + 1
        new = STATE.with_suffix(".new")
        new.write_text(json.dumps(state))
        new.replace(STATE)  # whoever reads it finds it whole
    return str(state["mode"])


def say(text: str) -> None:
    print(text, flush=True)


def misbehave(mode: str) -> None:
    if mode == "crash":
        os._exit(3)
    if mode == "hang":
        time.sleep(1000)
    if mode == "flood":
        while True:
            say("info depth 1 multipv 1 score cp 1 pv a1a1")
    if mode == "long line":
        while True:
            sys.stdout.write("x" * 65536)
    if mode == "half an answer":
        say("info depth 1 multipv 1 score cp 77 pv e2e4")
        os._exit(0)
    if mode == "no score":
        say("bestmove (none)")


def answer(fen: str, multipv: int) -> None:
    board = chess.Board(fen)
    assert board.is_valid(), fen
    scored = sorted(((move.to_square, move.uci()) for move in board.legal_moves), reverse=True)
    for i, (score, move) in enumerate(scored[:multipv], start=1):
        say(f"info depth 1 seldepth 1 multipv {i} score cp {score} nodes 1 pv {move}")
    say(f"bestmove {scored[0][1]}")


def main() -> None:
    fen, multipv = "", 1
    for line in sys.stdin:
        words = line.split()
        if words[0] == "uci":
            mode = due("uci")
            if mode:
                misbehave(mode)
            say("id name Fake 1\noption name MultiPV type spin default 1 min 1 max 500\nuciok")
        elif words[0] == "isready":
            say("readyok")
        elif words[0] == "setoption" and words[2] == "MultiPV":
            multipv = int(words[4])
        elif words[0] == "position":
            fen = " ".join(words[2:])
        elif words[0] == "go":
            mode = due(fen)
            if mode:
                misbehave(mode)
            else:
                answer(fen, multipv)


if __name__ == "__main__":
    main()
