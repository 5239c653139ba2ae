"""Runs the fenced blocks of a Markdown page, so that no page can promise what does not work.

``python`` blocks run in order in one namespace, as scripts or, if they have ``>>>`` prompts, as doctests
with their output compared. In ``console`` and ``sh`` blocks ``murk`` commands run in a scratch directory
and must succeed; other commands are only checked against the repository (make targets, extras of pip).
``text`` and ``json`` are not run, but ``json`` must parse. Any other language is an error, so that no block
is skipped in silence.
"""

import doctest
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHELL_SYNTAX = re.compile(r"[|<>;&`]|\$\(")


@dataclass(frozen=True)
class Block:
    """A fenced block: the first word after the fence, its text, and the line number of its first line."""

    language: str
    text: str
    line: int


class BlockError(AssertionError):
    """A block that does not do what it says, or says nothing that can be checked."""


def blocks(markdown: str) -> Iterator[Block]:
    """Yield the fenced blocks of a page, of backticks or tildes and of any indentation."""
    opening: re.Match[str] | None = None
    lines: list[str] = []
    for number, line in enumerate(markdown.splitlines(), start=1):
        if opening is None:
            opening = re.match(r"(?P<indent>\s*)(?P<fence>`{3,}|~{3,})\s*(?P<info>[^`]*)$", line)
            lines, first = [], number + 1
        elif re.fullmatch(rf"\s*{opening['fence']}{opening['fence'][0]}*\s*", line):
            language = (opening["info"].split() or [""])[0]
            yield Block(language, "\n".join(lines) + "\n", first)
            opening = None
        else:
            lines.append(line.removeprefix(opening["indent"]))
    if opening is not None:
        raise BlockError(f"the block opened before line {first} is never closed")


def commands(block: Block) -> Iterator[str]:
    """Yield the commands of a shell block, with continued lines joined.

    In ``console`` a command begins with ``$`` and all else is output; in ``sh`` every line is a command.
    """
    for line in block.text.replace("\\\n", " ").splitlines():
        stripped = line.strip()
        if stripped.startswith("$ "):
            yield stripped[2:].strip()
        elif block.language == "sh" and stripped and not stripped.startswith("#"):
            yield stripped


@dataclass
class Page:
    """Runs the blocks of one page, in the order they stand, in one namespace and one scratch directory."""

    name: str
    scratch: Path
    directives: bool = False
    """Whether ``{name}`` blocks, which Sphinx checks, may occur."""
    namespace: dict[str, object] = field(default_factory=lambda: {"__name__": "__main__"})

    def run(self, markdown: str) -> int:
        """Run every block and return how many there were.

        Raises:
            BlockError: if a block fails, or is of a kind that is not checked.
        """
        count = 0
        for block in blocks(markdown):
            self._run_block(block)
            count += 1
        return count

    def _run_block(self, block: Block) -> None:
        if block.language == "python":
            self._run_python(block)
        elif block.language in ("console", "sh"):
            self._run_shell(block)
        elif block.language == "json":
            json.loads(block.text)
        elif block.language != "text" and not (self.directives and block.language.startswith("{")):
            raise self._error(block, f"a block of language {block.language!r} is not checked by anything")

    def _run_python(self, block: Block) -> None:
        before = Path.cwd()
        os.chdir(self.scratch)
        try:
            if ">>>" in block.text:
                self._run_doctest(block)
            else:
                # The empty lines make a traceback point at the line of the page.
                source = "\n" * (block.line - 1) + block.text
                exec(compile(source, self.name, "exec"), self.namespace)
        except BlockError:
            raise
        except Exception as error:
            raise self._error(block, f"{type(error).__name__}: {error}") from error
        finally:
            os.chdir(before)

    def _run_doctest(self, block: Block) -> None:
        test = doctest.DocTestParser().get_doctest(block.text, {}, self.name, self.name, block.line - 1)
        # Not a copy: what one block defines the next one sees.
        test.globs = self.namespace
        report: list[str] = []
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
        runner.run(test, out=report.append, clear_globs=False)
        if runner.failures:
            raise self._error(block, "".join(report))

    def _run_shell(self, block: Block) -> None:
        found = list(commands(block))
        if not found:
            raise self._error(block, "no command: a command begins with '$ '")
        for command in found:
            self._run_command(block, command)

    def _run_command(self, block: Block, command: str) -> None:
        if SHELL_SYNTAX.search(command):
            raise self._error(block, f"{command!r} uses the shell, which this test does not run")
        program, *arguments = shlex.split(command, comments=True)
        match Path(program).name:
            case "murk":
                self._run_murk(block, command, arguments)
            case "make":
                for target in arguments:
                    if "=" not in target and target not in make_targets():
                        raise self._error(block, f"{command!r}: the Makefile has no target {target!r}")
            case "pip":
                unknown = set(re.findall(r"\w+", "".join(re.findall(r"\[(.*?)\]", command)))) - extras()
                if unknown:
                    raise self._error(block, f"{command!r}: no such extra: {', '.join(sorted(unknown))}")
            case "cd":
                pass
            case "git" if arguments[:1] == ["clone"]:
                pass
            case "python" | "python3" if arguments and (ROOT / arguments[0]).is_file():
                self._run_process(block, command, [sys.executable, str(ROOT / arguments[0]), *arguments[1:]])
            case _:
                raise self._error(block, f"{command!r} is not checked by anything")

    def _run_murk(self, block: Block, command: str, arguments: list[str]) -> None:
        # The same as the installed script, without depending on where it was installed.
        call = "import sys; from murk.cli import main; sys.argv[0] = 'murk'; sys.exit(main())"
        self._run_process(block, command, [sys.executable, "-c", call, *arguments])

    def _run_process(self, block: Block, command: str, arguments: list[str]) -> None:
        environment = {**os.environ, "MPLBACKEND": "agg", "COLUMNS": "120"}
        done = subprocess.run(arguments, cwd=self.scratch, env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise self._error(block, f"{command!r} ended with {done.returncode}:\n{done.stdout}{done.stderr}")

    def _error(self, block: Block, what: str) -> BlockError:
        return BlockError(f"{self.name}, block at line {block.line}: {what}")


def make_targets() -> set[str]:
    """Return the targets of the Makefile that people call."""
    return set(re.findall(r"^([a-z]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE))


def extras() -> set[str]:
    """Return the names of the package's extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return set(project["optional-dependencies"])
