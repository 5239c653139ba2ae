"""The default evaluator: a small net with a quiescence search, all inside the package.

The net (``cpp/eval/network.h``) was trained on scores of Stockfish 15.1, then on what became of games in the fog, by
the pipeline in ``docs/evaluator.md``. Its weights stand in ``data/embedded.bin``; beside them ``data/embedded.json``
says what they are, how they were made and how well they do.

A weights file is what :meth:`Network.file` gives, compressed by zlib to half of that. It may also stand as it is.
"""

import json
import os
import zlib
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from murk._core import EmbeddedEvaluator, Network, QuiescenceLimits
from murk.errors import FormatError, InputError

__all__ = ["Embedded", "about_embedded", "read_network", "weights_file"]

_COMPRESSED = b"x\xda"
"""How zlib begins at its highest level."""
_LARGEST = 1 << 26


class Embedded(EmbeddedEvaluator):
    """The net with the quiescence search; any number of threads may use it at the same time.

    Args:
        weights: a weights file; ``None`` takes the package's own.
        nodes: positions that a quiescence search looks at, at most.
        kernels: ``"avx512"``, ``"avx2"`` or ``"portable"``; empty for the best that this processor can run. They give
            the same bits.

    Raises:
        InputError: there is no such file, or an argument is out of range.
        FormatError: the file is damaged or of another kind.
    """

    def __init__(
        self, weights: str | os.PathLike[str] | None = None, *, nodes: int | None = None, kernels: str = ""
    ) -> None:
        if kernels not in ("", "avx512", "avx2", "portable"):
            raise InputError(f"kernels is {kernels!r}, expected avx512, avx2, portable or nothing")
        if nodes is not None and not 1 <= nodes <= 1_000_000:
            raise InputError(f"nodes is {nodes!r}, expected a number from 1 to 1,000,000")
        network = _packaged(kernels) if weights is None else read_network(weights, kernels=kernels)
        limits = QuiescenceLimits() if nodes is None else QuiescenceLimits(nodes=nodes)
        super().__init__(network, f"{network.checksum:016x}", limits)


def read_network(path: str | os.PathLike[str], *, kernels: str = "") -> Network:
    """Return the net of a weights file.

    Raises:
        InputError: the file cannot be read.
        FormatError: it is damaged or of another kind.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"cannot read the weights {os.fspath(path)}: {error.strerror or error}") from None
    try:
        return Network(_plain(data), kernels)
    except ValueError as error:
        raise FormatError(f"{os.fspath(path)}: {error}") from None


def weights_file(network: Network) -> bytes:
    """Return the bytes of a net's weights file."""
    return zlib.compress(network.file(), 9)


def about_embedded() -> dict[str, Any]:
    """Return what is known about the package's own weights: shape, recipe of the data, training, report."""
    text = (resources.files(__package__) / "data" / "embedded.json").read_text(encoding="utf-8")
    about: dict[str, Any] = json.loads(text)
    return about


@cache
def _packaged(kernels: str) -> Network:
    return Network(_plain((resources.files(__package__) / "data" / "embedded.bin").read_bytes()), kernels)


def _plain(data: bytes) -> bytes:
    """Return a weights file as it was before it was compressed; the native reader looks at the rest."""
    if not data.startswith(_COMPRESSED):
        return data
    stream = zlib.decompressobj()
    try:
        plain = stream.decompress(data, _LARGEST)
    except zlib.error:
        raise FormatError("the weights file is corrupted: it cannot be decompressed") from None
    if not stream.eof:
        raise FormatError("the weights file is truncated")
    if stream.unused_data:
        raise FormatError("the weights file is corrupted: something follows its end")
    return plain
