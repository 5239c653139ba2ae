"""Rows of a benchmark, and the forms they are shown in: JSON, CSV, lines of JSON as they come, a table."""

import csv
import json
import math
import os
import platform
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from murk import _core
from murk.errors import InputError

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["METRICS", "Metric", "Row", "environment", "lines", "make_row", "table", "write_csv"]


@dataclass(frozen=True)
class Metric:
    """What is measured: its unit, whether more of it is better, and a title for people."""

    unit: str
    more_is_better: bool
    title: str


METRICS: dict[str, Metric] = {
    "build_nodes_per_second": Metric("nodes/s", True, "building the tree"),
    "bytes_per_node": Metric("bytes", False, "memory of the tree, a node"),
    "cfr_iterations_per_second": Metric("iterations/s", True, "regret minimisation"),
    "exploitability_seconds": Metric("s", False, "exploitability on a built tree"),
    "lp_seconds": Metric("s", False, "linear program with assembly"),
    "seconds_to_exploitability": Metric("s", False, "regret minimisation to a target"),
    "nested_klss_seconds": Metric("s", False, "nested 1-KLSS at every infoset"),
    "perft_nodes_per_second": Metric("nodes/s", True, "dark chess: perft"),
    "leaf_values_per_second": Metric("values/s", True, "dark chess: values of moves"),
    "belief_moves_per_second": Metric("moves/s", True, "opponent's moves considered"),
    "belief_ns_per_position": Metric("ns", False, "belief step, a position"),
    "belief_two_threads": Metric("x", True, "belief step on two threads"),
    "belief_bytes_per_position": Metric("bytes", False, "memory of a belief, a position"),
    "belief_peak_memory": Metric("bytes", False, "peak memory of a belief step"),
    "search_nodes_per_second": Metric("nodes/s", True, "dark chess: growing search"),
    "agent_seconds_per_move": Metric("s", False, "dark chess: an agent's move"),
    "agent_longest_move": Metric("s", False, "longest move of a long game"),
    "agent_memory_growth": Metric("bytes", False, "memory gained in a long game"),
}


@dataclass(frozen=True, kw_only=True)
class Row:
    """One figure beside one peer's.

    Attributes:
        metric: a key of :data:`METRICS`.
        case: the game.
        nodes: size of its tree.
        ours: murk's figure.
        method: by which of murk's methods, if there is a choice.
        unit: unit of ``ours`` and ``peer_value``.
        peer: the other program; ``None`` if there is none to compare with.
        peer_method: what was called there.
        peer_value: its figure; ``None`` if it has none, and ``note`` says why.
        ratio: how far ahead murk is: above 1 we are ahead, whichever way the unit points.
        ratio_at_least: a lower bound of the ratio where the peer was stopped before it had finished.
        note: what else there is to know.
    """

    metric: str
    case: str
    nodes: int
    ours: float
    method: str | None = None
    unit: str
    peer: str | None = None
    peer_method: str | None = None
    peer_value: float | None = None
    ratio: float | None = None
    ratio_at_least: float | None = None
    note: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain data."""
        return asdict(self)


def make_row(
    metric: str, *, ours: float, peer_value: float | None = None, stopped_at: float | None = None, **other: Any
) -> Row:
    """Return a row with its unit and ratio filled in.

    ``stopped_at`` is how far a peer had got, in seconds, when it was stopped.
    """
    kind = METRICS[metric]

    def ratio(theirs: float | None) -> float | None:
        if theirs is None:
            return None
        return ours / theirs if kind.more_is_better else theirs / ours

    return Row(
        metric=metric,
        unit=kind.unit,
        ours=ours,
        peer_value=peer_value,
        ratio=ratio(peer_value),
        ratio_at_least=ratio(stopped_at),
        **other,
    )


def environment() -> dict[str, Any]:
    """Return what figures depend on besides the code: processor, instruction set, versions, load."""
    packages = (
        "murk",
        "numpy",
        "scipy",
        "highspy",
        "open_spiel",
        "LiteEFG",
        "cvxpy",
        "ecos",
        "pygambit",
        "chess",
        "pyffish",
    )
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "instruction_set": _core.instruction_sets()[-1],
        "chess_instruction_set": _core.chess_instruction_sets()[-1],
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "load_average": [round(load, 2) for load in os.getloadavg()],
        "versions": {package: _version(package) for package in packages},
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.machine()


@contextmanager
def lines(path: Path | None) -> Iterator[Callable[[Row], None]]:
    """Yield a function that appends a row to a file of JSON lines, so that it stays whatever becomes of the run.

    The first line of a run is ``{"environment": ...}``. Without a path the function does nothing.

    Raises:
        InputError: the file cannot be written.
    """
    if path is None:
        yield lambda row: None
        return
    try:
        file = path.open("a", encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from None

    def write(data: dict[str, Any]) -> None:
        file.write(json.dumps(data) + "\n")
        file.flush()

    with file:
        write({"environment": environment()})
        yield lambda row: write(row.to_dict())


def write_csv(path: Path, rows: Iterable[Row]) -> None:
    """Write rows as a table with a header; what is ``None`` is empty."""
    try:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, [field.name for field in fields(Row)])
            writer.writeheader()
            writer.writerows(row.to_dict() for row in rows)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from None


def table(rows: Sequence[Row]) -> "Table":
    """Return the rows as a table for people, metric by metric, with notes as numbered lines below."""
    from rich.table import Table

    notes = list(dict.fromkeys(row.note for row in rows if row.note))
    out = Table(title="murk beside its peers", title_justify="left", caption_justify="left")
    if notes:
        out.caption = "\n".join(f"({i}) {note}" for i, note in enumerate(notes, start=1))
    for heading in ("metric", "case", "murk", "", "peer", ""):
        out.add_column(heading, overflow="fold")
    out.add_column("ratio", justify="right")
    before = None
    for metric in METRICS:
        for row in (r for r in rows if r.metric == metric):
            if before not in (None, metric):
                out.add_section()
            title = METRICS[metric].title if before != metric else ""
            before = metric
            mark = f" ({notes.index(row.note) + 1})" if row.note else ""
            peer = " ".join(filter(None, [row.peer, row.peer_method])) + mark if row.peer else mark.strip()
            theirs = _quantity(row.peer_value, row.unit)
            out.add_row(title, row.case, _quantity(row.ours, row.unit), row.method or "", theirs, peer, _ratio(row))
    return out


def _quantity(value: float | None, unit: str) -> str:
    if value is None:
        return "-"
    if unit != "s":
        return f"{value:,.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"
    for factor, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if value >= factor:
            return f"{value / factor:.3g} {name}"
    return f"{value / 1e-9:.3g} ns"


def _ratio(row: Row) -> str:
    if row.ratio is not None:
        return f"{row.ratio:,.0f}" if row.ratio >= 10 else f"{row.ratio:.2g}"
    return f"> {math.floor(row.ratio_at_least):,}" if row.ratio_at_least is not None else "-"
