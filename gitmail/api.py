"""The Python interface: a project's mailbox, opened as one agent or as the person at the shell.

Every failure is a gitmail.GitmailError. Nothing here reads GITMAIL_* variables: a program says
whom it acts as.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gitmail.board.agents import AgentSummary, Registered, list_agents, register
from gitmail.board.caller import Caller
from gitmail.board.handwork import look_at_handwork
from gitmail.board.identity import AGENT_KEY, identify
from gitmail.errors import NotFound
from gitmail.index.rows import DeliveryRow
from gitmail.mail.acknowledge import Acknowledged, acknowledge, mark_read
from gitmail.mail.deliver import Sent
from gitmail.mail.inbox import sent_letters, show_letter, waiting
from gitmail.mail.opened import Opened, open_letter
from gitmail.mail.send import Outgoing, send_letter
from gitmail.store.location import find_project, open_store
from gitmail.store.notice import Notice
from gitmail.store.store import Store
from gitmail.values.letter import Delivery, Letter
from gitmail.values.names import fold


@dataclass(frozen=True, slots=True)
class SentLetter:
    """A letter somebody sent, with what became of each copy (the texts are not loaded)."""

    letter: Letter
    deliveries: tuple[Delivery, ...]


def open(path: str | Path | None = None, agent: str | None = None) -> Mailbox:
    """Open the store of the project around `path` [the working folder].

    `agent` is who acts: registered by its first write if it is new. Without one: the checkout's
    `git config gitmail.agent`, else the git user as a person. Raises NotFound `project_not_found`
    or `store_not_found`, Refused, StoreUnavailable.
    """
    place = find_project(Path.cwd() if path is None else Path(path).absolute(), Path.home())
    identity = identify(
        argument=agent,
        checkout=place.project.config.get(AGENT_KEY),
        git_user=place.project.user_name,
    )
    store = open_store(place)
    look_at_handwork(store, identity.name, must=False)
    return Mailbox(store, identity.caller())


class Mailbox:
    """One agent's view of an opened store; a context manager that closes it.

    Ids may be given by any unique prefix of 8 or more digits.
    """

    def __init__(self, store: Store, caller: Caller) -> None:
        self._store = store
        self._caller = caller

    @property
    def name(self) -> str:
        """Who acts."""
        return self._caller.name

    def send(
        self,
        to: str | Sequence[str],
        subject: str,
        text: str,
        *,
        cc: str | Sequence[str] = (),
        bcc: str | Sequence[str] = (),
        thread: str | None = None,
        topic: str | None = None,
        reply_to: str | None = None,
        importance: str = "normal",
        ack_required: bool = False,
        request_id: str | None = None,
    ) -> Sent:
        """Send a letter to one name or several; when this returns, it is committed.

        With a `request_id` a repeat of the same call sends nothing and returns the first answer.
        Raises InvalidInput, NotFound or Refused, and nothing was sent then.
        """
        outgoing = Outgoing(
            to=_names(to),
            subject=subject,
            text=text,
            cc=_names(cc),
            bcc=_names(bcc),
            importance=importance,
            ack_required=ack_required,
            thread=thread,
            topic=topic,
            reply_to=reply_to,
            request_id=request_id,
        )
        return send_letter(self._store, self._caller, outgoing)

    def inbox(self, limit: int = 50) -> list[Delivery]:
        """Return what waits, oldest first, with texts; marks nothing."""
        try:
            rows = waiting(self._store, self.name, limit).waiting
        except NotFound:
            return []  # not registered yet: nothing can have been sent here
        return self._store.read(lambda view: [_delivery(open_letter(view, row)) for row in rows])

    def read(self, letter_id: str) -> Delivery:
        """Return a letter with its text; one of the own mailbox is marked as read."""
        opened = show_letter(self._store, letter_id, self.name)
        found = _delivery(opened)
        if fold(found.recipient) != fold(self.name) or not found.unread:
            return found
        marked = mark_read(self._store, self._caller, opened.letter.id)
        return replace(found, marks=marked.marks)

    def acknowledge(self, *letter_ids: str) -> Acknowledged:
        """Acknowledge letters of the own mailbox (at most 50) in one commit."""
        return acknowledge(self._store, self._caller, list(letter_ids))

    def sent(self, limit: int = 20) -> list[SentLetter]:
        """Return what was sent from here, newest first, with every recipient's marks."""
        found = sent_letters(self._store, self.name, limit)
        return [SentLetter(one.letter, _deliveries(one.deliveries)) for one in found]

    def agents(self) -> list[AgentSummary]:
        """Return all agents and people, by name."""
        return list_agents(self._store)

    def register(
        self,
        name: str,
        *,
        program: str | None = None,
        model: str | None = None,
        task: str | None = None,
    ) -> Registered:
        """Register an agent, or update what is given of one."""
        return register(self._store, name, program=program, model=model, task=task)

    def warnings(self) -> list[Notice]:
        """Return and forget what the calls so far had to warn of."""
        return self._store.take_notices()

    def close(self) -> None:
        """Close the store."""
        self._store.close()

    def __enter__(self) -> Mailbox:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()


def _names(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _delivery(opened: Opened) -> Delivery:
    delivery = opened.row.delivery
    return replace(delivery, letter=replace(delivery.letter, text=opened.text))


def _deliveries(rows: Sequence[DeliveryRow]) -> tuple[Delivery, ...]:
    return tuple(row.delivery for row in rows)
