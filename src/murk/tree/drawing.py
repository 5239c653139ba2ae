"""Pictures of game trees as SVG, in the manner of the figures of [ZS21].

MAX is red with a cross, MIN is blue with a bar; nature's nodes are empty circles and ends are written out as MAX's
payoff. A dotted line joins the nodes of an infoset, in the colour of who cannot tell them apart. Leaves stand side by
side and parents over the middle of their children, so no two edges cross.
"""

import ast
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from murk.errors import InputError, TooLargeError
from murk.tree.players import MAX, MIN, NATURE, TERMINAL

if TYPE_CHECKING:
    from murk.tree.tree import Tree

__all__ = ["DRAWN_NODES", "Shown", "draw_tree"]

Shown = Literal["acting", "all", "none"]
DRAWN_NODES = 400
"""More nodes than this are no picture any more."""

_COLUMN, _LEVEL, _RADIUS, _MARGIN = 34.0, 62.0, 8.0, 26.0
_INK = {int(MAX): "#d6453d", int(MIN): "#1793b8"}
_LONGEST_LABEL = 14


def draw_tree(tree: "Tree", *, depth: int | None = None, limit: int = DRAWN_NODES, infosets: Shown = "acting") -> str:
    """Return a picture of a tree.

    Args:
        tree: what to draw.
        depth: draw so many levels below the root; what is cut off is a triangle with the number of its nodes.
        limit: refuse a picture of more nodes.
        infosets: ``acting`` joins the infosets at which their owner moves, ``all`` those of both players wherever they
            are, as the paper does.

    Raises:
        InputError: the tree is empty, or an argument is out of range.
        TooLargeError: there is more to draw than ``limit``.
    """
    if tree.num_nodes == 0:
        raise InputError("the tree is empty, expected one with a root")
    if depth is not None and depth < 0:
        raise InputError(f"depth is {depth}, expected 0 or more")
    if infosets not in ("acting", "all", "none"):
        raise InputError(f"infosets is {infosets!r}, expected acting, all or none")
    levels = tree.depths()
    drawn = np.flatnonzero(levels <= depth) if depth is not None else np.arange(tree.num_nodes)
    if len(drawn) > limit:
        cut = int(levels.max()) if depth is None else depth
        fits = max((d for d in range(cut + 1) if np.count_nonzero(levels <= d) <= limit), default=0)
        raise TooLargeError(
            f"a picture of {tree.name} would have {len(drawn):,} nodes, expected at most {limit:,}: "
            f"a depth of {fits} fits, or raise the limit"
        )
    return _Picture(tree, drawn, levels, infosets).svg()


@dataclass
class _Picture:
    tree: "Tree"
    nodes: npt.NDArray[np.int64]
    levels: npt.NDArray[np.int32]
    infosets: Shown
    parts: list[str] = field(default_factory=list)

    def svg(self) -> str:
        self._place()
        width = self._columns * _COLUMN + 2 * _MARGIN
        height = int(self.levels[self.nodes].max()) * _LEVEL + 3 * _MARGIN
        self._edges()
        self._infosets()
        for node in self.nodes.tolist():
            self._node(node)
        body = "".join(self.parts)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
            f'height="{height:.0f}" font-family="DejaVu Sans, sans-serif" font-size="10" text-anchor="middle">'
            f"<title>{escape(self.tree.name)}</title>"
            f'<rect width="100%" height="100%" fill="#ffffff"/>{body}</svg>'
        )

    def _place(self) -> None:
        """Give each node its column: leaves in order from left to right, parents over their children."""
        tree, shown = self.tree, set(self.nodes.tolist())
        column: dict[int, float] = {}
        next_free = 0.0
        stack: list[tuple[int, bool]] = [(0, False)]
        while stack:
            node, done = stack.pop()
            children = self._children(node, shown)
            if not children:
                column[node], next_free = next_free, next_free + 1.0
            elif done:
                column[node] = (column[children[0]] + column[children[-1]]) / 2
            else:
                stack.append((node, True))
                stack += [(child, False) for child in reversed(children)]
        self._columns = max(next_free, 1.0)
        self._at = {
            node: (_MARGIN + _COLUMN * (x + 0.5), _MARGIN + _LEVEL * float(self.levels[node]))
            for node, x in column.items()
        }
        self._cut = {n for n in shown if tree.num_children[n] > 0 and not self._children(n, shown)}

    def _children(self, node: int, shown: set[int]) -> list[int]:
        first, count = int(self.tree.first_child[node]), int(self.tree.num_children[node])
        return [child for child in range(first, first + count) if child in shown]

    def _edges(self) -> None:
        tree = self.tree
        chance = tree.chance_probabilities()
        for child in self.nodes.tolist():
            parent = int(tree.parent[child])
            if parent < 0:
                continue
            (x0, y0), (x1, y1) = self._at[parent], self._at[child]
            self.parts.append(
                f'<line x1="{x0:.1f}" y1="{y0 + _RADIUS:.1f}" x2="{x1:.1f}" y2="{y1 - _RADIUS:.1f}" stroke="#555555"/>'
            )
            label = self._label(parent, child, float(chance[child]))
            self._text(x0 + 0.62 * (x1 - x0), y0 + 0.62 * (y1 - y0), label, "#333333", halo=True)

    def _label(self, parent: int, child: int, chance: float) -> str:
        tree, player = self.tree, int(self.tree.player[parent])
        if player == NATURE:
            return f"{chance:.3g}"
        names = tree.action_names(player, int(tree.infoset(player)[parent]))
        place = child - int(tree.first_child[parent])
        return _infoset_label(names[place], int(tree.action[child]))

    def _infosets(self) -> None:
        if self.infosets == "none":
            return
        for player in (int(MAX), int(MIN)):
            members: dict[int, list[int]] = {}
            for node in self.nodes.tolist():
                mover = int(self.tree.player[node])
                if mover != TERMINAL and (mover == player or self.infosets == "all"):
                    members.setdefault(int(self.tree.infoset(player)[node]), []).append(node)
            ordered = {i: sorted(nodes, key=lambda n: self._at[n]) for i, nodes in members.items()}
            ends: dict[float, list[float]] = {}
            for infoset, nodes in sorted(ordered.items(), key=lambda item: self._at[item[1][0]]):
                self._infoset(player, infoset, nodes, self._track(nodes, ends))

    def _track(self, nodes: list[int], ends: dict[float, list[float]]) -> int:
        """Return the first track of a level that is free where an infoset begins, so that lines do not overlap."""
        (begin, level), (end, _) = self._at[nodes[0]], self._at[nodes[-1]]
        tracks = ends.setdefault(level, [])
        track = next((i for i, last in enumerate(tracks) if last < begin), len(tracks))
        tracks[track : track + 1] = [end]
        return track

    def _infoset(self, player: int, infoset: int, nodes: list[int], track: int) -> None:
        acting = int(self.tree.player[nodes[0]]) == player
        name = _infoset_label(self.tree.infoset_name(player, infoset), infoset)
        if len(nodes) == 1:
            if acting:
                x, y = self._at[nodes[0]]
                self._text(x, y + _RADIUS + 9, name, _INK[player], halo=True)
            return
        # The mover's infoset sags below its nodes, the other's passes above.
        bend = (0.22 + 0.14 * track) * (_LEVEL if acting else -_LEVEL)
        path = []
        for left, right in pairwise(nodes):
            (x0, y0), (x1, y1) = self._at[left], self._at[right]
            path.append(f"M {x0:.1f} {y0:.1f} Q {(x0 + x1) / 2:.1f} {(y0 + y1) / 2 + bend:.1f} {x1:.1f} {y1:.1f}")
        self.parts.append(
            f'<path d="{" ".join(path)}" fill="none" stroke="{_INK[player]}" stroke-width="2.2" '
            f'stroke-dasharray="2 4" stroke-linecap="round"/>'
        )
        middle = (len(nodes) - 1) // 2
        (x0, y0), (x1, y1) = self._at[nodes[middle]], self._at[nodes[middle + 1]]
        self._text((x0 + x1) / 2, (y0 + y1) / 2 + 0.75 * bend + (4 if acting else 0), name, _INK[player], halo=True)

    def _node(self, node: int) -> None:
        x, y = self._at[node]
        player = int(self.tree.player[node])
        if player == TERMINAL:
            self._text(x, y + 3.5, f"{float(self.tree.utility[node]):.4g}", "#111111")
            return
        ink = _INK.get(player)
        fill = "#ffffff" if ink is None else ink
        self.parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{_RADIUS}" fill="{fill}" stroke="{ink or "#555555"}"/>'
        )
        if player in (MAX, MIN):
            bar = f"M {x - _RADIUS:.1f} {y:.1f} h {2 * _RADIUS}"
            cross = f" M {x:.1f} {y - _RADIUS:.1f} v {2 * _RADIUS}" if player == MAX else ""
            self.parts.append(f'<path d="{bar}{cross}" stroke="#111111" stroke-width="0.9"/>')
        if node in self._cut:
            self._triangle(node, x, y)

    def _triangle(self, node: int, x: float, y: float) -> None:
        top, low = y + _RADIUS, y + _RADIUS + 16
        self.parts.append(
            f'<path d="M {x:.1f} {top:.1f} L {x - 9:.1f} {low:.1f} L {x + 9:.1f} {low:.1f} Z" fill="#dddddd" '
            'stroke="#888888"/>'
        )
        self._text(x, low + 9, f"{self._size(node):,}", "#666666")

    def _size(self, node: int) -> int:
        """Return how many nodes lie below one."""
        total, level = 0, np.array([node], dtype=np.int64)
        while len(level):
            starts, counts = self.tree.first_child[level], self.tree.num_children[level]
            level = np.concatenate([np.arange(s, s + c) for s, c in zip(starts, counts, strict=True)])
            total += len(level)
        return total

    def _text(self, x: float, y: float, text: str, colour: str, *, halo: bool = False) -> None:
        edge = ' stroke="#ffffff" stroke-width="2.5" paint-order="stroke"' if halo else ""
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}"{edge}>{escape(text)}</text>')


def _infoset_label(name: str, number: int) -> str:
    """Return what to write for an infoset: its name; of a history of observations the last, if that is a word."""
    if not name.startswith("("):
        return _short(name)
    try:
        last = ast.literal_eval(name)[-1]
    except (ValueError, SyntaxError, TypeError, IndexError):
        last = None
    return _short(last) if isinstance(last, str) and last else str(number)


def _short(text: str) -> str:
    flat = "".join(c if c.isprintable() else " " for c in " ".join(str(text).split()))
    return flat if len(flat) <= _LONGEST_LABEL else flat[: _LONGEST_LABEL - 1] + "…"
