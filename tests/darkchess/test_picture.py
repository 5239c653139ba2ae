"""Pictures of boards: as text and as SVG."""

import re
from xml.etree import ElementTree

import pytest

from murk.darkchess import Position
from murk.darkchess.picture import FOG, svg_board, text_board
from murk.darkchess.pieces import PIECE_SIDE, piece_svg

SVG = "{http://www.w3.org/2000/svg}"

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
    """Return where each piece stands."""
    places: dict[str, list[tuple[float, float]]] = {}
    for element in ElementTree.fromstring(svg).iter(f"{SVG}g"):
        if "data-piece" in element.attrib:
            x, y = element.attrib["transform"].removeprefix("translate(").partition(")")[0].split()
            places.setdefault(element.attrib["data-piece"], []).append((float(x), float(y)))
    return places


def test_svg_has_each_piece_where_it_stands():
    drawn = pieces(Position()._repr_svg_())
    assert {piece: len(places) for piece, places in drawn.items()} == {
        "P": 8, "N": 2, "B": 2, "R": 2, "Q": 1, "K": 1, "p": 8, "n": 2, "b": 2, "r": 2, "q": 1, "k": 1,
    }  # fmt: skip
    [(king_x, white_y)], [(_, black_y)], [(queen_x, _)] = drawn["K"], drawn["k"], drawn["Q"]
    assert queen_x < king_x
    assert white_y > black_y
    [(flipped_x, flipped_y)] = pieces(svg_board(Position(), flipped=True))["K"]
    assert flipped_x < king_x
    assert flipped_y == black_y


def test_each_piece_is_drawn_by_itself():
    """Twelve pictures, no two the same, that need nothing from elsewhere and stay in their square."""
    drawn = {piece: piece_svg(piece) for piece in "PNBRQKpnbrqk"}
    assert len(set(drawn.values())) == 12
    for picture in drawn.values():
        group = ElementTree.fromstring(picture)
        names = {name for element in group.iter() for name in element.attrib}
        assert not names & {"id", "href", "class", "style"}
        assert "currentColor" not in picture
        [fill, stroke] = [group.attrib[name] for name in ("fill", "stroke")]
        assert fill != stroke
        for path in group.iter("path"):
            numbers = [float(number) for number in re.findall(r"[\d.]+", path.attrib["d"])]
            assert all(0 < number < PIECE_SIDE for number in numbers)


@pytest.mark.parametrize(("options", "colour", "number"), [
    ({}, "#6f7680", 0), ({"highlight": [0, 63]}, "#e3c64f", 2), ({"shade": {5: 0.5, 6: 0.0}}, "#c2185b", 1),
])  # fmt: skip
def test_svg_marks_squares(options: dict[str, object], colour: str, number: int):
    assert svg_board(Position(), **options).count(colour) == number


def test_svg_draws_fog():
    assert svg_board(View()).count("#6f7680") == 48
