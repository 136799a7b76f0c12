"""`gitmail remember`: store a note."""

from __future__ import annotations

import click

from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command
from gitmail.cli.notes import one_line
from gitmail.cli.texts import read_text
from gitmail.memory.storing import store_note
from gitmail.values.memory import SOURCE_NOTE, TEXT_LIMIT


@gitmail_command("remember")
@click.argument("text")
@click.option("--tag", "tags", multiple=True, metavar="WORD", help="A tag; repeatable.")
@click.option("--source", metavar="TEXT", default=SOURCE_NOTE, help="Where it comes from.")
@click.option("--title", metavar="TEXT", help="The title [the first sentence].")
def command(app: App, text: str, tags: tuple[str, ...], source: str, title: str | None) -> None:
    """Store TEXT as a note; - reads standard input."""
    text = read_text(text, TEXT_LIMIT)
    store = app.open(writes=True)
    done = store_note(store, app.caller(store), text, tags=tags, source=source, title=title)
    shape = {
        "stored": done.stored,
        "number": done.number,
        "title": done.title,
        "similar": [
            {"number": one.row.memory.number, "title": one.row.memory.title} for one in done.similar
        ],
        "commit": done.commit,
    }
    what = "stored" if done.stored else "known already:"
    lines = [f"{what} #{done.number} {done.title}"]
    lines += [
        f"looks like #{one.row.memory.number}: {one_line(one.row.memory)}" for one in done.similar
    ]
    app.answer(shape, lines)
