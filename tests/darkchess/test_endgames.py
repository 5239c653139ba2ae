"""Dark chess as a game: endgames solved exactly, refined by subgame solving, the same to other programs."""

import random
from collections import defaultdict

import numpy as np
import pytest
from fairy import FairyGame
from played import STARTS

import murk
from murk.darkchess import Board, Colour, Move, Position
from murk.darkchess.adapters.game import DarkChess, DarkChessState, material
from murk.errors import InputError
from murk.solvers import epsilon_uniform, solve_lp
from murk.subgame import Knowledge, NestedOptions, make_subgame, refine_everywhere, solve_subgame
from murk.tree import MAX, MIN, NATURE, TERMINAL

PENNIES = "7r/8/3k4/8/1p6/1P6/1P6/K7 b - -"
"""White's king must go to a2 or b1, in the fog. A rook on a8 takes it on a2, one on h1 takes it on b1."""

UPSIDE_DOWN = "k7/1p6/1p6/1P6/8/3K4/8/7R w - -"

ENDGAMES = {
    "8/8/8/8/7k/8/8/K6R w - -": 2,  # king and rook against king
    "8/4P3/8/3k4/8/8/8/K7 w - -": 3,  # king and pawn, about to promote
    "8/1k6/8/8/4p3/8/3P4/K7 w - -": 3,  # en passant
    "4k3/8/8/8/8/8/7p/4K2R b K -": 2,  # castling
}


def test_pennies_by_hand():
    """Each side mixes its two moves equally: Black wins half the games and the others are drawn at the horizon."""
    tree = murk.build("dark_chess_endgame")
    solution = murk.solve(tree)
    assert solution.value == pytest.approx(-0.5, abs=1e-9)
    played = solution.strategy(MIN).at(int(tree.infoset(MIN)[0]))
    assert {move: p for move, p in played.items() if p > 1e-9} == pytest.approx({"Ra8": 0.5, "Rh1": 0.5})
    (waiting,) = tree.acting_infosets(MAX)
    assert solution.strategy(MAX).at(int(waiting)) == pytest.approx({"Ka2": 0.5, "Kb1": 0.5})


def test_pennies_with_colours_exchanged():
    assert Position(UPSIDE_DOWN) == Position(PENNIES).mirror()
    tree = murk.build(f"dark_chess_endgame(fen={UPSIDE_DOWN},max_plies=3)")
    assert murk.solve(tree).value == pytest.approx(0.5, abs=1e-9)


@pytest.mark.parametrize(("fen", "plies"), ENDGAMES.items())
def test_fairy_stockfish_sees_the_same_game(fen: str, plies: int):
    ours, theirs = murk.build(DarkChess(fen, max_plies=plies)), murk.build(FairyGame(f"{fen} 0 1", plies))
    assert ours.num_nodes == theirs.num_nodes
    assert np.array_equal(np.bincount(ours.player), np.bincount(theirs.player))
    for player in (MAX, MIN):
        assert len(ours.acting_infosets(player)) == len(theirs.acting_infosets(player))
        assert ours.num_sequences(player) == theirs.num_sequences(player)
    assert murk.solve(ours).value == pytest.approx(murk.solve(theirs).value, abs=1e-9)


@pytest.mark.parametrize("fen", [PENNIES, "8/4P3/8/3k4/8/8/8/K7 w - -"])
def test_regret_minimisation_agrees_with_the_linear_program(fen: str):
    tree = murk.build(DarkChess(fen, max_plies=4, horizon="material"))
    exact = murk.solve(tree, method="lp")
    found = murk.solve(tree, method="pcfr+", target=1e-4)
    assert found.exploitability <= 1e-4
    assert found.value == pytest.approx(exact.value, abs=2e-4)


@pytest.fixture(scope="module")
def rook_endgame() -> murk.Tree:
    """Matching pennies for White, and one ply more."""
    return murk.build(DarkChess(UPSIDE_DOWN, max_plies=4, horizon=material))


def test_a_subgame_of_order_one_is_safe(rook_endgame: murk.Tree):
    tree = rook_endgame
    value = murk.solve(tree).value
    floor = epsilon_uniform(tree, MAX, 0.5)
    blueprint = solve_lp(tree, MAX, lower=floor).strategy(MAX)
    before = murk.side_exploitability(blueprint, value)
    assert before > 0.01
    knowledge = Knowledge(tree)
    sizes = {int(i): len(knowledge.order(MAX, int(i), 1)) for i in tree.acting_infosets(MAX)}
    infoset = max(sizes, key=sizes.__getitem__)
    assert sizes[infoset] > 1
    solution = solve_subgame(make_subgame(tree, blueprint, infoset), refinement="sequential")
    assert solution.value >= -1e-9
    refined = refine_everywhere(blueprint, NestedOptions(lower=floor, refinement="sequential"))
    assert murk.side_exploitability(refined, value) <= before + 1e-9


def test_states_follow_the_referee():
    endings = set()
    for seed in range(40):
        rng, fen = random.Random(seed), STARTS[seed % len(STARTS)].replace("90 60", "0 1")
        state: DarkChessState = DarkChess(fen).root()
        board = Board(" ".join(fen.split()[:4]))
        while state.player() != TERMINAL:
            assert board.outcome() is None
            assert state.player() == (MAX if board.turn == Colour.WHITE else MIN)
            for player, colour in ((MAX, Colour.WHITE), (MIN, Colour.BLACK)):
                assert state.observation(player) == board.observation(colour)
            assert list(state.actions()) == [move.bits for move in board.legal_moves]
            move = rng.choice(board.legal_moves)
            assert state.action_name(move.bits) == board.san(move)
            state = state.child(move.bits)
            board.push(move)
        outcome = board.outcome()
        assert outcome is not None
        assert state.utility() == {"1-0": 1.0, "0-1": -1.0, "1/2-1/2": 0.0}[outcome.result]
        endings.add(outcome.reason)
    assert endings >= {"king captured", "50 moves"}


def futures(state: DarkChessState) -> object:
    """Return everything that can still happen and be seen."""
    if state.player() == TERMINAL:
        return state.utility()
    after = {a: state.child(a) for a in state.actions()}
    return {a: (next_.observation(MAX), next_.observation(MIN), futures(next_)) for a, next_ in after.items()}


@pytest.mark.parametrize("draws", [True, False])
def test_transpositions_have_the_same_future(draws: bool):
    seen: dict[object, list[DarkChessState]] = defaultdict(list)
    layer = [DarkChess("8/8/8/8/7k/8/8/K7 w - -", max_plies=7, draws=draws).root()]
    for _ in range(4):
        layer = [state.child(a) for state in layer for a in state.actions()]
        for state in layer:
            seen[state.transposition_key()].append(state)
    met = [states for states in seen.values() if len(states) > 1]
    assert len(met) > 50
    for states in random.Random(0).sample(met, 40):
        assert futures(states[0]) == futures(states[-1])


def test_a_position_repeated_is_another_state():
    state = DarkChess("8/8/8/8/7k/8/8/K7 w - -").root()
    keys = [state.transposition_key()]
    for _ in range(2):
        for move in ("a1b1", "h4h5", "b1a1", "h5h4"):
            assert state.player() != TERMINAL
            state = state.child(Move.from_uci(move).bits)
        keys.append(state.transposition_key())
    assert len(set(keys)) == 3
    assert (state.player(), state.utility()) == (TERMINAL, 0.0)


def test_an_uncertain_start():
    fens = [
        f"{kings}/K6R b - -" for kings in ("8/8/8/8/7k/8/8", "8/8/8/7k/8/8/8", "1k6/8/8/8/8/8/8", "2k5/8/8/8/8/8/8")
    ]
    game = DarkChess(fens, max_plies=2)
    root = game.root()
    assert (root.player(), list(root.actions()), sum(root.chance())) == (NATURE, [0, 1, 2, 3], pytest.approx(1.0))
    after = [root.child(a) for a in root.actions()]
    # White's rook sees the king on the h-file, and only there.
    assert len({state.observation(MAX) for state in after}) == 3
    assert after[2].observation(MAX) == after[3].observation(MAX)
    tree = murk.build(game)
    # The king on the h-file escapes; in the other two it stays out of reach. Nothing is decided in two plies.
    assert murk.solve(tree).value == pytest.approx(0.0)


def test_names_of_moves_tell_nothing_hidden():
    names: dict[object, set[tuple[str, ...]]] = defaultdict(set)
    stack = [(DarkChess(fen, max_plies=4).root(), ()) for fen in ENDGAMES]
    rng = random.Random(1)
    visited = 0
    while stack:
        state, told = stack.pop()
        if state.player() == TERMINAL:
            continue
        visited += 1
        colour = state.player()
        known = (*told, (state.observation(MAX), state.observation(MIN)))
        key = (int(colour), tuple(seen[int(colour)] for seen in known))
        names[key].add(tuple(state.action_name(a) for a in state.actions()))
        actions = list(state.actions())
        stack += [(state.child(a), known) for a in rng.sample(actions, min(6, len(actions)))]
    assert visited > 500
    assert all(len(found) == 1 for found in names.values())


def test_values_at_the_horizon():
    assert material(Position("4k3/8/8/8/8/8/8/R3K3 w Q -")) == pytest.approx(5 / 39)
    assert material(Position("4k2q/8/8/8/8/8/8/4K3 w - -")) == pytest.approx(-9 / 39)
    game = DarkChess("4k3/8/8/8/8/8/8/R3K3 w Q -", max_plies=1, horizon=lambda position: 0.25)
    assert game.root().value() == 0.25
    assert murk.solve(murk.build(game)).value == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("dark_chess_endgame(fen=8/8 w - -)", "8/8"),
        ("dark_chess_endgame(max_plies=-1)", "max_plies is -1, expected"),
        ("dark_chess_endgame(max_plies=two)", "must be an integer"),
        ("dark_chess_endgame(horizon=sea)", "the horizon is 'sea', expected one of draw, material"),
        ("dark_chess_endgame(depth=3)", "no parameter 'depth'"),
    ],
)
def test_bad_parameters(spec: str, message: str):
    with pytest.raises(InputError, match=message):
        murk.load(spec)
    with pytest.raises(InputError, match="expected at least one"):
        DarkChess([])


def test_a_game_without_end_is_refused():
    with pytest.raises(murk.MurkError, match="more than 2,000 nodes"):
        murk.build(DarkChess(PENNIES, draws=False), max_nodes=2000)
