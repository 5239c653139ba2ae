"""A small chart of exploitability for the terminal, in Braille dots: time to the right, powers of ten upwards."""

import math
from collections.abc import Sequence

__all__ = ["exploitability_chart"]

_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bit of each of a character's dots, by row and column."""
_BLANK = 0x2800
_LABEL = 8


def exploitability_chart(points: Sequence[tuple[float, float]], *, width: int = 60, height: int = 8) -> list[str]:
    """Return the lines of a chart; none if there are fewer than two points to draw.

    Args:
        points: seconds and exploitability, in the order of time. What is not positive is left out.
        width: characters of a line at most, labels included.
        height: lines, the axis not included.
    """
    shown = [(x, math.log10(y)) for x, y in points if math.isfinite(x) and math.isfinite(y) and y > 0]
    columns = width - _LABEL - 2
    if len(shown) < 2 or columns < 8 or height < 1:
        return []
    low, high = math.floor(min(y for _, y in shown)), math.ceil(max(y for _, y in shown))
    high = max(high, low + 1)
    first, last = shown[0][0], max(shown[-1][0], shown[0][0] + 1e-9)
    cells = [[0] * columns for _ in range(height)]
    rows = 4 * height
    heights = _sampled(shown, first, last, 2 * columns)
    for x, y in enumerate(heights):
        if y is None:
            continue
        row = min(rows - 1, int((high - y) / (high - low) * (rows - 1) + 0.5))
        cells[row // 4][x // 2] |= _DOTS[row % 4][x % 2]
    lines = [
        f"{_label(i, height, low, high):>{_LABEL}} ┤{''.join(chr(_BLANK + cell) for cell in line)}"
        for i, line in enumerate(cells)
    ]
    end = f"{last:.3g} s"
    return [*lines, f"{'':>{_LABEL}} └{'─' * (columns - len(end) - 1)} {end}"]


def _sampled(points: Sequence[tuple[float, float]], first: float, last: float, count: int) -> list[float | None]:
    """Return the height at each of ``count`` moments: that of the last point before it."""
    out: list[float | None] = []
    at = 0
    for i in range(count):
        moment = first + (last - first) * i / (count - 1)
        while at + 1 < len(points) and points[at + 1][0] <= moment:
            at += 1
        out.append(points[at][1] if points[at][0] <= moment else None)
    return out


def _label(line: int, height: int, low: int, high: int) -> str:
    """Return the power of ten at the top of the chart, or at its foot."""
    if line == 0:
        return f"1e{high:+03d}"
    return f"1e{low:+03d}" if line == height - 1 else ""
