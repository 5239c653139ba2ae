"""Perft: known counts, and other programs' on random positions."""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import fairy_perft as fairy_perft_file
import pytest
from rules_oracles import PseudoBoard, fairy_fen, fairy_moves, random_positions, spiel_perft, spiel_state

from murk import _core
from murk.darkchess import BLACK, Position
from murk.errors import InputError

LINES = [
    line.split(";")
    for line in (Path(__file__).parent / "data" / "perft.txt").read_text().splitlines()
    if not line.startswith("#")
]
ROWS = [(fen.strip(), [int(count) for count in counts.split()]) for fen, counts in LINES]
BEST = _core.chess_instruction_sets()[-1]

SPARSE = [
    "k7/p7/P7/8/3p4/p7/P3P3/K7 w - -",
    "k7/p1P5/P7/8/8/p7/P1p5/K7 w - -",
    "k7/p7/P4p2/4pP2/8/p7/P7/K7 b - -",
    "n6k/7p/7P/8/8/7p/7P/N6K w - -",
]


@pytest.mark.parametrize("instructions", _core.chess_instruction_sets())
@pytest.mark.parametrize(("fen", "counts"), ROWS)
def test_known_counts(fen: str, counts: list[int], instructions: str):
    for position in (Position(fen), Position(fen).mirror()):
        for depth, nodes in enumerate(counts, start=1):
            if nodes > 10**7 and (instructions != BEST or position.turn == BLACK):
                continue  # the deepest count once
            assert position.perft(depth, instructions=instructions) == nodes


def test_there_are_five_rows_and_21_counts():
    assert [len(counts) for _, counts in ROWS] == [6, 4, 4, 4, 3]


@pytest.mark.parametrize(("fen", "counts"), ROWS)
def test_divide_adds_up(fen: str, counts: list[int]):
    position = Position(fen)
    below = position.divide(3)
    assert sorted(below) == sorted(position.legal_moves)
    assert sum(below.values()) == counts[2]
    for move, nodes in below.items():
        assert nodes == position.play(move).perft(2)


def test_all_instruction_sets_agree():
    for position in random_positions(1, 300):
        counts = {position.perft(3, instructions=name) for name in _core.chess_instruction_sets()}
        assert len(counts) == 1


def test_the_portable_instruction_set_is_always_there():
    assert _core.chess_instruction_sets()[0] == "portable"
    with pytest.raises(InputError, match="cannot run"):
        Position().perft(1, instructions="avx9000")


@pytest.mark.parametrize(("depth", "nodes"), [(0, 1), (1, 0), (5, 0)])
def test_a_finished_game_has_no_leaves_further_down(depth: int, nodes: int):
    assert Position("4k3/8/8/8/8/8/8/8 w - -", allow_missing_king=True).perft(depth) == nodes


def test_a_negative_depth_is_refused():
    with pytest.raises(InputError, match="depth -1"):
        Position().perft(-1)
    with pytest.raises(InputError, match="depth 0"):
        Position().divide(0)


def test_equals_openspiel_on_random_positions():
    for position in random_positions(2, 300):
        assert position.perft(3) == spiel_perft(spiel_state(position), 3), position.fen


def test_equals_pyffish_on_a_hundred_random_positions():
    """To depth 3, by pyffish's own moves and positions; ``fairy_perft.py`` has counted them."""
    counts = fairy_perft_file.stored()
    assert [fen for fen, _ in counts] == fairy_perft_file.fens()
    for fen, nodes in counts:
        assert Position(fen).perft(3) == nodes, fen


def test_equals_pyffish_on_every_branch_of_sparse_positions():
    """All of depth 3, where it has few enough nodes for a program that takes milliseconds for each."""
    checked = 0
    for fen in SPARSE:
        for position in random_positions(3, 75, fen=fen, longest=12):
            if position.perft(2) <= 44:
                checked += 1
                assert position.perft(3) == fairy_perft(position, 3), position.fen
    assert checked >= 100


def test_equals_pyffish_on_a_branch_of_random_positions():
    """One move of each position, with all replies to it: depth 3 of ``divide``."""
    rng = random.Random(4)
    for position in random_positions(4, 100):
        assert fairy_moves(position) == {str(move) for move in position.legal_moves}, position.fen
        move = rng.choice(position.legal_moves)
        child = position.play(move)
        assert fairy_fen(position, move) == " ".join(child.fen.split()[:3])
        assert position.divide(3)[move] == fairy_perft(child, 2), (position.fen, move)


def test_equals_python_chess_on_random_positions():
    for position in random_positions(5, 60):
        assert position.perft(2) == python_chess_perft(PseudoBoard(f"{position.fen} 0 1"), 2), position.fen


def fairy_perft(position: Position, depth: int) -> int:
    """Count with pyffish's moves; the positions between are ours, and compared where they are made."""
    moves = fairy_moves(position)
    if depth == 1:
        return len(moves)
    return sum(fairy_perft(position.play(position.parse_move(move)), depth - 1) for move in moves)


def python_chess_perft(board: PseudoBoard, depth: int) -> int:
    if board.kings.bit_count() < 2:
        return 0
    if depth == 1:
        return board.legal_moves.count()
    nodes = 0
    for move in board.legal_moves:
        board.push(move)
        nodes += python_chess_perft(board, depth - 1)
        board.pop()
    return nodes


def test_ctrl_c_stops_a_deep_count():
    code = "from murk.darkchess import Position; print('ready', flush=True); Position().perft(12)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        os.kill(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert b"KeyboardInterrupt" in errors
