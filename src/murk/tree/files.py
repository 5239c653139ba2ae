"""Trees and solutions on disk: versioned, checksummed, written atomically.

A file is a magic number, a version, a JSON header, raw little-endian arrays at 64-byte boundaries, and a BLAKE2b
digest of all that. Reading trusts nothing: sizes, the digest, and then the tree itself are checked before anything is
used.
"""

import hashlib
import json
import os
import struct
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from murk import _core
from murk.errors import FormatError, InputError
from murk.tree.players import MAX, MIN
from murk.tree.tree import Tree

__all__ = [
    "fingerprint",
    "load_solution_file",
    "load_tree",
    "read_container",
    "save_tree",
    "write_atomically",
    "write_container",
]

Arrays = dict[str, npt.NDArray[Any]]

_MAGIC = b"\x93MURK\r\n\x1a"
_VERSION = 1
_PREFIX = struct.Struct("<8sIQ")
_DIGEST = 32
_ALIGN = 64
_MAX_HEADER = 1 << 26


def write_atomically(path: str | os.PathLike[str], chunks: Iterable[bytes]) -> None:
    """Write ``chunks`` to ``path`` so that it holds either the old contents or all of the new ones."""
    target = Path(path)
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".tmp")
    except (OSError, ValueError) as error:  # a path with a null byte is a ValueError
        raise InputError(f"cannot write {target}: {getattr(error, 'strerror', None) or error}") from None
    try:
        with os.fdopen(handle, "wb") as file:
            for chunk in chunks:
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        Path(temporary).chmod(0o666 & ~mask)
        Path(temporary).replace(target)
    except BaseException as error:
        Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise InputError(f"cannot write {target}: {error.strerror or error}") from None
        raise


def write_container(
    path: str | os.PathLike[str], kind: str, meta: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]
) -> None:
    """Write named arrays and JSON-able ``meta`` to one file."""
    listed, offset = [], 0
    parts: list[bytes] = []
    for name, array in arrays.items():
        data = np.ascontiguousarray(array)
        if data.dtype.byteorder == ">" or data.dtype.hasobject:
            raise InputError(f"array {name} has type {data.dtype}, expected little-endian numbers")
        raw = data.tobytes()
        listed.append({"name": name, "dtype": data.dtype.str, "shape": list(data.shape), "offset": offset})
        padding = -len(raw) % _ALIGN
        parts.append(raw + b"\0" * padding)
        offset += len(raw) + padding
    header = json.dumps({"kind": kind, "meta": dict(meta), "arrays": listed, "bytes": offset}).encode()
    header += b" " * (-(_PREFIX.size + len(header)) % _ALIGN)
    digest = hashlib.blake2b(digest_size=_DIGEST)
    chunks = [_PREFIX.pack(_MAGIC, _VERSION, len(header)), header, *parts]
    for chunk in chunks:
        digest.update(chunk)
    write_atomically(path, [*chunks, digest.digest()])


def read_container(path: str | os.PathLike[str], kind: str | None = None) -> tuple[str, dict[str, Any], Arrays]:
    """Read what :func:`write_container` wrote and return (kind, meta, arrays).

    Raises:
        InputError: the file cannot be read.
        FormatError: it is not a murk file, is truncated or corrupted, of another version or of another kind.
    """
    source = Path(path)
    try:
        raw = source.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {source}: {error.strerror or error}") from None
    if len(raw) < _PREFIX.size or raw[: len(_MAGIC)] != _MAGIC:
        raise FormatError(f"{source} is not a murk file")
    _, version, header_size = _PREFIX.unpack_from(raw)
    if version != _VERSION:
        raise FormatError(f"{source} has format version {version}, expected {_VERSION}")
    start = _PREFIX.size + header_size
    if header_size > _MAX_HEADER or start + _DIGEST > len(raw):
        raise FormatError(f"{source} is truncated or corrupted: it has {len(raw):,} bytes and its header claims more")
    if hashlib.blake2b(raw[:-_DIGEST], digest_size=_DIGEST).digest() != raw[-_DIGEST:]:
        raise FormatError(f"{source} is truncated or corrupted: its checksum does not match")
    try:
        header = json.loads(raw[_PREFIX.size : start])
        found = str(header["kind"])
        arrays = {entry["name"]: _array(raw, start, entry) for entry in header["arrays"]}
        meta = dict(header["meta"])
    except (ArithmeticError, AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise FormatError(f"{source} has a malformed header: {error}") from None
    if kind is not None and found != kind:
        raise FormatError(f"{source} holds a {found}, expected a {kind}")
    return found, meta, arrays


def _array(raw: bytes, start: int, entry: Mapping[str, Any]) -> npt.NDArray[Any]:
    dtype = np.dtype(entry["dtype"])
    shape = tuple(int(n) for n in entry["shape"])
    count = int(np.prod(shape, dtype=np.int64))
    begin = start + int(entry["offset"])
    end = begin + count * dtype.itemsize
    if dtype.hasobject or count < 0 or begin < start or end > len(raw) - _DIGEST:
        raise ValueError(f"array {entry['name']} lies outside the file")
    if int(entry["offset"]) % _ALIGN:
        raise ValueError(f"array {entry['name']} is not aligned")
    array = np.frombuffer(raw, dtype=dtype, count=count, offset=begin).reshape(shape)
    return np.require(array, requirements="A")  # a hostile header need not respect the boundaries


def pack_strings(strings: Sequence[str]) -> Arrays:
    """Return strings as two arrays, ``text`` (UTF-8) and ``ends``."""
    encoded = [s.encode() for s in strings]
    ends = np.cumsum([len(e) for e in encoded], dtype=np.int64)
    return {"text": np.frombuffer(b"".join(encoded), dtype=np.uint8), "ends": ends}


def unpack_strings(text: npt.NDArray[np.uint8], ends: npt.NDArray[np.int64]) -> list[str]:
    """Return the strings packed by :func:`pack_strings`."""
    raw, begin, out = text.tobytes(), 0, []
    for end in ends.tolist():
        if not begin <= end <= len(raw):
            raise ValueError("string table out of order")
        out.append(raw[begin:end].decode())
        begin = end
    return out


def save_tree(tree: Tree, path: str | os.PathLike[str]) -> None:
    """Save a tree with its names and extra payoffs; :func:`load_tree` gives it back to the bit."""
    arrays: Arrays = {
        "parent": tree.parent,
        "player": tree.player,
        "action": tree.action,
        "reach": tree.chance_reach,
        "chance": tree.chance_probabilities(),
        "utility": tree.utility,
    }
    actions: list[dict[str, list[str]]] = []
    for p in (MAX, MIN):
        key = p.name.lower()
        arrays[f"infoset_{key}"] = tree.infoset(p)
        arrays[f"parents_{key}"] = tree.infoset_parent(p)
        arrays[f"actions_{key}"] = tree.infoset_actions(p)
        arrays |= {f"names_{key}_{k}": v for k, v in pack_strings(tree.infoset_names(p)).items()}
        extra = tree.extra(p)
        arrays[f"extra_{key}_sequence"] = np.array([s for s, _ in extra], dtype=np.int32)
        arrays[f"extra_{key}_payoff"] = np.array([v for _, v in extra], dtype=np.float64)
        actions.append(_action_names(tree, p))
    write_container(path, "tree", {"name": tree.name, "action_names": actions}, arrays)


def _action_names(tree: Tree, player: int) -> dict[str, list[str]]:
    return {str(i): list(names) for i, names in tree._action_names[player].items()}


def load_tree(path: str | os.PathLike[str]) -> Tree:
    """Load a tree saved by :func:`save_tree`.

    Raises:
        InputError: the file cannot be read.
        FormatError: it is not a whole, unharmed tree file.
    """
    _, meta, arrays = read_container(path, "tree")
    try:
        both = ("max", "min")
        tree = Tree(
            parent=_column(arrays, "parent", "<i4"),
            player=_column(arrays, "player", "|u1"),
            action=_column(arrays, "action", "<i8"),
            chance=_column(arrays, "chance", "<f8"),
            utility=_column(arrays, "utility", "<f8"),
            infosets=[_column(arrays, f"infoset_{k}", "<i4") for k in both],
            infoset_parents=[_column(arrays, f"parents_{k}", "<i4") for k in both],
            infoset_actions=[_column(arrays, f"actions_{k}", "<i4") for k in both],
            reach=_column(arrays, "reach", "<f8"),
        )
        names = [
            unpack_strings(_column(arrays, f"names_{k}_text", "|u1"), _column(arrays, f"names_{k}_ends", "<i8"))
            for k in both
        ]
        for p, key in enumerate(both):
            if len(names[p]) != tree.num_infosets(p):
                raise ValueError("one name is needed for each infoset")
            sequences, payoffs = (
                _column(arrays, f"extra_{key}_sequence", "<i4"),
                _column(arrays, f"extra_{key}_payoff", "<f8"),
            )
            for sequence, payoff in zip(sequences.tolist(), payoffs.tolist(), strict=True):
                tree.add_extra(p, sequence, payoff)
        actions = [_named_actions(tree, p, meta["action_names"][p]) for p in (MAX, MIN)]
        tree.name = str(meta["name"])
    except KeyError as error:
        raise FormatError(f"{path} does not describe a game tree: it has no {error}") from None
    except (_core.TreeError, AttributeError, IndexError, TypeError, ValueError) as error:
        raise FormatError(f"{path} does not describe a game tree: {error.args[-1]}") from None
    tree.set_names(names, actions)
    return tree


def _column(arrays: Arrays, name: str, dtype: str) -> npt.NDArray[Any]:
    array = arrays[name]
    if array.ndim != 1 or array.dtype.str != dtype:
        raise ValueError(f"{name} has type {array.dtype.str} and {array.ndim} dimensions, expected {dtype} and 1")
    return array


def _named_actions(tree: Tree, player: int, given: Mapping[str, Sequence[str]]) -> dict[int, list[str]]:
    counts = tree.infoset_actions(player)
    out = {int(infoset): [str(name) for name in names] for infoset, names in given.items()}
    if any(infoset < 0 or len(names) != counts[infoset] for infoset, names in out.items()):
        raise ValueError("one name is needed for each action")
    return out


def fingerprint(tree: Tree) -> str:
    """Return a digest of the tree's structure and payoffs, equal for equal trees wherever they came from."""
    digest = hashlib.blake2b(digest_size=16)
    arrays: list[npt.NDArray[Any]] = [tree.parent, tree.player, tree.action, tree.chance_reach, tree.utility]
    for p in (MAX, MIN):
        arrays += [tree.infoset(p), tree.infoset_parent(p), tree.infoset_actions(p)]
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    for p in (MAX, MIN):
        digest.update(repr(tree.extra(p)).encode())
    return digest.hexdigest()


def load_solution_file(path: str | os.PathLike[str]) -> tuple[dict[str, Any], Arrays]:
    """Return the meta data and arrays of a solution file, unchecked against any tree."""
    _, meta, arrays = read_container(path, "solution")
    return meta, arrays
