"""What the page is made of: packages that any platform can install, and licences that go with murk's."""

import json
from pathlib import Path
from typing import Any

from murk.darkchess import pieces
from murk.web.app import STATIC

WEB = Path(__file__).parents[2] / "web"
PERMISSIVE = {"MIT", "ISC", "0BSD", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "CC0-1.0"}
BUILDING = {"MPL-2.0"}
"""Licences of tools, which leave nothing of themselves in what they build."""


def locked() -> dict[str, dict[str, Any]]:
    return json.loads((WEB / "package-lock.json").read_text())["packages"]


def test_the_lock_has_every_platform():
    """``npm ci`` installs what the lock has: an optional package that is not there is missing on its platform."""
    packages = locked()
    for path, package in packages.items():
        for kind in ("dependencies", "devDependencies", "optionalDependencies"):
            for name in package.get(kind, {}):
                assert f"node_modules/{name}" in packages, f"{path or 'the page'} needs {name}"
    assert all("integrity" in package for path, package in packages.items() if path)


def test_licences_fit():
    wanted = json.loads((WEB / "package.json").read_text())["dependencies"]
    for path, package in locked().items():
        name = path.removeprefix("node_modules/")
        assert package["license"] in (PERMISSIVE if name in wanted else PERMISSIVE | BUILDING), path


def test_what_is_built_carries_its_notices_and_nothing_under_another_licence():
    notices = (STATIC / "licences.txt").read_text()
    for name in json.loads((WEB / "package.json").read_text())["dependencies"]:
        assert f"## {name} " in notices
    for path in [*STATIC.rglob("*"), Path(pieces.__file__).with_name("pieces.svg")]:
        if path.is_file():
            text = path.read_text().lower()
            for stranger in ("by-sa", "sharealike", "cburnett", "wikimedia"):
                assert stranger not in text, path.name
