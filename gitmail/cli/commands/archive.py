"""`gitmail archive`: put away what waits in a mailbox that nobody reads."""

from __future__ import annotations

from datetime import timedelta

import click

from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command
from gitmail.mail.maintenance import archive_older
from gitmail.values.times import parse_duration


@gitmail_command("archive")
@click.argument("agent", required=False)
@click.option("--older-than", required=True, metavar="SPAN", help="For instance 7d or 12h.")
def command(app: App, agent: str | None, older_than: str) -> int:
    """Put away what waits for AGENT [you] and is older than a span, as it is.

    Nothing is marked read. The mailbox's owner may do this, and a maintainer.
    """
    age = timedelta(seconds=parse_duration(older_than, "older_than"))
    store = app.open(writes=True)
    caller = app.caller(store)
    owner = agent or caller.name
    count = archive_older(store, caller, owner, age)
    letters = "1 letter" if count == 1 else f"{count} letters"
    app.answer({"agent": owner, "archived": count}, [f"put away {letters} of {owner}"])
    return 0
