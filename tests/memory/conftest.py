"""A store with three agents, opened; and processes for what only processes show."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from post_office import Forge, make_store, opened

from gitmail.store.store import Store


@pytest.fixture(scope="session")
def forge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forge]:
    made = Forge(tmp_path_factory.mktemp("forge"))
    yield made
    made.close()


@pytest.fixture(scope="session")
def _template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_store(tmp_path_factory.mktemp("template") / "store")


@pytest.fixture
def path(_template: Path, tmp_path: Path) -> Path:
    shutil.copytree(_template, tmp_path / "store", symlinks=True)
    return tmp_path / "store"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with opened(path, durable=False) as store:
        yield store
