"""Looking into a mailbox without changing anything (contract: fetch_inbox; `gitmail inbox`)."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from gitmail.errors import InvalidInput
from gitmail.index.letters import sent as sent_rows
from gitmail.index.letters import thread as thread_rows
from gitmail.index.letters import thread_of
from gitmail.index.mailbox import expired, expired_count, inbox, pending, waiting_count
from gitmail.index.rows import BrokenRow, DeliveryRow, LetterRow
from gitmail.index.tree import broken_files
from gitmail.mail.references import any_delivery, find_agent, find_letter_id
from gitmail.store.store import Store
from gitmail.store.view import View
from gitmail.values.paths import mailbox_path

if TYPE_CHECKING:
    from gitmail.mail.opened import Opened

MOST = 1000
PAGE_BYTES = 256 * 1024


class InboxPage(NamedTuple):
    """Letters of one mailbox, newest first.

    `total` and `unread` count all that match the filters, `texts` holds bodies by letter id when
    asked for. `next_since` is the `since` for the next poll, None while `has_more`.
    """

    rows: tuple[DeliveryRow, ...]
    texts: dict[str, str]
    total: int
    unread: int
    has_more: bool
    next_since: datetime | None
    now: datetime


class Waiting(NamedTuple):
    """What lies in an inbox: what waits, what lapsed unhandled, what could not be read."""

    agent: str
    waiting: tuple[DeliveryRow, ...]
    waiting_count: int
    expired: tuple[DeliveryRow, ...]
    expired_count: int
    unreadable: tuple[BrokenRow, ...]


def inbox_page(
    store: Store,
    agent_name: str,
    *,
    limit: int = 20,
    urgent_only: bool = False,
    unread_only: bool = False,
    since: datetime | None = None,
    topic: str | None = None,
    bodies: bool = False,
) -> InboxPage:
    """Return recent letters of an agent, newest first, handled and expired ones too.

    `since` is strict. Two calls in a row return the same. Raises NotFound `agent_not_found`,
    InvalidInput `invalid_limit`.
    """
    if not 1 <= limit <= MOST:
        raise InvalidInput(
            "invalid_limit",
            f"limit {limit} is not within 1..{MOST}.",
            "Leave it out for 20.",
            argument="limit",
        )

    def ask(view: View) -> InboxPage:
        agent = find_agent(view, agent_name)
        found = inbox(
            view.index,
            agent.name,
            unread_only=unread_only,
            urgent_only=urgent_only,
            since=since,
            topic=topic,
            limit=limit,
        )
        rows, texts = _bodies(view, found.deliveries) if bodies else (found.deliveries, {})
        has_more = len(rows) < found.total
        newest = rows[0].letter.date if rows else since
        next_since = None if has_more else newest
        return InboxPage(rows, texts, found.total, found.unread, has_more, next_since, view.now)

    return store.read(ask)


def waiting(store: Store, agent_name: str, limit: int = MOST) -> Waiting:
    """Return what waits for an agent and what lapsed, oldest first; `agent_not_found`."""

    def ask(view: View) -> Waiting:
        agent = find_agent(view, agent_name)
        name, retired = agent.name, agent.retired_at is not None
        return Waiting(
            agent=name,
            waiting=tuple(pending(view.index, name, view.now, limit=limit)),
            waiting_count=waiting_count(view.index, name, view.now),
            expired=tuple(expired(view.index, name, view.now, limit=limit)),
            expired_count=expired_count(view.index, name, view.now),
            unreadable=tuple(broken_files(view.index, mailbox_path(name, retired) + "/")),
        )

    return store.read(ask)


def sent_letters(store: Store, agent_name: str, limit: int = 20) -> tuple[LetterRow, ...]:
    """Return what an agent sent, newest first, each with every recipient's marks."""
    return store.read(lambda view: tuple(sent_rows(view.index, agent_name, limit=limit)))


def show_letter(store: Store, message_id: str, viewer: str | None = None) -> Opened:
    """Return one letter with its text, the viewer's own copy where there is one.

    Marks nothing. Raises NotFound `message_not_found`, InvalidInput `ambiguous_message_id`.
    """
    from gitmail.mail.opened import open_letter

    return store.read(lambda view: open_letter(view, any_delivery(view, message_id, viewer)))


def thread_letters(store: Store, thread: str) -> tuple[LetterRow, ...]:
    """Return a thread, oldest first, by its name or by the id of a letter in it."""

    def ask(view: View) -> tuple[LetterRow, ...]:
        found = thread_rows(view.index, thread)
        if found:
            return tuple(found)
        letter_id = find_letter_id(view, thread, "thread_id")
        name = thread_of(view.index, letter_id) or letter_id
        return tuple(thread_rows(view.index, name))

    return store.read(ask)


def _bodies(
    view: View, rows: tuple[DeliveryRow, ...]
) -> tuple[tuple[DeliveryRow, ...], dict[str, str]]:
    """Open letters while they fit a page; at least one."""
    from gitmail.mail.opened import open_letter  # a list without texts needs no reader

    texts: dict[str, str] = {}
    size = 0
    for number, row in enumerate(rows):
        text = open_letter(view, row).text
        size += len(text.encode())
        if number and size > PAGE_BYTES:
            return rows[:number], texts
        texts[row.letter.id] = text
    return rows, texts
