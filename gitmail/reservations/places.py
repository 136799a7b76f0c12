"""From where a path stands on this machine to what it is called in the project.

A reservation is about names from the project's top, the same in every worktree. Agents often name
files by their absolute path; taken as a pattern that would silently cover nothing.
"""

from __future__ import annotations

import os
from pathlib import Path

from gitmail.errors import GitmailError
from gitmail.store.location import find_project
from gitmail.store.store import Store

_WILD = "*?["


def from_top(store: Store, target: str) -> str:
    """Return `target` as a pattern from the project's top if it is an absolute path in a checkout.

    Everything else stays as it is: a pattern, a thing, a path of elsewhere.
    """
    if not target.startswith("/"):
        return target
    top = _top_around(store, _existing(target))
    if top is None:
        return target
    for known in (str(top), os.path.realpath(top)):
        if target.startswith(known.rstrip("/") + "/"):
            return target[len(known.rstrip("/")) :]
    return target


def _existing(target: str) -> Path:
    """Return the deepest existing folder on the way, before the first wildcard."""
    plain = next((at for at, character in enumerate(target) if character in _WILD), len(target))
    folder = Path(target[:plain] if plain == len(target) else os.path.dirname(target[:plain]))
    while not folder.is_dir():
        folder = folder.parent
    return folder


def _top_around(store: Store, folder: Path) -> Path | None:
    """Return the root of the checkout of this store's project around a folder, if there is one."""
    if folder == Path(folder.anchor):
        return None
    try:
        place = find_project(folder, None)
        mine = place.exists and place.store.samefile(store.path)
    except (GitmailError, OSError):
        return None
    return place.project.top if mine else None
