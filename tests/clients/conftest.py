"""The workshop of independent clients, and a project to let them loose on.

Skipped unless MAKE_CLIENTS names a folder to install them into, and skipped as a whole where the
registries cannot be reached.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "server"))

from server_desk import Project, make_project
from workshop import Workshop


@pytest.fixture(scope="session")
def workshop() -> Workshop:
    named = os.environ.get("MAKE_CLIENTS")
    if not named:
        pytest.skip("run by `make clients`")
    folder = Path(named).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    one = Workshop(folder)
    if not (folder / "node_modules" / "@modelcontextprotocol" / "inspector").exists():
        one.install()
    return one


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return make_project(tmp_path / "shop")
