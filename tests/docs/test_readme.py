"""Every block of the README and of the documentation runs; and the runner would notice if one did not."""

import re
from pathlib import Path

import pytest
from markdown_blocks import ROOT, Block, BlockError, Page, blocks, commands, make_targets

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_block_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    page = Page(path.name, tmp_path, directives=path.parent.name == "docs")
    page.run(path.read_text())


def test_the_readme_has_blocks_of_both_kinds():
    languages = {block.language for block in blocks((ROOT / "README.md").read_text())}
    assert "python" in languages
    assert languages & {"console", "sh"}


def test_links_between_pages_lead_somewhere():
    for page in PAGES:
        text = page.read_text()
        links = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text)
        images = re.findall(r'(?:src|srcset)="([^"]+)"|^```\{image\} (.+)$', text, re.MULTILINE)
        for target in [*links, *map("".join, images)]:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_no_page_is_overwritten_by_one_of_sphinx():
    assert not {page.stem for page in PAGES} & {"search", "genindex", "py-modindex"}


def test_pictures_are_made_and_shown():
    """Every picture is made by the script, small, and stands on some page."""
    script = (ROOT / "docs" / "pictures.py").read_text()
    pages = "".join(page.read_text() for page in PAGES)
    pictures = sorted((ROOT / "docs" / "images").iterdir())
    assert len(pictures) == 4
    for picture in pictures:
        assert picture.read_bytes().startswith(b"\x89PNG")
        assert picture.stat().st_size < 200_000
        assert picture.name in script or f"{picture.stem.partition('-')[0]}-{{theme}}.png" in script
        assert f"images/{picture.name}" in pages


def test_the_makefile_has_the_promised_targets():
    expected = {
        "demo",
        "test",
        "lint",
        "bench",
        "docs",
        "sanitize",
        "races",
        "stubs",
        "format",
        "clean",
        "help",
        "web",
        "pictures",
    }
    assert make_targets() == expected


# The runner itself


def run(markdown: str, tmp_path: Path, **options: bool) -> Page:
    page = Page("page.md", tmp_path, **options)
    page.run(markdown)
    return page


def test_blocks_are_found_with_their_lines():
    page = "text\n```python\nx = 1\n```\n\n- item\n\n  ~~~sh\n  make test\n  ~~~\n"
    assert list(blocks(page)) == [Block("python", "x = 1\n", 3), Block("sh", "make test\n", 9)]


def test_a_longer_fence_holds_a_shorter_one():
    assert list(blocks("````text\n```\nx\n```\n````\n")) == [Block("text", "```\nx\n```\n", 2)]


def test_an_open_fence_is_an_error():
    with pytest.raises(BlockError, match="never closed"):
        list(blocks("```python\nx = 1\n"))


def test_commands_are_joined_and_output_is_left_out():
    block = Block("console", "$ murk solve \\\n    kuhn_poker\nvalue -1/18\n$ make test\n", 1)
    assert list(commands(block)) == ["murk solve      kuhn_poker", "make test"]
    assert list(commands(Block("sh", "# set up\nmake test\n", 1))) == ["make test"]


def test_python_blocks_share_a_namespace_and_a_directory(tmp_path: Path):
    source = "```python\nfrom pathlib import Path\nPath('a').write_text('b')\nx = 1\n```\n"
    page = run(source + "```python\n>>> x + 1\n2\n>>> y = 3\n```\n```python\nassert y == 3\n```\n", tmp_path)
    assert page.namespace["x"] == 1
    assert (tmp_path / "a").read_text() == "b"
    assert Path.cwd() != tmp_path


@pytest.mark.parametrize(
    ("markdown", "message"),
    [
        ("```python\n1 / 0\n```", "line 2: ZeroDivisionError"),
        ("```python\n>>> 1 + 1\n3\n```", "Expected:\n    3\nGot:\n    2"),
        ("```\nx\n```", "language '' is not checked"),
        ("```cpp\nint x;\n```", "language 'cpp' is not checked"),
        ("```{toctree}\nx\n```", "is not checked"),
        ("```console\nmake test\n```", "no command"),
        ("```console\n$ make nonsense\n```", "no target 'nonsense'"),
        ('```console\n$ pip install "murk[nonsense]"\n```', "no such extra: nonsense"),
        ("```console\n$ rm -rf build\n```", "'rm -rf build' is not checked"),
        ("```console\n$ murk games | head\n```", "uses the shell"),
        ("```sh\npython no_such_file.py\n```", "is not checked"),
        ("```sh\ngit push --force\n```", "is not checked"),
    ],
)
def test_what_is_wrong_is_noticed(markdown: str, message: str, tmp_path: Path):
    with pytest.raises(BlockError) as caught:
        run(markdown, tmp_path)
    assert message in str(caught.value)


def test_a_failing_murk_command_is_noticed(tmp_path: Path):
    with pytest.raises(BlockError, match="ended with 2"):
        run("```console\n$ murk solve no_such_game_at_all\n```", tmp_path)


def test_broken_json_is_noticed(tmp_path: Path):
    run('```json\n{"value": 1}\n```', tmp_path)
    with pytest.raises(ValueError, match="Expecting"):
        run("```json\n{value: 1}\n```", tmp_path)


def test_harmless_blocks_pass(tmp_path: Path):
    shell = '```sh\ngit clone url\ncd murk\nmake test\npip install "murk[plot,openspiel]"\n```\n'
    run(shell + "```text\nanything\n```\n```{toctree}\nx\n```", tmp_path, directives=True)
