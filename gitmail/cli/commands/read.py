"""`gitmail read`: a letter's text; the owner's reading marks it as read."""

from __future__ import annotations

from dataclasses import replace

import click

from gitmail.board.caller import Caller
from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command
from gitmail.cli.letter_view import copies, letter_shape_of, print_letter
from gitmail.errors import GitmailError
from gitmail.mail.acknowledge import mark_read
from gitmail.mail.inbox import show_letter
from gitmail.mail.opened import Opened
from gitmail.store.store import Store
from gitmail.values.names import fold


@gitmail_command("read")
@click.argument("message_id", metavar="ID")
def command(app: App, message_id: str) -> None:
    """Print the letter ID. Reading a letter of your own mailbox marks it as read."""
    store = app.open(writes=False)
    name = app.name(store)
    opened = show_letter(store, message_id, name)
    if fold(opened.row.delivery.recipient) == fold(name) and opened.row.delivery.unread:
        opened = _marked(store, app.caller(store), opened)
    if app.output.as_json:
        receipts = copies(store, opened, name)
        app.answer(letter_shape_of(opened, receipts, store.clock()))
    else:
        print_letter(app, opened)


def _marked(store: Store, caller: Caller, opened: Opened) -> Opened:
    """Mark an own letter as read; where the store cannot be written it is shown all the same."""
    try:
        delivery = mark_read(store, caller, opened.letter.id)
    except GitmailError as error:
        store.notice("not_marked", f"the letter was not marked as read: {error.message}")
        return opened
    return replace(opened, row=opened.row._replace(delivery=delivery))
