"""A hook's look into a mailbox: whose it is and what waits there, as cheaply as it can be had.

The fast way reads the project's git files and the index directly and starts no process. Where
that cannot be exact (an unusual repository, an index behind main, a store of another user) the
store is opened as every command opens it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import NamedTuple

from gitmail.errors import GitmailError, NotFound, Refused
from gitmail.git.glance import Glance, glance, main_of
from gitmail.index.waiting import WaitingRow, waiting_rows

PROJECT_VARIABLES = ("GITMAIL_PROJECT", "CLAUDE_PROJECT_DIR")
STORE_KEY = "gitmail.store"


class Spot(NamedTuple):
    """A project with a store: where they are, and the project's `gitmail.*` values."""

    project: str
    store: str
    config: Mapping[str, str]

    @property
    def private(self) -> str:
        """The store's private folder."""
        return os.path.join(self.store, ".git", "gitmail")


def project_folder(environ: Mapping[str, str], cwd: str) -> str:
    """Return the folder whose project is meant: the environment's, else where the host works."""
    named = (environ.get(name) for name in PROJECT_VARIABLES)
    here = cwd or os.getcwd()
    return os.path.join(here, next((name for name in named if name), here))


def find_spot(folder: str, home: str | None) -> Spot | None:
    """Return the project of `folder` and its store, None where there is no project or no store.

    Raises Refused `project_refused` for a home folder or `/`, and what git says of a repository
    that only git understands.
    """
    try:
        found = glance(folder)
    except NotFound:
        return None
    spot = _asked_git(folder, home) if found is None else _plain(folder, found, home)
    if spot is None or not os.path.isdir(spot.private):
        return None
    return spot if os.path.isfile(os.path.join(spot.store, ".git", "HEAD")) else None


def _plain(folder: str, found: Glance, home: str | None) -> Spot:
    if found.top == "/" or (home and found.top == os.path.realpath(home)):
        raise Refused("project_refused", f"{found.top} is no project.")
    store = found.config.get(STORE_KEY, "gitmail")
    return Spot(folder, os.path.normpath(os.path.join(found.common_dir, store)), found.config)


def _asked_git(folder: str, home: str | None) -> Spot | None:
    from pathlib import Path

    from gitmail.store.location import find_project

    try:
        place = find_project(Path(folder), Path(home) if home else None)
    except NotFound:
        return None
    return Spot(folder, str(place.store), place.project.config)


def what_waits(spot: Spot, agent: str, home: str | None) -> list[WaitingRow]:
    """Return all that waits for `agent`, oldest first; raises what opening a store raises."""
    rows = _from_index(spot, agent)
    return _from_store(spot, agent, home) if rows is None else rows


def _from_index(spot: Spot, agent: str) -> list[WaitingRow] | None:
    """Read the index as it is; None where it is not usable, not ours, or not at main."""
    from pathlib import Path

    from gitmail.index.index import Index

    if os.stat(os.path.join(spot.store, ".git")).st_uid != os.geteuid():
        return None
    main = main_of(os.path.join(spot.store, ".git"))
    try:
        index = Index.open(Path(spot.private, "index.sqlite"))
        try:
            if main is None or index.marker() != main:
                return None
            rows = waiting_rows(index, agent, time.time_ns() // 1000)
            return rows if index.same_files() else None
        finally:
            index.close()
    except GitmailError:
        return None


def _from_store(spot: Spot, agent: str, home: str | None) -> list[WaitingRow]:
    from pathlib import Path

    from gitmail.index.rows import to_micros
    from gitmail.store.location import find_project, open_store

    place = find_project(Path(spot.project), Path(home) if home else None)
    with open_store(place) as store:
        return store.read(lambda view: waiting_rows(view.index, agent, to_micros(view.now)))
