"""`gitmail init`: make the store of a project, or put an existing one right."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from gitmail.board.identity import person_name
from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command
from gitmail.errors import Refused
from gitmail.git.project import Project, set_project_config
from gitmail.store.location import STORE_KEY, Place, person_of
from gitmail.values.names import check_agent_name


@gitmail_command("init")
@click.option("--store", metavar="PATH", help="Keep the store here instead of inside .git.")
@click.option("--name", metavar="NAME", help="The store's short name [the project's folder].")
def command(app: App, store: str | None, name: str | None) -> None:
    """Make the project's store. Running it again repairs the store's hooks and settings."""
    from gitmail.store.create import create_store
    from gitmail.store.found import store_name
    from gitmail.store.store import system_clock

    place = app.place
    short_name = check_agent_name(name) if name is not None else store_name(place.project)
    path = _chosen(place, store)
    person = person_name(place.project.user_name, app.login)
    created = create_store(
        path, short_name, person_of(place.project), [person], sys.executable, system_clock
    )
    if path != place.store:
        _record(place.project, path)
    _answer(app, Place(place.project, path), created)


def _chosen(place: Place, given: str | None) -> Path:
    """Return where the store shall be; refuses to leave a store behind elsewhere."""
    if given is None:
        return place.store
    path = Path(os.path.normpath(Path.cwd() / Path(given).expanduser()))
    if place.exists and path.resolve() != place.store.resolve():
        raise Refused(
            "store_elsewhere",
            f"This project's store is at {place.store} already.",
            f"Move that folder to {path} and run `git config {STORE_KEY} {path}`.",
            store=str(place.store),
        )
    return path


def _record(project: Project, path: Path) -> None:
    relative = os.path.relpath(path.resolve(), project.common_dir.resolve())
    set_project_config(project, STORE_KEY, relative)


def _answer(app: App, place: Place, created: bool) -> None:
    from gitmail.store.location import open_store

    with open_store(place) as opened:
        config = opened.config()
    shape = {
        "store": str(place.store),
        "name": config.name,
        "created": created,
        "maintainers": list(config.maintainers),
    }
    first = (
        "Made the store"
        if created
        else "The store was there already; hooks and settings are right:"
    )
    app.answer(
        shape,
        [
            f"{first} {place.store}",
            f"name {config.name}, maintainer {', '.join(config.maintainers) or 'nobody'}",
        ],
    )
