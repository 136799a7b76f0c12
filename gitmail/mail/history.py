"""History: everything an agent sent and received, oldest first; reading it changes nothing.

This is how a sender sees that a letter was read (contract: history).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from gitmail.board.caller import Caller
from gitmail.errors import InvalidInput
from gitmail.index.letters import history as history_rows
from gitmail.index.letters import place_of
from gitmail.index.rows import DeliveryRow
from gitmail.mail.history_cursor import read_place, write_place
from gitmail.mail.opened import Opened, open_letter
from gitmail.mail.receive import LIMIT, PAGE_BYTES
from gitmail.mail.references import find_agent
from gitmail.store.store import Store
from gitmail.store.view import View


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """A page of history, one entry per copy; `retained_since` is None while nothing is dropped."""

    messages: tuple[Opened, ...]
    after: str | None
    has_more: bool
    retained_since: datetime | None
    now: datetime


def history(
    store: Store,
    caller: Caller,
    *,
    peer: str | None = None,
    after: str | None = None,
    limit: int = LIMIT,
    newest: bool = False,
) -> HistoryPage:
    """Return a page of the caller's letters; with `newest` the last page, still oldest first.

    Raises InvalidInput `invalid_limit`, `invalid_cursor`, NotFound `agent_not_found` (peer).
    """
    if not 1 <= limit <= LIMIT:
        raise InvalidInput(
            "invalid_limit", f"limit {limit} is not within 1..{LIMIT}.", "Leave it out for 50.",
            argument="limit",
        )  # fmt: skip

    def ask(view: View) -> HistoryPage:
        agent = caller.agent(view)
        mailbox = agent.id if agent else caller.id
        other = find_agent(view, peer, "peer") if peer is not None else None
        start = None
        if after is not None:
            start = read_place(after, mailbox, other.id if other else None)
        rows = history_rows(
            view.index,
            caller.name,
            peer=other.name if other else None,
            after=start,
            limit=limit + 1,
            newest=newest,
        )
        chosen = rows[-limit:] if newest else rows[:limit]
        opened = _fit(view, chosen, newest)
        has_more = len(opened) < len(rows)
        cursor = after
        if opened:
            cursor = write_place(
                place_of(opened[-1].row), mailbox, view.main, other.id if other else None
            )
        return HistoryPage(tuple(opened), cursor, has_more, _retained_since(view), view.now)

    return store.read(ask)


def state_of(row: DeliveryRow, now: datetime) -> str:
    """Return pending, acknowledged or expired (contract: send's and history's `state`)."""
    if row.delivery.marks.acknowledged_at is not None:
        return "acknowledged"
    return "expired" if row.delivery.expired(now) else "pending"


def _fit(view: View, rows: list[DeliveryRow], newest: bool) -> list[Opened]:
    opened: list[Opened] = []
    size = 0
    for row in reversed(rows) if newest else rows:
        one = open_letter(view, row)
        size += len(one.text.encode())
        if opened and size > PAGE_BYTES:
            break
        opened.append(one)
    return opened[::-1] if newest else opened


def _retained_since(view: View) -> datetime | None:
    days = view.config.history_days
    return view.now - timedelta(days=days) if days else None
