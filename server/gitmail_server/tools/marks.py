"""mark_message_read and acknowledge_message (contract: fetch_inbox, the family)."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from gitmail.mail.acknowledge import acknowledge_one, mark_read
from gitmail.values.letter import Delivery
from gitmail.values.times import format_time
from gitmail_server.access import acting_as
from gitmail_server.projects import check_project
from gitmail_server.session import Session
from gitmail_server.tool import Arguments, Hints, Tool


class MarkArguments(Arguments):
    """Which letter, in whose mailbox."""

    project_key: str = Field(description="absolute path inside the project, or its short name")
    agent_name: str = Field(description="whose mailbox")
    message_id: str = Field(description="id or 8+ hex prefix")
    registration_token: str | None = Field(None, description="when the mailbox is not your own")


def _read(session: Session, given: MarkArguments) -> dict[str, Any]:
    check_project(session, given.project_key)
    caller = acting_as(session, given.agent_name, given.registration_token)
    return _marks(mark_read(session.store, caller, given.message_id))


def _acknowledge(session: Session, given: MarkArguments) -> dict[str, Any]:
    check_project(session, given.project_key)
    caller = acting_as(session, given.agent_name, given.registration_token)
    return _marks(acknowledge_one(session.store, caller, given.message_id))


def _marks(delivery: Delivery) -> dict[str, Any]:
    marks = delivery.marks
    read_at, acknowledged_at = marks.read_at, marks.acknowledged_at
    return {
        "message_id": delivery.letter.id,
        "read_at": None if read_at is None else format_time(read_at),
        "acknowledged_at": None if acknowledged_at is None else format_time(acknowledged_at),
    }


_OUTPUT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "message_id": {"type": "string"},
        "read_at": {"type": ["string", "null"]},
        "acknowledged_at": {"type": ["string", "null"]},
    },
    "required": ["message_id"],
}

READ = Tool(
    name="mark_message_read",
    title="Mark a letter read",
    description="Mark one letter of your mailbox as read; the first time counts. A letter that "
    "asks for acknowledgement waits on until acknowledge_message.",
    arguments=MarkArguments,
    handler=_read,
    output=_OUTPUT,
    hints=Hints(idempotent=True),
)

ACKNOWLEDGE = Tool(
    name="acknowledge_message",
    title="Acknowledge a letter",
    description="Acknowledge one letter of your mailbox: read, not done. The sender can see it. "
    "For several at once: memory_message ack.",
    arguments=MarkArguments,
    handler=_acknowledge,
    output=_OUTPUT,
    hints=Hints(idempotent=True),
)
