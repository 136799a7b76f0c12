"""Where the store of a project is (docs/architecture.md); light, for hooks start with it.

The store is `<git common dir>/gitmail`, the same for every worktree, unless the project's git
config names another place in `gitmail.store`, relative to the common dir.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from gitmail.git.project import Project, discover

STORE_KEY = "gitmail.store"
FOLDER = "gitmail"


class Place(NamedTuple):
    """A project and where its store is, or would be."""

    project: Project
    store: Path

    @property
    def exists(self) -> bool:
        """True when a complete store is there."""
        from gitmail.git.repository import is_store

        return is_store(self.store)


def find_project(folder: Path, home: Path | None) -> Place:
    """Return the project around `folder` and its store's place; the store need not exist.

    Raises NotFound `project_not_found` and the other errors of gitmail.git.project.discover.
    """
    project = discover(folder, home)
    return Place(project, store_path(project))


def store_path(project: Project) -> Path:
    """Return where the store of `project` is, or would be."""
    if project.store_itself:
        return project.common_dir.parent
    return store_beside(project.common_dir, project.config)


def store_beside(common_dir: Path, config: Mapping[str, str]) -> Path:
    """Return where the store is by a code project's git folder and its `gitmail.*` values."""
    configured = config.get(STORE_KEY)
    return Path(os.path.normpath(common_dir / configured)) if configured else common_dir / FOLDER
