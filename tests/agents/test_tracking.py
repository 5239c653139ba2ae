"""The belief for play: exact while it fits, within its limit beyond, never dry."""

import random

import pytest

from murk.darkchess import BLACK, WHITE, Belief, Board, Colour, Position, tracking
from murk.darkchess.tracking import Tracker, repair
from murk.errors import InputError


def random_game(seed: int, plies: int) -> Board:
    source, board = random.Random(seed), Board()
    while board.outcome() is None and len(board.moves) < plies:
        # Kings are left alone, so that games are long enough.
        quiet = [m for m in board.legal_moves if board.position.piece_at(m.to_square) not in ("k", "K")]
        board.push(source.choice(quiet or board.legal_moves))
    return board


def follow(board: Board, colour: Colour, **options: int):
    """Yield the board, the tracker and the observation after each ply."""
    tracker, again = Tracker(colour, **options), Board()
    for move in board.moves:
        mover = again.turn
        again.push(move)
        if again.position.winner is not None:
            return
        observation = again.observation(colour)
        tracker.observe(observation, move if mover == colour else None)
        yield again, tracker, observation


@pytest.mark.parametrize("colour", [WHITE, BLACK])
def test_it_is_the_belief_while_it_fits(colour: Colour) -> None:
    for seed in range(3):
        belief = Belief(colour)
        for board, tracker, observation in follow(random_game(seed, 12), colour):
            belief.observe(observation)
            assert tracker.exact == belief.exact
            assert tracker.positions == belief.positions
            assert board.position in tracker


@pytest.mark.parametrize("colour", [WHITE, BLACK])
def test_a_tiny_sample_never_runs_dry(colour: Colour) -> None:
    repairs = 0
    for seed in range(12):
        for board, tracker, observation in follow(random_game(seed, 120), colour, limit=3, seed=seed):
            assert len(tracker) >= 1
            assert len(tracker) <= 3 or tracker.repaired
            for position in tracker.sample(20):
                assert position.observation(colour).fog_fen == observation.fog_fen
                assert position.turn == board.turn
        repairs += tracker.repaired
    assert repairs > 20


def test_the_same_again() -> None:
    game = random_game(5, 80)
    one = [tracker.positions for _, tracker, _ in follow(game, WHITE, limit=10, seed=7)]
    two = [tracker.positions for _, tracker, _ in follow(game, WHITE, limit=10, seed=7)]
    assert all(a == b for a, b in zip(one, two, strict=True))


def test_repairs_keep_the_material() -> None:
    source = random.Random(1)
    made = 0
    for seed in range(30):
        one, two = random_game(seed, 31), random_game(seed + 100, 31)
        if one.outcome() is not None or two.outcome() is not None:
            continue
        # Another game altogether: all that is unseen comes from it.
        observation = one.observation(WHITE)
        found = repair(two.position, observation, None, source)
        if found is None:
            continue
        made += 1
        assert found.observation(WHITE).fog_fen == observation.fog_fen
        own = [found.piece_at(s) for s in range(64) if (found.piece_at(s) or "-").isupper()]
        assert sorted(own) == sorted(p for s in range(64) if (p := one.position.piece_at(s) or "-").isupper())
        theirs = sum((found.piece_at(s) or "-").islower() for s in range(64))
        assert theirs <= max(16, sum((two.position.piece_at(s) or "-").islower() for s in range(64)))
        assert sum(found.piece_at(s) == "k" for s in range(64)) == 1
    assert made > 15


def test_a_castled_king_is_found_again() -> None:
    stale = Position("rnbqk2r/pppp1ppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq -")
    board = Board("rnbqk2r/pppp1ppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1")
    board.push("e8g8")
    found = repair(stale, board.observation(WHITE), None, random.Random(0))
    assert found is not None
    assert found.observation(WHITE).fog_fen == board.observation(WHITE).fog_fen


def test_what_cannot_be() -> None:
    with pytest.raises(InputError, match="limit is 0"):
        Tracker(WHITE, limit=0)
    board = Board()
    board.push("e2e4")
    board.push("d7d5")
    board.push("e4d5")
    tracker = Tracker(BLACK)
    with pytest.raises(InputError):
        tracker.observe(board.observation(BLACK))


def test_probabilities() -> None:
    tracker = Tracker(WHITE)
    assert tracker.probabilities().shape == (64, 13)
    assert tracker.probabilities()[0, 4] == 1.0
    assert tracker.colour == WHITE


@pytest.mark.parametrize("colour", [WHITE, BLACK])
def test_what_was_put_aside_is_found_again(colour: Colour) -> None:
    regained = inexact = 0
    for seed in range(6):
        belief, was_exact = Belief(colour), True
        for board, tracker, observation in follow(random_game(seed, 24), colour, limit=400, aside=10_000_000):
            belief.observe(observation)
            tracker.catch_up()
            assert len(tracker) <= 400
            held = set(tracker.positions.sample(400, 1))
            assert all(position in belief for position in held)
            if tracker.exact:
                assert tracker.positions == belief.positions
                assert board.position in tracker
                regained += not was_exact
            else:
                inexact += 1
                assert tracker.aside > 0
                assert len(belief) >= len(tracker)
            was_exact = tracker.exact
        assert tracker.repaired == 0
    assert regained > 3
    assert inexact > 20


def test_catching_up_takes_no_longer_than_it_may() -> None:
    waited = 0
    for _, tracker, _ in follow(random_game(2, 40), WHITE, limit=400, aside=10_000_000):
        aside, before = tracker.aside, tracker.looked_at
        tracker.catch_up(seconds=0.0)
        assert (tracker.aside, tracker.looked_at) == (aside, before)
        tracker.catch_up(most=500)
        assert tracker.looked_at - before <= 500 + 64
        waited += aside > 0
    assert waited > 3


@pytest.mark.parametrize("colour", [WHITE, BLACK])
def test_positions_that_come_about_in_several_ways_are_looked_at_once(
    colour: Colour, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was put aside comes back in no more work than the whole belief would have been."""
    monkeypatch.setattr(tracking, "FEW", 0)
    regained = 0
    for seed in range(6):
        belief, tracker, again = Belief(colour), Tracker(colour, limit=300, aside=10_000_000), Board()
        work = 0
        for move in random_game(seed, 24).moves:
            own = again.turn == colour
            work += 0 if own else len(belief)
            again.push(move)
            belief.observe(again.observation(colour))
            tracker.observe(again.observation(colour), move if own else None)
        regained += not tracker.exact
        tracker.limit = 10_000_000
        while not tracker.exact:  # a little at a time, as on a clock
            before = tracker.looked_at
            tracker.catch_up(most=2_000)
            assert tracker.looked_at > before
        assert tracker.positions == belief.positions
        assert tracker.looked_at <= 1.2 * work  # a capture of ours can make positions equal later
    assert regained >= 3


def test_there_is_always_time_for_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """However much there is to be put in order, and however little time: it is done in parts."""
    clock = iter(x * 1e-3 for x in range(100_000_000))
    monkeypatch.setattr(tracking.time, "perf_counter", lambda: next(clock))
    board, belief, tracker = Board(), Belief(WHITE), Tracker(WHITE, limit=10_000_000)
    for move in ["Nf3", "Nf6", "g3", "g6", "Bg2", "Bg7", "O-O", "O-O", "d3", "d6", "c3", "c6"]:
        own = board.turn == WHITE
        board.push(move)
        belief.observe(board.observation(WHITE))
        tracker.observe(board.observation(WHITE), board.moves[-1] if own else None, seconds=0.004)
    assert not tracker.exact
    assert len(belief) > 50_000
    for _ in range(1_000):
        if tracker.exact:
            break
        tracker.catch_up(seconds=0.004)  # four looks at the clock
    assert tracker.exact
    assert tracker.positions == belief.positions


def test_an_update_without_any_time_makes_up_a_few_positions() -> None:
    """On a clock of hundredths of a second a belief that has run dry must not cost the game."""
    board, tracker = Board(), Tracker(WHITE, seed=1)
    for move in random_game(5, 24).moves:
        own = board.turn == WHITE
        board.push(move)
        assert board.outcome() is None
        observation = board.observation(WHITE)
        tracker.observe(observation, move if own else None, seconds=0.0)
        assert tracker.looked_at == 0
        assert 1 <= len(tracker) <= tracking.FEWEST_REPAIRED
        for position in tracker.sample(tracking.FEWEST_REPAIRED):
            assert position.observation(WHITE).fog_fen == observation.fog_fen
    assert tracker.repaired > 10
    tracker.catch_up()
    assert tracker.exact
    assert board.position in tracker


def test_without_room_what_does_not_fit_is_lost() -> None:
    trackers = [tracker for _, tracker, _ in follow(random_game(3, 60), BLACK, limit=50, aside=0)]
    assert trackers[-1].aside == 0
    assert not trackers[-1].exact
    with pytest.raises(InputError, match="aside is -1"):
        Tracker(WHITE, aside=-1)


def test_what_was_made_up_is_never_taken_for_real(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the patience to look at what was put aside it is repaired at once; catching up finds real positions."""
    monkeypatch.setattr(tracking, "PATIENCE", 0)
    regained = 0
    for seed in range(16):
        belief, waited = Belief(WHITE), 0
        for _, tracker, observation in follow(random_game(seed, 30), WHITE, limit=8, aside=10_000_000):
            belief.observe(observation)
            waited += tracker.repaired > 0
            if waited == 0:
                continue
            assert not tracker.exact
            if waited == 4:  # and what follows from made-up positions is by then more than it holds
                tracker.limit = 1_000_000
                tracker.catch_up()
                assert tracker.exact
                assert tracker.positions == belief.positions
                regained += 1
                break
    assert regained > 5
