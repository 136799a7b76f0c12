"""Delivering a letter: one file for each recipient, one id, one commit; both vocabularies' core.

What differs between them (who may be addressed how, what a repeat of a request is) is settled by
the caller before; here the limits are kept, the wake decision is taken, and the commit is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from gitmail.board.caller import Acting
from gitmail.board.presence import Presence, Seen
from gitmail.format.letters import letter_to_bytes
from gitmail.index.letters import newest_date, requests_since
from gitmail.index.mailbox import queue
from gitmail.mail.waking import wake_decisions
from gitmail.store.change import Change
from gitmail.store.view import View
from gitmail.values import sentences
from gitmail.values.agent import Agent
from gitmail.values.ids import new_id
from gitmail.values.letter import Letter
from gitmail.values.limits import RATE_WINDOW, MailboxLoad, SendLimits, check_mailboxes, check_rate
from gitmail.values.paths import archive_path, inbox_path, keep_path, letter_file_name
from gitmail.values.receipt import WakeDecision
from gitmail.values.recipients import check_contact
from gitmail.values.times import after

KINDS_ORDER = ("to", "cc", "bcc")


@dataclass(frozen=True, slots=True)
class Addressee:
    """One recipient and the line it stands in: to, cc or bcc."""

    agent: Agent
    kind: str = "to"


@dataclass(frozen=True, slots=True)
class Draft:
    """Everything about a letter that its sender decides; recipients are resolved already.

    `expires` says whether the letter expires after the store's `pending_ttl`; `asks_contact` that
    it is the request for contact itself, which only `block_all` keeps out.
    """

    id: str
    subject: str
    text: str
    addressees: Sequence[Addressee]
    thread: str | None = None
    topic: str | None = None
    reply_to: str | None = None
    importance: str = "normal"
    ack_required: bool = False
    expires: bool = False
    clears: str | None = None
    origin: str = "agent"
    request_id: str | None = None
    request: str | None = None
    asks_contact: bool = False


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a sender learns about one copy: to whom, the wake decision, who was there."""

    recipient: Agent
    kind: str
    letter: Letter
    wake: WakeDecision | None
    attached: bool
    acknowledged_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Sent:
    """The answer of a send; `repeated` for the second time of the same request.

    `letter` is the letter as everyone may see it; `receipts` are in recipient order. `to` is what
    was asked for in a fan-out (`all`, `project:<name>`), None otherwise.
    """

    letter: Letter
    receipts: tuple[Receipt, ...]
    to: str | None = None
    repeated: bool = False


def delivery_change(
    view: View, presence: Presence, acting: Acting, draft: Draft, to: str | None = None
) -> Change[Sent]:
    """Return the commit that delivers `draft`.

    Raises Refused `recipient_blocked`, `rate_limited`, `queue_full`; all or nothing.
    """
    _check_limits(view, acting.agent, draft)
    letter = _with_free_name(view, _letter(view, acting.agent, draft), draft.addressees)
    decisions = wake_decisions(
        view,
        presence,
        acting.agent,
        [one.agent for one in draft.addressees],
        origin=draft.origin,
        urgent=draft.importance == "urgent",
        clears=draft.clears,
    )
    files = dict(acting.files)
    receipts = []
    for addressee, (wake, seen) in zip(draft.addressees, decisions, strict=True):
        copy = replace(letter, kind=addressee.kind, wake=wake.to_header())
        path = inbox_path(addressee.agent.name, letter_file_name(letter))
        files[path] = letter_to_bytes(copy)
        files.update(_mailbox(view, addressee.agent))
        receipts.append(_receipt(addressee, copy, wake, seen))
    return Change(files, sentences.mail(letter), Sent(letter, tuple(receipts), to), acting.author)


def _check_limits(view: View, sender: Agent, draft: Draft) -> None:
    for one in draft.addressees:
        if not (draft.asks_contact and one.agent.contact_policy == "contacts_only"):
            check_contact(one.agent, sender)
    configured = view.config.limits
    limits = SendLimits(
        requests_per_minute=configured.requests_per_minute,
        pending_per_mailbox=configured.pending_per_mailbox,
        unhandled_per_mailbox=configured.unhandled_per_mailbox,
        fanout=configured.fanout,
    )
    if limits.requests_per_minute:
        recent = requests_since(view.index, sender.name, view.now - RATE_WINDOW)
        if recent.count >= limits.requests_per_minute and recent.oldest is not None:
            check_rate(sender.name, [recent.oldest] * recent.count, view.now, limits)
    loads = []
    for one in draft.addressees:
        found = queue(view.index, one.agent.name, view.now)
        loads.append(MailboxLoad(one.agent.name, found.expiring, found.unhandled))
    check_mailboxes(loads, _expiry(view, draft) is not None, limits)


def _letter(view: View, sender: Agent, draft: Draft) -> Letter:
    visible = {kind: _names(draft.addressees, kind) for kind in ("to", "cc")}
    date = after(newest_date(view.index), view.now)
    expiry = _expiry(view, draft)
    return Letter(
        id=draft.id,
        sender=sender.name,
        to=visible["to"],
        cc=visible["cc"],
        subject=draft.subject,
        date=date,
        text=draft.text,
        thread=draft.thread,
        topic=draft.topic,
        reply_to=draft.reply_to,
        importance=draft.importance,
        ack_required=draft.ack_required,
        expires=None if expiry is None else date + expiry,
        clears=draft.clears,
        origin=draft.origin,
        request_id=draft.request_id,
        request=draft.request,
    )


def _with_free_name(view: View, letter: Letter, addressees: Sequence[Addressee]) -> Letter:
    """Return the letter under an id whose file name none of its mailboxes has, waiting or handled.

    A name holds the second, eight digits of the id and the subject: two letters may meet in it.
    """
    while True:
        file = letter_file_name(letter)
        names = [one.agent.name for one in addressees]
        paths = [inbox_path(name, file) for name in names]
        paths += [archive_path(name, letter.date, file) for name in names]
        if not view.index.blobs(paths):
            return letter
        letter = replace(letter, id=new_id())


def _expiry(view: View, draft: Draft) -> timedelta | None:
    seconds = view.config.pending_ttl
    return timedelta(seconds=seconds) if draft.expires and seconds is not None else None


def _names(addressees: Sequence[Addressee], kind: str) -> tuple[str, ...]:
    return tuple(one.agent.name for one in addressees if one.kind == kind)


def _mailbox(view: View, recipient: Agent) -> dict[str, bytes | None]:
    """Return the file that keeps an inbox in place, for one that lacks it."""
    keep = keep_path(recipient.name)
    return {} if view.index.blobs([keep]) else {keep: b""}


def _receipt(addressee: Addressee, copy: Letter, wake: WakeDecision, seen: Seen) -> Receipt:
    return Receipt(addressee.agent, addressee.kind, copy, wake, seen.attached)
