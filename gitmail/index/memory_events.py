"""What happened to each note, commit by commit, so that a note's life needs no walk of history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from gitmail.index.files import storable
from gitmail.index.index import Index
from gitmail.values.paths import Kind, classify

if TYPE_CHECKING:
    from gitmail.index.apply import AppliedCommit, FileChange

CREATED = "created"
EDITED = "edited"
SUPERSEDED = "superseded"
REINSTATED = "reinstated"
REMOVED = "removed"

_NOTES = "memories/"


@dataclass(frozen=True, slots=True)
class MemoryEvent:
    """One commit in a note's life: what it did to the note, by whom, when (UTC)."""

    what: str
    commit: str
    author: str
    when: datetime


def memory_events(index: Index, number: int) -> list[MemoryEvent]:
    """Return the life of a note, oldest first; also of one that was removed."""
    sql = """SELECT what, "commit", author, time FROM memory_events
        WHERE number = ? ORDER BY time, row"""
    return [
        MemoryEvent(what, commit, author, datetime.fromtimestamp(time, UTC))
        for what, commit, author, time in index.rows(sql, (number,))
    ]


def keep_events(index: Index, commit: AppliedCommit, changes: Sequence[FileChange]) -> None:
    """Keep what one commit did to notes, in the caller's transaction."""
    touched: dict[int, list[FileChange]] = {}
    for change in changes:
        if change.path.startswith(_NOTES):
            number = classify(change.path).number
            if number is not None and number < 2**63:
                touched.setdefault(number, []).append(change)
    if touched:
        author = storable(commit.author_name)
        index.execute_each(
            'INSERT OR IGNORE INTO memory_events (number, "commit", author, time, what)'
            " VALUES (?, ?, ?, ?, ?)",
            [
                (number, commit.sha, author, commit.time, _what(files))
                for number, files in sorted(touched.items())
            ],
        )


def _what(files: Sequence[FileChange]) -> str:
    appeared = {classify(file.path).kind for file in files if file.old_blob is None}
    gone = {classify(file.path).kind for file in files if file.new_blob is None}
    if Kind.SUPERSEDED in appeared:
        return SUPERSEDED
    if Kind.MEMORY in appeared:
        return REINSTATED if Kind.SUPERSEDED in gone else CREATED
    return REMOVED if gone else EDITED
