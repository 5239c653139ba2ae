"""The referee: results, clocks, forfeits, and that nobody sees more than they may."""

import time

import mock_agents
import pytest

from murk.darkchess import BLACK, WHITE, Board, Colour, Move, Observation
from murk.darkchess.agents import Agent, Clock, Decision, make_agent
from murk.darkchess.board import START_FEN
from murk.darkchess.referee import Referee, TimeControl
from murk.errors import InputError


class Scripted(Agent):
    """Plays given moves and remembers all it is told."""

    name = "scripted"

    def __init__(self, *moves: str, pause: float = 0.0) -> None:
        self.moves, self.pause = [Move.from_uci(move) for move in moves], pause
        self.seen: list[tuple[Observation, Move | None]] = []
        self.clocks: list[Clock] = []

    def new_game(self, colour: Colour, seed: int, fen: str = START_FEN) -> None:
        self.began = (colour, seed, fen)
        self.left = list(self.moves)

    def observe(self, observation: Observation, move: Move | None = None) -> None:
        self.seen.append((observation, move))

    def move(self, clock: Clock) -> Decision:
        self.clocks.append(clock)
        time.sleep(self.pause)
        return Decision(move=self.left.pop(0), value=0.25)


def test_each_side_sees_its_own_observations_and_nothing_else() -> None:
    white, black = Scripted("e2e4", "f1b5", "b5e8"), Scripted("d7d5", "g8f6")
    game = Referee(white, black, seeds=(5, 6)).play()
    assert (game.ending.winner, game.ending.reason, game.ending.result) == (WHITE, "king captured", "1-0")
    assert [str(ply.move) for ply in game.plies] == ["e2e4", "d7d5", "f1b5", "g8f6", "b5e8"]
    assert game.plies[0].decision == {"move": "e2e4", "value": 0.25}
    assert white.began == (WHITE, 5, START_FEN)
    assert black.began == (BLACK, 6, START_FEN)
    board, expected = Board(), {WHITE: [], BLACK: []}
    for number, ply in enumerate(game.plies):
        board.push(ply.move)
        for colour in (WHITE, BLACK):
            own = ply.move if (number % 2 == 0) == (colour == WHITE) else None
            expected[colour].append((board.observation(colour), own))
    assert white.seen == expected[WHITE]
    assert black.seen == expected[BLACK]


def test_only_who_declares_it_sees_the_board() -> None:
    shown: list[Board] = []

    class Seer(Scripted):
        sees_everything = True

        def see(self, board: Board) -> None:
            shown.append(board)

    class Blind(Scripted):
        def see(self, board: Board) -> None:
            raise AssertionError("nobody may show it the board")

    Referee(Seer("e2e4", "f1b5"), Blind("e7e5", "d7d6"), max_plies=4).play()
    assert [len(board.moves) for board in shown] == [0, 2]
    assert Seer("e2e4").disclosure == "sees everything"
    assert Blind().disclosure == ""


def test_the_board_that_is_shown_is_a_copy() -> None:
    class Vandal(Scripted):
        sees_everything = True

        def see(self, board: Board) -> None:
            board.push(board.legal_moves[0])

    game = Referee(Vandal("e2e4", "d2d4"), Scripted("e7e5", "d7d5"), max_plies=4).play()
    assert game.ending.reason == "length"


@pytest.mark.parametrize(
    ("agent", "reason", "detail"),
    [
        (mock_agents.Raiser(at=2), "crash", "ZeroDivisionError: dividing by nothing"),
        (mock_agents.Cheater(at=2), "illegal move", "a1h8 in rnbqkbnr"),
        (mock_agents.Mute(at=2), "illegal move", "None in"),
        (mock_agents.Dawdler(at=2), "time forfeit", "s for a move of 0.05 s"),
    ],
)
def test_who_fails_loses(agent: Agent, reason: str, detail: str) -> None:
    control = TimeControl(movetime=0.05, margin=1.0)
    for white, black, winner in ((agent, mock_agents.First(), BLACK), (mock_agents.First(), agent, WHITE)):
        game = Referee(white, black, control=control).play()
        assert (game.ending.winner, game.ending.reason) == (winner, reason)
        assert detail in game.ending.detail
        assert "\n" not in game.ending.detail
        assert len(game.plies) == (2 if winner == BLACK else 3)


def test_failing_to_observe_loses_unless_the_game_is_over() -> None:
    class Fainting(Scripted):
        def observe(self, observation: Observation, move: Move | None = None) -> None:
            super().observe(observation, move)
            if len(self.seen) == self.limit:
                raise RuntimeError("too much")

        limit = 2

    game = Referee(Scripted("e2e4"), Fainting("e7e5")).play()
    assert (game.ending.winner, game.ending.reason) == (WHITE, "crash")
    winner = Fainting("e2e4", "f1b5", "b5e8")
    winner.limit = 5
    assert Referee(winner, Scripted("d7d5", "g8f6")).play().ending.reason == "king captured"


def test_clocks_run_down_and_gain() -> None:
    white, black = Scripted("e2e4", "d2d4", pause=0.05), Scripted("e7e5", "d7d5")
    game = Referee(white, black, control=TimeControl(base=10, increment=2), max_plies=4).play()
    first, second = white.clocks
    assert first.remaining == pytest.approx(10, abs=0.01)
    assert first.increment == 2
    assert game.plies[0].clock == pytest.approx(12 - game.plies[0].seconds)
    assert second.remaining <= game.plies[0].clock
    assert game.plies[0].seconds >= 0.05


def test_an_empty_clock_loses() -> None:
    control = TimeControl(base=0.02, margin=0.02)
    game = Referee(Scripted("e2e4", pause=0.2), Scripted("e7e5"), control=control).play()
    assert (game.ending.winner, game.ending.reason) == (BLACK, "time forfeit")
    assert game.plies == ()


def test_observing_is_on_ones_own_time() -> None:
    class Slow(Scripted):
        def observe(self, observation: Observation, move: Move | None = None) -> None:
            time.sleep(0.1)

    slow = Slow("e7e5", "d7d5")
    Referee(Scripted("e2e4", "d2d4"), slow, control=TimeControl(movetime=5), max_plies=4).play()
    assert slow.clocks[0].movetime <= 4.9
    assert slow.clocks[1].movetime <= 4.8, "after its own move and after the opponent's"


def test_each_side_may_have_a_clock_of_its_own() -> None:
    white, black = Scripted("e2e4", "d2d4"), Scripted("e7e5", "d7d5")
    control = TimeControl(base=10, increment=2, movetime=8, nodes=3)
    Referee(white, black, control=(control, control.times(0.5)), max_plies=4).play()
    assert (white.clocks[0].nodes, black.clocks[0].nodes) == (3, 2)
    assert 9.5 < white.clocks[0].remaining <= 10
    assert 4.5 < black.clocks[0].remaining <= 5
    assert 5.5 < black.clocks[1].remaining <= 6, "with its own increment"
    assert 3.5 < black.clocks[1].movetime <= 4 < white.clocks[1].movetime


def test_openings_are_seen_as_if_played() -> None:
    opening = [Move.from_uci(move) for move in ("e2e4", "e7e5", "g1f3")]
    white, black = Scripted(), Scripted("b8c6")
    game = Referee(white, black, opening=opening, max_plies=4).play()
    assert [move for _, move in white.seen] == [opening[0], None, opening[2], None]
    assert [ply.seconds is None for ply in game.plies] == [True, True, True, False]


def test_a_game_from_a_position() -> None:
    fen = "4k3/8/8/8/8/8/8/R3K3 b Q - 0 1"
    white, black = Scripted("a1a8", "a8b8"), Scripted("e8e7", "e7d7")
    game = Referee(white, black, fen=fen, max_plies=4).play()
    assert black.began == (BLACK, 0, fen)
    assert game.fen == fen
    assert game.ending.reason == "length"


def test_turns_and_plies_are_told() -> None:
    turns: list[tuple[Colour, float | None]] = []
    plies: list[str] = []
    Referee(
        Scripted("e2e4"),
        Scripted("e7e5"),
        control=TimeControl(movetime=3, margin=0.5),
        max_plies=2,
        on_turn=lambda colour, seconds: turns.append((colour, seconds)),
        on_ply=lambda ply: plies.append(str(ply.move)),
    ).play()
    assert [colour for colour, _ in turns] == [WHITE, BLACK, WHITE, WHITE, BLACK, BLACK, BLACK, WHITE]
    assert all(seconds is not None and 3 < seconds <= 3.5 for _, seconds in turns)
    assert plies == ["e2e4", "e7e5"]


def test_random_games_end_by_the_rules() -> None:
    reasons = set()
    for seed in range(6):
        game = Referee(make_agent("random"), make_agent("random"), seeds=(seed, seed + 100)).play()
        board = Board()
        for ply in game.plies:
            board.push(ply.move)
        outcome = board.outcome()
        assert outcome is not None
        assert (outcome.winner, outcome.reason) == (game.ending.winner, game.ending.reason)
        reasons.add(outcome.reason)
    assert "king captured" in reasons


def test_time_controls_from_text() -> None:
    assert TimeControl.parse("60+0.6") == TimeControl(base=60, increment=0.6)
    assert TimeControl.parse("1:30+1") == TimeControl(base=90, increment=1)
    assert TimeControl.parse("5").text == "5+0 s"
    assert TimeControl(movetime=0.3, nodes=2000).text == "0.3 s a move, 2,000 nodes a move"
    assert (TimeControl().text, TimeControl(movetime=0.3).tag, TimeControl(base=1).tag) == ("no limit", "1/0.3", "1+0")
    for text in ("", "x", "1+x", "-1", "a:1", "1:x", "nan", "0"):
        with pytest.raises(InputError):
            TimeControl.parse(text)


def test_budgets() -> None:
    assert Clock().budget() is None
    assert Clock(movetime=0.3).budget() == 0.3
    assert Clock(remaining=25).budget() == pytest.approx(1.0)
    assert Clock(remaining=0.06, increment=1).budget() == pytest.approx(0.01)
    assert Clock(remaining=0.01).budget() == 0.0
    assert Clock(remaining=1000, movetime=0.1).budget() == 0.1
