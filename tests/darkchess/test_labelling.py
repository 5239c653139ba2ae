"""Generators and labels: what is made, that it can be interrupted, and that the labels mean what they should."""

import json
from pathlib import Path

import chess
import chess.engine
import numpy as np
import pytest

from murk._core import record_keys, record_position, sample_positions, shuffled_fog
from murk.darkchess import Colour, Position
from murk.darkchess.evaluators import labelling
from murk.darkchess.evaluators.labelling import LabelConfig, LabelProgress, label, label_held_out
from murk.darkchess.evaluators.records import HELD_OUT, as_rows, read_shard, read_shards
from murk.darkchess.evaluators.stockfish import Stockfish, find_stockfish
from murk.errors import FormatError, InputError

CONFIG = LabelConfig(labels=2000, held_out=600, shard=1000)


@pytest.fixture(scope="module")
def labels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("labels")
    label(folder, CONFIG)
    return folder


def records_of(folder: Path, kind: str = ""):
    return read_shards(sorted(folder.glob(f"{kind}*.bin")))


def test_shards_have_what_was_asked_for(labels: Path) -> None:
    names = ["heldout-00000.bin", "train-00000.bin", "train-00001.bin"]
    assert sorted(path.name for path in labels.glob("*.bin")) == names
    assert [len(read_shard(labels / name)) for name in names] == [600, 1000, 1000]
    lines = [json.loads(line) for line in (labels / "labels.jsonl").read_text().splitlines()]
    assert [line["shard"] for line in lines] == names
    for line in lines:
        assert sum(line["sources"].values()) == line["records"]
        assert line["engine"].startswith("Stockfish")
        assert line["restarts"] == 0


def test_held_out_positions_are_never_trained_on(labels: Path) -> None:
    held_out, training = records_of(labels, "heldout"), records_of(labels, "train")
    assert ((held_out["flags"] & 0xFF) >= HELD_OUT).all()
    assert ((training["flags"] & 0xFF) < HELD_OUT).all()
    assert not np.isin(record_keys(as_rows(training)), record_keys(as_rows(held_out))).any()
    # Also where there would be many: with the same positions excluded, nothing of them comes again.
    for path in labels.glob("train-*.bin"):
        shard = read_shard(path)
        assert len(np.unique(record_keys(as_rows(shard)))) == len(shard)


def test_labels_are_scores_for_the_side_to_move(labels: Path) -> None:
    """Beside Stockfish's own search of the child, which looks a ply further than a label does."""
    records = records_of(labels)
    records = records[np.random.default_rng(1).permutation(len(records))[:150]]
    ours, theirs = [], []
    with chess.engine.SimpleEngine.popen_uci(str(find_stockfish())) as engine:
        for record in records:
            position = record_position(record.tobytes())
            board = chess.Board(position.fen + " 0 1")
            if not board.is_valid() or board.is_game_over():
                continue
            info = engine.analyse(board, chess.engine.Limit(depth=1))
            theirs.append(np.tanh(info["score"].relative.score(mate_score=10_000) / 420))
            ours.append(np.tanh(record["label"] / 420))
    assert len(ours) > 100
    assert np.corrcoef(ours, theirs)[0, 1] > 0.93


def test_records_are_positions_that_the_rules_leave_open(labels: Path) -> None:
    for record in records_of(labels)[:300]:
        position = record_position(record.tobytes())
        assert Position(position.fen) == position
        assert position.winner is None
        assert not any(position.play(move).king_captured for move in position.legal_moves)


def test_all_sources_are_there(labels: Path) -> None:
    training = records_of(labels, "train")["flags"] & 0xFF
    assert {1, 2, 3, 4, 5, 6, 7} == set(training.tolist())
    counts = np.bincount(training, minlength=8)
    assert counts[7] > counts[6] > counts[2] > counts[5]
    held_out = records_of(labels, "heldout")["flags"] & 0xFF
    assert set(held_out.tolist()) == {64, 65}


def test_an_interrupted_run_goes_on(tmp_path: Path, labels: Path) -> None:
    def stop(progress: LabelProgress) -> None:
        if progress.done >= 1600:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        label(tmp_path, CONFIG, on_progress=stop)
    assert sorted(path.name for path in tmp_path.glob("*.bin")) == ["heldout-00000.bin"]
    first = (tmp_path / "heldout-00000.bin").stat().st_mtime_ns
    heard: list[LabelProgress] = []
    label(tmp_path, CONFIG, on_progress=heard.append)
    assert (tmp_path / "heldout-00000.bin").stat().st_mtime_ns == first
    assert (heard[-1].done, heard[-1].total, heard[-1].new) == (2600, 2600, 2000)
    assert [len(read_shard(path)) for path in sorted(tmp_path.glob("*.bin"))] == [600, 1000, 1000]
    heard.clear()
    label(tmp_path, CONFIG, on_progress=heard.append)
    assert heard == []


def test_the_recipe_of_a_directory_is_kept(labels: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"were made with seed 1, not 2"):
        label(labels, LabelConfig(labels=2000, held_out=600, shard=1000, seed=2))
    (tmp_path / "recipe.json").write_text("{")
    with pytest.raises(FormatError, match="is not the recipe of a directory of labels"):
        label(tmp_path, CONFIG)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot use"):
        label(tmp_path / "file", CONFIG)
    with pytest.raises(InputError, match="labels is -1, expected at least 0"):
        LabelConfig(labels=-1)


def test_a_label_directory_with_more_labels_goes_on(labels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    monkeypatch.setattr(labelling, "_make", lambda shard, *rest: made.append(shard.path.name))
    label(labels, LabelConfig(labels=2500, held_out=600, shard=1000))
    assert made == ["train-00002.bin"]


def test_held_out_games_made_on_the_spot() -> None:
    engine = Stockfish()
    records = label_held_out(engine, 300, seed=5)
    assert len(records) >= 300
    assert ((records["flags"] & 0xFF) >= HELD_OUT).all()


def test_shuffled_fog_looks_the_same() -> None:
    """Own pieces, legal moves and what stands where they lead are the same; enemies elsewhere are not."""
    changed = 0
    for i, position in enumerate(sample_positions(21, 500)):
        other = shuffled_fog(position, i)
        us, them = position.turn, Colour(1 - position.turn)
        assert other.legal_moves == position.legal_moves
        assert other.pieces(us) == position.pieces(us)
        assert Position(other.fen) == other
        for kind in "pnbrqk":
            assert bin(other.pieces(them, kind)).count("1") == bin(position.pieces(them, kind)).count("1")
            for move in position.legal_moves:
                assert other.piece_at(move.to_square) == position.piece_at(move.to_square)
        changed += other != position
    assert changed > 250
