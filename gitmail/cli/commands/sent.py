"""`gitmail sent`: what was sent, and what became of each copy."""

from __future__ import annotations

import click

from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command
from gitmail.cli.shapes import SHORT_ID, letter_shape, receipt_shape, receipt_words, short_time
from gitmail.mail.inbox import sent_letters


@gitmail_command("sent")
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True)
def command(app: App, limit: int) -> None:
    """List the letters you sent, newest first, with who read and acknowledged them when."""
    store = app.open(writes=False)
    name = app.name(store)
    found = sent_letters(store, name, limit)
    now = store.clock()
    if app.output.as_json:
        shapes = [
            letter_shape(one.letter)
            | {"receipts": [receipt_shape(copy, now) for copy in one.deliveries]}
            for one in found
        ]
        app.answer({"agent": name, "letters": shapes})
        return
    if not found:
        app.output.heading(f"{name} has sent no letters")
    for one in found:
        letter = one.letter
        app.output.heading(f"{letter.id[:SHORT_ID]}  {short_time(letter.date)}  {letter.subject}")
        app.output.lines(
            f"    {copy.delivery.recipient}: {receipt_words(copy)}" for copy in one.deliveries
        )
