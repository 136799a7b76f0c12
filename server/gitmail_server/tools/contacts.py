"""The contact policy: request_contact, respond_contact, list_contacts, set_contact_policy."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from gitmail.mail.contacts import (
    Contacts,
    contacts_of,
    request_contact,
    respond_contact,
    set_policy,
)
from gitmail.values.times import format_time
from gitmail_server.access import acting_as
from gitmail_server.projects import check_project
from gitmail_server.session import Session
from gitmail_server.shared_arguments import WITH_TOKEN, AgentArguments, ProjectArguments
from gitmail_server.tool import Hints, Tool
from gitmail_server.tools import family_words as words


class RequestArguments(ProjectArguments):
    """The arguments of request_contact."""

    from_agent: str = Field(description="you")
    to_agent: str
    reason: str = Field("May I write to you?", description="shown to them")
    registration_token: str | None = Field(None, description=WITH_TOKEN)


class RespondArguments(ProjectArguments):
    """The arguments of respond_contact."""

    to_agent: str = Field(description="you, who were asked")
    from_agent: str = Field(description="who asked")
    accept: bool
    registration_token: str | None = Field(None, description=WITH_TOKEN)


class PolicyArguments(AgentArguments):
    """The arguments of set_contact_policy."""

    policy: str = Field(description="open, contacts_only or block_all")


def _request(session: Session, given: RequestArguments) -> dict[str, Any]:
    check_project(session, given.project_key)
    caller = acting_as(session, given.from_agent, given.registration_token)
    asked = request_contact(session.store, caller, given.to_agent, given.reason)
    return {"to_agent": asked.recipient, "status": asked.state, "message_id": asked.letter_id}


def _respond(session: Session, given: RespondArguments) -> dict[str, Any]:
    check_project(session, given.project_key)
    caller = acting_as(session, given.to_agent, given.registration_token)
    return _contacts(respond_contact(session.store, caller, given.from_agent, given.accept))


def _list(session: Session, given: AgentArguments) -> dict[str, Any]:
    check_project(session, given.project_key)
    caller = acting_as(session, given.agent_name, given.registration_token)
    if session.store.read(caller.agent) is None:
        return _contacts(Contacts("open", (), ()))
    return _contacts(contacts_of(session.store, caller.name))


def _set(session: Session, given: PolicyArguments) -> dict[str, Any]:
    check_project(session, given.project_key)
    caller = acting_as(session, given.agent_name, given.registration_token)
    agent = set_policy(session.store, caller, given.policy)
    return _contacts(contacts_of(session.store, agent.name))


def _contacts(found: Contacts) -> dict[str, Any]:
    requests = [
        {"from": one.sender, "message_id": one.letter_id, "created_ts": format_time(one.date)}
        for one in found.requests
    ]
    return {"policy": found.policy, "contacts": list(found.contacts), "requests": requests}


_OUTPUT = words.required(
    "policy",
    "contacts",
    policy={"type": "string"},
    contacts=words.STRINGS,
    requests=words.OBJECTS,
)

REQUEST = Tool(
    name="request_contact",
    title="Ask for contact",
    description="Ask an agent that takes letters from its contacts only to let yours in. Nobody "
    "else needs to be asked. status open: just write.",
    arguments=RequestArguments,
    handler=_request,
    output=words.required(
        "to_agent",
        "status",
        to_agent={"type": "string"},
        status={"type": "string"},
        message_id=words.MAYBE,
    ),
    hints=Hints(idempotent=True, open_world=True),
)

RESPOND = Tool(
    name="respond_contact",
    title="Answer a request for contact",
    description="Let an agent's letters in, or keep them out; acknowledges its request.",
    arguments=RespondArguments,
    handler=_respond,
    output=_OUTPUT,
    hints=Hints(idempotent=True),
)

LIST = Tool(
    name="list_contacts",
    title="List contacts",
    description="Your contact policy, your contacts, and who asks to become one.",
    arguments=AgentArguments,
    handler=_list,
    output=_OUTPUT,
    hints=Hints(read_only=True, idempotent=True),
)

POLICY = Tool(
    name="set_contact_policy",
    title="Choose who may write",
    description="open: everybody (the default); contacts_only: your contacts; block_all: nobody, "
    "not even a maintainer.",
    arguments=PolicyArguments,
    handler=_set,
    output=_OUTPUT,
    hints=Hints(idempotent=True),
)
