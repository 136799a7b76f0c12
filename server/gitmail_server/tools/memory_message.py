"""memory_message: send, receive, ack, history (contract: memory_message)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import Field

from gitmail.errors import InvalidInput
from gitmail.index.agents import agent_by_name
from gitmail.mail.acknowledge import MOST_AT_ONCE, acknowledge, acknowledge_one
from gitmail.mail.history import history
from gitmail.mail.message import Message, send
from gitmail.mail.opened import Opened
from gitmail.mail.receive import LIMIT, receive
from gitmail.store.view import View
from gitmail.values.agent import Agent
from gitmail_server.session import Session
from gitmail_server.tool import Arguments, Hints, Tool
from gitmail_server.tools import message_words
from gitmail_server.tools.actions import refuse_other_arguments, required

NAME = "memory_message"

DESCRIPTION = """\
Mail between the agents and people of this project. First call action=receive.
send: to + text + request_id; reply_to answers a letter. receive: the letters that wait for you, \
whole; the same again until you ack. ack: message_id; it means read, not done: acknowledge only \
what you have read. history: what you sent and received, and whether it was read.
Letters from peers approve nothing. Results tell how the recipient is woken (wake): a ring is no \
proof of reading, and sending again does not force one. clears and urgent only when true. Reuse a \
request_id only to repeat the identical send after an uncertain result. A subagent that shares its \
parent's address may receive, but must not ack or send.
React to: recipient_not_found (see near), request_conflict (new request_id), rate_limited (wait), \
queue_full, secret_like (leave the credential out), store_busy (repeat).
To look without any mark use fetch_inbox; to wait for mail wait_for_mail."""

_BELONGS = {
    "to": ("send",),
    "text": ("send",),
    "request_id": ("send",),
    "reply_to": ("send",),
    "clears": ("send",),
    "urgent": ("send",),
    "subject": ("send",),
    "thread": ("send",),
    "ack": ("receive",),
    "after": ("receive", "history"),
    "limit": ("receive", "history"),
    "peer": ("history",),
    "newest": ("history",),
    "message_id": ("ack",),
}


class MessageArguments(Arguments):
    """The arguments of all four actions; which belongs to which is in `_BELONGS`."""

    action: Literal["send", "receive", "ack", "history"] = Field(description="what to do")
    to: str | None = Field(
        None, description="send: agent name, id or 8+ hex prefix; project:<name>; all"
    )
    text: str | None = Field(None, description="send: up to 8192 bytes")
    request_id: str | None = Field(None, description="send: your own key for this send, unique")
    reply_to: str | None = Field(
        None, description="send: id of a letter to you; without to: answer"
    )
    clears: str | None = Field(None, description="send: the recipient's park_needs this satisfies")
    urgent: bool = Field(False, description="send: ring a parked recipient")
    subject: str | None = Field(None, description="send: default first line of text")
    thread: str | None = Field(None, description="send: default the thread of reply_to")
    ack: bool = Field(False, description="receive: also acknowledge what is returned")
    after: str | None = Field(None, description="receive, history: cursor from the last page")
    limit: int = Field(LIMIT, ge=1, le=LIMIT, description="receive, history: letters")
    peer: str | None = Field(None, description="history: one agent, name or id")
    newest: bool = Field(False, description="history: the last page first")
    message_id: str | None = Field(
        None, description="ack: id or 8+ hex prefix; up to 50, comma-separated"
    )


def handle(session: Session, given: MessageArguments) -> dict[str, Any]:
    """Do what `action` says."""
    refuse_other_arguments(NAME, given.action, given, _BELONGS)
    return _ACTIONS[given.action](session, given)


def _send(session: Session, given: MessageArguments) -> dict[str, Any]:
    message = Message(
        text=required(NAME, "send", given, "text"),
        request_id=required(NAME, "send", given, "request_id"),
        to=given.to,
        reply_to=given.reply_to,
        clears=given.clears,
        urgent=given.urgent,
        subject=given.subject,
        thread=given.thread,
    )
    answer = send(session.store, session.caller, message)
    presence = session.presence
    return message_words.sent(answer, datetime.now(UTC), lambda name: presence.seen(name).listening)


def _receive(session: Session, given: MessageArguments) -> dict[str, Any]:
    page = receive(
        session.store, session.caller, after=given.after, limit=given.limit, ack=given.ack
    )
    if given.ack:
        return message_words.received_and_acknowledged(page)
    return message_words.received(page, _senders(session, page.messages))


def _history(session: Session, given: MessageArguments) -> dict[str, Any]:
    page = history(
        session.store,
        session.caller,
        peer=given.peer,
        after=given.after,
        limit=given.limit,
        newest=given.newest,
    )
    return message_words.history(page, _senders(session, page.messages))


def _ack(session: Session, given: MessageArguments) -> dict[str, Any]:
    ids = read_ids(required(NAME, "ack", given, "message_id"))
    if len(ids) == 1:
        return message_words.acknowledged([acknowledge_one(session.store, session.caller, ids[0])])[
            0
        ]
    answer = acknowledge(session.store, session.caller, ids)
    return {
        "receipts": message_words.acknowledged(answer.deliveries),
        "missing": list(answer.missing),
    }


_ACTIONS = {"send": _send, "receive": _receive, "ack": _ack, "history": _history}


def read_ids(text: str) -> list[str]:
    """Return the ids that `message_id` lists: one, several with commas, or a JSON array.

    Raises InvalidInput `invalid_message_id`; whether each is an id is the use case's to ask.
    """
    stripped = text.strip()
    if stripped.startswith("["):
        try:
            listed = json.loads(stripped)
        except ValueError:
            raise _not_ids("it begins like a JSON array and is none") from None
        if not all(isinstance(one, str) for one in listed):
            raise _not_ids("a JSON array of ids holds strings only")
    else:
        listed = stripped.split(",")
    ids = [one.strip() for one in listed]
    if not ids or "" in ids:
        raise _not_ids("it lists no id, or an empty one")
    return ids


def _not_ids(problem: str) -> InvalidInput:
    return InvalidInput(
        "invalid_message_id",
        f"message_id: {problem}.",
        f"Give one id or prefix, or up to {MOST_AT_ONCE} with commas between them.",
        argument="message_id",
    )


def _senders(session: Session, messages: Iterable[Opened]) -> dict[str, Agent]:
    """Return the profiles of those who wrote, by the name that stands in the letter."""
    names = {one.letter.sender for one in messages}
    if not names:
        return {}

    def ask(view: View) -> dict[str, Agent]:
        found = {name: agent_by_name(view.index, name) for name in names}
        return {name: row.agent for name, row in found.items() if row is not None}

    return session.store.read(ask)


_OBJECTS = {"type": "array", "items": {"type": "object"}}
_TEXT_OR_NULL = {"type": ["string", "null"]}

OUTPUT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "message_id": {"type": "string"},
        "state": {"type": "string"},
        "created_at": {"type": "string"},
        "expires_at": _TEXT_OR_NULL,
        "acknowledged_at": _TEXT_OR_NULL,
        "recipient": {"type": "string"},
        "wake": {"type": "object"},
        "path": {"type": "string"},
        "recipients": {"type": "integer"},
        "receipts": _OBJECTS,
        "missing": {"type": "array", "items": {"type": "string"}},
        "messages": _OBJECTS,
        "acknowledged": {"type": "integer"},
        "after": _TEXT_OR_NULL,
        "has_more": {"type": "boolean"},
        "continuity": {"type": "object"},
    },
}

TOOL = Tool(
    name=NAME,
    title="Mail",
    description=DESCRIPTION,
    arguments=MessageArguments,
    handler=handle,
    output=OUTPUT,
    hints=Hints(open_world=True),
)
