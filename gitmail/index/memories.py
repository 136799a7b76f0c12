"""Notes: by number and by exact text, newest first, and ranked by what a question says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gitmail.index.index import Index, Row
from gitmail.index.records import text_digest
from gitmail.index.rows import MemoryRow, from_list, from_micros, maybe_moment
from gitmail.index.schema import MEMORY_COLUMNS, column_list
from gitmail.index.words import match_any
from gitmail.values.memory import Memory
from gitmail.values.search_terms import query_terms

_WEIGHTS = "3.0, 1.0, 2.0, 0.5"
"""How much a word counts in the title, the text, the tags and the added words."""

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
    index: Index, limit: int = 10, *, include_superseded: bool = False
) -> list[MemoryRow]:
    """Return the newest notes, newest first."""
    where = "live IN (0, 1)" if include_superseded else "live = 1"
    sql = f"{_SELECT} WHERE {where} ORDER BY created_at DESC, number DESC, path LIMIT ?"
    return [_row(row) for row in index.rows(sql, (limit,))]


def live_memories(index: Index) -> Iterator[MemoryRow]:
    """Yield all live notes, by number."""
    return map(_row, index.each(f"{_SELECT} WHERE live = 1 ORDER BY number, path"))


def search_memories(
    index: Index,
    query: str,
    *,
    tags: Sequence[str] = (),
    sources: Sequence[str] = (),
    include_superseded: bool = False,
    limit: int = 50,
) -> list[MemoryMatch]:
    """Return notes that hold any word of `query`, most relevant first (BM25).

    With `tags` a note must carry all of them (as normalised), with `sources` come from one of
    them. A query without letters or digits is looked up literally.
    """
    terms = query_terms(query)
    if terms:
        score, source = f"-bm25(memories_fts, {_WEIGHTS})", "memories_fts AS f CROSS JOIN memories"
        condition, values = "memories_fts MATCH ? AND m.row = f.rowid", [match_any(terms)]
    else:
        score, source = "1.0", "memories"
        condition, values = "?1 <> '' AND instr(m.text, ?1) > 0", [query.strip()]
    condition += "" if include_superseded else " AND m.live = 1"
    for tag in tags:
        condition += " AND EXISTS (SELECT 1 FROM json_each(m.tags) WHERE value = ?)"
        values.append(tag)
    if sources:
        condition += f" AND m.source IN ({', '.join('?' * len(sources))})"
        values += sources
    sql = f"""SELECT m.number, {score} AS relevance, m.created_at, m.path
        FROM {source} AS m WHERE {condition}
        ORDER BY relevance DESC, m.number DESC, m.path LIMIT ?"""  # noqa: S608
    return [MemoryMatch(*row) for row in index.rows(sql, [*values, limit])]


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
