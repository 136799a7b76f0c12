"""`project_key`: the arguments by which the second vocabulary names the project and the agent."""

from __future__ import annotations

from pathlib import Path

from gitmail.errors import GitmailError, InvalidInput, NotFound
from gitmail.store.location import find_project
from gitmail.values.names import fold
from gitmail_server.session import Session


def check_project(session: Session, project_key: str) -> None:
    """Accept a path inside this server's project (any worktree), or the store's short name.

    It never creates anything. Raises NotFound `project_not_found`, InvalidInput
    `invalid_project_key`.
    """
    if not project_key.strip() or "\x00" in project_key:
        raise InvalidInput(
            "invalid_project_key",
            "project_key is blank or no path.",
            "Give the absolute path of the project, or the store's short name.",
            argument="project_key",
        )
    if project_key in session.known_projects:
        return
    if not _is_ours(session, project_key):
        name = session.store.config().name
        raise NotFound(
            "project_not_found",
            f"{project_key[:200]!r} is not the project of this server.",
            f"Give the absolute path of a folder in the project, or its short name {name!r}.",
            project_key=project_key[:200],
            name=name,
        )
    session.known_projects.add(project_key)


def _is_ours(session: Session, project_key: str) -> bool:
    path = Path(project_key)
    if not path.is_absolute():
        return fold(project_key) == fold(session.store.config().name)
    try:
        store = find_project(path, None).store
    except GitmailError:
        return False
    return store.exists() and store.samefile(session.store.path)
