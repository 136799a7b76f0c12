"""`gitmail check`: is somebody else at work on these files? For people, scripts and pre-commit."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command
from gitmail.cli.reservation_view import reservation_shape, sentence
from gitmail.errors import NotFound
from gitmail.reservations.listing import Checked, check_files, check_targets
from gitmail.reservations.places import from_top
from gitmail.reservations.touching import Touched
from gitmail.store.store import Store
from gitmail.values.reservation import Reservation

HELD = 1


@gitmail_command("check")
@click.argument("paths", metavar="PATH...", nargs=-1)
def command(app: App, paths: tuple[str, ...]) -> int:
    """Say which PATH others have reserved. Changes nothing.

    A PATH is a file or folder, a pattern from the project's top, or a thing (port:8080). The exit
    code is 1 where the guard would stop a commit of yours: for an exclusive reservation, and only
    warning where you have no agent name. Without a store nothing is reserved.
    """
    try:
        store = app.open(writes=False)
    except NotFound as error:
        if error.code != "store_not_found":
            raise
        app.answer({"held": [], "stopped": False}, [error.message])
        return 0
    name = None if app.identity.person else app.name(store)
    found = _files(app, store, name, [path for path in paths if _is_file(app, path)])
    found += _targets(store, name, [path for path in paths if not _is_file(app, path)])
    stops = name is not None or store.config().guard_people == "block"
    stopped = stops and any(one.exclusive and not one.waiting for _, one in found)
    app.answer(
        {"held": [_shape(path, one) for path, one in found], "stopped": stopped},
        [f"{path}: {sentence(one)}" for path, one in found],
    )
    return HELD if stopped else 0


def _is_file(app: App, path: str) -> bool:
    return os.path.lexists(app.folder / path)


def _files(
    app: App, store: Store, me: str | None, paths: Sequence[str]
) -> list[tuple[str, Reservation]]:
    """Check files and folders, named from the working folder."""
    top = app.place.project.top or app.folder
    given = {_from(top, app.folder / path): path for path in paths}
    touched: list[Touched] = check_files(store, me, given)
    return [(given[one.path], one.reservation) for one in touched]


def _from(top: Path, path: Path) -> bytes:
    """Return a file's name from the top, links in its folder followed; a folder ends in `/`."""
    whole = os.path.join(os.path.realpath(path.parent), path.name)
    name = os.fsencode(os.path.relpath(whole, os.path.realpath(top)))
    return name + b"/" if path.is_dir() and not path.is_symlink() else name


def _targets(store: Store, me: str | None, paths: Sequence[str]) -> list[tuple[str, Reservation]]:
    """Check patterns and things."""
    if not paths:
        return []
    names = {from_top(store, path): path for path in paths}
    checked: list[Checked] = check_targets(store, me, list(names))
    return [
        (names[one.target], conflict.reservation) for one in checked for conflict in one.conflicts
    ]


def _shape(path: str, one: Reservation) -> dict[str, Any]:
    return {"path": path} | reservation_shape(one)
