"""Fixtures of the git layer's tests: real repositories in temporary folders."""

from __future__ import annotations

from pathlib import Path

import pytest
import tiny_store


@pytest.fixture
def git_dir(tmp_path: Path) -> Path:
    """The repository of a small store with one commit."""
    return tiny_store.make_store(tmp_path / "store")
