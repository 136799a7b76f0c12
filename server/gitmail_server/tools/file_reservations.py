"""file_reservations: who works on which paths, in one tool (contract: fetch_inbox, the family)."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from gitmail.errors import InvalidInput
from gitmail.reservations.listing import check_targets, list_reservations
from gitmail.reservations.release import release
from gitmail.reservations.reserve import Request, renew, reserve
from gitmail.values.reservation import DEFAULT_TTL_SECONDS
from gitmail_server.session import Session
from gitmail_server.shared_arguments import Names
from gitmail_server.tool import Arguments, Hints, Tool
from gitmail_server.tools import reservation_words as words
from gitmail_server.tools.actions import refuse_other_arguments

NAME = "file_reservations"

DESCRIPTION = """\
Say what you work on, before you edit. reserve: all of paths or, if one overlaps another agent's, \
none: the error names holders, until when and why; then work elsewhere, write to them, or wait = \
true (a letter comes when it is yours). renew while you work, release when done (both: no paths = \
all yours; ids work too). list, check: change nothing. A git hook may stop commits over others' \
paths."""

_BELONGS = {
    "paths": ("reserve", "release", "renew", "check"),
    "ttl_seconds": ("reserve", "renew"),
    "exclusive": ("reserve",),
    "reason": ("reserve",),
    "thread": ("reserve",),
    "wait": ("reserve",),
}


class ReservationsArguments(Arguments):
    """The arguments of all actions."""

    action: Literal["reserve", "release", "renew", "list", "check"] = Field(
        description="what to do"
    )
    paths: Names = Field(
        [], description="as in .gitignore: src/auth/**; or things: port:8080, name:build"
    )
    ttl_seconds: int = Field(DEFAULT_TTL_SECONDS, description="up to 7 days")
    exclusive: bool = Field(True, description="false: beside other shared ones")
    reason: str | None = Field(None, description="what others are told")
    thread: str | None = Field(None, description="the conversation it belongs to")
    wait: bool = Field(False, description="queue instead of an error")


def handle(session: Session, given: ReservationsArguments) -> dict[str, Any]:
    """Do what `action` says."""
    refuse_other_arguments(NAME, given.action, given, _BELONGS)
    return {
        "reserve": _reserve,
        "release": _release,
        "renew": _renew,
        "list": _list,
        "check": _check,
    }[given.action](session, given)


def _reserve(session: Session, given: ReservationsArguments) -> dict[str, Any]:
    request = Request(
        targets=words.targets(session, _needed(given)),
        ttl_seconds=given.ttl_seconds,
        exclusive=given.exclusive,
        reason=given.reason,
        thread=given.thread,
        wait=given.wait,
    )
    done = reserve(session.store, session.caller, request)
    answer: dict[str, Any] = {"reservations": words.reservations([done.reservation])}
    if done.behind:
        answer["behind"] = words.reservations([one.reservation for one in done.behind])
    return answer


def _release(session: Session, given: ReservationsArguments) -> dict[str, Any]:
    done = release(session.store, session.caller, words.targets(session, given.paths))
    return {
        "reservations": words.reservations(done.reservations),
        "granted": words.reservations(done.granted),
    }


def _renew(session: Session, given: ReservationsArguments) -> dict[str, Any]:
    seconds = given.ttl_seconds if "ttl_seconds" in given.model_fields_set else None
    wanted = words.targets(session, given.paths)
    done = renew(session.store, session.caller, wanted, ttl_seconds=seconds)
    return {"reservations": words.reservations(done)}


def _list(session: Session, _given: ReservationsArguments) -> dict[str, Any]:
    found, _ = list_reservations(session.store)
    shown = words.reservations([one.reservation for one in found[: words.LISTED]])
    return {"reservations": shown, "truncated": len(found) > words.LISTED}


def _check(session: Session, given: ReservationsArguments) -> dict[str, Any]:
    wanted = words.targets(session, _needed(given))
    return {"checked": words.checked(check_targets(session.store, session.caller.name, wanted))}


def _needed(given: ReservationsArguments) -> list[str]:
    if not given.paths:
        raise InvalidInput(
            "missing_parameter",
            f"{NAME} {given.action} needs the argument 'paths'.",
            "paths: a list such as ['src/auth/**'].",
            parameter="paths",
        )
    return given.paths


TOOL = Tool(
    name=NAME,
    title="Reserve files",
    description=DESCRIPTION,
    arguments=ReservationsArguments,
    handler=handle,
    output={
        "type": "object",
        "properties": {
            "reservations": {"type": "array", "items": {"type": "object"}},
            "behind": {"type": "array"},
            "granted": {"type": "array"},
            "checked": {"type": "array"},
            "truncated": {"type": "boolean"},
        },
    },
    hints=Hints(),
)
