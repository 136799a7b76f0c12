"""Notes as --json shows them, and in the short forms for people.

The keys are those of the files' headers (docs/format.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gitmail.cli.app import App
from gitmail.cli.output import Table
from gitmail.cli.shapes import short_time, time_shape
from gitmail.memory.consolidating import Replaced
from gitmail.memory.searching import Hit
from gitmail.values.memory import Memory
from gitmail.values.text import shorten

PREVIEW = 100


def note_shape(memory: Memory) -> dict[str, Any]:
    """Return all of a note."""
    return {
        "number": memory.number,
        "title": memory.title,
        "text": memory.text,
        "author": memory.author,
        "source": memory.source,
        "tags": list(memory.tags),
        "created_at": time_shape(memory.created_at),
        "supersedes": list(memory.supersedes),
        "superseded_by": memory.superseded_by,
        "superseded_at": time_shape(memory.superseded_at),
    }


def answer_hits(app: App, hits: Sequence[Hit], nothing: str) -> None:
    """List notes: number, date, author, and what each says."""
    if app.output.as_json:
        app.answer({"memories": [note_shape(hit.row.memory) | _score(hit) for hit in hits]})
    elif hits:
        rows = [_row(hit) for hit in hits]
        app.output.table(Table(("note", "date", "author", "what"), rows))
    else:
        app.answer({}, [nothing])


def answer_replaced(app: App, done: Replaced) -> None:
    """Say what was replaced by what."""
    old = [memory.number for memory in done.superseded]
    shape = {
        "number": done.memory.number,
        "superseded": [note_shape(memory) for memory in done.superseded],
        "commit": done.commit,
    }
    names = " ".join(f"#{number}" for number in old)
    app.answer(shape, [f"note #{done.memory.number} replaces {names}: {done.memory.title}"])


def one_line(memory: Memory) -> str:
    """Return what a note says, on one line."""
    return shorten(" ".join(memory.text.split()), PREVIEW)


def _score(hit: Hit) -> dict[str, Any]:
    return {} if hit.score is None else {"score": hit.score}


def _row(hit: Hit) -> tuple[str, ...]:
    memory = hit.row.memory
    what = one_line(memory)
    if not hit.row.live:
        by = "" if memory.superseded_by is None else f" by #{memory.superseded_by}"
        what = f"(superseded{by}) {what}"
    return f"#{memory.number}", short_time(memory.created_at), memory.author, what
