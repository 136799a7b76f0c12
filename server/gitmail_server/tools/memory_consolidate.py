"""memory_consolidate and memory_supersede (contract: memory_consolidate).

The input schema of memory_consolidate is fixed: clients of the second vocabulary know it. Its
selectors are checked by the use case, whose refusals carry the facts that the contract names.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, WithJsonSchema

from gitmail.memory.consolidating import Replaced, consolidate, supersede
from gitmail.values.memory import SOURCE_CONSOLIDATION, SOURCE_CORRECTION
from gitmail_server.session import Session
from gitmail_server.tool import Arguments, Hints, Tool
from gitmail_server.tools.note_shapes import IDS, cut, fair_share

_KEEP_NULL: dict[str, Any] = {"keep_null": True}


def _list_or_null(kind: str) -> WithJsonSchema:
    schema = {"anyOf": [{"type": "array", "items": {"type": kind}}, {"type": "null"}]}
    return WithJsonSchema(schema)


class ConsolidateArguments(Arguments):
    """The arguments of memory_consolidate, published as clients know them."""

    replaces: Annotated[Any, _list_or_null("string")] = Field(
        None, description="exact stored texts; not with entry_ids", json_schema_extra=_KEEP_NULL
    )
    new_text: str = Field(description="the one note that replaces them")
    source: str | None = Field(
        None, description="default consolidation", json_schema_extra=_KEEP_NULL
    )
    tags: list[str] | None = Field(None, json_schema_extra=_KEEP_NULL)
    entry_ids: Annotated[Any, _list_or_null("integer")] = Field(
        None, description="ids of live notes; better than replaces", json_schema_extra=_KEEP_NULL
    )


class SupersedeArguments(Arguments):
    """The arguments of memory_supersede."""

    new_text: str = Field(description="the corrected note")
    entry_id: Annotated[Any, WithJsonSchema({"type": "integer"})] = Field(
        None, description="id of the live note; better than old_text"
    )
    old_text: Annotated[Any, WithJsonSchema({"type": "string"})] = Field(
        None, description="its exact stored text"
    )
    tags: list[str] | None = Field(None, description="default: those of the old note")
    source: str = SOURCE_CORRECTION


def _consolidate(session: Session, given: ConsolidateArguments) -> dict[str, Any]:
    return _answer(
        consolidate(
            session.store,
            session.caller,
            given.new_text,
            entry_ids=given.entry_ids,
            replaces=given.replaces,
            tags=given.tags or (),
            source=SOURCE_CONSOLIDATION if given.source is None else given.source,
        )
    )


def _supersede(session: Session, given: SupersedeArguments) -> dict[str, Any]:
    return _answer(
        supersede(
            session.store,
            session.caller,
            given.new_text,
            old_text=given.old_text,
            entry_id=given.entry_id,
            tags=given.tags,
            source=given.source,
        )
    )


def _answer(done: Replaced) -> dict[str, Any]:
    """Say what was really replaced; texts that would not fit a page together are cut."""
    texts = [memory.text for memory in done.superseded]
    shown = fair_share(texts)
    answer: dict[str, Any] = {
        "superseded_count": len(texts),
        "superseded_texts": cut(texts, shown),
        "superseded_ids": [memory.number for memory in done.superseded],
        "new_memory_stored": True,
        "new_memory_id": done.memory.number,
        "commit": done.commit,
    }
    if any(len(text) > shown for text in texts):
        answer["truncated"] = True
    return answer


_OUTPUT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "superseded_count": {"type": "integer"},
        "superseded_texts": {"type": "array", "items": {"type": "string"}},
        "superseded_ids": IDS,
        "new_memory_stored": {"type": "boolean"},
        "new_memory_id": {"type": "integer"},
        "commit": {"type": "string"},
        "truncated": {"type": "boolean"},
    },
    "required": [
        "superseded_count",
        "superseded_texts",
        "superseded_ids",
        "new_memory_stored",
        "new_memory_id",
        "commit",
    ],
}

CONSOLIDATE = Tool(
    name="memory_consolidate",
    title="Consolidate notes",
    description="Replace several notes that say nearly the same by one, in one commit: all of "
    "them or, if one target cannot be used, none. Exactly one of entry_ids and replaces; no "
    "guessing. The old ones stay as history; `gitmail undo COMMIT` takes it back.",
    arguments=ConsolidateArguments,
    handler=_consolidate,
    output=_OUTPUT,
    hints=Hints(destructive=True),
)

SUPERSEDE = Tool(
    name="memory_supersede",
    title="Correct a note",
    description="Replace one note by its correction; the old one stays as history. Exactly one of "
    "entry_id and old_text.",
    arguments=SupersedeArguments,
    handler=_supersede,
    output=_OUTPUT,
    hints=Hints(destructive=True),
)
