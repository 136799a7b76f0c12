"""Fixtures of the tests with stores: real ones in temporary folders, and real processes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from post_office import Forge, make_store, opened

from gitmail.store.store import Store


@pytest.fixture(scope="session")
def forge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forge]:
    """Starts processes cheaply; one for the whole session."""
    made = Forge(tmp_path_factory.mktemp("forge"))
    yield made
    made.close()


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with three registered agents, to be copied."""
    return make_store(tmp_path_factory.mktemp("template") / "store")


@pytest.fixture
def path(template: Path, tmp_path: Path) -> Path:
    """The top folder of a store with three registered agents."""
    shutil.copytree(template, tmp_path / "store", symlinks=True)
    return tmp_path / "store"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    """That store, opened."""
    with opened(path) as store:
        yield store
