from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gitmail.index.index import Index


@pytest.fixture
def index_path(tmp_path: Path) -> Path:
    return tmp_path / "index.sqlite"


@pytest.fixture
def index(index_path: Path) -> Iterator[Index]:
    opened = Index.create(index_path)
    yield opened
    opened.close()
