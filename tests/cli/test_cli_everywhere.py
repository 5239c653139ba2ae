"""What holds for every command: help with an example that is right, completion, and a hint for what is wrong."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from murk.cli import main


def walk(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=" ".join(("murk", *path)))
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from walk(below, (*path, name))


COMMANDS = dict(walk(main))
GROUPS = [path for path, command in COMMANDS.items() if isinstance(command, click.Group)]
everywhere = pytest.mark.parametrize("path", COMMANDS, ids=lambda path: " ".join(path) or "murk")


def options_of(command: click.Command) -> list[str]:
    names = [name for p in command.params for name in (*p.opts, *p.secondary_opts) if name.startswith("--")]
    return [*names, "--help"]


def completions(arguments: tuple[str, ...], incomplete: str) -> list[str]:
    found = ShellComplete(main, {}, "murk", "_MURK_COMPLETE").get_completions([*arguments], incomplete)
    return [item.value for item in found]


def complaint(*arguments: str) -> str:
    """Return the one line about arguments that are wrong."""
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    line = result.stderr
    assert line.startswith("murk: ")
    assert line.count("\n") == 1
    assert line.endswith("\n")
    assert "Traceback" not in line
    return line


def test_all_commands_are_found() -> None:
    assert {"games", "solve", "tree", "play", "uci", "match", "darkchess", "bench"} <= {p[0] for p in COMMANDS if p}
    assert len(COMMANDS) > 25


@everywhere
def test_help_says_what_it_does_and_gives_an_example(path: tuple[str, ...]) -> None:
    result = CliRunner().invoke(main, [*path, "--help"], terminal_width=120)
    assert result.exit_code == 0
    assert COMMANDS[path].help
    examples = re.findall(r"^ +(murk .*)$", result.stdout.partition("Example")[2], re.MULTILINE)
    assert any(example.startswith(" ".join(("murk", *path))) for example in examples)
    for parameter in COMMANDS[path].params:
        assert isinstance(parameter, click.Argument) or getattr(parameter, "help", None), parameter.name


@pytest.mark.parametrize("path", GROUPS, ids=lambda path: " ".join(path) or "murk")
def test_no_line_of_a_list_of_commands_is_cut_short(path: tuple[str, ...]) -> None:
    listed = CliRunner().invoke(main, [*path, "--help"], terminal_width=80).stdout.partition("Commands:")[2]
    assert listed
    assert "..." not in listed


@everywhere
def test_examples_parse(path: tuple[str, ...]) -> None:
    """An example names a command, and options that it has."""
    epilog = COMMANDS[path].epilog or ""
    for line in re.findall(r"^ +murk (.*)$", epilog, re.MULTILINE):
        words = shlex.split(line)
        named = max((p for p in COMMANDS if tuple(words[: len(p)]) == p), key=len)
        assert named
        for word in words[len(named) :]:
            assert not word.startswith("--") or word in options_of(COMMANDS[named]), line


@everywhere
def test_completion(path: tuple[str, ...]) -> None:
    command = COMMANDS[path]
    shown = [
        name for p in command.params if not getattr(p, "hidden", False) for name in p.opts if name.startswith("--")
    ]
    assert {*shown, "--help"} <= {*completions(path, "--")}
    if path:
        assert path[-1] in completions(path[:-1], path[-1][:2])


@everywhere
def test_a_misspelt_option_is_answered_with_the_right_one(path: tuple[str, ...]) -> None:
    option = max(options_of(COMMANDS[path]), key=len)
    wrong = option[:-2] + option[-1] + option[-2] + "x"
    assert wrong not in options_of(COMMANDS[path])
    assert f"there is no option {wrong}; did you mean {option}?" in complaint(*path, wrong)


@pytest.mark.parametrize("path", GROUPS, ids=lambda path: " ".join(path) or "murk")
def test_a_wrong_command_is_answered_with_the_right_one(path: tuple[str, ...]) -> None:
    context = click.Context(COMMANDS[path])
    command = COMMANDS[path]
    assert isinstance(command, click.Group)
    for name in command.list_commands(context):
        assert f"did you mean {name}?" in complaint(*path, f"{name}{name[-1]}")
    assert f"(see murk{''.join(f' {word}' for word in path)} --help)" in complaint(*path, "xyzzy")


def _choices() -> Iterator[tuple[tuple[str, ...], str, str]]:
    for path, command in COMMANDS.items():
        for parameter in command.params:
            if isinstance(parameter.type, click.Choice) and parameter.opts[0].startswith("--"):
                yield path, parameter.opts[0], str(parameter.type.choices[0])


@pytest.mark.parametrize(("path", "option", "right"), [*_choices()])
def test_a_wrong_choice_is_answered_with_the_nearest(path: tuple[str, ...], option: str, right: str) -> None:
    line = complaint(*path, option, f"{right}{right[-1]}x")
    assert f"did you mean {right}?" in line
    assert "--help)" in line


def test_what_is_missing_or_too_much_is_said() -> None:
    for path, command in COMMANDS.items():
        arguments = [p for p in command.params if isinstance(p, click.Argument)]
        if isinstance(command, click.Group):
            continue
        if any(p.required for p in arguments):
            assert "missing argument" in complaint(*path)
        if all(p.nargs == 1 for p in arguments):
            words = ["1"] * (len(arguments) + 1)
            assert f"(see murk {' '.join(path)} --help)" in complaint(*path, *words) or arguments


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("murk ", {"solve", "play", "uci", "tree"}),
        ("murk darkchess ", {"perft", "show", "belief"}),
        ("murk match z", {"zs21"}),
        ("murk match random g", {"greedy"}),
        ("murk analyse --agent base", {"baseline"}),
        ("murk analyse sta", {"start"}),
        ("murk tree kuhn", {"kuhn_poker"}),
        ("murk tree figure1 --gadget r", {"resolve"}),
        ("murk play leduc", {"leduc_poker"}),
        ("murk play --colour b", {"black"}),
        ("murk play --evaluator s", {"stockfish", "simple"}),
        ("murk uci --option Ag", {"Agent="}),
        ("murk uci --option Agent=z", {"Agent=zs21"}),
        ("murk bench solvers --case kuhn", {"kuhn_poker"}),
        ("murk reproduce table1 --game leduc", {"leduc"}),
        ("murk solve leduc_poker --method d", {"dcfr"}),
    ],
)
def test_what_completes(words: str, expected: set[str]) -> None:
    *arguments, incomplete = words.split(" ")
    assert expected <= {*completions(tuple(arguments[1:]), incomplete)}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_scripts_of_the_shells(shell: str) -> None:
    environment = {**os.environ, "_MURK_COMPLETE": f"{shell}_source"}
    call = [sys.executable, "-c", "import sys; from murk.cli import main; sys.argv[0] = 'murk'; main()"]
    done = subprocess.run(call, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0
    assert f"_MURK_COMPLETE={shell}_complete" in done.stdout
