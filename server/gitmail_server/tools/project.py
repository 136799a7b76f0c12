"""ensure_project: the one call that may make a store (contract: fetch_inbox, the family)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import Field

from gitmail.board.identity import person_name
from gitmail.errors import GitmailError, NotFound
from gitmail.store.found import found_store
from gitmail.store.location import Place, find_project
from gitmail_server.projects import check_project
from gitmail_server.session import Session
from gitmail_server.tool import Arguments, Hints, Tool
from gitmail_server.tools.family_words import required

HUMAN_KEY = "absolute path of the project's git work tree"


class EnsureArguments(Arguments):
    """The argument of ensure_project."""

    human_key: str = Field(description=HUMAN_KEY)


def ensure(session: Session, human_key: str) -> dict[str, Any]:
    """Make the store of this server's project if it has none yet.

    Raises NotFound `project_not_found` for any other folder; nothing is made then.
    """
    created = False
    place = session.place()
    if place is not None and not place.exists:
        asked = _asked(human_key)
        if asked is None or asked.store != place.store:
            raise NotFound(
                "project_not_found",
                f"{human_key[:200]!r} is not the project of this server.",
                "Start `gitmail serve` in that project, or with --project.",
                project_key=human_key[:200],
            )
        created = found_store(place, person_name(place.project.user_name))
    check_project(session, human_key)
    return {"name": session.store.config().name, "human_key": human_key, "created": created}


def _asked(human_key: str) -> Place | None:
    path = Path(human_key)
    if not path.is_absolute() or "\x00" in human_key:
        return None
    try:
        return find_project(path, None)
    except GitmailError:
        return None


def _handle(session: Session, given: EnsureArguments) -> dict[str, Any]:
    return ensure(session, given.human_key)


PROJECT_OUTPUT = required(
    "name",
    "created",
    name={"type": "string"},
    human_key={"type": "string"},
    created={"type": "boolean"},
)

TOOL = Tool(
    name="ensure_project",
    title="Make sure of the project",
    description="Make this project's store if it has none yet (like `gitmail init`); tells its "
    "short name, which every project_key may be.",
    arguments=EnsureArguments,
    handler=_handle,
    output=PROJECT_OUTPUT,
    hints=Hints(idempotent=True),
    needs_store=False,
)
