"""`gitmail consolidate`: one note in place of several; alone it shows what might be joined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command
from gitmail.cli.notes import answer_replaced, note_shape, one_line
from gitmail.cli.texts import read_text
from gitmail.memory.candidates import Candidate, consolidation_candidates
from gitmail.memory.consolidating import consolidate
from gitmail.values.memory import SOURCE_CONSOLIDATION, TEXT_LIMIT


@gitmail_command("consolidate")
@click.argument("numbers", metavar="[ID]...", nargs=-1, type=int)
@click.option("--into", metavar="TEXT", help="The one note that replaces them; - reads stdin.")
@click.option("--tag", "tags", multiple=True, metavar="WORD", help="A tag; repeatable.")
def command(app: App, numbers: tuple[int, ...], into: str | None, tags: tuple[str, ...]) -> None:
    """Replace the notes ID by one, in one commit; without ID, show notes that look alike."""
    if into is None:
        if numbers:
            raise click.UsageError("Say with --into TEXT what replaces them.")
        _show(app, consolidation_candidates(app.open(writes=False), tags=tags))
        return
    text = read_text(into, TEXT_LIMIT)
    store = app.open(writes=True)
    done = consolidate(
        store,
        app.caller(store),
        text,
        entry_ids=list(numbers),
        tags=tags,
        source=SOURCE_CONSOLIDATION,
    )
    answer_replaced(app, done)


def _show(app: App, found: Sequence[Candidate]) -> None:
    shape = {
        "clusters": [
            {
                "cohesion": one.cohesion,
                "members": [note_shape(row.memory) for row in one.members],
            }
            for one in found
        ]
    }
    app.answer(shape, _lines(found) if found else ["No live notes look alike."])


def _lines(found: Sequence[Candidate]) -> Iterator[str]:
    for one in found:
        numbers = " ".join(str(row.memory.number) for row in one.members)
        yield f"{one.cohesion:.2f}  {numbers}"
        for row in one.members:
            yield f"      #{row.memory.number} {one_line(row.memory)}"
