"""What needs an optional package says so, and nothing else needs it."""

import importlib
import subprocess
import sys

import pytest

from murk.errors import MissingDependencyError


@pytest.mark.parametrize(
    ("module", "package", "extra"),
    [
        ("python_chess", "chess", "chess"),
        ("petting_zoo", "pettingzoo", "pettingzoo"),
        ("open_spiel", "pyspiel", "openspiel"),
    ],
)
def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, module: str, package: str, extra: str):
    name = f"murk.darkchess.adapters.{module}"
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.raises(MissingDependencyError, match=rf"pip install 'murk\[{extra}\]'"):
        importlib.import_module(name)


def test_dark_chess_needs_none_of_them():
    packages = {"chess", "pyffish", "pettingzoo", "gymnasium", "pyspiel", "matplotlib"}
    code = (
        "import sys, murk.cli.darkchess.show, murk.cli.darkchess.belief, murk.darkchess.adapters.game;"
        f"print(sorted({packages} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
