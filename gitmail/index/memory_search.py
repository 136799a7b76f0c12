"""Ranked search over memories: SQLite's BM25 on stemmed words, at a cost that stays flat.

How the ranking was chosen is measured by tests/memory/test_search_quality.py. BM25 looks at every
row that holds any word of the question, so a common word would make a search as slow as the store
is large. Beyond RANKED_ROWS such rows, a row is ranked for holding one of the question's rare
words, or two common ones that are rare together; all words still count in its score. What is too
common even so is answered from the newest rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from gitmail.index.index import Index
from gitmail.index.memories import MemoryMatch
from gitmail.index.memory_filter import ALL_LIVE, MemoryFilter
from gitmail.values.search_terms import query_terms

RANKED_ROWS = 1_000
"""Most rows one search ranks."""

COMMON_WORDS = 4
"""Common words whose pairs are looked for, the rarest first."""

RAREST = 8
"""Words by which notes like a whole note are looked for."""

WEIGHTS = "0.5, 1.0, 0.5, 0.5"
"""What a hit in the title, the text, the tags and the added words is worth.

Most titles are a piece of their text, which counts once more with them.
"""


def search_memories(
    index: Index,
    query: str,
    *,
    tags: Sequence[str] = (),
    sources: Sequence[str] = (),
    include_superseded: bool = False,
    limit: int = 50,
) -> list[MemoryMatch]:
    """Return the `limit` best matches of any text as a question, best first.

    With `tags` a note must carry all of them (as normalised), with `sources` come from one of
    them. Equal matches come newest number first. Where none of the question's words is known,
    words that begin with one of them are taken instead; a question without letters or digits is
    looked up literally. The answer is the same for the same state of the store.
    """
    wanted = MemoryFilter(tags, sources, include_superseded=include_superseded)
    search = _Search(index, wanted.conditions(), limit)
    terms = query_terms(query)
    if not terms:
        return search.literal(query.strip())
    return search.ranked([f'"{term}"' for term in terms]) or search.ranked(
        [f'"{term}" *' for term in terms if " " not in term]
    )


def memories_like(index: Index, text: str, limit: int = 20) -> list[MemoryMatch]:
    """Return live notes that share the rarest words of `text`, a whole note, best first.

    What is nearly the same shares those; a note has too many words to rank by all of them.
    """
    search = _Search(index, ALL_LIVE.conditions(), limit)
    phrases = [f'"{term}"' for term in query_terms(text) if " " not in term]
    return search.ranked(search.rarest(phrases, RAREST)) or search.literal(text.strip())


class _Search:
    """One search: the filter as SQL and its values, and the ways to ask."""

    def __init__(self, index: Index, filtered: tuple[str, list[object]], limit: int) -> None:
        self._index = index
        self._where, self._values = filtered
        self._limit = limit

    def literal(self, text: str) -> list[MemoryMatch]:
        """Return the newest notes that hold `text` as it stands."""
        if not text or not text.isprintable():
            return []
        rows = self._index.rows(
            "SELECT number, 1.0, created_at, path FROM memories "  # noqa: S608
            f"WHERE instr(text, ?) > 0{self._where} ORDER BY number DESC, path LIMIT ?",
            (text, *self._values, self._limit),
        )
        return [MemoryMatch(*row) for row in rows]

    def ranked(self, phrases: Sequence[str]) -> list[MemoryMatch]:
        """Return the best matches of `phrases`, each an FTS5 expression without operators."""
        if not phrases:
            return []
        any_of = " OR ".join(phrases)
        if self._count(any_of, RANKED_ROWS) < RANKED_ROWS:
            return self._rank(any_of, 0)
        counted = sorted((self._count(phrase, RANKED_ROWS + 1), phrase) for phrase in phrases)
        needed = self._needed(counted)
        found = self._rank(f"({needed}) AND ({any_of})", 0) if needed else []
        return self._with_newest(found, [phrase for _, phrase in counted])

    def rarest(self, phrases: Sequence[str], most: int) -> list[str]:
        """Return the phrases that occur, at most `most` of them, the rarest."""
        if len(phrases) <= most:
            return list(phrases)
        counted = sorted((self._count(phrase, RANKED_ROWS + 1), phrase) for phrase in phrases)
        return [phrase for count, phrase in counted if count][:most]

    def _needed(self, counted: Sequence[tuple[int, str]]) -> str:
        """Return the expression for the rare words and rare pairs that there is room for."""
        room = RANKED_ROWS
        parts: list[str] = []
        common: list[str] = []
        for count, phrase in counted:
            if count <= room:
                room -= count
                parts.append(phrase)
            else:
                common.append(phrase)
        for one, other in combinations(common[:COMMON_WORDS], 2):
            pair = f"({one} AND {other})"
            count = self._count(pair, room + 1)
            if count <= room:
                room -= count
                parts.append(pair)
        return " OR ".join(parts)

    def _with_newest(self, found: list[MemoryMatch], telling: Sequence[str]) -> list[MemoryMatch]:
        """Fill up with the newest rows that hold all of the words, else the rarest of them."""
        for expression in (" AND ".join(telling), telling[0]):
            if len(found) >= self._limit:
                break
            known = {match.path for match in found}
            more = self._rank(expression, self._first_row(expression))
            found = found + [match for match in more if match.path not in known]
        return found[: self._limit]

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
            f"SELECT number, -bm25(memories_fts, {WEIGHTS}) AS relevance, created_at, path "
            f"{_FROM}{self._where} AND memories_fts.rowid >= ? "
            "ORDER BY relevance DESC, number DESC, path LIMIT ?",
            (expression, *self._values, first_row, self._limit),
        )
        return [MemoryMatch(*row) for row in rows]


_FROM = (
    "FROM memories_fts JOIN memories ON memories.row = memories_fts.rowid "
    "WHERE memories_fts MATCH ?"
)
