"""Who is acting: a name that may not be registered yet.

A fresh name (an agent's, or the person at the shell) is committed together with its first own
action, never by connecting or reading, so that looking around leaves no trace.
"""

from __future__ import annotations

from dataclasses import dataclass

from gitmail.errors import Refused
from gitmail.git.commits import Person
from gitmail.index.agents import agent_by_name
from gitmail.store.view import View
from gitmail.values.agent import Agent
from gitmail.values.names import agent_email, check_agent_name
from gitmail.values.paths import agent_path, keep_path


@dataclass(frozen=True, slots=True)
class Caller:
    """The agent or person that a call is made for.

    `id` becomes the agent's when it is registered by its first write. `origin` is `maintainer`
    only for a listed maintainer at a person's own interface, never for a server process.
    """

    name: str
    id: str
    person: bool = False
    origin: str = "agent"
    program: str | None = None
    model: str | None = None
    project: str | None = None
    task: str | None = None

    @property
    def author(self) -> Person:
        """The author of this caller's commits."""
        return Person(self.name, agent_email(self.name))

    def agent(self, view: View) -> Agent | None:
        """Return the registered agent of this name, or None before its first write."""
        row = agent_by_name(view.index, self.name)
        return row.agent if row else None

    def acting(self, view: View) -> Acting:
        """Return the agent as which this caller writes, and the files that register it if new.

        Raises Refused `agent_retired` for a retired agent, InvalidInput `invalid_name`.
        """
        known = self.agent(view)
        if known is not None:
            if known.retired_at is not None:
                raise Refused(
                    "agent_retired",
                    f"{known.name} is retired and sends nothing.",
                    "Act under another name, or `gitmail` unretire it first.",
                    agent=known.name,
                )
            return Acting(known, {}, self.author_of(known))
        from gitmail.format.agents import agent_to_bytes  # only at the first write

        fresh = Agent(
            id=self.id,
            name=check_agent_name(self.name),
            registered_at=view.now,
            person=self.person,
            program=self.program,
            model=self.model,
            project=self.project,
            task=self.task,
        )
        files: dict[str, bytes | None] = {
            agent_path(fresh.name): agent_to_bytes(fresh),
            keep_path(fresh.name): b"",
        }
        return Acting(fresh, files, self.author_of(fresh))

    def author_of(self, agent: Agent) -> Person:
        """Return the author under the registered spelling of the name."""
        return Person(agent.name, agent_email(agent.name))


@dataclass(frozen=True, slots=True)
class Acting:
    """A caller in the middle of a write: the agent, the files that register it, the author."""

    agent: Agent
    files: dict[str, bytes | None]
    author: Person
