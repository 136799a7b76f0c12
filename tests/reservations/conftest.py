"""A real store with three agents and a clock that a test can turn."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from post_office import PAT, make_store

from gitmail.store.store import Store, system_clock


class Clock:
    """The time as the store sees it: the system's, plus what the test has let pass."""

    def __init__(self) -> None:
        self.passed = timedelta()

    def __call__(self) -> datetime:
        return system_clock() + self.passed

    def turn(self, **span: float) -> None:
        self.passed += timedelta(**span)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make_store(tmp_path / "store")


@pytest.fixture
def store(path: Path, clock: Clock) -> Iterator[Store]:
    with Store(path, PAT, clock, durable=False) as store:
        yield store
