"""Pictures of boards: as text and as SVG."""

from xml.etree import ElementTree

import pytest

from murk.darkchess import Position
from murk.darkchess.picture import FOG, svg_board, text_board

TEXT = """\
8 r n b q k b n r
7 p p p p p p p p
6 . . . . . . . .
5 . . . . . . . .
4 . . . . . . . .
3 . . . . . . . .
2 P P P P P P P P
1 R N B Q K B N R
  a b c d e f g h"""


class View:
    """White's first rank, an empty second, and fog."""

    def piece_at(self, square: int) -> str | None:
        return "RNBQKBNR"[square] if square < 8 else None if square < 16 else FOG


def test_text():
    assert str(Position()) == TEXT
    assert text_board(Position(), flipped=True).splitlines()[0] == "1 R N B K Q B N R"
    assert text_board(Position(), flipped=True).splitlines()[-1] == "  h g f e d c b a"
    assert text_board(View()).splitlines()[0] == "8 ? ? ? ? ? ? ? ?"


def pieces(svg: str) -> dict[str, list[tuple[float, float]]]:
    """Return where each glyph stands."""
    places: dict[str, list[tuple[float, float]]] = {}
    for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text"):
        places.setdefault(element.text or "", []).append((float(element.attrib["x"]), float(element.attrib["y"])))
    return places


def test_svg_has_each_piece_where_it_stands():
    drawn = pieces(Position()._repr_svg_())
    assert {glyph: len(places) for glyph, places in drawn.items() if glyph in "♟♞♝♜♛♚"} == {
        "♟": 16, "♞": 4, "♝": 4, "♜": 4, "♛": 2, "♚": 2,
    }  # fmt: skip
    (king_x, white_y), (_, black_y) = sorted(drawn["♚"], key=lambda place: -place[1])
    (queen_x, _), _ = drawn["♛"]
    assert queen_x < king_x
    assert white_y > black_y
    (flipped_x, _), _ = sorted(pieces(svg_board(Position(), flipped=True))["♚"])
    assert flipped_x < king_x


@pytest.mark.parametrize(("options", "colour", "number"), [
    ({}, "#6f7680", 0), ({"highlight": [0, 63]}, "#e3c64f", 2), ({"shade": {5: 0.5, 6: 0.0}}, "#c2185b", 1),
])  # fmt: skip
def test_svg_marks_squares(options: dict[str, object], colour: str, number: int):
    assert svg_board(Position(), **options).count(colour) == number


def test_svg_draws_fog():
    assert svg_board(View()).count("#6f7680") == 48
