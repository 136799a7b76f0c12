"""What the tests of notes say often."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import pytest
from post_office import BLUE, PAT, caller

from gitmail.errors import GitmailError
from gitmail.format.memories import memory_to_bytes
from gitmail.index.memories import MemoryFilter, matching_memories
from gitmail.memory.consolidating import Replaced, consolidate
from gitmail.memory.searching import search_notes
from gitmail.memory.storing import store_note
from gitmail.store.change import Change
from gitmail.store.store import Store
from gitmail.store.view import View
from gitmail.values.memory import Memory
from gitmail.values.paths import memory_path
from gitmail.values.sentences import Message

ME = caller(BLUE)


def keep(store: Store, *texts: str, **options: Any) -> list[int]:
    """Store notes; returns their numbers."""
    return [store_note(store, ME, text, **options).number for text in texts]


def keep_many(store: Store, count: int) -> list[int]:
    """Put notes into an empty store in one commit; returns their numbers."""

    def decide(view: View) -> Change[None]:
        notes = [_note(number, view.now) for number in range(1, count + 1)]
        files = {memory_path(one.number, one.title): memory_to_bytes(one) for one in notes}
        return Change(files, Message("test: many notes"), None)

    store.write(PAT, decide)
    return list(range(1, count + 1))


def _note(number: int, now: datetime) -> Memory:
    text = f"Note {number} of many."
    return Memory(number, f"{number:032x}", text, text, BLUE, now)


def join(store: Store, text: str, ids: Iterable[int], **options: Any) -> Replaced:
    return consolidate(store, ME, text, entry_ids=list(ids), **options)


def live(store: Store) -> dict[int, str]:
    return _notes(store, retired=False)


def retired(store: Store) -> dict[int, str]:
    return _notes(store, retired=True)


def found(store: Store, query: str, **options: Any) -> list[int]:
    return [hit.row.memory.number for hit in search_notes(store, query, **options)]


def refused(store: Store, code: str, call: Any) -> GitmailError:
    """Run a call that must be refused with `code` and change nothing; returns the error."""
    before = store.main()
    with pytest.raises(GitmailError) as caught:
        call()
    assert caught.value.code == code
    assert store.main() == before
    return caught.value


def _notes(store: Store, *, retired: bool) -> dict[int, str]:
    rows = store.read(
        lambda view: matching_memories(view.index, MemoryFilter(include_superseded=True))
    )
    return {row.memory.number: row.memory.text for row in rows if row.live != retired}
