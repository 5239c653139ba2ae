"""``make demo``: what it prints is true, and it manages without the extras."""

import re
import sys
from pathlib import Path

import pytest

from murk import demo

ROW = re.compile(r"(lp|dcfr|pcfr\+)\s+(-?\d\.\d+)(?:\s+(-?\d\.\d+))?\s+(\d\.\de[+-]\d+)")


@pytest.fixture
def shown(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(demo, "SECONDS", 0.2)

    def shown() -> str:
        demo.main()
        return capsys.readouterr().out

    return shown


def check_table(text: str) -> None:
    """Each game's three methods agree with the value known beforehand."""
    rows = ROW.findall(text)
    assert [row[0] for row in rows] == ["lp", "dcfr", "pcfr+"] * 3
    for i in range(0, 9, 3):
        known = float(rows[i][2])
        assert float(rows[i][1]) == pytest.approx(known, abs=1e-6)
        assert float(rows[i][3]) < 1e-9
        for row in rows[i + 1 : i + 3]:
            assert float(row[1]) == pytest.approx(known, abs=1e-2)


def test_demo(shown):
    text = shown()
    check_table(text)
    assert "Leduc poker (9,457 nodes)" in text
    assert "by OpenSpiel's own code" in text
    assert ": the same." in re.sub(r"\s+", " ", text)
    losses = [float(x) for x in re.findall(r"^  0\.\d +(\d\.\d{4})", text, re.MULTILINE)]
    assert len(losses) == 6
    assert losses == sorted(losses, reverse=True)
    assert losses[0] > 0.5
    assert losses[-1] == 0
    assert Path("results/demo-exploitability.png").read_bytes().startswith(b"\x89PNG")
    assert "murk games" in text


def test_demo_without_openspiel_and_matplotlib(shown, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    text = shown()
    assert "OpenSpiel is not installed" in text
    assert "No plot" in text
    check_table(text)
