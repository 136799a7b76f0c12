"""macro_start_session and macro_prepare_thread: several calls in one (contract: the family)."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from gitmail.board.caller import Caller
from gitmail.errors import Refused
from gitmail.mail.inbox import MOST
from gitmail.reservations.reserve import Request, reserve
from gitmail.values.agent import Agent
from gitmail.values.times import format_time
from gitmail_server.projects import check_project
from gitmail_server.registering import Application, register_agent
from gitmail_server.session import Session
from gitmail_server.shared_arguments import Names, ProjectArguments
from gitmail_server.tool import Arguments, Hints, Tool
from gitmail_server.tools import family_words as words
from gitmail_server.tools.agents import registered
from gitmail_server.tools.fetch_inbox import recent
from gitmail_server.tools.finding import SUMMARY_OUTPUT, thread_summary
from gitmail_server.tools.project import HUMAN_KEY, PROJECT_OUTPUT, ensure

_NAME = "default: the name this server has for you"
_KNOWN = "for a name registered before"


class StartArguments(Arguments):
    """The arguments of macro_start_session."""

    human_key: str = Field(description=HUMAN_KEY)
    program: str
    model: str
    agent_name: str | None = Field(None, description=_NAME)
    task_description: str | None = None
    file_reservation_paths: Names = Field([], description="paths to reserve, exclusively")
    file_reservation_reason: str | None = None
    file_reservation_ttl_seconds: int = 3600
    inbox_limit: int = Field(10, ge=1, le=MOST)
    registration_token: str | None = Field(None, description=_KNOWN)


class PrepareArguments(ProjectArguments):
    """The arguments of macro_prepare_thread."""

    thread_id: str = Field(description="name of the thread, or id of a letter in it")
    program: str
    model: str
    agent_name: str | None = Field(None, description=_NAME)
    task_description: str | None = None
    inbox_limit: int = Field(10, ge=1, le=MOST)
    include_inbox_bodies: bool = False
    registration_token: str | None = Field(None, description=_KNOWN)


def _start(session: Session, given: StartArguments) -> dict[str, Any]:
    project = ensure(session, given.human_key)
    session.begin()
    agent, shown = _agent(session, given)
    return {
        "project": project,
        "agent": shown,
        "file_reservations": _reserved(session, agent, given),
        "inbox": recent(session.store, agent.name, given.inbox_limit),
    }


def _prepare(session: Session, given: PrepareArguments) -> dict[str, Any]:
    check_project(session, given.project_key)
    summary = thread_summary(session, given.thread_id)
    agent, shown = _agent(session, given)
    inbox = recent(session.store, agent.name, given.inbox_limit, bodies=given.include_inbox_bodies)
    return {"agent": shown, "thread": summary, "inbox": inbox}


def _agent(
    session: Session, given: StartArguments | PrepareArguments
) -> tuple[Agent, dict[str, Any]]:
    asked = Application(
        given.program,
        given.model,
        given.agent_name,
        given.task_description,
        given.registration_token,
    )
    done = register_agent(session, asked)
    return done.agent, registered(session, done)


def _reserved(session: Session, agent: Agent, given: StartArguments) -> dict[str, Any]:
    """Reserve what is asked for; somebody in the way fails this part and not the session."""
    if not given.file_reservation_paths:
        return {"granted": [], "conflicts": []}
    request = Request(
        tuple(given.file_reservation_paths),
        given.file_reservation_ttl_seconds,
        reason=given.file_reservation_reason,
    )
    try:
        held = reserve(session.store, Caller(agent.name, agent.id), request).reservation
    except Refused as refused:
        return {"granted": [], "conflicts": [refused.as_dict()]}
    granted = {
        "id": held.id,
        "paths": list(held.targets),
        "exclusive": held.exclusive,
        "expires_ts": format_time(held.expires),
    }
    return {"granted": [granted], "conflicts": []}


_OBJECT = {"type": "object"}

START = Tool(
    name="macro_start_session",
    title="Start a session",
    description="Everything at the start of a session in one call: the project, your "
    "registration, reservations if you name paths, and your recent letters.",
    arguments=StartArguments,
    handler=_start,
    output=words.required(
        "project",
        "agent",
        "inbox",
        project=PROJECT_OUTPUT,
        agent=_OBJECT,
        file_reservations=_OBJECT,
        inbox=words.OBJECTS,
    ),
    hints=Hints(idempotent=True),
    needs_store=False,
)

PREPARE = Tool(
    name="macro_prepare_thread",
    title="Take up a thread",
    description="Join a thread in one call: your registration, the thread in short, and your "
    "recent letters.",
    arguments=PrepareArguments,
    handler=_prepare,
    output=words.required(
        "agent",
        "thread",
        "inbox",
        agent=_OBJECT,
        thread=SUMMARY_OUTPUT,
        inbox=words.OBJECTS,
    ),
    hints=Hints(idempotent=True),
)
