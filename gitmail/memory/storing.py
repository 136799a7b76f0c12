"""Storing a note (contract: memory_consolidate, the family)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from gitmail.board.caller import Caller
from gitmail.index.memories import memories_with_text, memory
from gitmail.index.memory_search import memories_like
from gitmail.index.rows import MemoryRow
from gitmail.memory.similarity import similar
from gitmail.memory.writing import check_new_note, note_file
from gitmail.store.change import Change, NoChange
from gitmail.store.store import Store
from gitmail.store.view import View
from gitmail.values import sentences
from gitmail.values.memory import SOURCE_NOTE

COMPARED = 12
"""How many notes that a search for the new text brings up are compared with it."""


@dataclass(frozen=True, slots=True)
class LookAlike:
    """A live note that looks like the new one; shown, never merged."""

    row: MemoryRow
    likeness: float


@dataclass(frozen=True, slots=True)
class Stored:
    """The answer of a store: `stored` is false when a live note (`number`) has the same text."""

    stored: bool
    number: int
    title: str
    similar: tuple[LookAlike, ...] = ()
    commit: str | None = None


def store_note(
    store: Store,
    caller: Caller,
    text: str,
    *,
    tags: Iterable[str] = (),
    source: str = SOURCE_NOTE,
    title: str | None = None,
) -> Stored:
    """Store one note, unless a live one has exactly this text.

    Raises what check_new_note raises, and what Store.write raises; nothing is written then.
    """
    note = check_new_note(text, source, tags, title)
    alike = store.read(lambda view: look_alikes(view, text))

    def decide(view: View) -> Change[Stored] | NoChange[Stored]:
        acting = caller.acting(view)
        for twin in memories_with_text(view.index, text):
            if twin.live:
                others = tuple(one for one in alike if one.row.memory.number != twin.memory.number)
                return NoChange(Stored(False, twin.memory.number, twin.memory.title, others))
        new = note.numbered(view, acting.agent.name)
        path, data = note_file(new)
        message = sentences.memory_stored(acting.agent.name, new.number, new.title)
        stored = Stored(True, new.number, new.title, alike)
        return Change({**acting.files, path: data}, message, stored, author=acting.author)

    written = store.write(caller.author, decide)
    return replace(written.result, commit=written.commit)


def look_alikes(view: View, text: str) -> tuple[LookAlike, ...]:
    """Return the live notes that say nearly what `text` says, the most alike first."""
    matches = memories_like(view.index, text, COMPARED)
    rows = {match.number: memory(view.index, match.number) for match in matches}
    known = {number: row for number, row in rows.items() if row is not None and row.live}
    found = similar(text, [(number, row.memory.text) for number, row in known.items()])
    return tuple(LookAlike(known[one.number], one.likeness) for one in found)
