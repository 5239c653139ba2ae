"""The embedded evaluator: net and quiescence against their twins, bits, symmetry, damaged files, and how good it is."""

import contextlib
import os
import zlib
from importlib import resources
from pathlib import Path

import pytest
from evaluator_twins import NetTwin, QuiescenceTwin, exchange
from rules_oracles import random_positions

from murk import _core
from murk.darkchess import Move, Position
from murk.darkchess.evaluators import Embedded, decided_value
from murk.darkchess.evaluators.embedded import about_embedded, read_network, weights_file
from murk.darkchess.evaluators.records import read_shard
from murk.darkchess.evaluators.report import make_report
from murk.errors import FormatError, InputError

WEIGHTS = resources.files("murk.darkchess.evaluators") / "data" / "embedded.bin"
SAMPLE = Path(__file__).parent / "data" / "heldout-sample.bin"
ABSURD = "qqqqkqqq/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQKQQQ w - -"


def own_network(kernels: str = "") -> _core.Network:
    return _core.Network(zlib.decompress(WEIGHTS.read_bytes()), kernels)


def all_kernels() -> list[str]:
    """Return the variants that this processor can run."""
    found = []
    for name in ("portable", "avx2", "avx512"):
        with contextlib.suppress(ValueError):
            found.append(own_network(name).kernels)
    return found


@pytest.mark.parametrize("file", [own_network().file(), _core.Trainer(3).network().file()], ids=["trained", "random"])
def test_the_net_equals_its_twin_in_numpy(file: bytes) -> None:
    twin = NetTwin(file)
    networks = [_core.Network(file, kernels) for kernels in ("", *all_kernels())]
    assert networks[0].kernels == all_kernels()[-1]
    for position in [*random_positions(11, 60), Position(ABSURD)]:
        expected = twin.value(position)
        assert [network.value(position) for network in networks] == [expected] * len(networks)
        assert networks[0].value(position.mirror()) == expected


@pytest.mark.parametrize("limits", [{}, {"nodes": 7}, {"captures": 1, "recaptures_from": 2, "margin": 0}])
def test_the_quiescence_search_equals_its_twin(limits: dict[str, int]) -> None:
    network = own_network()
    chosen = _core.QuiescenceLimits(**limits)
    twin, evaluator = QuiescenceTwin(network, chosen), _core.EmbeddedEvaluator(network, "", chosen)
    searched = 0
    for position in random_positions(12, 40):
        assert evaluator.value(position) == twin.value(position)
        searched += twin.visited
    assert searched > 100


def test_the_value_of_a_move_is_that_of_the_position_after_it() -> None:
    evaluator = Embedded()
    for position in random_positions(13, 40):
        for move, value in zip(position.legal_moves, evaluator.values(position), strict=True):
            if decided_value(position, move) is None:
                assert value == -evaluator.value(position.play(move))


def test_an_exchange_on_a_square() -> None:
    """The twin itself, on exchanges worked out by hand."""
    defended = Position("4k3/2p5/3p4/8/8/8/3R4/3RK3 w - -")
    assert exchange(defended, Move.from_uci("d2d6")) == 58 - 382 + 58
    hanging = Position("4k3/8/3p4/8/8/8/3R4/3RK3 w - -")
    assert exchange(hanging, Move.from_uci("d2d6")) == 58
    by_king = Position("8/8/3pk3/8/8/8/3R4/3RK3 w - -")  # the king may not take back: the other rook would take it
    assert exchange(by_king, Move.from_uci("d2d6")) == 58


def test_a_hanging_queen_counts_as_lost_and_a_fork_of_kings_as_won() -> None:
    evaluator = Embedded()
    queen = Position("3q2k1/8/8/8/8/8/8/3QK3 w - -")
    assert evaluator.value(queen) > 0.5 > abs(evaluator.static_value(queen))
    assert evaluator.value(Position("4k3/8/8/8/8/8/8/4RK2 w - -")) == 1.0
    # In check from a protected queen beside the king, with nowhere to go.
    assert evaluator.value(Position("7k/8/8/8/8/5b2/6q1/7K w - -")) == -1.0


def test_random_and_absurd_positions_break_no_promise() -> None:
    """``MURK_FUZZ=1000000 make sanitize`` looks at a million."""
    positions = int(os.environ.get("MURK_FUZZ", "4000"))
    for kernels in all_kernels():
        report = _core.fuzz_evaluator(Embedded(kernels=kernels), positions, 5)
        assert report.positions >= positions
        assert report.moves >= 3 * positions
        assert (report.broken, report.first) == (0, "")
        assert report.most_nodes < 2_000 + 40


@pytest.mark.parametrize("weights", ["trained", "random"])
def test_all_instruction_sets_give_the_same_bits(tmp_path: Path, weights: str) -> None:
    """Values of moves, with the quiescence search, on positions of games and on absurd ones."""
    path = tmp_path / "net.bin"
    path.write_bytes(WEIGHTS.read_bytes() if weights == "trained" else weights_file(_core.Trainer(8).network()))
    positions = [_core.record_position(record.tobytes()) for record in read_shard(SAMPLE)[:200]]
    positions = [p for p in [*positions, *random_positions(14, 40), Position(ABSURD)] if p.winner is None]
    values = [[v.tolist() for v in Embedded(path, kernels=k).values_of(positions)] for k in all_kernels()]
    assert all(other == values[0] for other in values)


def test_a_limit_of_nodes_is_kept() -> None:
    report = _core.fuzz_evaluator(Embedded(nodes=50), 500, 6)
    assert report.broken - report.wrong_sign == 0
    assert report.most_nodes < 50 + 40


def test_better_than_asked_for_on_held_out_positions() -> None:
    """The figures of the whole set are in ``embedded.json``; these are 4,000 of its positions."""
    scores = make_report(read_shard(SAMPLE), own_network()).scores
    ours = scores["all"]["embedded"]
    assert ours.positions == 4_000
    assert ours.correlation > 0.94
    assert ours.mean_absolute_error < 0.125
    # So few positions do not tell the two simplest functions apart.
    order = ["embedded", "net only"]
    assert sorted(scores["all"], key=lambda name: scores["all"][name].mean_absolute_error)[:2] == order
    assert sorted(scores["all"], key=lambda name: -scores["all"][name].correlation)[:2] == order
    for group in ("in check", "hanging queen", "endgames"):
        best = min(scores[group], key=lambda name: scores[group][name].mean_absolute_error)
        assert best == "embedded"


def test_the_weights_are_the_ones_described() -> None:
    about = about_embedded()
    file = WEIGHTS.read_bytes()
    assert len(file) == about["net"]["bytes"] <= 3_000_000
    assert about["net"]["checksum"] == f"{own_network().checksum:016x}" == Embedded().parameters["net"]
    assert about["report"]["scores"]["all"]["embedded"]["positions"] >= 50_000
    assert about["report"]["scores"]["all"]["embedded"]["correlation"] >= 0.94
    assert about["report"]["scores"]["all"]["embedded"]["mean_absolute_error"] <= 0.125
    assert own_network().file() == zlib.decompress(file)
    assert read_network(str(WEIGHTS)).checksum == own_network().checksum


def test_weights_may_stand_compressed_or_not(tmp_path: Path) -> None:
    network = _core.Trainer(7).network()
    for file in (network.file(), weights_file(network)):
        (tmp_path / "net.bin").write_bytes(file)
        assert read_network(tmp_path / "net.bin").file() == network.file()
    assert len(weights_file(network)) < 0.7 * len(network.file())


def test_weights_can_be_given(tmp_path: Path) -> None:
    path = tmp_path / "other.bin"
    path.write_bytes(_core.Trainer(7).network().file())
    other, ours = Embedded(path), Embedded(kernels="portable")
    assert other.parameters["net"] != ours.parameters["net"]
    assert ours.parameters["kernels"] == "portable"
    assert ours.values(Position()).tolist() == Embedded().values(Position()).tolist()
    assert other.values(Position()).tolist() != ours.values(Position()).tolist()


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda f: b"", "not a weights file"),
        (lambda f: b"PNG" + f, "not a weights file"),
        (lambda f: f[:-1], "truncated"),
        (lambda f: f[:100], "truncated"),
        (lambda f: f + b"x", "checksum"),
        (lambda f: f[:5000] + bytes([f[5000] ^ 1]) + f[5001:], "checksum"),
        (lambda f: f[:8] + bytes([f[8] ^ 1]) + f[9:], "another shape"),
    ],
)
def test_damaged_weights_are_refused(tmp_path: Path, damage, message: str) -> None:
    path = tmp_path / "bad.bin"
    damaged = damage(own_network().file())
    for file in (damaged, zlib.compress(damaged, 9)):
        path.write_bytes(file)
        with pytest.raises(FormatError, match=rf"bad\.bin: .*{message}"):
            read_network(path)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda f: f[:-1], "truncated"),
        (lambda f: f[:100], "truncated"),
        (lambda f: f + b"x", "corrupted: something follows its end"),
        (lambda f: f[:5000] + bytes([f[5000] ^ 1]) + f[5001:], "corrupted"),
        (lambda f: f[:-1] + bytes([f[-1] ^ 1]), "corrupted: it cannot be decompressed"),
        (lambda f: b"PNG" + f, "not a weights file"),
    ],
)
def test_damaged_compressed_weights_are_refused(tmp_path: Path, damage, message: str) -> None:
    path = tmp_path / "bad.bin"
    path.write_bytes(damage(WEIGHTS.read_bytes()))
    with pytest.raises(FormatError, match=rf"bad\.bin: .*{message}"):
        read_network(path)


def test_bad_arguments(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read the weights"):
        Embedded(tmp_path / "none.bin")
    with pytest.raises(InputError, match="kernels is 'sse9'"):
        Embedded(kernels="sse9")
    with pytest.raises(InputError, match="nodes is 0"):
        Embedded(nodes=0)
