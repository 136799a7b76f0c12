"""Ranked search over memories: SQLite's BM25 on stemmed words, at a cost that stays flat.

How the ranking was chosen is measured by tests/memory/test_search_quality.py. BM25 looks at every
row that holds any word of the question, so a common word would make a search as slow as the store
is large. Beyond RANKED_ROWS such rows, a row must hold one of the question's rare words or two of
its common ones, and only the newest RANKED_ROWS of these are ranked; all words still count in the
score.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from gitmail.index.index import Index
from gitmail.values.search_terms import query_terms

RANKED_ROWS = 2_000
"""Most rows one search ranks."""

RARE_ROWS = 1_000
"""Rows that the question's rare words may bring together."""

COMMON_WORDS = 5
"""Common words whose pairs are looked for, the rarest first."""

WEIGHTS = "0.5, 1.0, 0.5, 0.5"
"""What a hit in the title, the text, the tags and the added words is worth.

Most titles are a piece of their text, which counts once more with them.
"""


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """Which notes may be found: any of `tags`, any of `sources` (empty: all), live ones only."""

    tags: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    include_superseded: bool = False


@dataclass(frozen=True, slots=True)
class MemoryMatch:
    """A note that answers: `relevance` is BM25 (greater is better), `created_at` microseconds."""

    number: int
    relevance: float
    created_at: int


def search_memories(
    index: Index, query: str, wanted: MemoryFilter = MemoryFilter(), limit: int = 50
) -> list[MemoryMatch]:
    """Return the `limit` best matches of any text as a question, best first.

    Equal matches come newest number first. A question without a word in it matches nothing. Where
    none of its words is known, words that begin with one of them are taken instead.
    Deterministic for one state of the store.
    """
    terms = query_terms(query)
    if not terms:
        return []
    search = _Search(index, wanted, limit)
    return search.ranked([f'"{term}"' for term in terms]) or search.ranked(
        [f'"{term}" *' for term in terms if " " not in term]
    )


class _Search:
    """One search: the filter as SQL, and the two shapes of the question."""

    def __init__(self, index: Index, wanted: MemoryFilter, limit: int) -> None:
        self._index = index
        self._limit = limit
        self._where, self._values = _conditions(wanted)

    def ranked(self, phrases: Sequence[str]) -> list[MemoryMatch]:
        """Return the best matches of `phrases`, each an FTS5 expression without operators."""
        if not phrases:
            return []
        any_of = " OR ".join(phrases)
        if self._count(any_of, RANKED_ROWS) < RANKED_ROWS:
            return self._rank(any_of, 0)
        needed = self._needed(phrases)
        return self._rank(f"({needed}) AND ({any_of})", self._first_row(needed))

    def _needed(self, phrases: Sequence[str]) -> str:
        """Return the expression for a rare word or two common ones."""
        counts = sorted((self._count(phrase, RARE_ROWS), phrase) for phrase in phrases)
        rare: list[str] = []
        room = RARE_ROWS
        for count, phrase in counts:
            room -= count
            if room < 0:
                break
            rare.append(phrase)
        common = [phrase for _, phrase in counts[len(rare) :]]
        pairs = [f"({one} AND {other})" for one, other in combinations(common[:COMMON_WORDS], 2)]
        return " OR ".join(rare + pairs) or common[0]

    def _count(self, expression: str, limit: int) -> int:
        counted = self._index.value(
            "SELECT count(*) FROM (SELECT 1 FROM memories_fts WHERE memories_fts MATCH ? LIMIT ?)",
            (expression, limit),
        )
        return int(counted)

    def _first_row(self, expression: str) -> int:
        """Return the lowest row to rank, so that the newest RANKED_ROWS that may be found are."""
        row = self._index.value(
            f"SELECT memories_fts.rowid {_FROM}{self._where} "
            "ORDER BY memories_fts.rowid DESC LIMIT 1 OFFSET ?",
            (expression, *self._values, RANKED_ROWS - 1),
        )
        return 0 if row is None else int(row)

    def _rank(self, expression: str, first_row: int) -> list[MemoryMatch]:
        rows = self._index.rows(
            f"SELECT number, -bm25(memories_fts, {WEIGHTS}) AS relevance, created_at {_FROM}"
            f"{self._where} AND memories_fts.rowid >= ? "
            "ORDER BY relevance DESC, number DESC LIMIT ?",
            (expression, *self._values, first_row, self._limit),
        )
        return [MemoryMatch(number, relevance, created) for number, relevance, created in rows]


_FROM = (
    "FROM memories_fts JOIN memories ON memories.row = memories_fts.rowid "
    "WHERE memories_fts MATCH ?"
)


def _conditions(wanted: MemoryFilter) -> tuple[str, list[object]]:
    """Return further conditions for WHERE and their values."""
    where = "" if wanted.include_superseded else " AND live = 1"
    values: list[object] = []
    if wanted.sources:
        where += " AND source IN (SELECT value FROM json_each(?))"
        values.append(json.dumps(wanted.sources))
    if wanted.tags:
        where += (
            " AND EXISTS (SELECT 1 FROM json_each(memories.tags) AS tag"
            " WHERE tag.value IN (SELECT value FROM json_each(?)))"
        )
        values.append(json.dumps(wanted.tags))
    return where, values
