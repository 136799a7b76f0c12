"""Finding the store of a project (gitmail.store.place) and opening it (docs/architecture.md)."""

from __future__ import annotations

from gitmail.errors import NotFound, StoreUnavailable
from gitmail.git import repository
from gitmail.git.commits import Person
from gitmail.git.project import Project
from gitmail.store.hook_stubs import STORE_HOOKS
from gitmail.store.lock import DEFAULT_WAIT
from gitmail.store.place import FOLDER, STORE_KEY, Place, find_project, store_path
from gitmail.store.private import PrivateState
from gitmail.store.store import Store

__all__ = [
    "FOLDER",
    "NOBODY",
    "STORE_KEY",
    "Place",
    "find_project",
    "open_store",
    "person_of",
    "store_path",
]

NOBODY = Person("Somebody", "somebody@gitmail.invalid")
"""The committer on a machine whose git has no identity."""


def person_of(project: Project) -> Person:
    """Return the person whose machine this is: their git identity, else a neutral one."""
    if not project.user_name:
        return NOBODY
    return Person(project.user_name, project.user_email or NOBODY.email)


def open_store(place: Place, *, lock_wait: float = DEFAULT_WAIT) -> Store:
    """Open the store of a place: ownership and settings checked, a leftover of a crash repaired.

    Raises NotFound `store_not_found`, StoreUnavailable (dubious_ownership,
    unsupported_repository, read_only for a store with settings that cannot be mended).
    """
    if repository.lost_private_dir(place.store):
        PrivateState.of_store(place.store).make()
    if not place.exists:
        raise NotFound(
            "store_not_found",
            f"This project has no gitmail store yet (looked for {place.store}).",
            "Run `gitmail init` in the project.",
            store=str(place.store),
        )
    repository.check_owner(place.store)
    store = Store(place.store, person_of(place.project), lock_wait=lock_wait)
    _check_settings(store)
    return store


def _check_settings(store: Store) -> None:
    """Mend settings that somebody changed; a read-only store only says so."""
    problems = repository.check_config(store.git_dir, STORE_HOOKS)
    if not problems:
        return
    try:
        repository.repair_config(store.git_dir)
    except StoreUnavailable as error:
        store.notice("settings", f"the store's git settings are not as gitmail needs them: {error}")
    for problem in problems:
        if problem.key in STORE_HOOKS:
            store.notice("settings", f"{problem.what}; `gitmail init` writes it again")
