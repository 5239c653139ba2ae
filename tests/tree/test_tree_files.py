"""Trees on disk: back to the bit, and never anything but the truth out of a damaged file."""

import builtins
import errno
import hashlib
import json
import os
import stat

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from samples import DARK_HEX, KUHN, add_random_extra, named_tree, random_tree, random_trees
from test_tree_grow import all_views

import murk
from murk.errors import FormatError, InputError, MurkError
from murk.solvers import solve_lp
from murk.tree import MAX, MIN, NATURE, Tree, files
from murk.tree.files import fingerprint, read_container, write_atomically, write_container

BOTH = (MAX, MIN)


def assert_same(tree, other):
    views, others = all_views(tree), all_views(other)
    for name, view in views.items():
        assert view.tobytes() == others[name].tobytes(), name
    assert tree.name == other.name
    for p in BOTH:
        assert tree.extra(p) == other.extra(p)
        assert tree.infoset_names(p) == other.infoset_names(p)
        for infoset in tree.acting_infosets(p).tolist():
            assert tree.action_names(p, infoset) == other.action_names(p, infoset)
    assert fingerprint(tree) == fingerprint(other)


def round_trip(tree, folder):
    path = folder / "tree.murk"
    murk.save_tree(tree, path)
    return murk.load_tree(path)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tree=random_trees(), seed=st.none() | st.integers(0, 2**32))
def test_random_trees_come_back_to_the_bit(tmp_path, tree, seed):
    if seed is not None:
        add_random_extra(tree, seed)
    back = round_trip(tree, tmp_path)
    assert_same(tree, back)
    assert solve_lp(back).value == solve_lp(tree).value


@pytest.mark.parametrize("name", [KUHN, DARK_HEX, "matching_pennies(n=7)"])
def test_games_with_names_come_back_to_the_bit(tmp_path, name):
    tree = named_tree(name)
    back = round_trip(tree, tmp_path)
    assert_same(tree, back)
    acting = int(back.acting_infosets(MAX)[0])
    assert back.action_names(MAX, acting) == tree.action_names(MAX, acting)
    assert not all(name.isdigit() for name in back.action_names(MAX, acting))


def test_a_tree_under_construction_comes_back_to_the_bit(tmp_path):
    tree = Tree()
    tree.name = "half-made — ½"
    tree.add_root(0.1 + 0.2)
    assert_same(tree, round_trip(tree, tmp_path))
    tree.add_infoset(MIN, 0, 0)
    tree.add_infoset(MAX, 0, 3)
    tree.add_infoset(MAX, 2, 2)
    tree.add_infoset(MAX, 5, 0)
    tree.add_extra(MAX, 4, 1 / 3)
    tree.add_extra(MAX, 4, -0.0)
    tree.set_names((["first", "", "naïve\n\0"], ["w"]), ({0: ["a", "b", "c"]}, {}))
    back = round_trip(tree, tmp_path)
    assert_same(tree, back)
    assert back.infoset_names(MAX) == ["first", "", "naïve\n\0"]
    assert back.sequence_actions(MAX).tolist() == [-1] * 6
    # It can grow on.
    back.expand(0, MAX, (0, 0), np.arange(3), np.empty(0), np.array([1.0, 2.0, 3.0]))
    assert back.num_nodes == 4


def test_reaches_too_small_to_be_normal_numbers_come_back(tmp_path):
    """0.1 to the power of 322 is a denormal number: its quotients do not even sum to 1."""
    tree = Tree()
    tree.add_root()
    watch = (tree.add_infoset(MAX, 0, 0), tree.add_infoset(MIN, 0, 0))
    node = 0
    for _ in range(330):
        node = tree.expand(node, NATURE, watch, np.arange(3), np.array([0.1, 0.4, 0.5]), np.array([1.0, 2.0, 3.0]))
    assert ((tree.chance_reach > 0) & (tree.chance_reach < 1e-310)).any()
    assert_same(tree, round_trip(tree, tmp_path))


def test_impossible_branches_come_back(tmp_path):
    tree = random_tree(5, depth=6, chance=0.6, zeros=1.0)
    assert (tree.chance_reach == 0).any()
    assert_same(tree, round_trip(tree, tmp_path))


def test_fingerprints_tell_trees_apart():
    prints = {fingerprint(random_tree(seed)) for seed in range(30)}
    assert len(prints) == 30
    tree = random_tree(3)
    before = fingerprint(tree)
    assert fingerprint(random_tree(3)) == before
    tree.add_extra(MIN, 0, 0.5)
    assert fingerprint(tree) != before
    tree.clear_extra(MIN)
    assert fingerprint(tree) == before
    leaf = int(np.flatnonzero(tree.num_children == 0)[0])
    tree.set_utility(leaf, float(np.nextafter(tree.utility[leaf], 9)))
    assert fingerprint(tree) != before


# Damage


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "tree.murk"
    murk.save_tree(add_random_extra(random_tree(3, depth=4), 1), path)
    return path


def test_every_truncation_is_noticed(saved):
    whole = saved.read_bytes()
    rng = np.random.default_rng(0)
    for size in {
        0,
        1,
        8,
        12,
        19,
        20,
        21,
        64,
        128,
        len(whole) - 32,
        len(whole) - 1,
        *rng.integers(0, len(whole), 100).tolist(),
    }:
        saved.write_bytes(whole[:size])
        with pytest.raises(FormatError, match=r"is not a murk file|is truncated or corrupted"):
            murk.load_tree(saved)


def test_every_flipped_bit_is_noticed(saved):
    whole = saved.read_bytes()
    rng = np.random.default_rng(0)
    for at in [*range(24), *rng.integers(0, len(whole), 200).tolist(), *range(len(whole) - 34, len(whole))]:
        spoilt = bytearray(whole)
        spoilt[at] ^= 1 << int(rng.integers(8))
        saved.write_bytes(spoilt)
        with pytest.raises(FormatError, match=r"is not a murk file|format version|truncated or corrupted"):
            murk.load_tree(saved)


def test_bytes_too_many_are_noticed(saved):
    whole = saved.read_bytes()
    for tail in (b"\0", b"x" * 64, whole):
        saved.write_bytes(whole + tail)
        with pytest.raises(FormatError, match="truncated or corrupted"):
            murk.load_tree(saved)


def sealed(header: bytes, body: bytes = b"", version: int = 1) -> bytes:
    """Return a file with this header and a checksum that is right."""
    raw = files._PREFIX.pack(files._MAGIC, version, len(header)) + header + body
    return raw + hashlib.blake2b(raw, digest_size=32).digest()


def parts(path):
    raw = path.read_bytes()
    size = files._PREFIX.unpack_from(raw)[2]
    start = files._PREFIX.size
    return json.loads(raw[start : start + size]), raw[start + size : -32]


def test_another_version_is_named(saved):
    saved.write_bytes(sealed(b"{}", version=2))
    with pytest.raises(FormatError, match="has format version 2, expected 1"):
        murk.load_tree(saved)


def test_another_kind_is_named(saved):
    write_container(saved, "blueprint", {}, {})
    with pytest.raises(FormatError, match="holds a blueprint, expected a tree"):
        murk.load_tree(saved)
    assert read_container(saved) == ("blueprint", {}, {})


def test_other_files_are_not_ours(tmp_path):
    for name, contents in (("a.txt", b"hello"), ("b", b""), ("c.npz", b"PK\x03\x04" + b"\0" * 100)):
        path = tmp_path / name
        path.write_bytes(contents)
        with pytest.raises(FormatError, match=r"is not a murk file"):
            murk.load_tree(path)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match=r"cannot read .*nothing\.murk: No such file or directory"):
        murk.load_tree(tmp_path / "nothing.murk")
    with pytest.raises(InputError, match=r"cannot read .*: Is a directory"):
        murk.load_tree(tmp_path)


HOSTILE_HEADERS = [
    b"",
    b"null",
    b"[]",
    b"\xff\xfe",
    b"{" * 1000,
    b"[" * 200_000,
    b'{"kind": "tree"}',
    b'{"kind": "tree", "meta": [], "arrays": [1]}',
    b'{"kind": "tree", "meta": {}, "arrays": {"a": 1}}',
    b'{"kind": "tree", "meta": 7, "arrays": []}',
    b'{"kind": "tree", "meta": {}, "arrays": [], "n": ' + b"9" * 10_000 + b"}",
]


@pytest.mark.parametrize("header", HOSTILE_HEADERS, ids=range(len(HOSTILE_HEADERS)))
def test_hostile_headers_under_a_good_checksum(saved, header):
    saved.write_bytes(sealed(header))
    with pytest.raises(FormatError, match=r"malformed header|does not describe a game tree"):
        murk.load_tree(saved)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("shape", [float("inf")]),
        ("shape", [10**30]),
        ("shape", [-1]),
        ("shape", [-1, -8]),
        ("shape", [2**62, 4]),
        ("shape", []),
        ("shape", [2, 4]),
        ("shape", "many"),
        ("offset", 10**30),
        ("offset", -64),
        ("offset", None),
        ("dtype", "O"),
        ("dtype", "S0"),
        ("dtype", "<f4"),
        ("dtype", ">i4"),
        ("dtype", [["a", "<i4"]]),
        ("dtype", "nonsense"),
        ("name", ["a"]),
        ("name", "other"),
    ],
)
def test_hostile_arrays_under_a_good_checksum(saved, field, value):
    header, body = parts(saved)
    header["arrays"][0][field] = value
    saved.write_bytes(sealed(json.dumps(header).encode(), body))
    with pytest.raises(FormatError) as error:
        murk.load_tree(saved)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "names",
    [None, "xx", [], [{}], [[1], [2]], [{"a": ["b"]}, {}], [{"0": "no"}, {}], [{"-1": []}, {}], [{"999": ["x"]}, {}]],
)
def test_hostile_names_under_a_good_checksum(saved, names):
    header, body = parts(saved)
    header["meta"]["action_names"] = names
    saved.write_bytes(sealed(json.dumps(header).encode(), body))
    with pytest.raises(FormatError, match="does not describe a game tree"):
        murk.load_tree(saved)


def test_hostile_tables_never_crash(saved):
    """Numbers replaced at random in each array, with a good checksum: a tree that is one, or an error."""
    _, meta, arrays = read_container(saved)
    rng = np.random.default_rng(0)
    messages = []
    for _ in range(250):
        spoilt = {name: array.copy() for name, array in arrays.items()}
        name = list(spoilt)[int(rng.integers(len(spoilt)))]
        array = spoilt[name]
        if array.size == 0:
            continue
        if rng.random() < 0.2:
            spoilt[name] = array[: int(rng.integers(array.size))]
        else:
            at = int(rng.integers(array.size))
            limits = (-(2**31), -1, 0, 1, 2, 7, 2**20) if array.dtype.kind == "i" else (0, 1, 2, 3, 255)
            wild = (np.nan, np.inf, -1.0, 0.5, 2.0, 1e300, -1e-10) if array.dtype.kind == "f" else limits
            array[at] = wild[int(rng.integers(len(wild)))]
        write_container(saved, "tree", meta, spoilt)
        try:
            tree = murk.load_tree(saved)
        except MurkError as error:
            messages.append(str(error))
        else:
            assert np.isfinite(solve_lp(tree).value)
    assert len(messages) > 100
    assert not any("\n" in message for message in messages)


# Writing


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "tree.murk"
    murk.save_tree(random_tree(1), path)
    before = path.read_bytes()

    def broken():
        yield b"half of it"
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(InputError, match=r"cannot write .*tree\.murk: No space left on device"):
        write_atomically(path, broken())

    def interrupted():
        yield b"half of it"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, interrupted())
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_failing_disk_is_one_sentence(tmp_path, monkeypatch):
    path = tmp_path / "tree.murk"
    murk.save_tree(random_tree(1), path)
    before = path.read_bytes()

    def fail(*_):
        raise OSError(errno.EIO, "Input/output error")

    for name in ("fsync", "fdopen"):
        with monkeypatch.context() as patch:
            patch.setattr(os, name, fail)
            with pytest.raises(InputError, match=r"cannot write .*: Input/output error"):
                murk.save_tree(random_tree(2), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_folders_that_cannot_be_written_to(tmp_path):
    with pytest.raises(InputError, match=r"cannot write .*: No such file or directory"):
        murk.save_tree(random_tree(1), tmp_path / "nowhere" / "tree.murk")
    (tmp_path / "folder.murk").mkdir()
    with pytest.raises(InputError, match=r"cannot write .*: Is a directory"):
        murk.save_tree(random_tree(1), tmp_path / "folder.murk")
    assert [p.name for p in tmp_path.iterdir()] == ["folder.murk"]
    # Where nobody can write, not even the superuser.
    with pytest.raises(InputError, match="cannot write /proc/tree"):
        murk.save_tree(random_tree(1), "/proc/tree.murk")


def test_saved_files_have_the_usual_permissions(tmp_path):
    path = tmp_path / "tree.murk"
    for mask, expected in ((0o022, 0o644), (0o077, 0o600)):
        old = os.umask(mask)
        try:
            murk.save_tree(random_tree(1), path)
        finally:
            assert os.umask(old) == mask
        assert stat.S_IMODE(path.stat().st_mode) == expected


def test_paths_may_be_strings_and_relative(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    murk.save_tree(random_tree(1), "tree.murk")
    assert_same(random_tree(1), murk.load_tree("tree.murk"))


def test_arrays_of_objects_are_not_written(tmp_path):
    for array in (np.array([{}]), np.array([1], dtype=">i8")):
        with pytest.raises(InputError, match="expected little-endian numbers"):
            write_container(tmp_path / "x", "tree", {}, {"a": array})
    assert list(tmp_path.iterdir()) == []


def test_reading_does_not_run_anything(saved, monkeypatch):
    def forbidden(*_, **__):
        raise AssertionError("a file made the reader evaluate it")

    monkeypatch.setattr(builtins, "eval", forbidden)
    monkeypatch.setattr(builtins, "exec", forbidden)
    assert murk.load_tree(saved).num_nodes > 1
