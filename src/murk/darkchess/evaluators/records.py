"""Shards of labelled positions: the training data of the embedded evaluator on disk.

The format is defined in ``cpp/eval/training_data.h``: a header of 32 bytes, then records of 32 bytes, little-endian.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murk.errors import FormatError
from murk.tree.files import write_atomically

__all__ = ["HELD_OUT", "LABEL_LIMIT", "RECORD", "TAU", "as_rows", "read_shard", "read_shards", "write_shard"]

RECORD = np.dtype(
    [
        ("occupied", "<u8"),
        ("pieces", "u1", 16),
        ("turn_castling", "u1"),
        ("en_passant", "u1"),
        ("label", "<i2"),
        ("flags", "<u2"),
        ("game", "<u2"),
    ]
)
"""One record as a numpy structure."""

HEADER = np.dtype([("magic", "S8"), ("record_size", "<u4"), ("depth", "<u4"), ("engine", "S16")])
HELD_OUT = 64
"""Sources (the low byte of ``flags``) from this on are never used for training."""
LABEL_LIMIT = 10_000
"""Labels are clamped to so many centipawns."""
TAU = 420.0
"""Centipawns of Stockfish 15.1 in one unit of tanh's argument."""

Records = NDArray[np.void]


def read_shard(path: Path) -> Records:
    """Return the records of a shard, mapped from the file. A torn last record is left out.

    Raises:
        FormatError: the file is not a shard.
    """
    size = path.stat().st_size
    header = np.fromfile(path, dtype=HEADER, count=1) if size >= HEADER.itemsize else np.empty(0, HEADER)
    if len(header) == 0 or header["magic"][0] != b"murktrn1":
        raise FormatError(f"{path} is not a shard of training data")
    if header["record_size"][0] != RECORD.itemsize:
        given = header["record_size"][0]
        raise FormatError(f"{path} has records of {given} bytes, and this murk reads records of {RECORD.itemsize}")
    count = (size - HEADER.itemsize) // RECORD.itemsize
    if count == 0:
        return np.empty(0, RECORD)
    return np.memmap(path, dtype=RECORD, mode="r", offset=HEADER.itemsize, shape=(count,))


def write_shard(path: Path, records: Records, *, labelled_by: str) -> None:
    """Write a shard, whole or not at all."""
    header = np.zeros(1, HEADER)
    header["magic"], header["record_size"], header["depth"] = b"murktrn1", RECORD.itemsize, 1
    header["engine"] = labelled_by.encode()[:15]
    write_atomically(path, [header.tobytes(), records.tobytes()])


def read_shards(paths: list[Path]) -> Records:
    """Return the records of several shards together, in memory."""
    return np.concatenate([np.empty(0, RECORD), *(read_shard(path) for path in paths)])


def as_rows(records: Records) -> NDArray[Any]:
    """Return the same memory as rows of bytes, which is how the native loops take records."""
    return np.ascontiguousarray(records).view(np.uint8).reshape(len(records), RECORD.itemsize)
