"""The values of mail: a letter as sent, and one recipient's marks on it.

Names follow the header of the file (contracts: one mailbox under two vocabularies); only `from`
is called `sender` here, because `from` is a Python keyword.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

IMPORTANCES = ("low", "normal", "high", "urgent")
KINDS = ("to", "cc", "bcc")
ORIGINS = ("agent", "maintainer")


@dataclass(frozen=True, slots=True)
class Letter:
    """What the sender wrote; fixed for good once delivered. All times are aware UTC datetimes."""

    id: str
    sender: str
    to: tuple[str, ...]
    subject: str
    date: datetime
    text: str
    cc: tuple[str, ...] = ()
    kind: str = "to"
    thread: str | None = None
    topic: str | None = None
    reply_to: str | None = None
    importance: str = "normal"
    ack_required: bool = False
    expires: datetime | None = None
    clears: str | None = None
    origin: str = "agent"
    request_id: str | None = None
    request: str | None = None
    wake: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Marks:
    """What the owner of the mailbox did with a delivery; each is set once."""

    first_read_at: datetime | None = None
    read_at: datetime | None = None
    acknowledged_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Delivery:
    """One recipient's copy of a letter: the letter, the owner's marks, and where its file is."""

    letter: Letter
    recipient: str
    marks: Marks
    path: str

    @property
    def unread(self) -> bool:
        """True until the owner has read or acknowledged the letter."""
        return self.marks.read_at is None

    @property
    def handled(self) -> bool:
        """Acknowledged, or read where no acknowledgement was asked for: belongs in archive/."""
        if self.marks.acknowledged_at is not None:
            return True
        return self.marks.read_at is not None and not self.letter.ack_required

    def expired(self, now: datetime) -> bool:
        """True when the letter's own expiry has passed."""
        return self.letter.expires is not None and self.letter.expires <= now

    def pending(self, now: datetime) -> bool:
        """Not handled and not expired: what waits for the owner."""
        return not self.handled and not self.expired(now)
