"""memory_agents: the board, and one's own profile and park (contract: the board)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, WithJsonSchema

from gitmail.board.board import Entry, board
from gitmail.board.profile import update_profile
from gitmail.values.agent import Agent
from gitmail.values.park import BoardUpdate, Park, park_of, status_overdue
from gitmail.values.times import format_time
from gitmail_server.session import Session
from gitmail_server.tool import Arguments, Hints, Tool
from gitmail_server.tools.actions import refuse_other_arguments

NAME = "memory_agents"

DESCRIPTION = """\
The board. list: who is there, reachable first, with task, status and park. update: your own \
name, project, task, status; and a park when you stop: park_reason, park_needs (what would set \
you going again), park_clear_by (an agent, maintainer or anyone), park_resume (how you go on). \
Park before you end a turn with open work: it decides who may ring you. A plain status ends the \
park; one park field refines it. A field of "" is taken away."""

_UPDATE = ("update",)
_BELONGS = {
    "project": ("list", "update"),
    "task": ("list", "update"),
    "name": _UPDATE,
    "label": _UPDATE,
    "status": _UPDATE,
    "expect": _UPDATE,
    "park_reason": _UPDATE,
    "park_needs": _UPDATE,
    "park_clear_by": _UPDATE,
    "park_resume": _UPDATE,
    "park_expires": _UPDATE,
}


class AgentsArguments(Arguments):
    """The arguments of both actions."""

    codes: ClassVar[Mapping[str, str]] = dict.fromkeys(
        (name for name in _BELONGS if name.startswith("park_")), "invalid_park"
    )

    action: Literal["list", "update"] = Field(description="what to do")
    project: str | None = Field(None, description="list: only of this project; update: yours")
    task: str | None = Field(None, description="list: only tasks with these words; update: yours")
    name: str | None = Field(None, description="update: display name; the address stays")
    label: str | None = Field(None, description="update: the same as name")
    status: str | None = Field(None, description="update: up to 240 characters")
    expect: int | None = Field(None, description="update: seconds until the status is overdue")
    park_reason: str | None = Field(
        None, description="done, blocked, needs_approval, needs_info, needs_resource, waiting_peer"
    )
    park_needs: str | None = Field(None, description="up to 120 characters")
    park_clear_by: str | None = Field(None, description="an agent, maintainer, anyone")
    park_resume: str | None = Field(None, description="up to 240 characters")
    park_expires: Annotated[
        str | int | float | None, WithJsonSchema({"type": ["string", "number"]})
    ] = Field(None, description="ISO 8601 or seconds since 1970; default 12 h, at most 7 days")


def handle(session: Session, given: AgentsArguments) -> dict[str, Any]:
    """Do what `action` says."""
    refuse_other_arguments(NAME, given.action, given, _BELONGS)
    return _list(session, given) if given.action == "list" else _update(session, given)


def _list(session: Session, given: AgentsArguments) -> dict[str, Any]:
    found = board(session.store, session.caller, project=given.project, task=given.task)
    return {
        "agents": [_entry(one, found.now) for one in found.entries],
        "idle_omitted": found.idle_omitted,
        "truncated": found.truncated > 0,
    }


def _update(session: Session, given: AgentsArguments) -> dict[str, Any]:
    fields = given.model_dump(exclude={"action"}, exclude_none=True)
    answer = update_profile(session.store, session.caller, BoardUpdate(**fields))
    shown = _profile(answer.agent, park_of(answer.agent, answer.now), answer.now)
    return {"agent": shown, "changed": list(answer.changed)}


def _entry(one: Entry, now: datetime) -> dict[str, Any]:
    shown = _profile(one.agent, one.park, now) | {"presence": str(one.presence)}
    if one.listening:
        shown["listening"] = True
    if one.last_action is not None:
        shown["last_action_age"] = _age(one.last_action, now)
    if one.waiting is not None:
        shown |= {"you": True, "waiting": one.waiting}
    return shown


def _profile(agent: Agent, park: Park | None, now: datetime) -> dict[str, Any]:
    """Return what an agent says of itself; what it does not say is left out."""
    said = {
        "name": agent.name,
        "id": agent.id,
        "label": agent.label,
        "person": agent.person or None,
        "project": agent.project,
        "task": agent.task,
        "status": agent.status,
        "status_age": _age(agent.status_at, now) if agent.status and agent.status_at else None,
        "status_overdue": status_overdue(agent, now) or None,
        "park": _park(park) if park is not None else None,
    }
    return {key: value for key, value in said.items() if value is not None}


def _park(park: Park) -> dict[str, Any]:
    said = {
        "reason": park.reason,
        "needs": park.needs,
        "clear_by": park.clear_by,
        "resume": park.resume,
        "expires": format_time(park.expires),
    }
    return {key: value for key, value in said.items() if value is not None}


def _age(then: datetime, now: datetime) -> int:
    """Return whole seconds since `then`."""
    return max(0, int((now - then).total_seconds()))


TOOL = Tool(
    name=NAME,
    title="The board of agents",
    description=DESCRIPTION,
    arguments=AgentsArguments,
    handler=handle,
    output={
        "type": "object",
        "properties": {
            "agents": {"type": "array", "items": {"type": "object"}},
            "idle_omitted": {"type": "integer"},
            "truncated": {"type": "boolean"},
            "agent": {"type": "object"},
            "changed": {"type": "array", "items": {"type": "string"}},
        },
    },
    hints=Hints(),
)
