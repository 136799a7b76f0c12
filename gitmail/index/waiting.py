"""What waits in a mailbox, as little of it as a hint needs; light enough for a host's hook.

The condition is the one that `gitmail.index.mailbox.pending` and every count are made of, so that
no two surfaces can disagree (contract: one mailbox, pending).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gitmail.values.names import fold

if TYPE_CHECKING:
    from gitmail.index.index import Index

PENDING = (
    "d.recipient_fold = ? AND d.handled = 0 AND d.archived = 0"
    " AND (d.expires IS NULL OR d.expires > ?)"
)
"""Needs the folded name and the time in whole microseconds since 1970."""


class WaitingRow(NamedTuple):
    """A pending letter: `seen` once its owner was shown it or read it; `rings` for a ring.

    `wake` is the header's wake decision as JSON.
    """

    id: str
    sender: str
    subject: str
    urgent: bool
    seen: bool
    rings: bool
    wake: str


def waiting_rows(index: Index, agent: str, now: int) -> list[WaitingRow]:
    """Return all that waits for `agent` at `now` (microseconds since 1970), oldest first."""
    sql = f"""SELECT d.id, d.sender, d.subject, d.importance = 'urgent',
            d.first_read_at IS NOT NULL OR d.read_at IS NOT NULL, d.rings, d.wake
        FROM deliveries AS d WHERE {PENDING}
        ORDER BY d.date, d.id, d.recipient_fold, d.path"""  # noqa: S608
    found = index.rows(sql, (fold(agent), now))
    return [
        WaitingRow(one, sender, subject, bool(urgent), bool(seen), bool(rings), wake)
        for one, sender, subject, urgent, seen, rings, wake in found
    ]
