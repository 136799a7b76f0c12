"""memory_consolidation_candidates (contract: memory_consolidate, the family)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import Field

from gitmail.memory.candidates import MOST_CLUSTERS, Candidate, consolidation_candidates
from gitmail_server.session import Session
from gitmail_server.tool import Arguments, Hints, Tool
from gitmail_server.tools.note_shapes import (
    ENTRIES,
    LEAST_SHOWN,
    PAGE_CHARACTERS,
    SHOWN,
    note_shape,
)

MEMBERS = 1_000
"""Most members of one answer; a larger cluster is offered in parts, the next once this is done."""


class CandidatesArguments(Arguments):
    """The arguments of memory_consolidation_candidates."""

    query: str | None = Field(None, description="only among notes about this")
    tags: list[str] = Field([], description="only notes with all of these")
    min_cohesion: float = Field(0.6, ge=0, le=1, description="1 = the same words")
    min_cluster_size: int = Field(2, ge=2)
    max_clusters: int = Field(10, ge=1, le=MOST_CLUSTERS)


def handle(session: Session, given: CandidatesArguments) -> dict[str, Any]:
    """Offer the clusters."""
    found = consolidation_candidates(
        session.store,
        query=given.query,
        tags=given.tags,
        min_cohesion=given.min_cohesion,
        min_cluster_size=given.min_cluster_size,
        max_clusters=given.max_clusters,
    )
    return {"count": len(found), "clusters": clusters_shape(found)}


def clusters_shape(found: Sequence[Candidate]) -> list[dict[str, Any]]:
    """Return the clusters; `more` counts the members that are left for the next call."""
    most = MEMBERS // max(len(found), 1)
    total = sum(min(len(one.members), most) for one in found)
    shown = min(SHOWN, max(PAGE_CHARACTERS // max(total, 1), LEAST_SHOWN))
    shapes = []
    for one in found:
        members = [note_shape(row.memory, shown) for row in one.members[:most]]
        shape = {"cohesion": one.cohesion, "size": len(one.members), "members": members}
        if len(one.members) > most:
            shape["more"] = len(one.members) - most
        shapes.append(shape)
    return shapes


TOOL = Tool(
    name="memory_consolidation_candidates",
    title="Notes to consolidate",
    description="Find groups of live notes that say nearly the same, best first. Read them, write "
    "one note that says it all, and give its text and the ids to memory_consolidate.",
    arguments=CandidatesArguments,
    handler=handle,
    output={
        "type": "object",
        "properties": {"count": {"type": "integer"}, "clusters": ENTRIES},
        "required": ["count", "clusters"],
    },
    hints=Hints(read_only=True, idempotent=True),
)
