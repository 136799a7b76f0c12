"""A project with a store and three registered agents."""

from __future__ import annotations

from pathlib import Path

import pytest
from server_desk import Project, make_project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return make_project(tmp_path / "shop")
