"""Taking notes out of the tree, and making retired ones live again.

History keeps what is forgotten (`gitmail undo` brings it back); what must leave history too is a
matter for redaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gitmail.board.caller import Caller
from gitmail.errors import InvalidInput
from gitmail.format.memories import reinstate
from gitmail.index.memories import matching_memories
from gitmail.index.memory_filter import MemoryFilter
from gitmail.index.rows import MemoryRow
from gitmail.memory.handwork import take_up_edits
from gitmail.memory.history import check_number, find_note
from gitmail.store.change import Change, NoChange
from gitmail.store.store import Store
from gitmail.store.view import View
from gitmail.values import sentences
from gitmail.values.memory import NUMBER_LIMIT, check_source, normal_tags
from gitmail.values.paths import live_path
from gitmail.values.text import is_unicode

BULK = 20
"""More notes than this are forgotten only when that is confirmed."""

SAMPLE = 5


@dataclass(frozen=True, slots=True)
class Selection:
    """Which notes to forget, live and retired alike; everything given must hold.

    `text` is the exact text, `substring` a part of it as written.
    """

    text: str | None = None
    substring: str | None = None
    source: str | None = None
    tag: str | None = None
    entry_ids: Sequence[int] | None = None


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The answer of `forget`: the notes that went, or would go once `confirm_bulk` is given."""

    rows: tuple[MemoryRow, ...]
    confirm_bulk_required: bool = False
    commit: str | None = None


@dataclass(frozen=True, slots=True)
class Reinstated:
    """A live note; `reinstated` is false when it was live before."""

    row: MemoryRow
    reinstated: bool
    commit: str | None = None


def forget(
    store: Store, caller: Caller, selection: Selection, *, confirm_bulk: bool = False
) -> Forgotten:
    """Remove the selected notes from the tree, in one commit.

    Raises InvalidInput `filter_required` without any filter, `invalid_tag`, `invalid_source`,
    `invalid_entry_id`.
    """
    wanted = _filter(selection)
    take_up_edits(store, lambda view: matching_memories(view.index, wanted), must=True)

    def decide(view: View) -> Change[Forgotten] | NoChange[Forgotten]:
        rows = tuple(matching_memories(view.index, wanted))
        if not rows or (len(rows) > BULK and not confirm_bulk):
            return NoChange(Forgotten(rows, confirm_bulk_required=bool(rows)))
        acting = caller.acting(view)
        numbers = list(dict.fromkeys(row.memory.number for row in rows))
        files = {**acting.files, **{row.path: None for row in rows}}
        message = sentences.memory_forgotten(acting.agent.name, numbers)
        return Change(files, message, Forgotten(rows), author=acting.author)

    written = store.write(caller.author, decide)
    return replace(written.result, commit=written.commit)


def reinstate_note(store: Store, caller: Caller, number: int) -> Reinstated:
    """Make a retired note live again; what replaced it stays as it is.

    Raises NotFound `memory_not_found`, InvalidInput `invalid_entry_id`.
    """
    check_number(number)
    take_up_edits(store, lambda view: [find_note(view, number)], must=True)

    def decide(view: View) -> Change[None] | NoChange[None]:
        row = find_note(view, number)
        if row.live:
            return NoChange(None)
        acting = caller.acting(view)
        data = reinstate(view.content(row.path, row.blob), row.path)
        files = {**acting.files, row.path: None, live_path(row.path): data}
        message = sentences.memory_reinstated(acting.agent.name, number)
        return Change(files, message, None, author=acting.author)

    commit = store.write(caller.author, decide).commit
    row = store.read(lambda view: find_note(view, number))
    return Reinstated(row, commit is not None, commit)


def _filter(selection: Selection) -> MemoryFilter:
    """Return the selection as the index takes it; blank ones count as not given."""
    text, substring = selection.text or None, selection.substring or None
    source, tag = selection.source or None, selection.tag or None
    if not any((text, substring, source, tag)) and selection.entry_ids is None:
        raise InvalidInput(
            "filter_required",
            "Nothing says which notes to forget.",
            "Give entry_ids, or text, substring, source or tag.",
        )
    for number in selection.entry_ids or ():
        check_number(number)
    numbers = selection.entry_ids
    if not all(map(is_unicode, filter(None, (text, substring)))):
        numbers, text, substring = (), None, None  # such a text is in no file
    return MemoryFilter(
        tags=normal_tags([tag], "tag") if tag else (),
        sources=(check_source(source),) if source else (),
        numbers=None if numbers is None else [one for one in numbers if one <= NUMBER_LIMIT],
        text=text,
        substring=substring,
        include_superseded=True,
    )
