"""memory_search, memory_recent and memory_get (contract: memory_consolidate, the family)."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from gitmail.memory.history import Linked, NoteHistory, get_note
from gitmail.memory.searching import MOST, TOP_K, recent_notes, search_notes
from gitmail.values.times import format_time
from gitmail_server.session import Session
from gitmail_server.tool import Arguments, Hints, Tool
from gitmail_server.tools.note_shapes import ENTRIES, hit_shape, note_shape, preview_shape


class SearchArguments(Arguments):
    """The arguments of memory_search."""

    query: str = Field(description="words, an id, a path: any text")
    top_k: int = Field(TOP_K, ge=1, le=MOST)
    tags: list[str] = Field([], description="notes with all of these")
    sources: list[str] = Field([], description="notes from one of these")
    include_superseded: bool = False


class RecentArguments(Arguments):
    """The arguments of memory_recent."""

    n: int = Field(10, ge=1, le=MOST)
    tags: list[str] = Field([], description="notes with all of these")
    sources: list[str] = Field([], description="notes from one of these")
    include_superseded: bool = False


class GetArguments(Arguments):
    """The argument of memory_get."""

    entry_id: int = Field(ge=1)


def _search(session: Session, given: SearchArguments) -> dict[str, Any]:
    hits = search_notes(
        session.store,
        given.query,
        top_k=given.top_k,
        tags=given.tags,
        sources=given.sources,
        include_superseded=given.include_superseded,
    )
    return {"query": given.query, "count": len(hits), "entries": list(map(hit_shape, hits))}


def _recent(session: Session, given: RecentArguments) -> dict[str, Any]:
    hits = recent_notes(
        session.store,
        given.n,
        tags=given.tags,
        sources=given.sources,
        include_superseded=given.include_superseded,
    )
    return {"count": len(hits), "entries": list(map(hit_shape, hits))}


def _get(session: Session, given: GetArguments) -> dict[str, Any]:
    return _whole(get_note(session.store, given.entry_id))


def _whole(found: NoteHistory) -> dict[str, Any]:
    memory = found.row.memory
    shape = note_shape(memory, len(memory.text))
    shape["superseded"] = not found.row.live
    if memory.superseded_at is not None:
        shape["superseded_at"] = format_time(memory.superseded_at)
    if found.superseded_by is not None:
        shape["superseded_by"] = _link(found.superseded_by)
    shape["supersedes"] = [_link(one) for one in found.supersedes]
    shape["path"] = found.row.path
    shape["history"] = [
        {
            "what": event.what,
            "author": event.author,
            "at": format_time(event.when),
            "commit": event.commit,
        }
        for event in found.events
    ]
    return shape


def _link(one: Linked) -> dict[str, Any]:
    return {"id": one.number, "forgotten": True} if one.row is None else preview_shape(one.row)


_ENTRIES_OUTPUT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "query": {"type": "string"},
        "count": {"type": "integer"},
        "entries": ENTRIES,
    },
    "required": ["count", "entries"],
}

SEARCH = Tool(
    name="memory_search",
    title="Search the notes",
    description="Find notes by their words, best first; texts are cut at 600 characters "
    "(memory_get has all). Look here before you work on something, and before you store.",
    arguments=SearchArguments,
    handler=_search,
    output=_ENTRIES_OUTPUT,
    hints=Hints(read_only=True, idempotent=True),
)

RECENT = Tool(
    name="memory_recent",
    title="The newest notes",
    description="List the newest notes, newest first.",
    arguments=RecentArguments,
    handler=_recent,
    output=_ENTRIES_OUTPUT,
    hints=Hints(read_only=True, idempotent=True),
)

GET = Tool(
    name="memory_get",
    title="One note",
    description="Read one note whole, with its history, what it replaced and what replaced it.",
    arguments=GetArguments,
    handler=_get,
    output={
        "type": "object",
        "properties": {
            "id": {"type": "integer"},
            "text": {"type": "string"},
            "superseded": {"type": "boolean"},
            "superseded_by": {"type": "object"},
            "supersedes": ENTRIES,
            "history": ENTRIES,
        },
        "required": ["id", "text", "superseded", "supersedes", "history"],
    },
    hints=Hints(read_only=True, idempotent=True),
)
