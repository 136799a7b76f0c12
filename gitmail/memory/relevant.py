"""The few notes that somebody who begins to work should see."""

from __future__ import annotations

from gitmail.index.memories import memory, recent_memories
from gitmail.index.memory_search import search_memories
from gitmail.index.rows import MemoryRow
from gitmail.memory.ranking import CANDIDATES, rank
from gitmail.store.view import View


def relevant_notes(view: View, words: str, limit: int = 5) -> list[MemoryRow]:
    """Return live notes for `words` (a task, a branch, a project), best first.

    Where too few answer, the newest notes fill up; an empty list only in a store without notes.
    """
    matches = search_memories(view.index, words, limit=CANDIDATES)
    answers = (memory(view.index, number) for number, _ in rank(matches, view.now, limit))
    found = {row.memory.number: row for row in answers if row is not None and row.live}
    for row in recent_memories(view.index, limit) if len(found) < limit else ():
        found.setdefault(row.memory.number, row)
    return list(found.values())[:limit]
