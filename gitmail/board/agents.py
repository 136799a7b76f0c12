"""Registering agents and people, and listing them.

Registering again under the same name (in any spelling of case) is the same agent: what is given is
updated, its id stays, and nothing is written when nothing changed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from gitmail.board.presence import Presence
from gitmail.errors import Refused
from gitmail.format.agents import agent_to_bytes, update_agent
from gitmail.git.commits import Person
from gitmail.index.agents import agent_by_name, all_agents
from gitmail.index.mailbox import mailbox_size, waiting_count
from gitmail.index.rows import AgentRow
from gitmail.store.change import Change, NoChange
from gitmail.store.store import Store
from gitmail.store.view import View
from gitmail.values import sentences
from gitmail.values.agent import Agent
from gitmail.values.ids import new_id
from gitmail.values.names import agent_email, check_agent_name
from gitmail.values.paths import agent_path, keep_path
from gitmail.values.text import check_line

LINE_LIMIT = 120
"""Most characters of a profile's line."""
TASK_LIMIT = 240


@dataclass(frozen=True, slots=True)
class Registered:
    """The agent as it is now; `created` for a new one, `changed` names the keys that were set."""

    agent: Agent
    created: bool
    changed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AgentSummary:
    """An agent on a list: what waits, what is unread, whether a process of it lives now.

    `last_action` is the time of its last own action on this machine (aware UTC), None if unknown.
    """

    agent: Agent
    waiting: int
    unread: int
    attached: bool
    last_action: datetime | None


def register(
    store: Store,
    name: str,
    *,
    program: str | None = None,
    model: str | None = None,
    project: str | None = None,
    task: str | None = None,
    label: str | None = None,
    person: bool = False,
    only_new: bool = False,
) -> Registered:
    """Register an agent, or update what is given of one that is; one commit, or none.

    `person` matters for a new one only; `only_new` refuses a name that is taken. Raises
    InvalidInput `invalid_<argument>`, Refused `agent_retired` and `not_authorized`, and what
    Store.write raises.
    """
    check_agent_name(name)
    given = _checked(program=program, model=model, project=project, task=task, label=label)
    fresh_id = new_id()

    def decide(view: View) -> Change[Registered] | NoChange[Registered]:
        row = agent_by_name(view.index, name)
        if row is not None and only_new:
            raise name_taken(row.agent.name)
        if row is not None:
            return _update(view, row, given)
        blank = Agent(id=fresh_id, name=name, registered_at=view.now, person=person)
        agent = replace(blank, **given)  # type: ignore[arg-type]
        files = {agent_path(name): agent_to_bytes(agent), keep_path(name): b""}
        return Change(files, sentences.registered(name, program, model), Registered(agent, True))

    return store.write(Person(name, agent_email(name)), decide).result


def name_taken(name: str) -> Refused:
    """Return the error for somebody who asks to be an agent that is somebody else."""
    return Refused(
        "not_authorized",
        f"{name} is registered already, and this caller does not speak for it.",
        "Give its registration_token, start the server with `--agent`, or choose another name.",
        agent=name,
    )


def list_agents(store: Store, *, include_retired: bool = False) -> list[AgentSummary]:
    """Return all agents and people by name, with the counts that every surface shows."""
    presence = Presence(store.private)

    def question(view: View) -> list[AgentSummary]:
        rows = all_agents(view.index, include_retired=include_retired)
        return [_summary(view, presence, row.agent) for row in rows]

    return store.read(question)


def _checked(**given: str | None) -> dict[str, str]:
    return {
        key: check_line(value, key, TASK_LIMIT if key == "task" else LINE_LIMIT)
        for key, value in given.items()
        if value is not None
    }


def _update(
    view: View, row: AgentRow, given: dict[str, str]
) -> Change[Registered] | NoChange[Registered]:
    agent = row.agent
    if agent.retired_at is not None:
        raise Refused(
            "agent_retired",
            f"{agent.name} is retired.",
            "Register another name; a retired agent keeps its own.",
            agent=agent.name,
        )
    changes = {key: value for key, value in given.items() if getattr(agent, key) != value}
    if not changes:
        return NoChange(Registered(agent, False))
    data = update_agent(view.content(row.path, row.blob), row.path, changes)
    after = replace(agent, **changes)  # type: ignore[arg-type]
    author = Person(agent.name, agent_email(agent.name))
    message = sentences.profile(agent.name, tuple(changes))
    return Change({row.path: data}, message, Registered(after, False, tuple(changes)), author)


def _summary(view: View, presence: Presence, agent: Agent) -> AgentSummary:
    seen = presence.seen(agent.name)
    _, unread = mailbox_size(view.index, agent.name)
    waiting = waiting_count(view.index, agent.name, view.now)
    return AgentSummary(agent, waiting, unread, seen.attached, seen.last_action)
