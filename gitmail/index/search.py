"""Full-text search in letters: any text is a query; whoever asks sees snippets, not texts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from gitmail.index.deliveries import letters_by_id
from gitmail.index.index import Index
from gitmail.index.rows import LetterRow, to_micros
from gitmail.index.texts import row_before
from gitmail.index.words import match_all, match_any, query_words, snippet
from gitmail.values.names import fold


@dataclass(frozen=True, slots=True)
class Hit:
    """A letter that was found, and the part of its text that answers the query."""

    letter: LetterRow
    snippet: str


@dataclass(frozen=True, slots=True)
class SearchFilter:
    """Which letters count; all of it must hold. `agent` keeps to what it sent or received."""

    agent: str | None = None
    sender: str | None = None
    topic: str | None = None
    thread: str | None = None
    since: datetime | None = None


EVERYTHING = SearchFilter()


def search_letters(
    index: Index, query: str, filters: SearchFilter = EVERYTHING, limit: int = 20
) -> list[Hit]:
    """Return letters that hold every word of `query`, newest first.

    Where no letter holds them all: those that hold any, best first. A word with punctuation inside
    (`POL-358`) is found as it stands; a query without letters or digits is looked up literally.
    """
    words = query_words(query)
    if not words:
        rows = _literal(index, query.strip(), filters, limit)
    else:
        rows = _matching(index, match_all(words), "f.rowid DESC", filters, limit)
        if not rows and len(words) > 1:
            rows = _matching(index, match_any(words), "f.rank, f.rowid DESC", filters, limit)
    return _hits(index, rows, words or [query.strip()])


def _matching(index: Index, match: str, order: str, filters: SearchFilter, limit: int) -> list[int]:
    condition, values = _condition(filters, "f.rowid")
    sql = f"""SELECT f.rowid FROM texts_fts AS f WHERE texts_fts MATCH ?{condition}
        ORDER BY {order} LIMIT ?"""  # noqa: S608
    return [row[0] for row in index.rows(sql, [match, *values, limit])]


def _literal(index: Index, query: str, filters: SearchFilter, limit: int) -> list[int]:
    if not query:
        return []
    condition, values = _condition(filters, "t.row")
    sql = f"""SELECT t.row FROM texts AS t
        WHERE (instr(t.text, ?) > 0 OR instr(t.subject, ?) > 0){condition}
        ORDER BY t.row DESC LIMIT ?"""  # noqa: S608
    return [row[0] for row in index.rows(sql, [query, query, *values, limit])]


def _condition(filters: SearchFilter, row: str) -> tuple[str, list[object]]:
    condition = ""
    values: list[object] = []
    if filters.since is not None:
        condition += f" AND {row} > ?"
        values.append(row_before(to_micros(filters.since)))
    tests: list[tuple[str, list[object]]] = []
    if filters.agent is not None:
        me = fold(filters.agent)
        tests.append(("(d.sender_fold = ? OR d.recipient_fold = ?)", [me, me]))
    if filters.sender is not None:
        tests.append(("d.sender_fold = ?", [fold(filters.sender)]))
    if filters.topic is not None:
        tests.append(("d.topic_fold = ?", [fold(filters.topic)]))
    if filters.thread is not None:
        tests.append(("(d.thread = ? OR d.id = ?)", [filters.thread, filters.thread]))
    if tests:
        joined = " AND ".join(test for test, _ in tests)
        condition += f""" AND EXISTS (SELECT 1 FROM deliveries AS d
            INDEXED BY deliveries_text WHERE d.text_row = {row} AND {joined})"""  # noqa: S608
        values += [value for _, more in tests for value in more]
    return condition, values


def _hits(index: Index, rows: list[int], words: list[str]) -> list[Hit]:
    entries = [
        index.row("SELECT id, text, subject FROM texts WHERE row = ?", (row,)) for row in rows
    ]
    found = [(entry[0], snippet(entry[1] or entry[2], words)) for entry in entries if entry]
    letters = {
        one.letter.id: one for one in letters_by_id(index, [letter_id for letter_id, _ in found])
    }
    first: dict[str, str] = {}
    for letter_id, text in found:
        first.setdefault(letter_id, text)
    return [Hit(letters[letter_id], text) for letter_id, text in first.items()]
