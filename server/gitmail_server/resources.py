"""The resources: inboxes, letters, threads, agents, reservations and notes by their URI.

Each is JSON and changes nothing when it is read. An inbox is read by its owner only, whatever the
URI says; everything else is the project's (contract: fetch_inbox, the family).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from mcp_types import Resource, ResourceTemplate

from gitmail.errors import InvalidInput, NotFound
from gitmail.index.agents import all_agents
from gitmail.mail.inbox import MOST
from gitmail.mail.reading import one_letter, thread_page
from gitmail.mail.waiting import Pending, pending_now
from gitmail.memory.history import get_note
from gitmail.reservations.listing import list_reservations
from gitmail.values.times import format_time
from gitmail_server.access import check_access
from gitmail_server.results import as_json
from gitmail_server.session import Session
from gitmail_server.tools import family_words as words
from gitmail_server.tools.note_shapes import note_shape

SCHEME = "gitmail://"
INBOX = SCHEME + "inbox/"
MIME = "application/json"

_Reader = Callable[[Session, str], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of resource; `variable` names the last part of its URI, None where there is one."""

    name: str
    variable: str | None
    title: str
    description: str
    read: _Reader


def listed() -> list[Resource]:
    """Return the resources that have no variable part."""
    return [
        Resource(
            uri=SCHEME + kind.name,
            name=kind.name,
            title=kind.title,
            description=kind.description,
            mime_type=MIME,
        )
        for kind in KINDS.values()
        if kind.variable is None
    ]


def templates() -> list[ResourceTemplate]:
    """Return the templates of those that do."""
    return [
        ResourceTemplate(
            uri_template=f"{SCHEME}{kind.name}/{{{kind.variable}}}",
            name=kind.name,
            title=kind.title,
            description=kind.description,
            mime_type=MIME,
        )
        for kind in KINDS.values()
        if kind.variable is not None
    ]


def read(session: Session, uri: str) -> str:
    """Return a resource as JSON text.

    Raises NotFound `resource_not_found` for any other URI, and what the kind's reading raises.
    """
    name, slash, value = uri.removeprefix(SCHEME).partition("/")
    kind = KINDS.get(name) if uri.startswith(SCHEME) else None
    if kind is None or bool(slash) != (kind.variable is not None) or (slash and not value):
        raise NotFound(
            "resource_not_found",
            f"There is no resource {uri[:200]!r}.",
            "resources/templates/list shows what there is.",
            uri=uri[:200],
        )
    return as_json(kind.read(session, unquote(value)))


def _inbox(session: Session, agent: str) -> dict[str, Any]:
    name = check_access(session, agent, None)
    found = Pending(0, ()) if name is None else pending_now(session.store, name)
    letters = [
        {"id": one.id, "from": one.sender, "subject": one.subject, "urgent": one.urgent}
        for one in found.letters
    ]
    return {"agent": name or session.caller.name, "waiting": found.waiting, "letters": letters}


def _message(session: Session, message_id: str) -> dict[str, Any]:
    row, text = one_letter(session.store, session.caller.name, message_id)
    return words.letter_row(row, session.caller.name) | {"body_md": text}


def _thread(session: Session, thread_id: str) -> dict[str, Any]:
    reader = session.caller.name
    page = thread_page(session.store, reader, thread_id, limit=MOST, bodies=True)
    return {"thread_id": thread_id} | words.page(page, reader)


def _agents(session: Session, _value: str) -> dict[str, Any]:
    rows = session.store.read(lambda view: all_agents(view.index))
    return {"result": [words.profile(row.agent) for row in rows]}


def _reservations(session: Session, _value: str) -> dict[str, Any]:
    found, _now = list_reservations(session.store)
    return {
        "result": [
            {
                "id": one.reservation.id,
                "holder": one.reservation.holder,
                "paths": list(one.reservation.targets),
                "exclusive": one.reservation.exclusive,
                "reason": one.reservation.reason,
                "waiting": one.reservation.waiting,
                "expires_ts": format_time(one.reservation.expires),
            }
            for one in found
        ]
    }


def _memory(session: Session, number: str) -> dict[str, Any]:
    if not (number.isascii() and number.isdecimal()):
        raise InvalidInput(
            "invalid_id", f"{number[:40]!r} is no number of a note.", "Notes are numbered from 1."
        )
    memory = get_note(session.store, int(number)).row.memory
    return note_shape(memory, shown=len(memory.text))


KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            "inbox",
            "agent",
            "Inbox",
            "What waits for you: count, ids, senders, subjects; no texts.",
            _inbox,
        ),
        Kind("message", "id", "Letter", "One letter with its text and receipts.", _message),
        Kind("thread", "id", "Thread", "A thread, oldest first, by name or by a letter.", _thread),
        Kind("agents", None, "Agents", "Who takes part in the project.", _agents),
        Kind("reservations", None, "Reservations", "Who holds or awaits what.", _reservations),
        Kind("memory", "id", "Note", "One note of the project's memory.", _memory),
    )
}
