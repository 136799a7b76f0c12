"""`gitmail undo`: take back one commit."""

from __future__ import annotations

import click

from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command
from gitmail.values.sentences import UNDOES


@gitmail_command("undo")
@click.argument("commit")
def command(app: App, commit: str) -> None:
    """Make the opposite of COMMIT, unless something it changed has changed again since."""
    from gitmail.store.undo import undo

    store = app.open(writes=True)
    caller = app.caller(store)
    who = store.committer if caller.person else caller.author
    done = undo(store, who, commit)
    shape = {UNDOES.lower(): done.result, "commit": done.commit}
    app.answer(shape, [f"undid {done.result[:10]}"])
