"""`gitmail memory`: one note and its history."""

from __future__ import annotations

from collections.abc import Iterator

import click

from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command
from gitmail.cli.notes import note_shape
from gitmail.cli.output import Table
from gitmail.cli.shapes import SHORT_ID, short_time, time_shape
from gitmail.memory.history import Linked, NoteHistory, get_note


@gitmail_command("memory")
@click.argument("number", metavar="ID", type=int)
def command(app: App, number: int) -> None:
    """Print the note ID, what it replaced or was replaced by, and its history."""
    found = get_note(app.open(writes=False), number)
    if app.output.as_json:
        app.answer(_shape(found))
        return
    app.output.heading(f"#{number} {found.row.memory.title}")
    app.output.lines([*_head(found), ""])
    app.output.text(found.row.memory.text)
    app.output.lines([""])
    rows = [
        (event.commit[:SHORT_ID], short_time(event.when), event.author, event.what)
        for event in found.events
    ]
    app.output.table(Table(("commit", "date", "author", "what"), rows))


def _shape(found: NoteHistory) -> dict[str, object]:
    return {
        **note_shape(found.row.memory),
        "live": found.row.live,
        "path": found.row.path,
        "history": [
            {
                "what": event.what,
                "author": event.author,
                "date": time_shape(event.when),
                "commit": event.commit,
            }
            for event in found.events
        ],
    }


def _head(found: NoteHistory) -> Iterator[str]:
    memory = found.row.memory
    yield f"{'From:':<13}{memory.author}, {short_time(memory.created_at)}, {memory.source}"
    if memory.tags:
        yield f"{'Tags:':<13}{', '.join(memory.tags)}"
    for old in found.supersedes:
        yield f"{'Replaces:':<13}{_named(old)}"
    if found.superseded_by is not None:
        yield f"{'Replaced by:':<13}{_named(found.superseded_by)}"
    elif not found.row.live:
        yield f"{'Superseded:':<13}{short_time(memory.superseded_at)}"
    yield f"{'File:':<13}{found.row.path}"


def _named(one: Linked) -> str:
    return f"#{one.number} {'(forgotten)' if one.row is None else one.row.memory.title}"
