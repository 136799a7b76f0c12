"""`gitmail send`: a letter to one or more agents."""

from __future__ import annotations

import click

from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command
from gitmail.cli.sent_answer import answer_sent
from gitmail.cli.texts import read_text
from gitmail.mail.send import TEXT_LIMIT, Outgoing, send_letter
from gitmail.values.letter import IMPORTANCES
from gitmail.values.text import subject_from_text


@gitmail_command("send")
@click.argument("to", nargs=-1, required=True)
@click.option("-s", "--subject", metavar="TEXT", help="The subject [the text's first line].")
@click.option("-m", "--message", metavar="TEXT", help="The text; - reads standard input.")
@click.option("--cc", multiple=True, metavar="NAME", help="Send a copy to NAME; repeatable.")
@click.option("--thread", metavar="TEXT", help="The thread that the letter belongs to.")
@click.option("--topic", metavar="TEXT", help="A word that letters can be listed by.")
@click.option("--importance", type=click.Choice(IMPORTANCES), default="normal", show_default=True)
@click.option("--ack", is_flag=True, help="Ask the recipients to acknowledge it.")
@click.option("--reply-to", "reply_to", metavar="ID", help="The letter that this one answers.")
def command(
    app: App,
    to: tuple[str, ...],
    subject: str | None,
    message: str | None,
    cc: tuple[str, ...],
    thread: str | None,
    topic: str | None,
    importance: str,
    ack: bool,
    reply_to: str | None,
) -> None:
    """Send a letter TO one or more agents or people."""
    text = read_text(message, TEXT_LIMIT)
    store = app.open(writes=True)
    outgoing = Outgoing(
        to=to,
        subject=subject_from_text(text) if subject is None else subject,
        text=text,
        cc=cc,
        importance=importance,
        ack_required=ack,
        thread=thread,
        topic=topic,
        reply_to=reply_to,
    )
    answer_sent(app, send_letter(store, app.caller(store), outgoing))
