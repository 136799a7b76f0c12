"""Letters, deliveries and agents as --json shows them, and in the short forms for people.

The keys are those of the files' headers (docs/format.md); times are RFC 3339 in UTC.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from gitmail.index.rows import DeliveryRow
from gitmail.values.agent import Agent
from gitmail.values.letter import Letter
from gitmail.values.times import format_time

SHORT_ID = 8


def time_shape(moment: datetime | None) -> str | None:
    """Return a time as JSON holds it."""
    return None if moment is None else format_time(moment)


def short_time(moment: datetime | None) -> str:
    """Return a time for people, in UTC to the minute."""
    return "" if moment is None else moment.strftime("%Y-%m-%d %H:%M") + "Z"


def letter_shape(letter: Letter) -> dict[str, Any]:
    """Return what the sender wrote, without the text."""
    return {
        "id": letter.id,
        "from": letter.sender,
        "to": list(letter.to),
        "cc": list(letter.cc),
        "subject": letter.subject,
        "date": time_shape(letter.date),
        "thread": letter.thread,
        "topic": letter.topic,
        "reply_to": letter.reply_to,
        "importance": letter.importance,
        "ack_required": letter.ack_required,
        "expires": time_shape(letter.expires),
        "origin": letter.origin,
    }


def receipt_shape(row: DeliveryRow, now: datetime) -> dict[str, Any]:
    """Return one recipient's copy: what became of it, when, and where its file is."""
    marks = row.delivery.marks
    return {
        "recipient": row.delivery.recipient,
        "kind": row.letter.kind,
        "state": state_of(row, now),
        "first_read_at": time_shape(marks.first_read_at),
        "read_at": time_shape(marks.read_at),
        "acknowledged_at": time_shape(marks.acknowledged_at),
        "path": row.path,
    }


def delivery_shape(row: DeliveryRow, now: datetime) -> dict[str, Any]:
    """Return a letter together with the state of one copy."""
    return letter_shape(row.letter) | receipt_shape(row, now)


def state_of(row: DeliveryRow, now: datetime) -> str:
    """Return `waiting`, `expired` or `handled`."""
    if row.delivery.handled or row.archived:
        return "handled"
    return "expired" if row.delivery.expired(now) else "waiting"


def agent_shape(agent: Agent) -> dict[str, Any]:
    """Return an agent's profile."""
    return {
        "id": agent.id,
        "name": agent.name,
        "person": agent.person,
        "label": agent.label,
        "program": agent.program,
        "model": agent.model,
        "project": agent.project,
        "task": agent.task,
        "status": agent.status,
        "registered_at": time_shape(agent.registered_at),
        "retired_at": time_shape(agent.retired_at),
    }


def receipt_words(row: DeliveryRow) -> str:
    """Say what a recipient did with a copy so far."""
    marks = row.delivery.marks
    if marks.acknowledged_at is not None:
        return f"acknowledged {short_time(marks.acknowledged_at)}"
    if marks.read_at is not None:
        return f"read {short_time(marks.read_at)}"
    if marks.first_read_at is not None:
        return f"fetched {short_time(marks.first_read_at)}, not marked as read"
    return "not read yet"


def badges(row: DeliveryRow) -> str:
    """Return what is special about a letter in an inbox, in a word or two."""
    letter = row.letter
    words = [] if letter.importance == "normal" else [letter.importance]
    words += ["new"] if row.delivery.unread else []
    words += ["ack"] if letter.ack_required and row.delivery.marks.acknowledged_at is None else []
    return " ".join(words)
