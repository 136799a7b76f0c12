"""Replacing notes: many by one canonical note, or one by its correction, in one commit.

All targets resolve before anything changes (gitmail/memory/targets.py); a crash leaves all of it
or none (contract: memory_consolidate).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

from gitmail.board.caller import Caller
from gitmail.errors import GitmailError
from gitmail.format.memories import retire
from gitmail.index.memories import memories_with_text, memory
from gitmail.index.rows import MemoryRow
from gitmail.memory.handwork import take_up_edits
from gitmail.memory.targets import Target, refused, resolve, select, select_one
from gitmail.memory.writing import NewNote, check_new_note, note_file
from gitmail.store.change import Change
from gitmail.store.store import Store
from gitmail.store.view import View
from gitmail.values import sentences
from gitmail.values.memory import NUMBER_LIMIT, SOURCE_CONSOLIDATION, SOURCE_CORRECTION, Memory
from gitmail.values.paths import superseded_path
from gitmail.values.text import is_unicode


@dataclass(frozen=True, slots=True)
class Replaced:
    """The new note, the notes it replaced as they were then, and the commit."""

    memory: Memory
    superseded: tuple[Memory, ...]
    commit: str | None = None


def consolidate(
    store: Store,
    caller: Caller,
    new_text: str,
    *,
    entry_ids: object = None,
    replaces: object = None,
    tags: Iterable[str] = (),
    source: str = SOURCE_CONSOLIDATION,
) -> Replaced:
    """Replace the notes that `entry_ids` or `replaces` name by one canonical note.

    Raises InvalidInput `invalid_selector`, `empty_input`; NotFound `target_not_found`; Refused
    `target_superseded`, `ambiguous_target`; what check_new_note and Store.write raise. Each carries
    the facts of a refusal, and nothing was written.
    """
    with _refusing():
        targets = select(entry_ids, replaces)
        note = check_new_note(new_text, source, tags, argument="new_text")
        return _replace(store, caller, targets, note, "consolidated")


def supersede(
    store: Store,
    caller: Caller,
    new_text: str,
    *,
    old_text: object = None,
    entry_id: object = None,
    tags: Iterable[str] | None = None,
    source: str = SOURCE_CORRECTION,
) -> Replaced:
    """Replace one note by its correction, which keeps the note's tags unless others are given.

    Raises as `consolidate`.
    """
    with _refusing():
        targets = select_one(entry_id, old_text)
        note = check_new_note(new_text, source, tags or (), argument="new_text")
        return _replace(store, caller, targets, note, "corrected", keep_tags=tags is None)


@contextmanager
def _refusing() -> Iterator[None]:
    """Give every failure the facts that the contract asks of a refused replacement."""
    try:
        yield
    except GitmailError as error:
        raise refused(error) from error.__cause__


def _replace(
    store: Store,
    caller: Caller,
    targets: Sequence[Target],
    note: NewNote,
    word: str,
    *,
    keep_tags: bool = False,
) -> Replaced:
    take_up_edits(store, lambda view: _named(view, targets), must=True)

    def decide(view: View) -> Change[Replaced]:
        acting = caller.acting(view)
        rows = resolve(
            targets, partial(memory, view.index), partial(memories_with_text, view.index)
        )
        old = [row.memory.number for row in rows]
        new = note.numbered(view, acting.agent.name, supersedes=old)
        if keep_tags:
            new = replace(new, tags=rows[0].memory.tags)
        path, data = note_file(new)
        files: dict[str, bytes | None] = {**acting.files, path: data}
        for row in rows:
            files |= _retired(view, row, new.number)
        message = sentences.memory_replaced(acting.agent.name, old, new.number, word)
        result = Replaced(new, tuple(row.memory for row in rows))
        return Change(files, message, result, author=acting.author)

    written = store.write(caller.author, decide)
    return replace(written.result, commit=written.commit)


def _retired(view: View, row: MemoryRow, successor: int) -> dict[str, bytes | None]:
    data = view.content(row.path, row.blob)
    return {row.path: None, superseded_path(row.path): retire(data, row.path, successor, view.now)}


def _named(view: View, targets: Sequence[Target]) -> Iterator[MemoryRow]:
    """Yield the live notes that `targets` may mean, for comparing them with the files on disk."""
    for target in targets:
        if isinstance(target, str):
            found = memories_with_text(view.index, target) if is_unicode(target) else []
        else:
            row = memory(view.index, target) if target <= NUMBER_LIMIT else None
            found = [] if row is None else [row]
        yield from (row for row in found if row.live)
