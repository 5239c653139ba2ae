"""Games in the fog as labels: what a label says against a twin in Python, shards on disk, mixing them in."""

import itertools
import math
from pathlib import Path

import numpy as np
import pytest

from murk import _core
from murk.darkchess.evaluators import Embedded
from murk.darkchess.evaluators.outcomes import OutcomeConfig, play_outcomes
from murk.darkchess.evaluators.records import RECORD, read_shard, read_shards
from murk.darkchess.evaluators.training import TrainConfig, read_log, train
from murk.errors import InputError

LARGEST = round(420 * math.atanh(0.999))


def play(records: int, seed: int = 1, **options: float) -> np.ndarray:
    chosen = _core.OutcomeOptions()
    for name, value in options.items():
        setattr(chosen, name, value)
    return _core.OutcomePlayer(Embedded(), seed, chosen).run(records).reshape(-1).view(RECORD)


def games(records: np.ndarray) -> list[np.ndarray]:
    """The records of each game, the last position first."""
    return np.split(records, np.flatnonzero(np.diff(records["game"].astype(int))) + 1)


def test_a_label_is_made_of_what_followed() -> None:
    """The lambda-return, by hand: games without strays have every position from the first own choice on."""
    kept, evaluator = 0.8, Embedded()
    played = games(play(400, strays=0.0, persistence=kept))
    assert len(played) > 3
    for game in played:
        positions = [_core.record_position(record.tobytes()) for record in game]
        for after, before in itertools.pairwise(positions):
            assert any(before.play(move).key == after.key for move in before.legal_moves)
        came_to = 1.0  # the last move took the king, or left none
        assert any(positions[0].play(move).winner is not None for move in positions[0].legal_moves)
        for i, (position, record) in enumerate(zip(positions, game, strict=True)):
            if i > 0:
                came_to = -((1 - kept) * evaluator.value(positions[i - 1]) + kept * came_to)
            expected = 420 * math.atanh(max(-0.999, min(0.999, came_to)))
            assert record["label"] == pytest.approx(expected, abs=1), position.fen


def test_what_is_before_a_stray_move_is_not_judged_by_what_is_after_it() -> None:
    """A position just before the stray one gets the value of that one, turned, and nothing of the result."""
    evaluator, seen = Embedded(), 0
    for game in games(play(2_000, strays=0.2, persistence=1.0)):
        positions = [_core.record_position(record.tobytes()) for record in game]
        for after, before, label in zip(positions, positions[1:], game["label"][1:], strict=False):
            if any(before.play(move).key == after.key for move in before.legal_moves):
                continue
            # A position is missing between them, and it is one that a move of `before` leads to.
            values = [evaluator.value(before.play(move)) for move in before.legal_moves]
            labels = [round(420 * math.atanh(max(-0.999, min(0.999, -value)))) for value in values]
            assert min(abs(int(label) - expected) for expected in labels) <= 1
            seen += 1
    assert seen > 50


def test_games_are_played_well_enough_to_be_worth_learning_from() -> None:
    records = play(3_000)
    assert (records["flags"] == 8).all()
    assert np.abs(records["label"]).max() <= LARGEST
    values = [Embedded().value(_core.record_position(record.tobytes())) for record in records]
    assert np.corrcoef(values, np.tanh(records["label"] / 420))[0, 1] > 0.7


@pytest.mark.parametrize(
    "options", [{"boards": 0}, {"longest": 8}, {"opening": -1}, {"strays": 1.0}, {"persistence": 2.0}]
)
def test_options_out_of_range_are_refused(options: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"games in the fog|persistence"):
        play(1, **options)


def test_a_seed_gives_the_same_games() -> None:
    assert play(200).tobytes() == play(200).tobytes()
    assert play(200).tobytes() != play(200, seed=2).tobytes()


def test_shards_of_outcomes_go_on_where_they_were(tmp_path: Path) -> None:
    config = OutcomeConfig(records=500, shard=200)
    network, told = Embedded().network, []
    paths = play_outcomes(tmp_path, config, network, on_progress=told.append)
    assert [len(read_shard(path)) for path in paths] == [200, 200, 100]
    assert [progress.done for progress in told] == [200, 400, 500]
    before = read_shards(paths).tobytes()
    paths[1].unlink()
    again = play_outcomes(tmp_path, config, network)
    assert read_shards(again).tobytes() == before
    assert read_shards(play_outcomes(tmp_path / "threads", config, network, threads=2)).tobytes() == before


def test_playing_can_be_interrupted(tmp_path: Path) -> None:
    """What is not whole is not there, and nothing goes on in the background."""

    def interrupt(progress: object) -> None:
        raise KeyboardInterrupt

    config, network = OutcomeConfig(records=100_000, shard=100), Embedded().network
    with pytest.raises(KeyboardInterrupt):
        play_outcomes(tmp_path, config, network, threads=2, on_progress=interrupt)
    made = sorted(path.name for path in tmp_path.iterdir())
    assert 1 <= len(made) < 10
    assert all(len(read_shard(tmp_path / name)) == 100 for name in made)
    assert sorted(path.name for path in tmp_path.iterdir()) == made


def test_bad_outcome_settings_are_refused(tmp_path: Path) -> None:
    config, network = OutcomeConfig(records=500, shard=200), Embedded().network
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot use"):
        play_outcomes(tmp_path / "file", config, network)
    with pytest.raises(InputError, match="records is -1"):
        OutcomeConfig(records=-1)


def test_outcomes_are_mixed_in_by_their_share(tmp_path: Path) -> None:
    network = Embedded().network
    outcomes = play_outcomes(tmp_path / "outcomes", OutcomeConfig(records=3_000, shard=1_500), network)
    labels = play_outcomes(tmp_path / "labels", OutcomeConfig(records=4_000, shard=4_000, seed=2), network)
    config = TrainConfig(samples=1, batch=500, outcomes=0.25)
    train(lambda: labels, tmp_path / "run", config, start=network, outcomes=lambda: outcomes)
    train(lambda: labels, tmp_path / "alone", TrainConfig(samples=1, batch=500), start=network)
    mixed, alone = (read_log(tmp_path / name)[-1]["samples"] for name in ("run", "alone"))
    assert alone / 3 <= mixed - alone <= alone / 3 + 1_000
    with pytest.raises(InputError, match="no outcomes to train on"):
        train(lambda: labels, tmp_path / "none", config, start=network)
    with pytest.raises(InputError, match=r"outcomes is 1\.0, expected a share"):
        TrainConfig(outcomes=1.0)
