"""How much one sender may send and one mailbox may hold; pure, the numbers are counted elsewhere.

Counts come from the headers of letters, so they survive a lost index (contract: send). A limit of
0 means none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from gitmail.errors import Refused

LETTER_TEXT_LIMIT = 262_144
"""Most bytes of a letter's text, in UTF-8 (contract: one mailbox, shapes)."""
RATE_WINDOW = timedelta(seconds=60)


@dataclass(frozen=True, slots=True)
class SendLimits:
    """The numbers of gitmail.toml that bound a send; 0 = no limit."""

    requests_per_minute: int = 60
    pending_per_mailbox: int = 256
    unhandled_per_mailbox: int = 1000
    fanout: int = 50


@dataclass(frozen=True, slots=True)
class MailboxLoad:
    """What already lies in one mailbox.

    `pending` counts the pending letters that expire, `unhandled` the unhandled, unexpired letters
    of any kind (so the first are among the second).
    """

    recipient: str
    pending: int
    unhandled: int


def check_rate(
    sender: str, sent: Sequence[datetime], now: datetime, limits: SendLimits = SendLimits()
) -> None:
    """Refuse a send that would be one too many within a minute.

    `sent` are the dates of the sender's letters of the last minute, one for each send (a fan-out
    counts once), in any order; older ones are ignored. Raises Refused `rate_limited` with
    `retry_after`, the whole seconds until the send would pass.
    """
    limit = limits.requests_per_minute
    recent = sorted(date for date in sent if now - date < RATE_WINDOW)
    if limit == 0 or len(recent) < limit:
        return
    wait = recent[-limit] + RATE_WINDOW - now
    seconds = max(1, math.ceil(wait.total_seconds()))
    raise Refused(
        "rate_limited",
        f"{sender} has sent {len(recent)} times within a minute; at most {limit} are allowed.",
        f"Wait {seconds} seconds, then send again with the same request_id.",
        retry_after=seconds,
        limit=limit,
        window_seconds=int(RATE_WINDOW.total_seconds()),
    )


def check_mailboxes(
    loads: Sequence[MailboxLoad], expires: bool, limits: SendLimits = SendLimits()
) -> None:
    """Refuse a send if one of its mailboxes is full; nothing is dropped to make room.

    `expires` tells whether the new letter expires: only such a letter counts against the pending
    limit. Raises Refused `queue_full` naming every full mailbox, which of the two limits it is at
    and the way out. All or nothing: one full mailbox refuses a whole fan-out.
    """
    full = [found for load in loads if (found := _full(load, expires, limits)) is not None]
    if not full:
        return
    first = full[0]
    raise Refused(
        "queue_full",
        f"The mailbox of {first['recipient']} is full: {first['count']} {first['queue']} letters, "
        f"at most {first['limit']}; nothing was sent.",
        "Wait until its owner has acknowledged some; for a mailbox that nobody reads its owner or "
        "a maintainer can run `gitmail archive --older-than`.",
        **first,
        full=full,
    )


def check_fanout(count: int, limits: SendLimits = SendLimits()) -> None:
    """Refuse a fan-out to more agents than allowed: Refused `fanout_too_large`, true `count`."""
    if limits.fanout == 0 or count <= limits.fanout:
        return
    raise Refused(
        "fanout_too_large",
        f"This would go to {count} agents; a fan-out reaches at most {limits.fanout}.",
        "Name one project with `project:<name>`, or send to the agents by name.",
        count=count,
        limit=limits.fanout,
    )


def _full(load: MailboxLoad, expires: bool, limits: SendLimits) -> dict[str, str | int] | None:
    """Return which limit `load` has reached, as facts, or None."""
    checks = [("unhandled", load.unhandled, limits.unhandled_per_mailbox)]
    if expires:
        checks.insert(0, ("pending", load.pending, limits.pending_per_mailbox))
    for queue, count, limit in checks:
        if limit and count >= limit:
            return {"recipient": load.recipient, "queue": queue, "count": count, "limit": limit}
    return None
