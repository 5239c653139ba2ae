"""Dark chess as a search sees it: keys are what players observe, values are the evaluator's, draws are feared."""

from collections.abc import Iterator

import numpy as np
import pytest

from murk import _core
from murk.darkchess import BLACK, WHITE, Board, Colour, Move, Position
from murk.darkchess.evaluators import make_evaluator

CAPACITY = 200_000


def grown(position: Position, rounds: int, *, draw_cap: bool = True) -> tuple[_core.ChessGame, _core.Trunk]:
    game = _core.ChessGame(position.turn, make_evaluator("simple"), draw_cap)
    game.set_history([_core.view_key(position.observation(position.turn))], 0)
    trunk = _core.Trunk(game, [game.add_position(position, 7)], [0.0], CAPACITY)
    trunk.expand_roots()
    for _ in range(rounds):
        x, y = (np.ones(trunk.tree.num_sequences(p)) for p in (0, 1))
        trunk.grow(x, y, rule="pseudocode", depth=1 << 30, nodes=3000, seconds=None)
    return game, trunk


def lines(trunk: _core.Trunk, root: Position) -> Iterator[tuple[int, list[Position], list[Move]]]:
    """Yield each node below the gadget's root with the positions and moves on the way."""
    tree = trunk.tree
    found: dict[int, tuple[list[Position], list[Move]]] = {1: ([root], [])}
    yield 1, [root], []
    for h in range(2, tree.num_nodes):
        positions, moves = found[int(tree.parent[h])]
        move = Move(int(tree.action[h]))
        found[h] = ([*positions, positions[-1].play(move)], [*moves, move])
        yield h, *found[h]


@pytest.mark.parametrize(
    "fen", ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", "4k3/8/8/1r6/8/8/4P3/4K3 b - -"]
)
def test_keys_are_what_a_player_knows(fen: str) -> None:
    root = Position(fen)
    _, trunk = grown(root, 2)
    told: tuple[dict[int, object], dict[int, object]] = ({}, {})
    sides = (root.turn, BLACK if root.turn == WHITE else WHITE)
    for h, positions, moves in lines(trunk, root):
        for role, colour in enumerate(sides):
            steps = zip(positions, moves, strict=False)
            own = tuple(move if position.turn == colour else None for position, move in steps)
            known = (own, tuple(position.observation(colour) for position in positions[1:]))
            key = trunk.keys(h)[role]
            assert told[role].setdefault(key, known) == known
    for role in (0, 1):
        assert len(set(map(repr, told[role].values()))) == len(told[role])


def test_values_are_the_evaluators_from_our_side() -> None:
    root = Position("r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq -")
    game, trunk = grown(root, 1, draw_cap=False)
    evaluator = make_evaluator("simple")
    for h, positions, moves in lines(trunk, root):
        if not moves:
            assert trunk.value(h) == pytest.approx(float(max(evaluator.values(root))))
            continue
        before = positions[-2]
        value = float(evaluator.values(before)[before.legal_moves.index(moves[-1])])
        assert trunk.value(h) == pytest.approx(value if before.turn == WHITE else -value)
        if positions[-1].winner is None:
            assert game.position(trunk.state(h)) == positions[-1]
        else:
            assert trunk.state(h) == -1
            assert trunk.value(h) == (1.0 if positions[-1].winner == WHITE else -1.0)


def test_captures_checks_and_promotions_come_first() -> None:
    # With nothing but the opponent's reach, one child is expanded: the most interesting.
    root = Position("4k3/P7/8/8/8/8/8/4K2R w K -")
    _, trunk = grown(root, 0)
    x, y = (np.ones(trunk.tree.num_sequences(p)) for p in (0, 1))
    x[1:] = 0.0
    expanded, _, _ = trunk.grow(x, y, rule="text", depth=1 << 30, nodes=1 << 30, seconds=None)
    assert expanded == 1
    first, count = int(trunk.tree.first_child[1]), int(trunk.tree.num_children[1])
    [chosen] = [h for h in range(first, first + count) if trunk.tree.num_children[h]]
    assert str(Move(int(trunk.tree.action[chosen]))) in {"a7a8q", "h1h8"}


def test_the_depth_cap_holds_back_what_not_both_reach() -> None:
    _, trunk = grown(Position(), 0)
    x, y = (np.ones(trunk.tree.num_sequences(p)) for p in (0, 1))
    y[1:] = 0.0
    assert trunk.grow(x, y, rule="text", depth=0, nodes=1 << 30, seconds=None) == (0, True, False)
    expanded, waiting, _ = trunk.grow(x, y, rule="text", depth=1, nodes=1 << 30, seconds=None)
    assert (expanded, waiting) == (1, False)
    y[1:] = 1.0
    expanded, _, _ = trunk.grow(x, y, rule="text", depth=0, nodes=1 << 30, seconds=None)
    assert expanded == 19


@pytest.mark.parametrize("draw_cap", [True, False])
def test_a_third_repetition_is_worth_no_more_than_a_draw(draw_cap: bool) -> None:
    board = Board("4k3/8/8/8/8/8/R7/Q3K3 w - -")
    game = _core.ChessGame(WHITE, make_evaluator("simple"), draw_cap)
    views = [_core.view_key(board.observation(WHITE))]
    for move in ("a2b2", "e8d8", "b2a2", "d8e8", "a2b2", "e8d8"):
        board.push(move)
        views.append(_core.view_key(board.observation(WHITE)))
    game.set_history(views, 6)
    trunk = _core.Trunk(game, [game.add_position(board.position, 7)], [0.0], CAPACITY)
    trunk.expand_roots()
    tree = trunk.tree
    by_move = {str(Move(int(tree.action[h]))): h for h in range(2, tree.num_nodes)}
    assert trunk.value(by_move["a1a7"]) > 0.5
    assert trunk.value(by_move["b2a2"]) > 0.5  # seen twice so far with Black to move
    x, y = (np.ones(tree.num_sequences(p)) for p in (0, 1))
    trunk.grow(x, y, rule="pseudocode", depth=1 << 30, nodes=1 << 30, seconds=None)
    after = by_move["b2a2"]
    first = int(tree.first_child[after])
    count = int(tree.num_children[after])
    replies = {str(Move(int(tree.action[h]))): trunk.value(h) for h in range(first, first + count)}
    # White does not see the black king, so after any reply she sees what she saw at the start for the third time.
    assert (replies["d8e8"] == replies["d8c8"] == 0.0) if draw_cap else (replies["d8e8"] > 0.5)


def test_fifty_quiet_moves_are_worth_no_more_than_a_draw() -> None:
    position = Position("4k3/8/8/8/8/4P3/R7/Q3K3 w - -")
    game = _core.ChessGame(WHITE, make_evaluator("simple"), True)
    game.set_history([], 99)
    trunk = _core.Trunk(game, [game.add_position(position, 7)], [0.0], CAPACITY)
    trunk.expand_roots()
    by_move = {str(Move(int(trunk.tree.action[h]))): h for h in range(2, trunk.num_nodes)}
    assert trunk.value(by_move["a1b1"]) == 0.0
    assert trunk.value(by_move["e3e4"]) > 0.5


def test_information_is_the_entropy_of_what_is_seen() -> None:
    game = _core.ChessGame(WHITE, make_evaluator("simple"), True)
    boards = ["4k3/8/8/8/8/8/8/RN2K3 w - -", "3k4/8/8/8/8/8/8/RN2K3 w - -"]  # nothing tells e8 from d8 yet
    seeds = [game.add_position(Position(fen), 7) for fen in boards]
    trunk = _core.Trunk(game, seeds, [0.0, 0.0], CAPACITY)
    trunk.expand_roots()
    bits = dict(zip(map(str, Position(boards[0]).legal_moves), trunk.next_observation_entropy().tolist(), strict=True))
    assert bits["a1a8"] == pytest.approx(1.0)  # sees along the eighth rank
    assert bits["b1a3"] == 0.0


def test_colour_is_turned_round() -> None:
    white, black = Position("4k3/8/8/3q4/8/2N5/8/4K3 w - -"), Position("4k3/8/8/3q4/8/2N5/8/4K3 w - -").mirror()
    trunks = [grown(position, 1)[1] for position in (white, black)]
    assert trunks[0].num_nodes == trunks[1].num_nodes
    values = [sorted(trunk.value(h) for h in range(trunk.num_nodes)) for trunk in trunks]
    assert values[0] == pytest.approx(values[1], abs=1e-6)
    assert Colour.WHITE == white.turn != black.turn
