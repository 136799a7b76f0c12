"""Notes by number, by exact text, and newest first; `memory_search` ranks them by a question."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gitmail.index.index import Index, Row
from gitmail.index.memory_filter import ALL_LIVE, MemoryFilter
from gitmail.index.records import text_digest
from gitmail.index.rows import MemoryRow, from_list, from_micros, maybe_moment
from gitmail.index.schema import MEMORY_COLUMNS, column_list
from gitmail.values.memory import Memory

_SELECT = f"SELECT {column_list(MEMORY_COLUMNS)} FROM memories"  # noqa: S608


@dataclass(frozen=True, slots=True)
class MemoryMatch:
    """A note that answers a question: `relevance` is positive, greater is better.

    `created_at` is in microseconds since 1970, UTC.
    """

    number: int
    relevance: float
    created_at: int
    path: str


def memory(index: Index, number: int) -> MemoryRow | None:
    """Return a note, live or retired; of two files of one number the live one."""
    found = memories_numbered(index, number)
    return found[0] if found else None


def memories_numbered(index: Index, number: int) -> list[MemoryRow]:
    """Return all files of one number, live ones first: more than one after clones have met."""
    sql = f"{_SELECT} WHERE number = ? ORDER BY live DESC, path"
    return [_row(row) for row in index.rows(sql, (number,))]


def memories_with_text(index: Index, text: str) -> list[MemoryRow]:
    """Return live and retired notes whose text is exactly `text`, by number."""
    sql = f"{_SELECT} WHERE text_digest = ? AND text = ? ORDER BY number, path"
    return [_row(row) for row in index.rows(sql, (text_digest(text), text))]


def recent_memories(
    index: Index, limit: int = 10, wanted: MemoryFilter = ALL_LIVE
) -> list[MemoryRow]:
    """Return the newest notes, newest first."""
    where, values = wanted.conditions()
    first = "live IN (0, 1)" if wanted.include_superseded else "live = 1"
    sql = f"{_SELECT} WHERE {first}{where} ORDER BY created_at DESC, number DESC, path LIMIT ?"
    return [_row(row) for row in index.rows(sql, (*values, limit))]


def matching_memories(index: Index, wanted: MemoryFilter) -> list[MemoryRow]:
    """Return all notes that are as `wanted`, by number."""
    where, values = wanted.conditions()
    sql = f"{_SELECT} WHERE 1{where} ORDER BY number, path"
    return [_row(row) for row in index.rows(sql, values)]


def live_memories(index: Index) -> Iterator[MemoryRow]:
    """Yield all live notes, by number."""
    return map(_row, index.each(f"{_SELECT} WHERE live = 1 ORDER BY number, path"))


def newest_number(index: Index) -> int:
    """Return the greatest memory number in the store's whole history; 0 before the first."""
    return int(index.value("SELECT max(number) FROM memory_numbers") or 0)


def number_was_used(index: Index, number: int) -> bool:
    """Tell whether some commit, ever, used this memory number."""
    sql = "SELECT 1 FROM memory_numbers WHERE number = ?"
    return index.value(sql, (number,)) is not None


def _row(row: Row) -> MemoryRow:
    path, blob, live, number, uid, title, tags, source, author, created_at = row[:10]
    supersedes, superseded_by, superseded_at, text = row[10:14]
    note = Memory(
        number=number,
        uid=uid,
        title=title,
        text=text,
        author=author,
        created_at=from_micros(created_at),
        source=source,
        tags=from_list(tags),
        supersedes=from_list(supersedes),
        superseded_by=superseded_by,
        superseded_at=maybe_moment(superseded_at),
    )
    return MemoryRow(note, bool(live), path, blob)
