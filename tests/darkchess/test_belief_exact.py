"""Beliefs are exact: equal to the definition, and never without the truth."""

import random

import pytest
from belief_twin import BOTH, game, histories, naive_step, native_step, random_endgame, twin_step

from murk._core import Advance, PositionSet
from murk.darkchess import BLACK, WHITE, Belief, Board, Colour, Move, Position
from murk.errors import InputError, ObservationError

SMALL = 250
"""Where the slow twin stops."""


def follow_with_the_twin(plies, colour) -> int:
    """Compare along a game until the set is too large for the twin; return how many steps that was."""
    start = plies[0][0]
    belief, twin, steps = Belief(colour, start.fen), {start}, 0
    for before, move, after in plies:
        seen = before.observation_after(move, colour)
        belief.observe(seen)
        twin = twin_step(twin, colour, move, after.observation(colour))
        assert set(belief) == twin
        assert len(belief) == len(twin)
        assert after in belief
        assert belief.exact
        steps += 1
        if len(twin) > SMALL:
            break
    return steps


@pytest.mark.parametrize("colour", BOTH)
def test_equals_the_twin_from_the_start(colour):
    rng = random.Random(f"start {colour}")
    assert sum(follow_with_the_twin(list(game(rng, longest=12)), colour) for _ in range(80)) > 300


@pytest.mark.parametrize("colour", BOTH)
def test_equals_the_twin_from_endgames(colour):
    rng = random.Random(f"endgame {colour}")
    games = [list(game(rng, random_endgame(rng), longest=14)) for _ in range(150)]
    assert sum(follow_with_the_twin(plies, colour) for plies in games) > 600


@pytest.mark.parametrize(
    "fen",
    [
        "r3k2r/p6p/8/8/8/8/P6P/R3K2R w KQkq -",  # castling, either way, seen and unseen
        "4k3/2p1p3/8/1P1P1P2/1p1p1p2/8/2P1P3/4K3 w - -",  # en passant
        "8/P1P2k2/8/8/8/8/2K2p1p/8 w - -",  # promotion
        "n1n1k3/1P6/8/8/8/8/1p6/N1N1K3 b - -",
        "7k/8/8/8/p1p5/P1Pp4/PB1P4/KNB4r b - -",  # next to stalemate
    ],
)
def test_equals_the_twin_where_moves_are_special(fen):
    rng = random.Random(fen)
    for _ in range(25):
        plies = list(game(rng, fen, longest=10))
        for colour in BOTH:
            follow_with_the_twin(plies, colour)


def test_equals_the_ends_of_all_histories():
    rng = random.Random("histories")
    lines = 0
    for _ in range(40):
        plies = list(game(rng, random_endgame(rng, "PNRpnr"), longest=5))
        moves, start = [move for _, move, _ in plies], plies[0][0]
        for colour in BOTH:
            ends = list(histories(start, colour, moves, [after.observation(colour) for _, _, after in plies]))
            belief = Belief(colour, start.fen)
            for before, move, _ in plies:
                belief.observe(before.observation_after(move, colour))
            assert set(belief) == set(ends)
            lines += len(ends)
    assert lines > 2000


@pytest.mark.parametrize("captures", [0.2, 0.9])
def test_equals_the_naive_native_step_on_larger_sets(captures):
    rng = random.Random(f"naive {captures}")
    largest = 0
    for _ in range(20):
        plies = list(game(rng, captures=captures, longest=60))
        for colour in BOTH:
            positions = PositionSet(plies[0][0], colour)
            for ply in plies:
                following = native_step(positions, colour, ply)
                assert following == naive_step(positions, colour, ply)
                positions = following
                largest = max(largest, len(positions))
                if len(positions) > 10_000:
                    break
    assert largest > 10_000


def contains_the_truth(plies, colour, outgrown: int) -> int:
    """Follow a whole game; a belief that has outgrown the test begins anew from the position, as if it were told."""
    positions = PositionSet(plies[0][0], colour)
    for ply in plies:
        if len(positions) > outgrown:
            positions = PositionSet(ply[0], colour)
        positions = native_step(positions, colour, ply)
        assert ply[2] in positions
    return len(plies)


@pytest.mark.parametrize("colour", BOTH)
@pytest.mark.parametrize(("captures", "games"), [(0.0, 150), (0.5, 350), (1.0, 350)])
def test_contains_the_truth_in_whole_games(captures, games, colour):
    rng = random.Random(f"truth {captures} {colour}")
    plies = sum(contains_the_truth(list(game(rng, captures=captures)), colour, 1500) for _ in range(games))
    assert plies > 30 * games


@pytest.mark.parametrize("colour", BOTH)
def test_contains_the_truth_in_whole_endgames(colour):
    rng = random.Random(f"endings {colour}")
    for _ in range(500):
        contains_the_truth(list(game(rng, random_endgame(rng), captures=0.7, longest=80)), colour, 1000)


def test_boards_that_look_the_same_give_the_same_belief_to_the_bit():
    """Play on from two positions of one belief for as long as their observations agree."""
    rng = random.Random("alike")
    compared = 0
    for _ in range(60):
        plies = list(game(rng, longest=7))
        for colour in BOTH:
            positions = PositionSet(plies[0][0], colour)
            for ply in plies:
                positions = native_step(positions, colour, ply)
            if len(positions) < 2 or positions.winner is not None:
                continue
            one, other = positions.sample(2, rng.randrange(1 << 30))
            assert one != other
            beliefs = [positions, positions]
            for _ in range(6):
                pair = _moves_that_look_the_same(rng, one, other, colour)
                if pair is None or len(beliefs[0]) > 20_000:
                    break
                beliefs = [
                    native_step(belief, colour, (before, move, before.play(move)))
                    for belief, before, move in zip(beliefs, (one, other), pair, strict=True)
                ]
                assert beliefs[0] == beliefs[1]
                assert beliefs[0].packed().tobytes() == beliefs[1].packed().tobytes()
                one, other = one.play(pair[0]), other.play(pair[1])
                assert one in beliefs[0]
                assert other in beliefs[0]
                compared += 1
    assert compared > 200


def _moves_that_look_the_same(
    rng: random.Random, one: Position, other: Position, colour: Colour
) -> tuple[Move, Move] | None:
    if one.turn == colour:
        assert one.legal_moves == other.legal_moves
        options = [(move, move) for move in one.legal_moves]
    else:
        options = [(a, b) for a in one.legal_moves for b in other.legal_moves]
    rng.shuffle(options)
    for a, b in options[:400]:
        if one.observation_after(a, colour) == other.observation_after(b, colour):
            return a, b
    return None


def test_stalemate_that_did_not_happen_is_knowledge():
    """After her move, the opponent has a move, or the game would be over."""
    board = Board("7k/8/8/8/p1p5/P1Pp4/PB1P4/KNB5 b - -")
    belief = Belief(BLACK, board.fen)
    board.push("h8h7")  # White has no move and loses
    assert board.outcome().reason == "no moves"
    belief.observe(board.observation(BLACK))
    assert belief.winner is BLACK
    assert board.position in belief


def follow(fen: str, colour: Colour, moves: str) -> tuple[Board, Belief]:
    board, belief = Board(fen), Belief(colour, fen)
    for move in moves.split():
        board.push(move)
        belief.observe(board.observation(colour))
    return board, belief


def rights_with_both_at_home(belief: Belief) -> set[str]:
    return {p.castling for p in belief if p.piece_at(60) == "k" and (p.piece_at(56) == "r" or p.piece_at(63) == "r")}


def test_whether_a_rook_may_still_castle_is_seen_only_by_its_absence():
    _, belief = follow("r3k3/8/8/8/8/8/7P/R3K3 w q -", WHITE, "h2h3 a8b8 h3h4 b8a8")
    assert rights_with_both_at_home(belief) == {"-"}  # the a-file was seen to be empty meanwhile
    board, belief = follow("r3k3/p7/8/8/8/8/P7/R3K3 w q -", WHITE, "e1e2 a8b8 e2e1 b8a8")
    assert rights_with_both_at_home(belief) == {"-", "q"}  # or a pawn moved twice
    assert board.position in belief


def test_own_moves_can_make_positions_equal():
    """A rook that could castle and one that could not are the same once taken."""
    board, belief = follow("1n2k2r/p5p1/8/8/8/8/8/4K1R1 w k -", WHITE, "g1f1 h8h7 f1f2 h7h8 f2h2 a7a6")
    assert rights_with_both_at_home(belief) == {"-", "k"}
    before = set(belief)
    board.push("h2h8")
    belief.observe(board.observation(WHITE))
    children = [position.play(board.moves[-1]) for position in before]
    expected = {child for child in children if child.observation(WHITE) == board.position.observation(WHITE)}
    assert set(belief) == expected
    assert len(belief) == len(expected) < len([c for c in children if c in expected])


def test_the_definition_refuses_what_the_belief_refuses():
    """Views of other games: the belief takes one exactly if the twin finds a position for it."""
    rng = random.Random("foreign")
    refused = taken = 0
    for _ in range(120):
        one, other = (list(game(rng, "4k3/3p4/8/2n5/8/5N2/3P4/4K3 w - -", longest=5)) for _ in range(2))
        for colour in BOTH:
            belief, twin = Belief(colour, one[0][0].fen), {one[0][0]}
            for ply, foreign in zip(one, other, strict=False):
                if belief.turn != colour and belief.winner is None:
                    seen = foreign[2].observation(colour)
                    expected = twin_step(twin, colour, foreign[1], seen)
                    fresh = belief.copy()
                    if expected:
                        fresh.observe(seen)
                        assert set(fresh) == expected
                        taken += 1
                    else:
                        with pytest.raises(ObservationError):
                            fresh.observe(seen)
                        assert fresh == belief
                        refused += 1
                belief.observe(ply[0].observation_after(ply[1], colour))
                twin = twin_step(twin, colour, ply[1], ply[2].observation(colour))
    assert refused > 20
    assert taken > 20


@pytest.mark.parametrize("colour", BOTH)
def test_a_step_in_parts_is_the_step(colour):
    rng = random.Random(f"parts {colour}")
    steps = several = 0
    for number in range(60):
        plies = list(game(rng, random_endgame(rng) if number % 2 else None, longest=10))
        positions = PositionSet(plies[0][0], colour)
        for ply in plies:
            before, move, _ = ply
            own = move if before.turn == colour else None
            following = native_step(positions, colour, ply)
            parts = Advance(positions, before.observation_after(move, colour), own, expected=rng.choice([0, 100_000]))
            assert len(parts.take()) == 0
            size = rng.randint(1, len(positions))
            order = list(range(0, len(positions), size))
            rng.shuffle(order)
            for first in order:
                parts.add(positions, first, first + size)
            assert len(parts) == len(following)
            assert parts.take() == following
            assert len(parts) == 0  # and again from nothing
            parts.add(positions, 0, len(positions))
            assert parts.take() == following
            steps, several = steps + 1, several + (len(order) > 1)
            positions = following
            if len(positions) > 20_000 or positions.winner is not None:
                break
    assert steps > 200
    assert several > 80


def test_a_step_in_parts_takes_only_what_fits():
    board = Board()
    board.push("e4")
    before, first = PositionSet(Position(), BLACK), board.position
    for move in ("e5", "Nf3"):
        board.push(move)
    parts, other = Advance(before, first.observation(BLACK)), PositionSet(board.position, BLACK)
    with pytest.raises(InputError, match="know the same"):
        parts.add(other, 0, 1)
    with pytest.raises(InputError, match="cannot follow"):
        Advance(before, first.observation(WHITE))


def test_what_is_in_one_set_and_not_in_another():
    board, belief = Board(), Belief(BLACK)
    for move in ("Nf3", "Nf6", "g3", "g6", "Bg2", "Bg7", "d3"):
        board.push(move)
        belief.observe(board.observation(BLACK))
    whole = belief.positions
    assert len(whole) > 500
    odd = PositionSet.unite([whole.slice(i, i + 1) for i in range(1, len(whole), 2)])
    left = whole.without(odd)
    everything = whole.positions(range(len(whole)))
    assert left.positions(range(len(left))) == everything[::2]
    assert PositionSet.unite([left, odd]) == whole
    assert len(whole.without(whole)) == 0
    assert whole.without(whole.slice(0, 0)) == whole
    with pytest.raises(InputError, match="know the same"):
        whole.without(PositionSet(Position(), WHITE))
