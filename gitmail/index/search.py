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

FEW = 1_000
"""So many letters of a filter are looked up one by one; with more, matches are tried in turn."""

RANKED = 2_000
"""Most texts of one word that are ranked."""


def search_letters(
    index: Index, query: str, filters: SearchFilter = EVERYTHING, limit: int = 20
) -> list[Hit]:
    """Return letters that hold every word of `query`, newest first.

    Where no letter holds them all: those that hold any, best first (of words that are everywhere:
    newest first). A word with punctuation inside (`POL-358`) is found as it stands; a query
    without letters or digits is looked up literally.
    """
    words = query_words(query)
    scope = _Scope(index, filters)
    if not words:
        rows = scope.literal(query.strip(), limit)
    else:
        rows = scope.newest(match_all(words), limit)
        if not rows and len(words) > 1:
            rows = scope.best(words, limit)
    return _hits(index, rows, words or [query.strip()])


class _Scope:
    """The letters a search looks at, as a condition on the rows of their texts."""

    def __init__(self, index: Index, filters: SearchFilter) -> None:
        self._index = index
        self._first = ""
        self._values: list[object] = []
        tests, values = _tests(filters)
        if filters.since is not None:
            self._first = " AND {row} > ?"
            self._values.append(row_before(to_micros(filters.since)))
        if tests:
            self._first += self._those(tests, values)
            self._values += values

    def _those(self, tests: str, values: list[object]) -> str:
        """Begin at the few letters that pass, or at the newest that match: whichever is less."""
        few = f"SELECT d.text_row FROM deliveries AS d WHERE {tests}"  # noqa: S608
        count = f"SELECT count(*) FROM ({few} LIMIT {FEW + 1})"  # noqa: S608
        if self._index.value(count, values) <= FEW:
            return f" AND {{row}} IN ({few})"
        return f""" AND EXISTS (SELECT 1 FROM deliveries AS d INDEXED BY deliveries_text
            WHERE d.text_row = {{row}} AND {tests})"""  # noqa: S608

    def newest(self, match: str, limit: int) -> list[int]:
        """Return the texts that match, newest first."""
        sql = f"""SELECT f.rowid FROM texts_fts AS f
            WHERE texts_fts MATCH ?{self._first.format(row="f.rowid")}
            ORDER BY f.rowid DESC LIMIT ?"""  # noqa: S608
        return self._rows(sql, [match, *self._values, limit])

    def best(self, words: list[str], limit: int) -> list[int]:
        """Return the texts that hold any of `words`, best first.

        Words that are everywhere only count where no other is known, and then the newest come
        first: ranking counts every text that matches, however few are looked at.
        """
        rare = [word for word in words if 0 < self._count(word) < RANKED]
        if not rare:
            return self.newest(match_any(words), limit)
        sql = f"""SELECT f.rowid FROM texts_fts AS f
            WHERE texts_fts MATCH ?{self._first.format(row="f.rowid")}
            ORDER BY f.rank, f.rowid DESC LIMIT ?"""  # noqa: S608
        return self._rows(sql, [match_any(rare), *self._values, limit])

    def literal(self, query: str, limit: int) -> list[int]:
        """Return the texts that hold `query` as it stands, newest first."""
        if not query:
            return []
        sql = f"""SELECT t.row FROM texts AS t
            WHERE (instr(t.text, ?) > 0 OR instr(t.subject, ?) > 0)
            {self._first.format(row="t.row")} ORDER BY t.row DESC LIMIT ?"""  # noqa: S608
        return self._rows(sql, [query, query, *self._values, limit])

    def _count(self, word: str) -> int:
        sql = "SELECT count(*) FROM (SELECT 1 FROM texts_fts WHERE texts_fts MATCH ? LIMIT ?)"
        return int(self._index.value(sql, (match_all([word]), RANKED)))

    def _rows(self, sql: str, values: list[object]) -> list[int]:
        return [row[0] for row in self._index.rows(sql, values)]


def _tests(filters: SearchFilter) -> tuple[str, list[object]]:
    tests: list[str] = []
    values: list[object] = []
    if filters.agent is not None:
        tests.append("(d.sender_fold = ? OR d.recipient_fold = ?)")
        values += [fold(filters.agent)] * 2
    if filters.sender is not None:
        tests.append("d.sender_fold = ?")
        values.append(fold(filters.sender))
    if filters.topic is not None:
        tests.append("d.topic_fold = ?")
        values.append(fold(filters.topic))
    if filters.thread is not None:
        tests.append("(d.thread = ? OR d.id = ?)")
        values += [filters.thread] * 2
    return " AND ".join(tests), values


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
