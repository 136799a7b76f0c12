"""The results of the second vocabulary in its own words (contract: fetch_inbox, the family)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from gitmail.board.presence import Presence
from gitmail.index.rows import DeliveryRow, LetterRow
from gitmail.mail.deliver import Sent
from gitmail.mail.reading import Page
from gitmail.values.agent import Agent
from gitmail.values.letter import Letter
from gitmail.values.names import fold
from gitmail.values.times import format_time

OBJECTS: dict[str, Any] = {"type": "array", "items": {"type": "object"}}
STRINGS: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
MAYBE: dict[str, Any] = {"type": ["string", "null"]}


def moment(when: datetime | None) -> str | None:
    """Return a time as the contracts write it, None for none."""
    return None if when is None else format_time(when)


def agent(one: Agent, presence: Presence) -> dict[str, Any]:
    """Return a profile and whether a process of the agent lives now."""
    seen = presence.seen(one.name)
    shown = profile(one) | {"attached": seen.attached}
    if seen.last_action is not None:
        shown["last_active_ts"] = format_time(seen.last_action)
    return shown


def profile(one: Agent) -> dict[str, Any]:
    """Return what is committed of an agent; what it does not say is left out."""
    said = {
        "name": one.name,
        "id": one.id,
        "program": one.program,
        "model": one.model,
        "task_description": one.task,
        "status": one.status,
        "project": one.project,
        "person": one.person or None,
        "registered_ts": format_time(one.registered_at),
        "contact_policy": one.contact_policy or "open",
        "retired_ts": moment(one.retired_at),
    }
    return {key: value for key, value in said.items() if value is not None}


def letter(one: Letter) -> dict[str, Any]:
    """Return a letter's header as everybody may see it."""
    said: dict[str, Any] = {
        "id": one.id,
        "subject": one.subject,
        "from": one.sender,
        "to": list(one.to),
        "created_ts": format_time(one.date),
        "importance": one.importance,
        "ack_required": one.ack_required,
    }
    more = {
        "cc": list(one.cc),
        "thread_id": one.thread,
        "topic": one.topic,
        "reply_to": one.reply_to,
    }
    return said | {key: value for key, value in more.items() if value}


def letter_row(row: LetterRow, reader: str) -> dict[str, Any]:
    """Return a letter as `reader` may see it: with the receipts, and the reader's own kind."""
    shown = letter(row.letter)
    for copy in row.deliveries:
        if fold(copy.delivery.recipient) == fold(reader):
            shown["kind"] = copy.letter.kind
    shown["receipts"] = [_receipt(copy) for copy in row.deliveries]
    return shown


def _receipt(copy: DeliveryRow) -> dict[str, Any]:
    marks = copy.delivery.marks
    return {
        "recipient": copy.delivery.recipient,
        "read_at": moment(marks.read_at),
        "acknowledged_at": moment(marks.acknowledged_at),
    }


def page(found: Page, reader: str) -> dict[str, Any]:
    """Return a page of letters, oldest first."""
    return {
        "result": [
            letter_row(row, reader) | _body(found.texts, row.letter.id) for row in found.letters
        ],
        "has_more": found.has_more,
        "next_since_ts": moment(found.next_since),
    }


def _body(texts: dict[str, str], letter_id: str) -> dict[str, Any]:
    return {"body_md": texts[letter_id]} if letter_id in texts else {}


def sent(answer: Sent) -> dict[str, Any]:
    """Return what a sender learns: one delivery for each copy."""
    deliveries = [
        {
            "recipient": one.recipient.name,
            "kind": one.kind,
            "id": one.letter.id,
            "wake": one.wake.to_result() if one.wake is not None else {},
        }
        for one in answer.receipts
    ]
    return {
        "id": answer.letter.id,
        "count": len(deliveries),
        "thread_id": answer.letter.thread,
        "deliveries": deliveries,
    }


def required(*names: str, **properties: Any) -> dict[str, Any]:
    """Return the schema of a result: these properties, of which `names` are always there."""
    return {"type": "object", "properties": properties, "required": list(names)}
