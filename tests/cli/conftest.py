"""Runs the command line, inside this process or as one of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from murk.cli import main

Run = Callable[..., Result]


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty directory, with a cache of trees that is not the user's, at a fixed width."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MURK_CACHE_DIR", str(cache))
    monkeypatch.setenv("COLUMNS", "120")
    return tmp_path


@pytest.fixture
def run() -> Run:
    """Run ``murk`` in this process."""

    def run(*args: str | Path) -> Result:
        return CliRunner().invoke(main, [str(a) for a in args])

    return run


@pytest.fixture
def ok(run: Run) -> Run:
    """Run ``murk`` and expect it to succeed in silence on standard error."""

    def ok(*args: str | Path) -> Result:
        result = run(*args)
        assert result.exit_code == 0, result.stderr
        assert result.stderr == ""
        return result

    return ok


@pytest.fixture
def as_json(ok: Run) -> Callable[..., dict[str, Any]]:
    """Run ``murk ... --json`` and return the one object on standard output."""

    def as_json(*args: str | Path) -> dict[str, Any]:
        output = ok(*args, "--json").stdout
        fields = json.loads(output, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
        assert isinstance(fields, dict)
        return fields

    return as_json


@pytest.fixture
def process() -> Callable[..., "subprocess.CompletedProcess[str]"]:
    """Run ``python -m murk`` as a process."""

    def process(*args: str | Path, **environment: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "murk", *map(str, args)]
        return subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=60, env={**os.environ, **environment}
        )

    return process
