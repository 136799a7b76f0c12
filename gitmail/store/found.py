"""Making the store of a project in its usual place: what it is called and who maintains it."""

from __future__ import annotations

import sys

from gitmail.git.project import Project
from gitmail.store.create import create_store
from gitmail.store.location import Place, person_of
from gitmail.store.store import system_clock
from gitmail.values.names import name_problem
from gitmail.values.text import slug


def found_store(place: Place, maintainer: str) -> bool:
    """Make the store of a project; False when it is there already (hooks and settings mended).

    `maintainer` is the name of the person whose project it is. Raises what create_store raises.
    """
    name = store_name(place.project)
    person = person_of(place.project)
    return create_store(place.store, name, person, [maintainer], sys.executable, system_clock)


def store_name(project: Project) -> str:
    """Return the short name of a new store: the main checkout's folder name, made to fit."""
    if project.top is not None and project.git_dir == project.common_dir:
        folder = project.top.name
    elif project.common_dir.name == ".git":
        folder = project.common_dir.parent.name
    else:
        folder = project.common_dir.name.removesuffix(".git")
    name = slug(folder, fallback="store")
    return name if name_problem(name) is None else f"{name[:50].rstrip('.')}-store"
