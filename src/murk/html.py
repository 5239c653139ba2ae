"""How results look in a notebook: small tables in HTML, and curves in SVG. Everything that is shown is escaped."""

import math
from collections.abc import Sequence
from html import escape
from typing import Any

__all__ = ["curve", "html_table", "share_bar"]

ROWS = 24
"""Rows of a table that are shown."""
_CELL = "padding:2px 10px 2px 0;text-align:left;vertical-align:top"
_WIDTH, _HEIGHT, _LEFT, _BELOW = 420, 160, 52, 22


class Raw(str):
    """A cell that is HTML already."""


def html_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], *, limit: int = ROWS) -> str:
    """Return a table with a title; of many rows the first, and how many more there are.

    Args:
        title: a line above the table.
        columns: the heading; none for a list of facts.
        rows: cells, which are escaped unless they come from :func:`share_bar`.
        limit: rows to show.
    """
    head = "".join(f'<th style="{_CELL}">{escape(name)}</th>' for name in columns)
    body = "".join(
        "<tr>" + "".join(f'<td style="{_CELL}">{_cell(cell)}</td>' for cell in row) + "</tr>" for row in rows[:limit]
    )
    more = f"<div>and {len(rows) - limit:,} more</div>" if len(rows) > limit else ""
    heading = f"<thead><tr>{head}</tr></thead>" if columns else ""
    return f"<div><div><b>{escape(title)}</b></div><table>{heading}<tbody>{body}</tbody></table>{more}</div>"


def share_bar(probability: float) -> Raw:
    """Return a cell with a probability as a bar and in per cent."""
    width = round(80 * min(max(probability, 0.0), 1.0))
    bar = f'<span style="display:inline-block;width:{width}px;height:0.7em;background:#1d6fb8"></span>'
    return Raw(f"{bar} {100 * probability:.1f} %")


def _cell(value: Any) -> str:
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, float):
        return f"{value:.6g}"
    return escape(str(value))


def curve(points: Sequence[tuple[float, float]], *, across: str, upwards: str) -> str:
    """Return a curve over a linear axis, with powers of ten upwards; nothing if there are fewer than two points.

    Args:
        points: in the order of the first coordinate. What is not positive upwards is left out.
        across, upwards: what the axes are.
    """
    shown = [(x, math.log10(y)) for x, y in points if y > 0 and math.isfinite(x) and math.isfinite(y)]
    if len(shown) < 2:
        return ""
    low, high = math.floor(min(y for _, y in shown)), math.ceil(max(y for _, y in shown))
    high = max(high, low + 1)
    first, last = shown[0][0], max(shown[-1][0], shown[0][0] + 1e-12)

    def place(x: float, y: float) -> str:
        across_by = _LEFT + (x - first) / (last - first) * (_WIDTH - _LEFT - 8)
        down_by = 8 + (high - y) / (high - low) * (_HEIGHT - _BELOW - 8)
        return f"{across_by:.1f},{down_by:.1f}"

    line = " ".join(place(x, y) for x, y in shown)
    floor = _HEIGHT - _BELOW
    text = 'font-size="10" font-family="DejaVu Sans, sans-serif" fill="#444444"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" '
        f'height="{_HEIGHT}"><rect width="100%" height="100%" fill="#ffffff"/>'
        f'<path d="M {_LEFT} 8 V {floor} H {_WIDTH - 8}" fill="none" stroke="#888888"/>'
        f'<polyline points="{line}" fill="none" stroke="#1d6fb8" stroke-width="1.8"/>'
        f'<text x="4" y="14" {text}>1e{high:+03d}</text><text x="4" y="{floor}" {text}>1e{low:+03d}</text>'
        f'<text x="4" y="{(8 + floor) // 2}" {text}>{escape(upwards[:8])}</text>'
        f'<text x="{_WIDTH - 8}" y="{_HEIGHT - 7}" text-anchor="end" {text}>'
        f"{escape(across)}, to {last:.3g}</text></svg>"
    )
