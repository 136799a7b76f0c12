"""The fixtures of the waking tests: a world of agents, and the command line in its project."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from waking_world import World

from gitmail.store.create import create_store
from gitmail.store.location import find_project, open_store, person_of
from gitmail.store.store import system_clock


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    project = tmp_path / "shop"
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    place = find_project(project, None)
    person = person_of(place.project)
    create_store(place.store, "shop", person, ["PatPerson"], sys.executable, system_clock)
    store = open_store(place)
    yield World(project, store)
    store.close()


@pytest.fixture
def gitmail(world: World) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the command line in the project; `stdin`, `env` and `cwd` by name."""

    def run(
        *arguments: str, stdin: str = "", cwd: Path | None = None, **env: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "gitmail", *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            cwd=cwd or world.project,
            env={**os.environ, **env},
            timeout=50,
        )

    return run
