"""register_agent, whois, list_agents, retire_agent, unretire_agent (contract: the family)."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from gitmail.board.retirement import retire, unretire
from gitmail.index.agents import all_agents
from gitmail.mail.references import find_agent
from gitmail_server.access import acting_as
from gitmail_server.projects import check_project
from gitmail_server.registering import Application, Registration, register_agent
from gitmail_server.session import Session
from gitmail_server.shared_arguments import WITH_TOKEN, AgentArguments, ProjectArguments
from gitmail_server.tool import Hints, Tool
from gitmail_server.tools import family_words as words


class RegisterArguments(ProjectArguments):
    """The arguments of register_agent."""

    program: str = Field(description="such as claude-code")
    model: str
    name: str | None = Field(None, description="default: the name this server has for you")
    task_description: str | None = None
    registration_token: str | None = Field(None, description="for a name registered before")


class ListArguments(ProjectArguments):
    """The arguments of list_agents."""

    include_retired: bool = False


class WhoisArguments(ProjectArguments):
    """The arguments of whois."""

    agent_name: str


def _register(session: Session, given: RegisterArguments) -> dict[str, Any]:
    check_project(session, given.project_key)
    asked = Application(
        given.program, given.model, given.name, given.task_description, given.registration_token
    )
    return registered(session, register_agent(session, asked))


def registered(session: Session, done: Registration) -> dict[str, Any]:
    """Return the result of a registration."""
    shown = words.agent(done.agent, session.presence)
    return shown if done.token is None else shown | {"registration_token": done.token}


def _whois(session: Session, given: WhoisArguments) -> dict[str, Any]:
    check_project(session, given.project_key)
    agent = session.store.read(lambda view: find_agent(view, given.agent_name))
    return words.agent(agent, session.presence)


def _list(session: Session, given: ListArguments) -> dict[str, Any]:
    check_project(session, given.project_key)
    rows = session.store.read(
        lambda view: all_agents(view.index, include_retired=given.include_retired)
    )
    return {"result": [words.agent(row.agent, session.presence) for row in rows]}


def _retire(session: Session, given: AgentArguments) -> dict[str, Any]:
    check_project(session, given.project_key)
    caller = acting_as(session, given.agent_name, given.registration_token)
    return words.agent(retire(session.store, caller), session.presence)


def _unretire(session: Session, given: AgentArguments) -> dict[str, Any]:
    check_project(session, given.project_key)
    caller = acting_as(session, given.agent_name, given.registration_token)
    return words.agent(unretire(session.store, caller), session.presence)


AGENT_OUTPUT = words.required(
    "name",
    "id",
    name={"type": "string"},
    id={"type": "string"},
    registration_token={"type": "string", "description": WITH_TOKEN},
)

REGISTER = Tool(
    name="register_agent",
    title="Register an agent",
    description="Take part under a name, or update what is known of you. Returns the "
    "registration_token of a new agent, once: keep it, it proves who you are elsewhere.",
    arguments=RegisterArguments,
    handler=_register,
    output=AGENT_OUTPUT,
    hints=Hints(idempotent=True),
)

WHOIS = Tool(
    name="whois",
    title="Look up an agent",
    description="The profile of one agent: program, model, task, when it last acted.",
    arguments=WhoisArguments,
    handler=_whois,
    output=AGENT_OUTPUT,
    hints=Hints(read_only=True, idempotent=True),
)

LIST = Tool(
    name="list_agents",
    title="List agents",
    description="All agents and people of the project, by name.",
    arguments=ListArguments,
    handler=_list,
    output=words.required("result", result=words.OBJECTS),
    hints=Hints(read_only=True, idempotent=True),
)

RETIRE = Tool(
    name="retire_agent",
    title="Retire an agent",
    description="Take an agent out: it receives nothing and sends nothing any more; its letters "
    "stay readable. unretire_agent takes it back.",
    arguments=AgentArguments,
    handler=_retire,
    output=AGENT_OUTPUT,
    hints=Hints(destructive=True, idempotent=True),
)

UNRETIRE = Tool(
    name="unretire_agent",
    title="Take an agent back",
    description="End an agent's retirement; its mailbox is as it was.",
    arguments=AgentArguments,
    handler=_unretire,
    output=AGENT_OUTPUT,
    hints=Hints(idempotent=True),
)
