"""Every tutorial runs from top to bottom, and what its cells end with draws itself."""

import ast
from pathlib import Path

import pytest
from markdown_blocks import ROOT, blocks

TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
DRAWS = {"leduc": 2, "pennies": 3, "decision": 4}
"""How many cells at least end with something that is more than text."""


def run_cell(source: str, namespace: dict[str, object], name: str) -> object:
    """Run a cell as a notebook does, and return the value of its last expression."""
    tree = ast.parse(source, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), namespace)
    return None if last is None else eval(compile(ast.Expression(last.value), name, "eval"), namespace)


def drawing(value: object) -> str | None:
    for name in ("_repr_html_", "_repr_svg_"):
        made = getattr(value, name, lambda: None)()
        if made is not None:
            assert "<" in made
            return str(made)
    return None


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_tutorials_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = path.read_text()
    assert text.startswith("---\nfile_format: mystnb\n")
    cells = [block for block in blocks(text) if block.language == "{code-cell}"]
    assert len(cells) == sum(1 for _ in blocks(text))
    namespace: dict[str, object] = {"__name__": "__main__"}
    drawn = [drawing(run_cell(cell.text, namespace, f"{path.name}:{cell.line}")) for cell in cells]
    assert sum(picture is not None for picture in drawn) >= DRAWS[path.stem]


def test_there_are_three() -> None:
    assert [path.stem for path in TUTORIALS] == sorted(DRAWS)
