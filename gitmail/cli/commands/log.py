"""`gitmail log`: the store's history, readable."""

from __future__ import annotations

import click

from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command
from gitmail.cli.output import Table
from gitmail.cli.shapes import short_time, time_shape

_SHORT = 10


@gitmail_command("log")
@click.option("--author", metavar="NAME", help="Only what this agent or person did.")
@click.option("--limit", type=click.IntRange(1, 100_000), default=20, show_default=True)
def command(app: App, author: str | None, limit: int) -> None:
    """Print what happened in the store, newest first."""
    from gitmail.git.history import log

    store = app.open(writes=False)
    entries = log(store.git_dir, limit, author=author)
    if app.output.as_json:
        shapes = [
            {
                "commit": one.sha,
                "author": one.author,
                "date": time_shape(one.when),
                "subject": one.subject,
                "trailers": dict(one.trailers),
            }
            for one in entries
        ]
        app.answer({"commits": shapes})
        return
    rows = [(one.sha[:_SHORT], short_time(one.when), one.author, one.subject) for one in entries]
    app.output.table(Table(("commit", "date", "author", "what"), rows))
