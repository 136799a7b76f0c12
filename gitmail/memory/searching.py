"""Finding notes by a question, and the newest ones (contract: memory_consolidate, the family)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gitmail.errors import InvalidInput
from gitmail.index.memories import memory, recent_memories
from gitmail.index.memory_filter import MemoryFilter
from gitmail.index.memory_search import search_memories
from gitmail.index.rows import MemoryRow
from gitmail.memory.ranking import CANDIDATES, rank
from gitmail.store.store import Store
from gitmail.store.view import View
from gitmail.values.memory import check_source, normal_tags

TOP_K = 8
MOST = 100
"""Most notes of one answer."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A note in an answer; `score` is None where nothing was asked for.

    `replaced_by` is the note that took a retired one's place, None where that one is gone.
    """

    row: MemoryRow
    score: float | None = None
    replaced_by: MemoryRow | None = None


def search_notes(
    store: Store,
    query: str,
    *,
    top_k: int = TOP_K,
    tags: Iterable[str] = (),
    sources: Sequence[str] = (),
    include_superseded: bool = False,
) -> tuple[Hit, ...]:
    """Return the notes that answer `query` best, best first; any text is a valid query.

    With `tags` a note must carry all of them, with `sources` come from one of them. Raises
    InvalidInput `invalid_top_k`, `invalid_tags`, `invalid_sources`.
    """
    _check_range(top_k, "top_k")
    wanted = _wanted(tags, sources, include_superseded)

    def ask(view: View) -> tuple[Hit, ...]:
        matches = search_memories(
            view.index,
            query,
            tags=wanted.tags,
            sources=wanted.sources,
            include_superseded=include_superseded,
            limit=max(CANDIDATES, top_k),
        )
        found = (
            (memory(view.index, number), score) for number, score in rank(matches, view.now, top_k)
        )
        return tuple(_hit(view, row, score) for row, score in found if row is not None)

    return store.read(ask)


def recent_notes(
    store: Store,
    n: int = 10,
    *,
    tags: Iterable[str] = (),
    sources: Sequence[str] = (),
    include_superseded: bool = False,
) -> tuple[Hit, ...]:
    """Return the newest notes, newest first; filters as in `search_notes`.

    Raises InvalidInput `invalid_n`, `invalid_tags`, `invalid_sources`.
    """
    _check_range(n, "n")
    wanted = _wanted(tags, sources, include_superseded)

    def ask(view: View) -> tuple[Hit, ...]:
        return tuple(_hit(view, row, None) for row in recent_memories(view.index, n, wanted))

    return store.read(ask)


def _wanted(tags: Iterable[str], sources: Sequence[str], include_superseded: bool) -> MemoryFilter:
    for source in sources:
        check_source(source, "sources")
    return MemoryFilter(normal_tags(tags), sources, include_superseded=include_superseded)


def _hit(view: View, row: MemoryRow, score: float | None) -> Hit:
    successor = None if row.live else row.memory.superseded_by
    return Hit(row, score, None if successor is None else memory(view.index, successor))


def _check_range(number: int, argument: str, most: int = MOST) -> None:
    if not 1 <= number <= most:
        raise InvalidInput(
            f"invalid_{argument}",
            f"{argument} {number} is not within 1..{most}.",
            "Leave it out for the default.",
            argument=argument,
        )
