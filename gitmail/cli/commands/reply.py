"""`gitmail reply`: answer a letter in its thread."""

from __future__ import annotations

import click

from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command
from gitmail.cli.sent_answer import answer_sent
from gitmail.cli.texts import read_text
from gitmail.mail.send import TEXT_LIMIT, reply_letter


@gitmail_command("reply")
@click.argument("message_id", metavar="ID")
@click.option("-m", "--message", metavar="TEXT", help="The text; - reads standard input.")
@click.option("--ack", is_flag=True, help="Ask the recipient to acknowledge it.")
def command(app: App, message_id: str, message: str | None, ack: bool) -> None:
    """Answer the letter ID, in its thread, to its sender."""
    text = read_text(message, TEXT_LIMIT)
    store = app.open(writes=True)
    sent = reply_letter(store, app.caller(store), message_id, text, ack_required=ack or None)
    answer_sent(app, sent)
