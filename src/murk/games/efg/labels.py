"""Labels that Gambit and OpenSpiel both read as written, and that are unique where they must be."""

__all__ = ["Namespace", "portable_label", "portable_text"]


class Namespace:
    """Labels in use. A second claim of one gets a number added; the empty label is free for everybody."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._repeats: dict[str, int] = {}

    def claim(self, label: str) -> str:
        """Return ``label``, or the first of ``label_2``, ``label_3``, ... that nobody has claimed yet."""
        if not label:
            return label
        unique, count = label, self._repeats.get(label, 1)
        while unique in self._taken:
            count += 1
            unique = f"{label}_{count}"
        self._repeats[label] = count
        self._taken.add(unique)
        return unique


def portable_label(text: str) -> str:
    """Respell a label in printable ASCII without quotes, backslashes and spare spaces."""
    if not text.isprintable():
        text = "".join(c if c.isprintable() else " " for c in text)
    ascii_only = text.encode("ascii", "xmlcharrefreplace").decode("ascii")
    return " ".join(ascii_only.replace('"', "'").replace("\\", "/").split())


def portable_text(text: str) -> str:
    """Respell a title or comment, which may hold anything but what would need an escape."""
    legal = text.encode("utf-8", "xmlcharrefreplace").decode("utf-8")
    return legal.replace('"', "'").replace("\\", "/").replace("\0", " ")
