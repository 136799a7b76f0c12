"""wait_for_mail: block until something comes (contract: wait_for_mail)."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from gitmail.mail.waiting import wait_for
from gitmail_server.session import Session
from gitmail_server.tool import Arguments, Hints, Tool

LONGEST = 50
"""Seconds; below the 60 after which hosts give up on a call."""

DESCRIPTION = """\
Block until a new letter comes for you, or the time is up; call it again to wait on. Tells who \
wrote, no texts: then memory_message receive. While it waits, senders see that you listen."""


class WaitArguments(Arguments):
    """The arguments of wait_for_mail; `for` is a word of Python's, so it has another name here."""

    timeout: int = Field(45, ge=1, le=LONGEST, description="seconds")
    for_: Literal["mail", "ring"] = Field(
        "mail", alias="for", description="mail: any new letter; ring: only one that rings you"
    )


def handle(session: Session, given: WaitArguments) -> dict[str, Any]:
    """Wait, unless the server is about to end."""
    woken = wait_for(
        session.store,
        session.caller,
        given.timeout,
        given.for_,
        key=session.desk.listener,
        notifier=session.notifier,
        stopped=lambda: session.stops.pause(0),
    )
    return {"woke": woken.woke, "from": list(woken.senders), "reason": woken.reason}


TOOL = Tool(
    name="wait_for_mail",
    title="Wait for mail",
    description=DESCRIPTION,
    arguments=WaitArguments,
    handler=handle,
    output={
        "type": "object",
        "properties": {
            "woke": {"type": "boolean"},
            "from": {"type": "array", "items": {"type": "string"}},
            "reason": {"type": "string"},
        },
        "required": ["woke"],
    },
    hints=Hints(read_only=True),
    waits=True,
)
