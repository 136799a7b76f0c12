"""One agent's mailbox: what waits, what lapsed, the inbox as a list, and the counts of each.

A count and its list come from the same condition, so that no two surfaces can disagree.
`agent` is a name in any spelling of case; an unknown one has an empty mailbox.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from gitmail.index.deliveries import NEWEST_FIRST, load_all, select
from gitmail.index.index import Index
from gitmail.index.rows import DeliveryRow, Place, from_micros, to_json, to_micros
from gitmail.index.waiting import PENDING
from gitmail.values.names import fold

_LAPSED = "d.recipient_fold = ? AND d.handled = 0 AND d.expires IS NOT NULL AND d.expires <= ?"
_LAPSING = "deliveries AS d INDEXED BY deliveries_lapsing"
_AFTER = " AND (d.date, d.id) > (?, ?)"


class Queue(NamedTuple):
    """What fills a mailbox (contract: send, limits).

    `expiring` counts pending letters that have an expiry, `unhandled` all pending letters.
    """

    expiring: int
    unhandled: int


class Inbox(NamedTuple):
    """A page of an inbox, newest first.

    `total` counts all letters that match; `unread` those among them without `read_at`.
    """

    deliveries: tuple[DeliveryRow, ...]
    total: int
    unread: int


def pending(
    index: Index,
    agent: str,
    now: datetime,
    *,
    after: Place | None = None,
    limit: int = 50,
    arrived_in: Collection[str] | None = None,
    not_arrived_in: Collection[str] | None = None,
    rings_only: bool = False,
) -> list[DeliveryRow]:
    """Return what waits for `agent` at `now`, oldest first (contract: one mailbox, pending).

    `after` continues past a letter; `arrived_in` and `not_arrived_in` keep to letters that came
    with one of those commits, or with none of them; `rings_only` to those sent with a ring.
    """
    condition, values = PENDING, [fold(agent), to_micros(now)]
    extra, more = _after(after)
    for commits, test in ((arrived_in, "IN"), (not_arrived_in, "NOT IN")):
        if commits is not None:
            extra += f' AND a."commit" {test} (SELECT value FROM json_each(?))'  # noqa: S608
            more.append(to_json(sorted(commits)))
    if rings_only:
        extra += " AND d.rings = 1"
    sql = f"{select(condition + extra)} LIMIT ?"
    return load_all(index, sql, [*values, *more, limit])


def waiting_count(index: Index, agent: str, now: datetime) -> int:
    """Return how many letters `pending` would list: the number every surface shows."""
    return _count(index, PENDING, [fold(agent), to_micros(now)])


def queue(index: Index, agent: str, now: datetime) -> Queue:
    """Return how full the mailbox of `agent` is."""
    sql = f"SELECT count(d.expires), count(*) FROM deliveries AS d WHERE {PENDING}"  # noqa: S608
    expiring, unhandled = index.rows(sql, (fold(agent), to_micros(now)))[0]
    return Queue(expiring, unhandled)


def expired(
    index: Index,
    agent: str,
    now: datetime,
    *,
    after: Place | None = None,
    limit: int = 20,
    with_archived: bool = False,
) -> list[DeliveryRow]:
    """Return letters that lapsed unhandled, oldest first.

    Those in inbox/ only, unless `with_archived`: maintenance puts long-expired ones away.
    """
    condition, values = _lapsed(agent, now, after, with_archived)
    return load_all(index, f"{select(condition, source=_LAPSING)} LIMIT ?", [*values, limit])


def expired_count(
    index: Index,
    agent: str,
    now: datetime,
    *,
    after: Place | None = None,
    with_archived: bool = False,
) -> int:
    """Return how many letters `expired` would list without its limit."""
    return _count(index, *_lapsed(agent, now, after, with_archived), _LAPSING)


def inbox(
    index: Index,
    agent: str,
    *,
    unread_only: bool = False,
    urgent_only: bool = False,
    since: datetime | None = None,
    topic: str | None = None,
    limit: int = 20,
) -> Inbox:
    """Return the newest letters of a mailbox, handled and expired ones too (contract: fetch_inbox).

    `since` is strict; `topic` is compared without regard to case; urgent means importance high
    or urgent.
    """
    mine: list[object] = [fold(agent)]
    condition = "d.recipient_fold = ?" + (" AND d.read_at IS NULL" if unread_only else "")
    filters, more = _filters(urgent_only, since, topic)
    rows = load_all(
        index,
        f"{select(condition + filters, NEWEST_FIRST)} LIMIT ?",
        [*mine, *more, limit],
    )
    if not filters:
        letters, unread = mailbox_size(index, agent)
        return Inbox(tuple(rows), unread if unread_only else letters, unread)
    unread = _count(index, f"d.recipient_fold = ? AND d.read_at IS NULL{filters}", mine + more)
    total = unread if unread_only else _count(index, condition + filters, mine + more)
    return Inbox(tuple(rows), total, unread)


def mailbox_size(index: Index, agent: str) -> tuple[int, int]:
    """Return how many letters a mailbox holds, and how many of them are unread; never a scan."""
    sql = "SELECT letters, unread FROM mailboxes WHERE recipient_fold = ?"
    found = index.row(sql, (fold(agent),))
    return (0, 0) if found is None else (found[0], found[1])


def owners(index: Index) -> list[str]:
    """Return the (folded) names of all mailboxes that hold a letter, with or without a profile."""
    sql = "SELECT recipient_fold FROM mailboxes WHERE letters > 0 ORDER BY recipient_fold"
    return [row[0] for row in index.rows(sql)]


def removed(index: Index, agent: str, after: Place | None = None) -> list[tuple[str, datetime]]:
    """Return ids and dates of letters that once arrived for `agent` and are in no file any more.

    For the gaps that retention and redaction leave (contract: receive, continuity).
    """
    condition, more = _after(after)
    sql = f"""SELECT d.id, d.date FROM arrivals AS d
        WHERE d.recipient_fold = ? AND d.gone = 1{condition} ORDER BY d.date, d.id"""  # noqa: S608
    return [(row[0], from_micros(row[1])) for row in index.rows(sql, [fold(agent), *more])]


def _filters(
    urgent_only: bool, since: datetime | None, topic: str | None
) -> tuple[str, list[object]]:
    condition = " AND d.importance IN ('high', 'urgent')" if urgent_only else ""
    values: list[object] = []
    if since is not None:
        condition += " AND d.date > ?"
        values.append(to_micros(since))
    if topic is not None:
        condition += " AND d.topic_fold = ?"
        values.append(fold(topic))
    return condition, values


def _lapsed(
    agent: str, now: datetime, after: Place | None, with_archived: bool
) -> tuple[str, list[object]]:
    extra, more = _after(after)
    folders = "" if with_archived else " AND d.archived = 0"
    return _LAPSED + folders + extra, [fold(agent), to_micros(now), *more]


def _after(after: Place | None) -> tuple[str, list[object]]:
    return ("", []) if after is None else (_AFTER, [to_micros(after.date), after.id])


def _count(
    index: Index, condition: str, values: list[object], source: str = "deliveries AS d"
) -> int:
    sql = f"SELECT count(*) FROM {source} WHERE {condition}"  # noqa: S608
    return int(index.value(sql, values))
