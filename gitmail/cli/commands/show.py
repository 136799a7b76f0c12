"""`gitmail show`: a letter's text and its receipts, marking nothing."""

from __future__ import annotations

import click

from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command
from gitmail.cli.letter_view import copies, letter_shape_of, print_letter, print_receipts
from gitmail.mail.inbox import show_letter


@gitmail_command("show")
@click.argument("message_id", metavar="ID")
def command(app: App, message_id: str) -> None:
    """Print the letter ID, and who read and acknowledged it when. Never marks it."""
    store = app.open(writes=False)
    name = app.name(store)
    opened = show_letter(store, message_id, name)
    receipts = copies(store, opened, name)
    if app.output.as_json:
        app.answer(letter_shape_of(opened, receipts, store.clock()))
        return
    print_letter(app, opened)
    print_receipts(app, receipts)
