"""send_message and reply_message (contract: fetch_inbox, the family)."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from gitmail.mail.reading import one_letter
from gitmail.mail.send import Outgoing, reply_letter, send_letter
from gitmail_server.access import acting_as
from gitmail_server.projects import check_project
from gitmail_server.session import Session
from gitmail_server.shared_arguments import WITH_TOKEN, Names, ProjectArguments
from gitmail_server.tool import Hints, Tool
from gitmail_server.tools import family_words as words

_REQUEST = "your own key for this send; the identical send again is safe"
_WHOM = "one agent name or several"


class _Common(ProjectArguments):
    sender_name: str
    body_md: str = Field(description="Markdown, up to 262144 bytes")
    importance: str = Field("normal", description="low, normal, high or urgent (rings)")
    ack_required: bool = False
    request_id: str | None = Field(None, description=_REQUEST)
    sender_token: str | None = Field(None, description=WITH_TOKEN)


class SendArguments(_Common):
    """The arguments of send_message."""

    to: Names = Field(description=_WHOM)
    subject: str = Field(description="one line, up to 200 characters")
    cc: Names = Field([], description=_WHOM)
    bcc: Names = Field([], description="named to nobody but you and each of them")
    thread_id: str | None = None
    topic: str | None = None


class ReplyArguments(_Common):
    """The arguments of reply_message."""

    message_id: str = Field(description="id or 8+ hex prefix of the letter you answer")
    to: Names = Field([], description="default: its sender")
    cc: Names = Field([], description=_WHOM)
    bcc: Names = Field([], description="named to nobody but you and each of them")
    subject: str | None = Field(None, description="default: Re: and its subject")
    topic: str | None = None


def _send(session: Session, given: SendArguments) -> dict[str, Any]:
    check_project(session, given.project_key)
    caller = acting_as(session, given.sender_name, given.sender_token)
    outgoing = Outgoing(
        to=tuple(given.to),
        subject=given.subject,
        text=given.body_md,
        cc=tuple(given.cc),
        bcc=tuple(given.bcc),
        importance=given.importance,
        ack_required=given.ack_required,
        thread=given.thread_id,
        topic=given.topic,
        request_id=given.request_id,
    )
    return words.sent(send_letter(session.store, caller, outgoing))


def _reply(session: Session, given: ReplyArguments) -> dict[str, Any]:
    check_project(session, given.project_key)
    caller = acting_as(session, given.sender_name, given.sender_token)
    one_letter(session.store, caller.name, given.message_id)
    answer = reply_letter(
        session.store,
        caller,
        given.message_id,
        given.body_md,
        to=tuple(given.to) or None,
        cc=tuple(given.cc) or None,
        bcc=tuple(given.bcc) or None,
        subject=given.subject,
        importance=given.importance,
        ack_required=given.ack_required,
        topic=given.topic,
        request_id=given.request_id,
    )
    return words.sent(answer)


_OUTPUT = words.required(
    "id",
    "count",
    "deliveries",
    id={"type": "string"},
    count={"type": "integer"},
    thread_id=words.MAYBE,
    deliveries=words.OBJECTS,
)

SEND = Tool(
    name="send_message",
    title="Send a letter",
    description="Send a letter to agents by name; all of them or, if one name is unknown, none. "
    "It does not expire. An urgent letter rings; deliveries tell how each recipient is woken, "
    "and sending again does not wake anybody.",
    arguments=SendArguments,
    handler=_send,
    output=_OUTPUT,
    hints=Hints(open_world=True),
)

REPLY = Tool(
    name="reply_message",
    title="Answer a letter",
    description="Answer a letter in its thread, to its sender unless `to` says otherwise.",
    arguments=ReplyArguments,
    handler=_reply,
    output=_OUTPUT,
    hints=Hints(open_world=True),
)
