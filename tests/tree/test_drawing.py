"""Pictures of trees: every node, edge and infoset is there, once."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import murk
from murk.errors import InputError, TooLargeError
from murk.tree import MAX, MIN, TERMINAL, Tree

SVG = "{http://www.w3.org/2000/svg}"


def parts(picture: str, tag: str) -> list[ElementTree.Element]:
    return ElementTree.fromstring(picture).findall(f".//{SVG}{tag}")


@pytest.mark.parametrize("name", ["kuhn_poker", "figure1", "matching_pennies(n=3)", "random(seed=4)"])
def test_everything_is_drawn_once(name: str) -> None:
    tree = murk.build(name)
    picture = tree.to_svg(limit=5000)
    leaves = int((tree.player == TERMINAL).sum())
    assert len(parts(picture, "circle")) == tree.num_nodes - leaves
    assert len(parts(picture, "line")) == tree.num_nodes - 1
    dotted = [path for path in parts(picture, "path") if path.get("stroke-dasharray")]
    joined = sum(
        np.count_nonzero((tree.infoset(p) == i) & (tree.player == p)) > 1
        for p in (MAX, MIN)
        for i in tree.acting_infosets(p).tolist()
    )
    assert len(dotted) == joined
    written = [text.text for text in parts(picture, "text")]
    for utility in tree.utility[tree.player == TERMINAL]:
        assert f"{float(utility):.4g}" in written
    places = [(c.get("cx"), c.get("cy")) for c in parts(picture, "circle")]
    assert len(set(places)) == len(places)


def test_the_figure_of_the_paper() -> None:
    """Figure 1: three infosets R of MAX's (one alone), C2' of MIN's before she moves, C0, C2 and C4 of MIN's."""
    picture = murk.build("figure1").to_svg(infosets="all")
    written = [text.text for text in parts(picture, "text")]
    for name in ("R1*", "R3*", "E*", "C2'", "C0*", "C2*", "C4*", "h", "t"):
        assert name in written
    assert not [p for p in parts(murk.build("figure1").to_svg(infosets="none"), "path") if p.get("stroke-dasharray")]


def test_large_trees_are_cut_or_refused() -> None:
    tree = murk.build("leduc_poker")
    with pytest.raises(TooLargeError, match="9,457 nodes, expected at most 400: a depth of 4 fits"):
        tree.to_svg()
    levels = tree.depths()
    picture = tree.to_svg(depth=3)
    assert len(parts(picture, "line")) == int((levels <= 3).sum()) - 1
    below = [int(t.text.replace(",", "")) for t in parts(picture, "text") if t.get("fill") == "#666666" and t.text]
    assert sum(below) == int((levels > 3).sum())
    with pytest.raises(InputError, match="depth is -1"):
        tree.to_svg(depth=-1)
    with pytest.raises(InputError, match="expected acting, all or none"):
        tree.to_svg(infosets="some")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="the tree is empty"):
        Tree().to_svg()


def test_small_trees_draw_themselves() -> None:
    assert "<svg" in (murk.build("kuhn_poker")._repr_svg_() or "")
    assert murk.build("leduc_poker")._repr_svg_() is None


def test_names_cannot_break_the_picture() -> None:
    tree = murk.build("kuhn_poker")
    tree.name = "<&>"
    tree.set_names([["<a&b>"] * tree.num_infosets(0), ["]]>"] * tree.num_infosets(1)], [{}, {}])
    assert "<a&b>" in [text.text for text in parts(tree.to_svg(), "text")]
