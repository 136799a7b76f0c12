"""A project with a store, and agents in it who send each other letters."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from gitmail.board.agents import register
from gitmail.board.caller import Caller
from gitmail.mail.deliver import Sent
from gitmail.mail.message import Message, send
from gitmail.mail.send import Outgoing, send_letter
from gitmail.store.location import Place, find_project, open_store
from gitmail.store.store import Store


@dataclass
class World:
    """A project and its store; agents are registered when they are first named."""

    project: Path
    store: Store
    known: dict[str, Caller] = field(default_factory=dict)
    sent: int = 0

    def caller(self, name: str) -> Caller:
        if name not in self.known:
            agent = register(self.store, name).agent
            self.known[name] = Caller(agent.name, agent.id)
        return self.known[name]

    def letter(self, sender: str, to: str, subject: str = "Hello", **fields: object) -> Sent:
        """A letter that never expires and asks for no acknowledgement."""
        self.caller(to)
        outgoing = Outgoing((to,), subject, "The text.", **fields)  # type: ignore[arg-type]
        return send_letter(self.store, self.caller(sender), outgoing)

    def message(self, sender: str, to: str, text: str = "Hello", *, urgent: bool = False) -> Sent:
        """A letter of the first vocabulary."""
        self.caller(to)
        self.sent += 1
        request = f"request-{self.sent}"
        message = Message(to=to, text=text, request_id=request, urgent=urgent)
        return send(self.store, self.caller(sender), message)

    def place(self) -> Place:
        return find_project(self.project, None)

    def reopened(self) -> Store:
        return open_store(self.place())
