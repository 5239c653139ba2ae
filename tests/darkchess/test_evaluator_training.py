"""The trainer against finite differences, resolving, shards on disk, interrupted runs, and the whole pipeline."""

import json
import math
import random
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from evaluator_twins import BUCKETS, FEATURES, FIRST, HIDDEN, SECOND, STACKS, features, letters

from murk import _core
from murk.cli.app import main
from murk.darkchess import Colour
from murk.darkchess.evaluators import Embedded
from murk.darkchess.evaluators.embedded import read_network
from murk.darkchess.evaluators.pipeline import plot_losses
from murk.darkchess.evaluators.records import HEADER, RECORD, as_rows, read_shard, read_shards
from murk.darkchess.evaluators.report import make_report
from murk.darkchess.evaluators.scores import Scores
from murk.darkchess.evaluators.training import TrainConfig, read_log, split, train
from murk.errors import FormatError, InputError

SAMPLE = Path(__file__).parent / "data" / "heldout-sample.bin"


def sample(number: int, *, source: int = 2) -> np.ndarray:
    records = np.array(read_shard(SAMPLE)[:number])
    records["flags"] = source
    return records


def write_shard(path: Path, records: np.ndarray) -> Path:
    header = np.zeros(1, HEADER)
    header["magic"], header["record_size"], header["depth"] = b"murktrn1", RECORD.itemsize, 1
    path.write_bytes(header.tobytes() + records.tobytes())
    return path


# --- the trainer ---


class FloatTwin:
    """The loss in double precision, from the parameters as the trainer keeps them."""

    SHAPES = (
        ("rows", (FEATURES, HIDDEN)),
        ("material", (FEATURES, STACKS)),
        ("bias", (HIDDEN,)),
    )
    STACK = FIRST * HIDDEN + SECOND * 2 * FIRST + SECOND + FIRST + SECOND + 16
    OWN = FEATURES * (HIDDEN + STACKS) + HIDDEN + STACKS * STACK
    SHARED = FEATURES // BUCKETS * (HIDDEN + STACKS)

    def __init__(self, records: np.ndarray) -> None:
        self.samples = []
        for record in records:
            position = _core.record_position(record.tobytes())
            board = letters(position)
            rows = [features(board, side) for side in (position.turn, Colour(1 - position.turn))]
            target = math.tanh(record["label"] / 420)
            self.samples.append((rows, min((len(board) - 1) // 4, STACKS - 1), target))

    def loss(self, own: np.ndarray, shared: np.ndarray) -> float:
        return float(np.mean([(self.value(own, shared, *sample[:2]) - sample[2]) ** 2 for sample in self.samples]))

    def value(self, own: np.ndarray, shared: np.ndarray, rows: list[list[int]], number: int) -> float:
        own_rows = own[: FEATURES * HIDDEN].reshape(FEATURES, HIDDEN)
        own_material = own[FEATURES * HIDDEN :][: FEATURES * STACKS].reshape(FEATURES, STACKS)
        bias = own[FEATURES * (HIDDEN + STACKS) :][:HIDDEN]
        shared_rows = shared[: 768 * HIDDEN].reshape(768, HIDDEN)
        shared_material = shared[768 * HIDDEN :].reshape(768, STACKS)
        stack = own[FEATURES * (HIDDEN + STACKS) + HIDDEN + number * self.STACK :][: self.STACK]
        first, second, third, first_bias, second_bias, third_bias = np.split(
            stack, np.cumsum([FIRST * HIDDEN, SECOND * 2 * FIRST, SECOND, FIRST, SECOND])
        )
        products, material = [], []
        for side in rows:
            low = [row % 768 for row in side]
            sums = np.clip(bias + own_rows[side].sum(axis=0) + shared_rows[low].sum(axis=0), 0, 1)
            products.append(sums[: HIDDEN // 2] * sums[HIDDEN // 2 :])
            material.append(own_material[side, number].sum() + shared_material[low, number].sum())
        x = first.reshape(FIRST, HIDDEN) @ np.concatenate(products) + first_bias
        activated = np.concatenate([np.clip(x, 0, 1), np.minimum(x * x, 1)])
        hidden = np.clip(second.reshape(SECOND, 2 * FIRST) @ activated + second_bias, 0, 1)
        return math.tanh(third @ hidden + third_bias[0] + (material[0] - material[1]) / 2)


def parts(state: np.ndarray) -> dict[str, np.ndarray]:
    sizes = [FloatTwin.OWN] * 3 + [FloatTwin.SHARED] * 3
    names = ("own", "own_first", "own_second", "shared", "shared_first", "shared_second")
    return dict(zip(names, np.split(state.astype(np.float64), np.cumsum(sizes))[:6], strict=True))


def test_gradients_equal_finite_differences() -> None:
    records = sample(24)
    trainer = _core.Trainer(9)
    # Some steps first: the last layer begins near zero, and nothing flows through it.
    for _ in range(20):
        trainer.train(as_rows(records), 24, 3e-3, 2.0)
    state = trainer.state()
    before = parts(state)
    # A fresh memory: the first moment after one step is then a tenth of the gradient.
    state[FloatTwin.OWN : 3 * FloatTwin.OWN] = 0
    state[3 * FloatTwin.OWN + FloatTwin.SHARED : -2] = 0
    trainer.restore(state)
    twin = FloatTwin(records)
    loss = trainer.train(as_rows(records), 24, 1e-9, 2.0)
    assert loss == pytest.approx(twin.loss(before["own"], before["shared"]), rel=1e-4)
    after = parts(trainer.state())
    rng = np.random.default_rng(1)
    checked = 0
    for name, other in (("own", "shared"), ("shared", "own")):
        gradient = after[f"{name}_first"] / 0.1
        large = np.flatnonzero(np.abs(gradient) > 1e-4)
        stacks = large[large >= FEATURES * (HIDDEN + STACKS)] if name == "own" else large
        for index in np.concatenate([rng.choice(large, 12), rng.choice(stacks, 12)]):
            step = np.zeros_like(before[name])
            step[index] = 1e-5

            def shifted(sign: int, name: str = name, other: str = other, step: np.ndarray = step) -> float:
                moved = {name: before[name] + sign * step, other: before[other]}
                return twin.loss(moved["own"], moved["shared"])

            numeric = (shifted(1) - shifted(-1)) / 2e-5
            assert gradient[index] == pytest.approx(numeric, rel=2e-2, abs=2e-5)
            checked += 1
    assert checked == 48


def test_training_learns_and_is_repeatable() -> None:
    rows = as_rows(sample(1_000))
    trainers = [_core.Trainer(5), _core.Trainer(5)]
    losses = [[trainer.train(rows, 250, 2e-3, 2.0) for _ in range(6)] for trainer in trainers]
    assert losses[0] == losses[1]
    assert losses[0][-1] < 0.5 * losses[0][0]
    assert trainers[0].network().file() == trainers[1].network().file()
    assert _core.Trainer(6).network().file() != _core.Trainer(5).network().file()
    two = _core.Trainer(5, 2)
    assert [two.train(rows, 250, 2e-3, 2.0) for _ in range(6)] == pytest.approx(losses[0], rel=0.05)


def test_a_restored_trainer_goes_on_as_if_nothing_had_happened() -> None:
    rows = as_rows(sample(500))
    first = _core.Trainer(5)
    first.train(rows, 100, 2e-3, 2.0)
    second = _core.Trainer(77)
    second.restore(first.state())
    assert second.steps == first.steps == 5
    assert first.train(rows, 100, 1e-3, 1.5) == second.train(rows, 100, 1e-3, 1.5)
    assert first.network().file() == second.network().file()
    with pytest.raises(ValueError, match="another shape"):
        second.restore(first.state()[:-1])


def test_a_trainer_begins_from_a_net_to_the_bit() -> None:
    """A number of the accumulator that was always zero begins anew, changes no value, and can then be learnt."""
    network = Embedded().network
    records, limits, dead = as_rows(sample(300)), _core.QuiescenceLimits(), 7

    def number(trainer: _core.Trainer) -> np.ndarray:
        own, shared = (parts(trainer.state())[name] for name in ("own", "shared"))
        rows = own[: FEATURES * HIDDEN].reshape(BUCKETS, 768, HIDDEN) + shared[: 768 * HIDDEN].reshape(768, HIDDEN)
        return rows[:, :, dead]

    for killed in (False, True):
        trainer, again = _core.Trainer(5), _core.Trainer(6)
        trainer.begin_from(network)
        if killed:
            state = trainer.state()
            own = state[: FloatTwin.OWN]
            own[: FEATURES * HIDDEN].reshape(FEATURES, HIDDEN)[:, dead] = 0
            own[FEATURES * (HIDDEN + STACKS) + dead] = 0
            shared = state[3 * FloatTwin.OWN :][: FloatTwin.SHARED]
            shared[: 768 * HIDDEN].reshape(768, HIDDEN)[:, dead] = 0
            trainer.restore(state)
            assert not number(trainer).any()
        again.begin_from(trainer.network())
        assert number(again).any()
        before, begun = (_core.predict(records, t.network(), limits)[1] for t in (trainer, again))
        np.testing.assert_array_equal(before, begun)
        assert again.train(records, 100, 1e-3) > again.train(records, 100, 1e-3)


def test_quantising_loses_little() -> None:
    rows = as_rows(sample(1_000))
    trainer = _core.Trainer(5)
    for _ in range(10):
        trainer.train(rows, 250, 2e-3, 2.0)
    in_floats = trainer.train(rows, 1_000, 1e-9, 2.0)
    targets, static, _, _, _ = _core.predict(rows, trainer.network(), _core.QuiescenceLimits())
    assert np.mean((static - targets) ** 2) == pytest.approx(in_floats, rel=0.05)


def test_a_resolved_position_is_where_the_value_came_from() -> None:
    network, limits = _core.Network(_core.Trainer(4).network().file()), _core.QuiescenceLimits()
    moved = 0
    for record in sample(150):
        row = as_rows(record.reshape(1))
        value = _core.predict(row, network, limits)[2][0]
        quiet = _core.resolve(row, network, limits).reshape(-1).view(RECORD)
        if abs(value) == 1:
            continue
        turned = -1 if quiet["label"][0] == -record["label"] else 1
        assert quiet["label"][0] == turned * record["label"]
        assert _core.predict(as_rows(quiet), network, limits)[1][0] == np.float32(turned * value)
        moved += bool(quiet["occupied"][0] != record["occupied"])
    assert moved > 20


@pytest.mark.threads
def test_threads_share_the_records() -> None:
    rows, network, limits = as_rows(sample(3_000)), _core.Trainer(4).network(), _core.QuiescenceLimits()
    one, three = _core.predict(rows, network, limits, 1), _core.predict(rows, network, limits, 3)
    assert all(np.array_equal(a, b) for a, b in zip(one[:4], three[:4], strict=True))
    assert one[4] == three[4]
    assert np.array_equal(_core.resolve(rows, network, limits, 1), _core.resolve(rows, network, limits, 3))


# --- records and shards ---


def test_damaged_records_are_refused() -> None:
    rows = as_rows(sample(3))
    no_king = rows.copy()
    no_king[1, 8:24] = 0
    crowded = rows.copy()
    crowded[1, :8] = 255
    for bad in (no_king, crowded):
        with pytest.raises(ValueError, match="damaged"):
            _core.predict(bad, _core.Trainer(1).network(), _core.QuiescenceLimits())


def test_shards(tmp_path: Path) -> None:
    path = write_shard(tmp_path / "a.bin", sample(5))
    with path.open("ab") as file:
        file.write(b"torn")
    assert read_shard(path).tobytes() == sample(5).tobytes()
    assert len(read_shards([path, path])) == 10
    assert len(read_shards([])) == 0
    for content, message in ((b"", "not a shard"), (b"x" * 64, "not a shard"), (b"murktrn1" + b"\1" * 56, "bytes")):
        path.write_bytes(content)
        with pytest.raises(FormatError, match=message):
            read_shard(path)


def test_a_game_is_for_training_or_for_validation() -> None:
    records = np.concatenate([sample(4_000), np.array(read_shard(SAMPLE))])
    training, validation = split(records)
    assert len(training) + len(validation) == 4_000  # the others are held out
    assert len(validation) > 0
    assert not set(training["game"].tolist()) & set(validation["game"].tolist())


def test_scores() -> None:
    scores = Scores.of(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.25, 0.5]))
    assert scores == Scores(pytest.approx(1.0), pytest.approx(0.25), pytest.approx(5 / 48), 3)
    assert math.isnan(Scores.of(np.array([]), np.array([])).mean_absolute_error)
    assert math.isnan(Scores.of(np.zeros(3), np.arange(3)).correlation)


def wander(records: np.ndarray, plies: int) -> np.ndarray:
    """Return the records with their positions changed by random moves, pieces only."""
    source, moved = random.Random(plies), records.copy()
    for record in moved:
        position = _core.record_position(record.tobytes())
        for _ in range(plies):
            following = position.play(source.choice(position.legal_moves))
            if following.winner is not None:
                break
            position = following
        board = letters(position)
        record["occupied"] = sum(1 << square for square in board)
        codes = ["pnbrqk".index(board[s].lower()) + 8 * board[s].islower() for s in sorted(board)]
        codes += [0] * (32 - len(codes))
        record["pieces"] = [low | high << 4 for low, high in zip(codes[::2], codes[1::2], strict=True)]
        record["turn_castling"], record["en_passant"] = position.turn, 64
    return moved


def test_baselines_find_what_is_there() -> None:
    """Labels that are material alone: both baselines must find them."""
    stored = sample(4_000)
    records = np.concatenate([stored, *(wander(stored, plies) for plies in (5, 10))])
    worth = np.array([100, 300, 310, 500, 900, 0])
    for record in records:
        board = letters(_core.record_position(record.tobytes()))
        balance = sum((1 if p.isupper() else -1) * worth["pnbrqk".index(p.lower())] for p in board.values())
        record["label"] = balance if record["turn_castling"] & 1 == 0 else -balance
    scores = make_report(records, _core.Trainer(1).network()).scores["all"]
    assert scores["material"].correlation > 0.999
    assert scores["material + PST"].correlation > 0.999


# --- runs ---


def test_a_run_goes_on_where_it_was_interrupted(tmp_path: Path) -> None:
    shards = [write_shard(tmp_path / f"train-{i}.bin", sample(2_000)[i::2]) for i in range(2)]
    config = TrainConfig(samples=4_000, batch=100)

    class StoppedError(Exception):
        pass

    def stop(progress: object) -> None:
        raise StoppedError

    with pytest.raises(StoppedError):
        train(lambda: shards, tmp_path / "run", config, validate_every=1, on_progress=stop)
    done = read_log(tmp_path / "run")
    assert len(done) == 1
    network = train(lambda: shards, tmp_path / "run", config, validate_every=1)
    log = read_log(tmp_path / "run")
    assert log[0] == done[0]
    assert log[-1]["samples"] >= 4_000
    assert [line["samples"] for line in log] == sorted({line["samples"] for line in log})
    assert read_network(tmp_path / "run" / "net.bin").file() == network.file()
    # Finished: nothing is left to do.
    assert train(lambda: shards, tmp_path / "run", config).file() == network.file()
    with pytest.raises(InputError, match="begun with batch 100, not 200"):
        train(lambda: shards, tmp_path / "run", TrainConfig(samples=4_000, batch=200))
    plot_losses(tmp_path / "run", tmp_path / "loss.png")
    assert (tmp_path / "loss.png").read_bytes().startswith(b"\x89PNG")
    # The net of a run is a place to start another from.
    longer = tmp_path / "longer"
    train(lambda: shards, longer, config, start=network)
    assert read_log(longer)[0]["loss"] < log[0]["loss"]
    (longer / "checkpoint.npz").write_bytes(b"nonsense")
    with pytest.raises(FormatError, match="not a checkpoint"):
        train(lambda: shards, longer, config)


def test_training_without_data_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no training data"):
        train(lambda: [], tmp_path / "run", TrainConfig())


def test_the_whole_pipeline(tmp_path: Path) -> None:
    """Generate, label with the real Stockfish, train, quantise, report: then once more, when all is done."""
    words = ["train", str(tmp_path / "net"), "--labels", "600", "--held-out", "100", "--shard", "300"]
    words += ["--samples", "2000", "--batch", "100", "--outcomes", "400", "--tuning", "1000", "--json"]
    first = CliRunner().invoke(main, words, catch_exceptions=False)
    assert first.exit_code == 0, first.output
    about = json.loads(first.stdout)
    assert about["data"]["records"] == 1000
    assert about["data"]["sources"]["fog outcomes"] == 400
    assert [run["outcomes"] for run in about["training"]] == [0, 0.5]
    assert about["report"]["scores"]["all"]["embedded"]["positions"] == 100
    assert about == json.loads((tmp_path / "net" / "net.json").read_text().replace("NaN", "null"))
    made = Embedded(tmp_path / "net" / "net.bin")
    assert made.parameters["net"] == about["net"]["checksum"]
    again = CliRunner().invoke(main, words[:-1], catch_exceptions=False)
    assert "hanging queen" in again.stdout
    assert json.loads((tmp_path / "net" / "net.json").read_text().replace("NaN", "null")) == about
