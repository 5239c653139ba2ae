"""Keeps the benchmark's tests to themselves."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep trees, and what peers leave behind, out of the user's directories."""
    monkeypatch.setenv("MURK_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.chdir(tmp_path)
