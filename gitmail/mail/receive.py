"""Receiving: what waits, in order of arrival, stamped the first time it is returned.

Receiving removes nothing: the same call returns the same letters until they are acknowledged. An
empty poll and a repeat write nothing and take no lock (contract: receive).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from gitmail.board.caller import Caller
from gitmail.errors import InvalidInput, StoreUnavailable
from gitmail.git.walk import commits_between
from gitmail.index.mailbox import expired, expired_count, pending, removed
from gitmail.index.rows import DeliveryRow, Place
from gitmail.mail.history_cursor import just_before
from gitmail.mail.marks import ACKNOWLEDGED, marked, marking
from gitmail.mail.opened import Opened, open_letter
from gitmail.mail.receive_cursor import Position, read_position, write_position
from gitmail.store.change import Change, NoChange
from gitmail.store.store import Store
from gitmail.store.view import View
from gitmail.values import sentences
from gitmail.values.cursors import cursor_ahead
from gitmail.values.letter import Letter
from gitmail.values.times import format_time

LIMIT = 50
PAGE_BYTES = 256 * 1024
EXPIRED_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Gap:
    """Letters that retention or redaction took out of the tree: when they were sent, how many."""

    first: str
    last: str
    count: int


@dataclass(frozen=True, slots=True)
class Continuity:
    """What a receiver may have missed: letters that lapsed unacknowledged, and gaps."""

    status: str
    expired_unacknowledged: int
    expired: tuple[Letter, ...]
    gap: Gap | None
    history_after: str | None


@dataclass(frozen=True, slots=True)
class Received:
    """A page: whole texts, the cursor behind it, and whether more waits.

    `acknowledged` counts the letters acknowledged by this very call, None without `ack`.
    """

    messages: tuple[Opened, ...]
    after: str
    has_more: bool
    continuity: Continuity
    acknowledged: int | None


@dataclass(frozen=True, slots=True)
class _Page:
    opened: tuple[Opened, ...]
    position: Position
    has_more: bool


def receive(
    store: Store,
    caller: Caller,
    *,
    after: str | None = None,
    limit: int = LIMIT,
    ack: bool = False,
) -> Received:
    """Return what waits for the caller behind the cursor `after`, at most `limit` letters.

    With `ack` exactly what is returned is acknowledged, in the same commit. Raises InvalidInput
    `invalid_limit`, `invalid_cursor`.
    """
    if not 1 <= limit <= LIMIT:
        raise InvalidInput(
            "invalid_limit", f"limit {limit} is not within 1..{LIMIT}.", "Leave it out for 50.",
            argument="limit",
        )  # fmt: skip

    def look(view: View) -> Received | None:
        """Answer at once when there is nothing to write, else None."""
        page = _page(store, view, caller, after, limit)
        unstamped = any(one.row.delivery.marks.first_read_at is None for one in page.opened)
        if unstamped or (ack and page.opened):
            return None
        return _answer(view, caller, after, page, 0 if ack else None)

    def decide(view: View) -> Change[Received] | NoChange[Received]:
        page = _page(store, view, caller, after, limit)
        if not page.opened:
            return NoChange(_answer(view, caller, after, page, 0 if ack else None))
        return _stamp(view, caller, after, page, ack)

    return store.read(look) or store.write(caller.author, decide).result


def _stamp(
    view: View, caller: Caller, after: str | None, page: _Page, ack: bool
) -> Change[Received] | NoChange[Received]:
    acting = caller.acting(view)
    keys = ACKNOWLEDGED if ack else ("first_read_at",)
    rows = [one.row for one in page.opened]
    files = marking(view, rows, keys, view.now)
    done = replace(page, opened=tuple(_marked(one, keys, view) for one in page.opened))
    count = len({row.letter.id for row in rows}) if ack else None
    answer = _answer(view, caller, after, done, count)
    if not files:
        return NoChange(answer)
    refs = list(
        dict.fromkeys((row.letter.id, row.letter.subject) for row in rows if _new(row, ack))
    )
    sentence = sentences.acknowledged if ack else sentences.received
    return Change(files, sentence(acting.agent.name, refs), answer, acting.author)


def _new(row: DeliveryRow, ack: bool) -> bool:
    return ack or row.delivery.marks.first_read_at is None


def _marked(one: Opened, keys: tuple[str, ...], view: View) -> Opened:
    return Opened(one.row._replace(delivery=marked(one.row.delivery, keys, view.now)), one.text)


# -- the page ----------------------------------------------------------------------------------


def _page(store: Store, view: View, caller: Caller, after: str | None, limit: int) -> _Page:
    agent = caller.agent(view)
    position = read_position(after, agent.id if agent else caller.id)
    if agent is None:
        return _Page((), Position(base=view.main, main=view.main), False)
    waiting = pending(view.index, agent.name, view.now, limit=-1)
    now_in = _since(store, view, position.main) if position.main else None
    before_in = _since(store, view, position.base) if position.base else None
    first = [
        row
        for row in waiting
        if (now_in is None or row.commit not in now_in)
        and (before_in is None or row.commit in before_in)
        and (position.last is None or _place(row) > position.last)
    ]
    second = [row for row in waiting if now_in is not None and row.commit in now_in]
    chosen = _fit(view, [*first, *second], limit)
    return _after(view, position, first, second, chosen)


def _after(
    view: View,
    position: Position,
    first: list[DeliveryRow],
    second: list[DeliveryRow],
    chosen: tuple[Opened, ...],
) -> _Page:
    """Return the page and where the next one begins."""
    has_more = len(chosen) < len(first) + len(second)
    last = _place(chosen[-1].row) if chosen else None
    places = [_place(one.row) for one in chosen]
    reached = max([place for place in (position.reached, *places) if place], default=None)
    if len(chosen) < len(first) or (position.main is None and len(chosen) == len(first)):
        base, main = position.base, position.main or view.main
        last = last or position.last
    else:
        base, main = position.main, view.main
        last = last if len(chosen) > len(first) else None
    return _Page(chosen, Position(base, main, last, reached), has_more)


def _fit(view: View, rows: Iterable[DeliveryRow], limit: int) -> tuple[Opened, ...]:
    """Open letters until the page is full: `limit` letters or PAGE_BYTES, at least one."""
    opened: list[Opened] = []
    size = 0
    for row in rows:
        if len(opened) == limit:
            break
        one = open_letter(view, row)
        size += len(one.text.encode())
        if opened and size > PAGE_BYTES:
            break
        opened.append(one)
    return tuple(opened)


def _since(store: Store, view: View, commit: str) -> frozenset[str]:
    """Return the commits that came after `commit`: the walk is as long as the caller was away."""
    if commit == view.main:
        return frozenset()
    try:
        store.reader.commit(commit)
    except StoreUnavailable:
        raise cursor_ahead() from None
    return commits_between(store.git_dir, commit, view.main)


def _place(row: DeliveryRow) -> Place:
    return Place(row.letter.date, row.letter.id)


# -- continuity --------------------------------------------------------------------------------


def _answer(
    view: View, caller: Caller, after: str | None, page: _Page, acknowledged: int | None
) -> Received:
    agent = caller.agent(view)
    mailbox = agent.id if agent else caller.id
    start = read_position(after, mailbox).reached
    return Received(
        messages=page.opened,
        after=write_position(page.position, mailbox),
        has_more=page.has_more,
        continuity=_continuity(view, caller.name, mailbox, start, bool(page.opened)),
        acknowledged=acknowledged,
    )


def _continuity(
    view: View, name: str, mailbox: str, start: Place | None, any_messages: bool
) -> Continuity:
    lapsed = expired(
        view.index, name, view.now, after=start, limit=EXPIRED_SHOWN, with_archived=True
    )
    count = len(lapsed)
    if count == EXPIRED_SHOWN:
        count = expired_count(view.index, name, view.now, after=start, with_archived=True)
    lost = removed(view.index, name, start)
    gap = Gap(format_time(lost[0][1]), format_time(lost[-1][1]), len(lost)) if lost else None
    status = (
        "messages" if any_messages
        else "expired_unacknowledged" if count
        else "retention_gap" if gap
        else "empty"
    )  # fmt: skip
    history_after = just_before(_place(lapsed[0]), mailbox, view.main) if lapsed else None
    return Continuity(status, count, tuple(row.letter for row in lapsed), gap, history_after)
