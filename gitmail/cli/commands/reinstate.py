"""`gitmail reinstate`: a retired note live again."""

from __future__ import annotations

import click

from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command
from gitmail.cli.notes import note_shape
from gitmail.memory.forgetting import reinstate_note


@gitmail_command("reinstate")
@click.argument("number", metavar="ID", type=int)
def command(app: App, number: int) -> None:
    """Make the superseded note ID live again; what replaced it stays."""
    store = app.open(writes=True)
    done = reinstate_note(store, app.caller(store), number)
    memory = done.row.memory
    shape = {"reinstated": done.reinstated, "commit": done.commit, **note_shape(memory)}
    what = "is live again" if done.reinstated else "was live already"
    app.answer(shape, [f"#{number} {what}: {memory.title}"])
