"""The digest of what a send asked for, by which the identical send is known again.

A letter keeps its sender's `request_id` and this digest; the same request_id with the same digest
is the same request, with another it is a conflict (contract: send, idempotency). The digest is over
canonical JSON, in which no two different requests share an encoding: field boundaries, missing
values, booleans and numbers stay apart.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence

from gitmail.errors import Refused

Asked = str | bool | int | None | Sequence[str]

_FORM = "gitmail request 1"


def request_digest(kind: str, asked: Mapping[str, Asked]) -> str:
    """Return 64 hex digits for one kind of send and its arguments, however they are ordered.

    An argument of None was not given and leaves no trace; so must one that holds its default (the
    callers below see to it).
    """
    given = {name: value for name, value in asked.items() if value is not None}
    fields = {name: list(v) if isinstance(v, (list, tuple)) else v for name, v in given.items()}
    encoded = json.dumps(
        [_FORM, kind, fields], ensure_ascii=True, sort_keys=True, separators=(",", ":")
    )
    return hashlib.sha256(encoded.encode("ascii")).hexdigest()


def send_digest(
    to: str,
    text: str,
    *,
    fanout: bool = False,
    reply_to: str | None = None,
    clears: str | None = None,
    urgent: bool = False,
    subject: str | None = None,
    thread: str | None = None,
) -> str:
    """Return the digest of memory_message's send.

    For one recipient `to` is the id of the agent it resolved to, so that a name and a prefix of the
    same agent are the same request; for a fan-out (`fanout`) it is `to` as asked. `reply_to` is the
    full id of the letter.
    """
    kind = "memory_message fanout" if fanout else "memory_message"
    asked: dict[str, Asked] = {"to": to, "text": text, "reply_to": reply_to, "clears": clears}
    asked |= {"urgent": urgent or None, "subject": subject, "thread": thread}
    return request_digest(kind, asked)


def letter_digest(
    to: Sequence[str],
    subject: str,
    text: str,
    *,
    cc: Sequence[str] = (),
    bcc: Sequence[str] = (),
    importance: str = "normal",
    ack_required: bool = False,
    thread: str | None = None,
    topic: str | None = None,
    reply_to: str | None = None,
) -> str:
    """Return the digest of send_message and reply_message; recipients are agents' ids.

    The order in which recipients of one kind are named makes no difference, nor does naming one
    twice: the letter would be the same.
    """
    asked: dict[str, Asked] = {"to": _named(to), "cc": _named(cc), "bcc": _named(bcc)}
    asked |= {"subject": subject, "text": text, "importance": importance}
    asked |= {"ack_required": ack_required or None, "thread": thread, "topic": topic}
    return request_digest("send_message", asked | {"reply_to": reply_to})


def check_repeat(request_id: str, first: str, again: str) -> None:
    """Refuse another request under a used request_id: Refused `request_conflict`.

    `first` is the digest stored with the letter of that request_id, `again` that of this call.
    """
    if first == again:
        return
    raise Refused(
        "request_conflict",
        f"request_id {request_id!r} was used for a different send.",
        "Use a new request_id; repeat one only for the identical send after an uncertain result.",
        request_id=request_id,
    )


def _named(recipients: Sequence[str]) -> list[str] | None:
    return sorted(set(recipients)) or None
