"""The five reservation tools of the second vocabulary (contract: fetch_inbox, the family)."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from gitmail.board.caller import Caller
from gitmail.reservations.listing import check_targets
from gitmail.reservations.release import force_release, release
from gitmail.reservations.reserve import Request, renew, reserve
from gitmail.values.reservation import DEFAULT_TTL_SECONDS
from gitmail_server.access import acting_as
from gitmail_server.projects import check_project
from gitmail_server.session import Session
from gitmail_server.shared_arguments import AgentArguments, Names, ProjectArguments
from gitmail_server.tool import Hints, Tool
from gitmail_server.tools import reservation_words as words

_PATHS = "gitignore patterns from the project's top, or things: port:8080, name:build"
_WHICH = "as they were reserved; without paths and ids: all of yours"


class ReserveArguments(AgentArguments):
    """The arguments of file_reservation_paths."""

    paths: Names = Field(description=_PATHS)
    ttl_seconds: int = Field(DEFAULT_TTL_SECONDS, description="up to 7 days")
    exclusive: bool = Field(True, description="false: beside other shared ones")
    reason: str | None = Field(None, description="what others are told")


class ReleaseArguments(AgentArguments):
    """The arguments of release_file_reservations."""

    paths: Names = Field([], description=_WHICH)
    file_reservation_ids: Names = Field([], description="ids or 8+ hex prefixes")


class RenewArguments(ReleaseArguments):
    """The arguments of renew_file_reservations."""

    extend_seconds: int = Field(1800, description="how much longer each lasts")


class ForceArguments(AgentArguments):
    """The arguments of force_release_file_reservation."""

    file_reservation_id: str = Field(description="id or 8+ hex prefix")
    note: str | None = Field(None, description="what the holder is told")


class CheckArguments(ProjectArguments):
    """The arguments of check_file_reservations."""

    paths: Names = Field(description=_PATHS)
    agent_name: str | None = Field(None, description="whose own reservations do not count [yours]")


def _reserve(session: Session, given: ReserveArguments) -> dict[str, Any]:
    caller = _caller(session, given)
    paths = words.targets(session, given.paths)
    request = Request(paths, given.ttl_seconds, given.exclusive, given.reason)
    done = reserve(session.store, caller, request)
    return {"granted": [words.reservation(done.reservation)], "conflicts": []}


def _release(session: Session, given: ReleaseArguments) -> dict[str, Any]:
    caller = _caller(session, given)
    done = release(session.store, caller, _which(session, given))
    return {
        "released": len(done.reservations),
        "file_reservations": words.reservations(done.reservations),
        "granted": words.reservations(done.granted),
    }


def _renew(session: Session, given: RenewArguments) -> dict[str, Any]:
    caller = _caller(session, given)
    seconds = given.extend_seconds
    done = renew(session.store, caller, _which(session, given), extend_seconds=seconds)
    return {"renewed": len(done), "file_reservations": words.reservations(done)}


def _force(session: Session, given: ForceArguments) -> dict[str, Any]:
    caller = _caller(session, given)
    done = force_release(session.store, caller, given.file_reservation_id, given.note)
    return {
        "released": len(done.reservations),
        "file_reservations": words.reservations(done.reservations),
        "granted": words.reservations(done.granted),
        "untold": list(done.untold),
    }


def _check(session: Session, given: CheckArguments) -> dict[str, Any]:
    check_project(session, given.project_key)
    me = given.agent_name or session.caller.name
    found = check_targets(session.store, me, words.targets(session, given.paths))
    return {"result": words.checked(found)}


def _caller(session: Session, given: AgentArguments) -> Caller:
    check_project(session, given.project_key)
    return acting_as(session, given.agent_name, given.registration_token)


def _which(session: Session, given: ReleaseArguments) -> tuple[str, ...]:
    return (*words.targets(session, given.paths), *given.file_reservation_ids)


def _output(**properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [next(iter(properties))]}


_COUNT = {"type": "integer"}

RESERVE = Tool(
    name="file_reservation_paths",
    title="Reserve paths",
    description="Reserve paths before editing: all or nothing. Refused when an exclusive "
    "reservation overlaps another agent's, with the holders, until when and why; shared ones "
    "(exclusive = false) stand beside each other.",
    arguments=ReserveArguments,
    handler=_reserve,
    output=_output(granted=words.RESERVATIONS, conflicts={"type": "array"}),
)

RELEASE = Tool(
    name="release_file_reservations",
    title="Release reservations",
    description="Release reservations of yours when the work is done. Who waits for them is told.",
    arguments=ReleaseArguments,
    handler=_release,
    output=_output(
        released=_COUNT, file_reservations=words.RESERVATIONS, granted=words.RESERVATIONS
    ),
)

RENEW = Tool(
    name="renew_file_reservations",
    title="Renew reservations",
    description="Let reservations of yours last longer, without reserving again.",
    arguments=RenewArguments,
    handler=_renew,
    output=_output(renewed=_COUNT, file_reservations=words.RESERVATIONS),
)

FORCE_RELEASE = Tool(
    name="force_release_file_reservation",
    title="Release somebody's reservation",
    description="Take away the reservation of an agent that has not acted for 30 minutes; it is "
    "told by letter. Write to an active one instead.",
    arguments=ForceArguments,
    handler=_force,
    output=_output(
        released=_COUNT,
        file_reservations=words.RESERVATIONS,
        granted=words.RESERVATIONS,
        untold={"type": "array", "items": {"type": "string"}},
    ),
    hints=Hints(destructive=True),
)

CHECK = Tool(
    name="check_file_reservations",
    title="Check paths",
    description="Say for each path whether you could reserve it for yourself, and who is in the "
    "way. Changes nothing.",
    arguments=CheckArguments,
    handler=_check,
    output=_output(result=words.CHECKED),
    hints=Hints(read_only=True, idempotent=True),
)

FAMILY: tuple[Tool[Any], ...] = (RESERVE, RELEASE, RENEW, FORCE_RELEASE, CHECK)
