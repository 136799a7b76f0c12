"""Projects for the tests of the command line: one for each module where it can be shared."""

from __future__ import annotations

from pathlib import Path

import pytest
from gitmail_shell import Shell, new_project


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """A project with a store and two agents."""
    shell = Shell(new_project(tmp_path_factory.mktemp("shell") / "shop"))
    shell("init")
    shell("register", "BlueLake", "--program", "claude-code", "--model", "opus")
    shell("register", "GreenCastle")
    return shell


@pytest.fixture
def fresh(tmp_path: Path) -> Shell:
    """A project without a store."""
    return Shell(new_project(tmp_path / "fresh"))
