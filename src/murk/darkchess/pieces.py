"""The chess pieces of all pictures: ``pieces.svg``, which the page in the browser uses as well.

They were drawn for murk and are under its licence.
"""

from functools import cache
from pathlib import Path
from xml.etree import ElementTree

__all__ = ["PIECE_SIDE", "piece_svg"]

PIECE_SIDE = 40
"""Width and height of the square that a piece is drawn in."""
_FILE = Path(__file__).with_name("pieces.svg")
_GROUP = "{http://www.w3.org/2000/svg}g"


@cache
def piece_svg(letter: str) -> str:
    """Return the elements that draw a piece, by its letter in FEN; they need no definitions from elsewhere."""
    groups = _groups()
    kind = letter.lower()
    paint = groups[("w" if letter.isupper() else "b") + kind].attrib
    shape = groups[f"shape-{kind}"]
    common = _attributes({**paint, **shape.attrib})
    parts = (
        f"<{part.tag.partition('}')[2]} {_attributes(part.attrib)}/>".replace("currentColor", paint["color"])
        for part in shape
    )
    return f"<g {common}>{''.join(parts)}</g>"


@cache
def _groups() -> dict[str, ElementTree.Element]:
    return {group.attrib["id"]: group for group in ElementTree.parse(_FILE).iter(_GROUP)}


def _attributes(attributes: dict[str, str]) -> str:
    return " ".join(f'{name}="{value}"' for name, value in attributes.items() if name not in ("id", "color"))
