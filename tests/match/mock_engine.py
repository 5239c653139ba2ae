"""A UCI engine that plays the first move it can think of, and can be told to misbehave.

Run as ``python mock_engine.py MODE``; MODE is ``good``, ``fog``, ``crash``, ``hang``, ``illegal``, ``nonsense``,
``flood``, ``long`` (a line without end), ``mute`` (never says uciok) or ``stubborn`` (does not quit).
"""

import sys
import time

from murk.darkchess import Board


def main(mode: str) -> None:
    board = Board()
    for line in sys.stdin:
        words = line.split()
        if not words:
            continue
        if words[0] == "uci":
            if mode == "mute":
                time.sleep(3600)
            print("id name mock engine")
            print("option name Hash type spin default 16 min 1 max 1024")
            print("option name Style Of Play type combo default Normal var Normal var Very Wild")
            if mode == "fog":
                print("option name UCI_Variant type combo default chess var chess var fogofwar")
            print("uciok", flush=True)
        elif words[0] == "isready":
            print("readyok", flush=True)
        elif words[0] == "position":
            moves = words.index("moves") if "moves" in words else len(words)
            board = Board(" ".join(words[2:moves]))
            for move in words[moves + 1 :]:
                board.push(move)
        elif words[0] == "go":
            go(mode, board)
        elif words[0] == "quit" and mode != "stubborn":
            return


def go(mode: str, board: Board) -> None:
    print("info depth 1 score cp 13 pv e2e4")
    move = str(board.legal_moves[0])
    if mode == "crash":
        sys.exit(3)
    if mode == "hang":
        time.sleep(3600)
    if mode == "flood":
        while True:  # not so fast that its output is too much before its time is over
            print("info string " + "x" * 1000)
            time.sleep(0.0001)
    if mode == "long":
        while True:
            print("x" * 1000, end="")
    if mode == "illegal":
        move = "a1h8"
    if mode == "nonsense":
        move = "checkmate!"
    if mode == "none":
        move = "(none)"
    print(f"bestmove {move}", flush=True)


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except (BrokenPipeError, KeyboardInterrupt):
        sys.stderr.close()
