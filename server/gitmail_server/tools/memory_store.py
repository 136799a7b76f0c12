"""memory_store (contract: memory_consolidate, the family)."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from gitmail.memory.storing import store_note
from gitmail.values.memory import SOURCE_NOTE
from gitmail_server.session import Session
from gitmail_server.tool import Arguments, Hints, Tool
from gitmail_server.tools.note_shapes import ENTRIES, preview_shape


class StoreArguments(Arguments):
    """The arguments of memory_store."""

    text: str = Field(description="one fact or decision, in words it will be searched by")
    tags: list[str] = Field([], description="few, short")
    source: str = Field(SOURCE_NOTE, description="where it comes from")
    title: str | None = Field(None, description="default: the first sentence")


def handle(session: Session, given: StoreArguments) -> dict[str, Any]:
    """Store the note, unless a live one has this very text."""
    done = store_note(
        session.store,
        session.caller,
        given.text,
        tags=given.tags,
        source=given.source,
        title=given.title,
    )
    content: dict[str, Any] = {
        "stored": done.stored,
        "id": done.number,
        "title": done.title,
        "similar": [
            preview_shape(one.row) | {"likeness": round(one.likeness, 3)} for one in done.similar
        ],
    }
    if done.stored:
        content["commit"] = done.commit
    else:
        content["reason"] = "duplicate"
    return content


TOOL = Tool(
    name="memory_store",
    title="Store a note",
    description="Keep a note that all agents of this project find with memory_search. `similar` "
    "shows live notes that look alike; nothing is merged by itself: memory_supersede corrects "
    "one, memory_consolidate joins several. No credentials.",
    arguments=StoreArguments,
    handler=handle,
    output={
        "type": "object",
        "properties": {
            "stored": {"type": "boolean"},
            "id": {"type": "integer"},
            "title": {"type": "string"},
            "reason": {"type": "string"},
            "similar": ENTRIES,
            "commit": {"type": "string"},
        },
        "required": ["stored", "id", "similar"],
    },
    hints=Hints(),
)
