"""Beliefs on disk: to the bit, or refused in one sentence."""

import json
import random

import numpy as np
import pytest
from belief_twin import BOTH, believed, game

from murk.darkchess import WHITE, Belief
from murk.errors import FormatError, InputError
from murk.tree.files import read_container, write_container


@pytest.fixture
def plies():
    return list(game(random.Random(11), captures=0, longest=8))


@pytest.mark.parametrize("colour", BOTH)
@pytest.mark.parametrize("memory", [64 * 30, 1 << 30])
def test_loaded_beliefs_go_on_like_the_saved(tmp_path, plies, colour, memory):
    saved = believed(colour, plies, memory=memory, seed=5)
    assert saved.exact == (memory == 1 << 30)
    saved.save(tmp_path / "belief")
    loaded = Belief.load(tmp_path / "belief", threads=2)
    assert loaded == saved
    assert (loaded.memory, loaded.exact, loaded.turn) == (saved.memory, saved.exact, saved.turn)
    position = plies[-1][2]
    for _ in range(4):
        moves = position.legal_moves
        if not moves:
            break
        seen = position.observation_after(moves[-1], colour)
        for belief in (saved, loaded):
            belief.observe(seen)
        assert loaded == saved
        position = position.play(moves[-1])


def test_another_budget(tmp_path, plies):
    believed(WHITE, plies).save(tmp_path / "belief")
    assert Belief.load(tmp_path / "belief", memory=6400).capacity == 100
    with pytest.raises(InputError, match="memory is 1"):
        Belief.load(tmp_path / "belief", memory=1)


def test_not_there_and_not_a_belief(tmp_path):
    with pytest.raises(InputError, match="cannot read"):
        Belief.load(tmp_path / "none")
    with pytest.raises(InputError, match="cannot write"):
        Belief(WHITE).save(tmp_path / "no" / "folder")
    (tmp_path / "text").write_text("murk")
    with pytest.raises(FormatError, match="is not a murk file"):
        Belief.load(tmp_path / "text")
    write_container(tmp_path / "other", "tree", {}, {})
    with pytest.raises(FormatError, match="holds a tree, expected a belief"):
        Belief.load(tmp_path / "other")


def test_every_flipped_bit_is_noticed(tmp_path, plies):
    path = tmp_path / "belief"
    believed(WHITE, plies, memory=64 * 30).save(path)
    raw = path.read_bytes()
    rng = random.Random(12)
    for at in rng.sample(range(len(raw)), 60):
        path.write_bytes(raw[:at] + bytes([raw[at] ^ 1 << rng.randrange(8)]) + raw[at + 1 :])
        with pytest.raises(FormatError):
            Belief.load(path)
    for size in rng.sample(range(len(raw)), 20):
        path.write_bytes(raw[:size])
        with pytest.raises(FormatError):
            Belief.load(path)


def _harm_known(meta, arrays):
    meta["known"]["positions"][0][0] ^= 1 << 33


def _harm_king(meta, arrays):
    meta["known"]["positions"][0][5] = 0


def _harm_turn(meta, arrays):
    meta["known"]["positions"][2] = 7


def _harm_count(meta, arrays):
    meta["known"]["positions"].append(1)


def _harm_order(meta, arrays):
    arrays["positions"] = arrays["positions"][::-1].copy()


def _harm_repetition(meta, arrays):
    arrays["positions"] = np.repeat(arrays["positions"], 2, axis=0)


def _harm_codes(meta, arrays):
    arrays["positions"] = arrays["positions"] ^ np.array([0, 7], dtype=np.uint64)


def _harm_squares(meta, arrays):
    arrays["positions"] = arrays["positions"] | np.array([0xFFFF, 0], dtype=np.uint64)


def _harm_shape(meta, arrays):
    arrays["positions"] = arrays["positions"].reshape(-1)


def _harm_type(meta, arrays):
    arrays["positions"] = arrays["positions"].astype(np.int64)


def _empty(meta, arrays):
    arrays["positions"] = arrays["positions"][:0]


def _lose_anchor(meta, arrays):
    del arrays["anchor"]


def _harm_observation(meta, arrays):
    meta["since"][0][0] = "x"


def _harm_move(meta, arrays):
    meta["since"][0][1] = "x"


def _harm_ply(meta, arrays):
    meta["ply"] = -1


def _lose_memory(meta, arrays):
    del meta["memory"]


@pytest.mark.parametrize(
    "harm",
    [value for name, value in sorted(globals().items()) if name.startswith(("_harm", "_lose", "_empty"))],
    ids=lambda harm: harm.__name__.strip("_"),
)
def test_files_that_make_no_sense(tmp_path, plies, harm):
    """Whole files with a right checksum, written by someone else."""
    path = tmp_path / "belief"
    believed(WHITE, plies, memory=64 * 30).save(path)
    kind, meta, arrays = read_container(path)
    assert len(arrays["positions"]) > 1
    meta, arrays = json.loads(json.dumps(meta)), dict(arrays)
    harm(meta, arrays)
    write_container(path, kind, meta, arrays)
    with pytest.raises(FormatError, match="does not describe a belief") as caught:
        Belief.load(path)
    assert "\n" not in str(caught.value)
