"""One note as a whole: its text, its life, and what it replaced or was replaced by."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from gitmail.errors import InvalidInput, NotFound
from gitmail.index.memories import memory, number_was_used
from gitmail.index.memory_events import CREATED, MemoryEvent, memory_events
from gitmail.index.rows import MemoryRow
from gitmail.memory.handwork import take_up_edits
from gitmail.store.store import Store
from gitmail.store.view import View
from gitmail.values.memory import NUMBER_LIMIT

CONSOLIDATED = "consolidated"
RESTORED = "restored"


@dataclass(frozen=True, slots=True)
class Linked:
    """A note at the other end of a replacement; `row` is None once it was forgotten."""

    number: int
    row: MemoryRow | None


@dataclass(frozen=True, slots=True)
class NoteHistory:
    """A note with its life, oldest first, and both ends of every replacement."""

    row: MemoryRow
    events: tuple[MemoryEvent, ...]
    supersedes: tuple[Linked, ...]
    superseded_by: Linked | None


def get_note(store: Store, number: int) -> NoteHistory:
    """Return a note, live or retired, as it is on disk now.

    Raises NotFound `memory_not_found` (facts: `forgotten`, whether it existed once), InvalidInput
    `invalid_entry_id`.
    """
    check_number(number)
    take_up_edits(store, lambda view: _rows(view, number), must=False)
    return store.read(lambda view: _history(view, number))


def check_number(number: int) -> None:
    """Raise InvalidInput `invalid_entry_id` for what is no positive integer."""
    if type(number) is not int or number < 1:
        raise InvalidInput(
            "invalid_entry_id",
            f"entry_id {str(number)[:40]} is not a positive integer.",
            "Give the id that memory_search shows.",
            argument="entry_id",
        )


def find_note(view: View, number: int) -> MemoryRow:
    """Return the note of a number; raises NotFound `memory_not_found`."""
    row = memory(view.index, number) if number <= NUMBER_LIMIT else None
    if row is not None:
        return row
    forgotten = number <= NUMBER_LIMIT and number_was_used(view.index, number)
    why = "was removed; history keeps it" if forgotten else "does not exist"
    raise NotFound(
        "memory_not_found",
        f"Note {number} {why}.",
        "Search for it with memory_search.",
        entry_id=number,
        forgotten=forgotten,
    )


def _rows(view: View, number: int) -> Iterable[MemoryRow]:
    row = memory(view.index, number) if number <= NUMBER_LIMIT else None
    return () if row is None else (row,)


def _history(view: View, number: int) -> NoteHistory:
    row = find_note(view, number)
    by = row.memory.superseded_by
    return NoteHistory(
        row=row,
        events=tuple(_told(row, memory_events(view.index, number))),
        supersedes=tuple(_linked(view, old) for old in row.memory.supersedes),
        superseded_by=None if by is None else _linked(view, by),
    )


def _told(row: MemoryRow, events: list[MemoryEvent]) -> Iterable[MemoryEvent]:
    """Name a note's first appearance by how it came, a later one `restored`."""
    for place, event in enumerate(events):
        if event.what != CREATED:
            yield event
        elif place:
            yield replace(event, what=RESTORED)
        else:
            yield replace(event, what=CONSOLIDATED) if row.memory.supersedes else event


def _linked(view: View, number: int) -> Linked:
    return Linked(number, memory(view.index, number))
