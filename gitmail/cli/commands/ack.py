"""`gitmail ack`: acknowledge letters."""

from __future__ import annotations

import click

from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command
from gitmail.cli.shapes import SHORT_ID, time_shape
from gitmail.errors import NotFound
from gitmail.mail.acknowledge import Acknowledged, acknowledge


@gitmail_command("ack")
@click.argument("message_ids", metavar="ID...", nargs=-1, required=True)
def command(app: App, message_ids: tuple[str, ...]) -> int:
    """Acknowledge letters of your own mailbox: read, not done."""
    store = app.open(writes=True)
    done = acknowledge(store, app.caller(store), list(message_ids))
    if done.missing and not done.deliveries:
        raise _missing(done)
    lines = [
        f"acknowledged {one.letter.id[:SHORT_ID]} {one.letter.subject}" for one in done.deliveries
    ]
    app.answer(_shape(done), lines)
    if not done.missing:
        return 0
    if not app.output.as_json:
        app.output.failure(_missing(done), [])
    return 1


def _missing(done: Acknowledged) -> NotFound:
    ids = ", ".join(done.missing)
    return NotFound(
        "message_not_found",
        f"There is no letter {ids} in this mailbox.",
        "Only its recipient acknowledges a letter; `gitmail inbox` lists what waits.",
        missing=list(done.missing),
    )


def _shape(done: Acknowledged) -> dict[str, object]:
    return {
        "acknowledged": [
            {
                "id": one.letter.id,
                "subject": one.letter.subject,
                "read_at": time_shape(one.marks.read_at),
                "acknowledged_at": time_shape(one.marks.acknowledged_at),
            }
            for one in done.deliveries
        ],
        "missing": list(done.missing),
    }
