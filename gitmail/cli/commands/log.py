"""`gitmail log`: the store's history, readable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command
from gitmail.cli.output import Table
from gitmail.cli.shapes import short_time, time_shape
from gitmail.values.sentences import MESSAGE_ID, THREAD

if TYPE_CHECKING:
    from gitmail.git.history import LogEntry
    from gitmail.store.store import Store

_SHORT = 10
_MOST = 1000
"""How many commits of one conversation are looked at."""


@gitmail_command("log")
@click.option("--author", metavar="NAME", help="Only what this agent or person did.")
@click.option("--limit", type=click.IntRange(1, 100_000), default=20, show_default=True)
@click.option(
    "--with-code",
    "thread",
    metavar="THREAD",
    help="This conversation and the code commits that name it, oldest first.",
)
def command(app: App, author: str | None, limit: int, thread: str | None) -> None:
    """Print what happened in the store, newest first."""
    from gitmail.git.history import log

    store = app.open(writes=False)
    if thread is not None:
        _with_code(app, store, thread, limit)
        return
    entries = log(store.git_dir, limit, author=author)
    if app.output.as_json:
        app.answer({"commits": [_shape(one) for one in entries]})
        return
    rows = [(one.sha[:_SHORT], short_time(one.when), one.author, one.subject) for one in entries]
    app.output.table(Table(("commit", "date", "author", "what"), rows))


def _with_code(app: App, store: Store, thread: str, limit: int) -> None:
    """Print the mail of a conversation and the code's commits that name it, in order of time."""
    from gitmail.git.code_log import commits_of_thread
    from gitmail.git.history import log

    mail = [one for one in log(store.git_dir, _MOST, grep=thread) if _is_about(one, thread)]
    code = commits_of_thread(app.place.project.common_dir, thread, limit)
    marked = [("mail", one) for one in mail[:limit]] + [("code", one) for one in code]
    ordered = sorted(marked, key=lambda pair: pair[1].when)[-limit:]
    if app.output.as_json:
        app.answer({"commits": [_shape(one) | {"where": where} for where, one in ordered]})
    elif ordered:
        rows = [
            (one.sha[:_SHORT], short_time(one.when), where, one.author, one.subject)
            for where, one in ordered
        ]
        app.output.table(Table(("commit", "date", "", "author", "what"), rows))
    else:
        app.answer({}, ["Neither mail nor code names this conversation."])


def _is_about(one: LogEntry, thread: str) -> bool:
    """Whether a commit of the store belongs to the conversation, or carries its first letter."""
    return any(thread in one.trailers.get(key, ()) for key in (THREAD, MESSAGE_ID))


def _shape(one: LogEntry) -> dict[str, Any]:
    return {
        "commit": one.sha,
        "author": one.author,
        "date": time_shape(one.when),
        "subject": one.subject,
        "trailers": dict(one.trailers),
    }
