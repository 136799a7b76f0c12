"""memory_forget and memory_reinstate (contract: memory_consolidate, the family)."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from gitmail.memory.forgetting import SAMPLE, Forgotten, Selection, forget, reinstate_note
from gitmail_server.session import Session
from gitmail_server.tool import Arguments, Hints, Tool
from gitmail_server.tools.note_shapes import ENTRIES, IDS, preview_shape


class ForgetArguments(Arguments):
    """The arguments of memory_forget; all filters that are given must hold."""

    text: str | None = Field(None, description="exact stored text")
    substring: str | None = Field(None, description="part of the text, as written")
    source: str | None = None
    tag: str | None = None
    entry_ids: list[int] | None = None
    confirm_bulk: bool = Field(False, description="needed for more than 20 notes")


class ReinstateArguments(Arguments):
    """The argument of memory_reinstate."""

    entry_id: int = Field(ge=1)


def _forget(session: Session, given: ForgetArguments) -> dict[str, Any]:
    selection = Selection(given.text, given.substring, given.source, given.tag, given.entry_ids)
    done = forget(session.store, session.caller, selection, confirm_bulk=given.confirm_bulk)
    return _waiting(done) if done.confirm_bulk_required else _done(done)


def _waiting(done: Forgotten) -> dict[str, Any]:
    return {
        "forgotten_count": 0,
        "forgotten_ids": [],
        "confirm_bulk_required": True,
        "matches": len(done.rows),
        "sample": [preview_shape(row) for row in done.rows[:SAMPLE]],
    }


def _done(done: Forgotten) -> dict[str, Any]:
    numbers = [row.memory.number for row in done.rows]
    answer: dict[str, Any] = {"forgotten_count": len(numbers), "forgotten_ids": numbers}
    if done.commit is not None:
        answer["commit"] = done.commit
    return answer


def _reinstate(session: Session, given: ReinstateArguments) -> dict[str, Any]:
    done = reinstate_note(session.store, session.caller, given.entry_id)
    answer: dict[str, Any] = {"reinstated": done.reinstated, **preview_shape(done.row)}
    if done.commit is None:
        answer["reason"] = "already_live"
    else:
        answer["commit"] = done.commit
    return answer


FORGET = Tool(
    name="memory_forget",
    title="Forget notes",
    description="Remove notes, live and retired, that match every filter given. History keeps "
    "them: `gitmail undo COMMIT`. To correct a note use memory_supersede. More than 20 matches "
    "are only counted and sampled until confirm_bulk.",
    arguments=ForgetArguments,
    handler=_forget,
    output={
        "type": "object",
        "properties": {
            "forgotten_count": {"type": "integer"},
            "forgotten_ids": IDS,
            "confirm_bulk_required": {"type": "boolean"},
            "matches": {"type": "integer"},
            "sample": ENTRIES,
            "commit": {"type": "string"},
        },
        "required": ["forgotten_count", "forgotten_ids"],
    },
    hints=Hints(destructive=True, idempotent=True),
)

REINSTATE = Tool(
    name="memory_reinstate",
    title="Reinstate a note",
    description="Make a retired note live again; the note that replaced it stays.",
    arguments=ReinstateArguments,
    handler=_reinstate,
    output={
        "type": "object",
        "properties": {
            "reinstated": {"type": "boolean"},
            "id": {"type": "integer"},
            "preview": {"type": "string"},
            "reason": {"type": "string"},
            "commit": {"type": "string"},
        },
        "required": ["reinstated", "id"],
    },
    hints=Hints(idempotent=True),
)
