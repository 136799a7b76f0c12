"""Clusters of live notes worth consolidating (contract: memory_consolidation_candidates)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gitmail.errors import InvalidInput
from gitmail.index.memories import live_memories, memory
from gitmail.index.memory_search import search_memories
from gitmail.index.rows import MemoryRow
from gitmail.memory.clusters import Cluster, clusters
from gitmail.memory.ranking import CANDIDATES
from gitmail.store.store import Store
from gitmail.store.view import View
from gitmail.values.memory import normal_tags

MOST_CLUSTERS = 50


@dataclass(frozen=True, slots=True)
class Candidate:
    """Live notes that say nearly the same, in order of number; `cohesion` is 0 to 1."""

    cohesion: float
    members: tuple[MemoryRow, ...]


def consolidation_candidates(
    store: Store,
    *,
    query: str | None = None,
    tags: Iterable[str] = (),
    min_cohesion: float = 0.6,
    min_cluster_size: int = 2,
    max_clusters: int = 10,
) -> tuple[Candidate, ...]:
    """Return the clusters, the most cohesive first; the same notes give the same clusters.

    With `query` only the notes that answer it are clustered, with `tags` those that carry all of
    them. Raises InvalidInput `invalid_min_cohesion`, `invalid_min_cluster_size`,
    `invalid_max_clusters`, `invalid_tags`.
    """
    _check(min_cohesion, min_cluster_size, max_clusters)
    wanted = normal_tags(tags)

    def ask(view: View) -> tuple[dict[int, str], frozenset[int] | None]:
        texts: dict[int, str] = {}
        tagged: set[int] = set()
        for row in live_memories(view.index):
            texts.setdefault(row.memory.number, row.memory.text)
            if set(wanted) <= set(row.memory.tags):
                tagged.add(row.memory.number)
        return texts, _among(view, query, wanted, tagged)

    texts, among = store.read(ask)
    found = clusters(texts.items(), min_cohesion, min_cluster_size, max_clusters, among)
    return store.read(lambda view: tuple(_candidates(view, found, min_cluster_size)))


def _among(
    view: View, query: str | None, tags: tuple[str, ...], tagged: set[int]
) -> frozenset[int] | None:
    """Return the notes to cluster; None for all."""
    if query is None or not query.strip():
        return frozenset(tagged) if tags else None
    matches = search_memories(view.index, query, tags=tags, limit=CANDIDATES)
    return frozenset(match.number for match in matches)


def _candidates(view: View, found: Iterable[Cluster], min_cluster_size: int) -> Iterable[Candidate]:
    """Look the members up again: clustering takes a while, and only live notes may be offered."""
    for cluster in found:
        rows = (memory(view.index, number) for number in cluster.members)
        members = tuple(row for row in rows if row is not None and row.live)
        if len(members) >= max(min_cluster_size, 2):
            yield Candidate(cluster.cohesion, members)


def _check(min_cohesion: float, min_cluster_size: int, max_clusters: int) -> None:
    bounds = (
        ("min_cohesion", min_cohesion, 0, 1),
        ("min_cluster_size", min_cluster_size, 2, 1_000_000),
        ("max_clusters", max_clusters, 1, MOST_CLUSTERS),
    )
    for argument, value, least, most in bounds:
        if not least <= value <= most:
            raise InvalidInput(
                f"invalid_{argument}",
                f"{argument} {value} is not within {least}..{most}.",
                "Leave it out for the default.",
                argument=argument,
            )
