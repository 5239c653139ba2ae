"""What every evaluator must say: the rules' own verdicts, and one value in [-1, 1] for every move."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from rules_oracles import STUCK, random_positions

from murk.darkchess import Move, Position
from murk.darkchess.evaluators import CustomEvaluator, Embedded, Evaluator, Simple, decided_value, make_evaluator
from murk.errors import InputError


class Nothing(CustomEvaluator):
    """Knows nothing, but must not be asked about what the rules decide."""

    def __init__(self) -> None:
        super().__init__("nothing", {"colour": "grey"}, "MIT")
        self.asked: list[tuple[Position, list[Move]]] = []

    def move_values(self, position: Position, moves: list[Move]) -> list[float]:
        self.asked.append((position, moves))
        return [0.25] * len(moves)


def by_the_rules(position: Position, move: Move) -> float | None:
    """The rules' verdict from legal moves alone."""
    after = position.play(move)
    if after.king_captured or not after.legal_moves:
        return 1.0
    if any(after.play(answer).king_captured for answer in after.legal_moves):
        return -1.0
    return None


@pytest.mark.parametrize("evaluator", [Embedded(), Simple(), Nothing()], ids=lambda e: e.name)
def test_the_rules_decide_before_any_evaluator(evaluator: Evaluator) -> None:
    decided = 0
    for position in random_positions(1, 60):
        values = evaluator.values(position)
        assert values.shape == (position.num_moves,)
        assert np.abs(values).max() <= 1
        for move, value in zip(position.legal_moves, values, strict=True):
            verdict = by_the_rules(position, move)
            assert decided_value(position, move) == verdict
            decided += verdict is not None
            assert verdict is None or value == verdict
    assert decided > 100


def test_the_three_verdicts() -> None:
    capture = Position("4k3/8/8/8/8/8/4R3/4K3 w - -")
    assert decided_value(capture, Move.from_uci("e2e8")) == 1.0
    into_attack = Position("4k3/8/8/8/8/8/r7/4K3 w - -")
    assert decided_value(into_attack, Move.from_uci("e1e2")) == -1.0
    assert decided_value(into_attack, Move.from_uci("e1d1")) is None
    assert not Position(STUCK).legal_moves
    before = Position(STUCK.replace(" w ", " b ").replace("4k3/8", "8/4k3"))
    assert decided_value(before, Move.from_uci("e7e8")) == 1.0


def test_an_evaluator_is_asked_about_open_moves_only() -> None:
    nothing = Nothing()
    for position in random_positions(2, 20):
        nothing.asked.clear()
        nothing.values(position)
        open_moves = [m for m in position.legal_moves if by_the_rules(position, m) is None]
        assert nothing.asked == ([(position, open_moves)] if open_moves else [])
    assert nothing.name == "nothing"
    assert nothing.parameters == {"colour": "grey"}
    assert nothing.licence == "MIT"


@pytest.mark.parametrize("evaluator", [Embedded(), Simple()], ids=lambda e: e.name)
def test_colours_do_not_matter(evaluator: Evaluator) -> None:
    for position in random_positions(3, 60):
        mirrored = position.mirror()
        values = dict(zip(mirrored.legal_moves, evaluator.values(mirrored), strict=True))
        for move, value in zip(position.legal_moves, evaluator.values(position), strict=True):
            assert values[Move.from_squares(move.from_square ^ 56, move.to_square ^ 56, move.promotion)] == value


@pytest.mark.parametrize("evaluator", [Embedded(), Simple(), Nothing()], ids=lambda e: e.name)
def test_many_positions_and_many_threads_give_the_same_values(evaluator: Evaluator) -> None:
    positions = list(random_positions(4, 40))
    alone = [evaluator.values(position).tolist() for position in positions]
    assert [values.tolist() for values in evaluator.values_of(positions)] == alone
    assert evaluator.values_of([]) == []
    with ThreadPoolExecutor(4) as pool:
        assert [v.tolist() for v in pool.map(evaluator.values, positions * 3)] == alone * 3


def test_a_finished_game_has_no_values() -> None:
    over = Position("4k3/8/8/8/8/8/8/8 w - -", allow_missing_king=True)
    assert Embedded().values(over).size == 0


class Answers(CustomEvaluator):
    def __init__(self, answer: object) -> None:
        super().__init__("answers")
        self.answer = answer

    def move_values(self, position: Position, moves: list[Move]) -> list[float]:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ([0.0], "one value for each of the moves"),
        ([1.5] * 20, "from -1 to 1"),
        ([float("nan")] * 20, "from -1 to 1"),
        (ZeroDivisionError("in the plug-in"), "in the plug-in"),
    ],
)
def test_a_plug_in_that_answers_nonsense_is_told(answer: object, message: str) -> None:
    with pytest.raises((ValueError, ZeroDivisionError), match=message):
        Answers(answer).values(Position())


def test_a_plug_in_must_say_something() -> None:
    with pytest.raises(RuntimeError, match="move_values"):
        CustomEvaluator("empty").values(Position())


def test_simple_counts_material_and_squares() -> None:
    position = Position("4k3/p7/8/8/8/8/8/R3K3 w - -")
    move = Move.from_uci("a1a2")
    after = position.play(move)
    seen = [len(squares_seen(Position(after.fen.replace(" b ", turn)))) for turn in (" w ", " b ")]
    value = np.tanh((5 - 1 + 0.05 * (seen[0] - seen[1])) / 6)
    assert Simple().values(position)[position.legal_moves.index(move)] == np.float32(value)
    assert Simple(square=0.0).values(position)[position.legal_moves.index(move)] == np.float32(np.tanh(4 / 6))


def squares_seen(position: Position) -> set[int]:
    own = {s for s in range(64) if (p := position.piece_at(s)) and p.islower() == bool(position.turn)}
    return own | {move.to_square for move in position.legal_moves}


def test_names_and_arguments() -> None:
    assert make_evaluator("simple").name == "simple"
    assert make_evaluator().name == "embedded"
    for bad in ("", "embeded", "simple:x", "embedded:"):
        with pytest.raises(InputError, match="expected embedded"):
            make_evaluator(bad)
    for arguments in ({"square": -1.0}, {"tau": 0.0}, {"tau": float("nan")}):
        with pytest.raises(InputError, match="expected a"):
            Simple(**arguments)
