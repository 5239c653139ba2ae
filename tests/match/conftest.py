"""Matches between players that are quick, or that misbehave."""

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let specs name ``mock_agents``, here and in the processes that play."""
    monkeypatch.syspath_prepend(str(HERE))


@pytest.fixture
def engine() -> str:
    """The command of the mock engine, without its mode."""
    return f"{sys.executable} {HERE / 'mock_engine.py'}"
