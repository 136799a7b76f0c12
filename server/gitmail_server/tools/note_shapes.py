"""Notes in the words of the tools' results; every answer stays within a page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from gitmail.index.rows import MemoryRow
from gitmail.memory.searching import Hit
from gitmail.values.memory import Memory
from gitmail.values.text import subject_from_text
from gitmail.values.times import format_time

SHOWN = 600
"""Characters of a note's text in a list; memory_get gives all of it."""

PAGE_CHARACTERS = 200_000
LEAST_SHOWN = 120

ENTRIES: dict[str, Any] = {"type": "array", "items": {"type": "object"}}
IDS: dict[str, Any] = {"type": "array", "items": {"type": "integer"}}


def note_shape(memory: Memory, shown: int = SHOWN) -> dict[str, Any]:
    """Return a note as lists show it, its text cut."""
    shape: dict[str, Any] = {
        "id": memory.number,
        "title": memory.title,
        "text": memory.text[:shown],
        "tags": list(memory.tags),
        "source": memory.source,
        "author": memory.author,
        "created_at": format_time(memory.created_at),
    }
    if len(memory.text) > shown:
        shape["truncated"] = True
    return shape


def hit_shape(hit: Hit) -> dict[str, Any]:
    """Return a note of a search or of the newest."""
    shape = note_shape(hit.row.memory)
    if hit.score is not None:
        shape["score"] = hit.score
    if not hit.row.live:
        shape["superseded"] = True
        by = hit.row.memory.superseded_by
        if by is not None:
            shape["replaced_by"] = {"id": by} | _preview(hit.replaced_by)
    return shape


def preview_shape(row: MemoryRow) -> dict[str, Any]:
    """Return a note's id and its first line."""
    return {"id": row.memory.number, **_preview(row)}


def _preview(row: MemoryRow | None) -> dict[str, Any]:
    return {} if row is None else {"preview": subject_from_text(row.memory.text)}


def fair_share(texts: Sequence[str]) -> int:
    """Return how many characters of each text may be shown so that all of them fit a page."""
    if sum(map(len, texts)) <= PAGE_CHARACTERS:
        return max(map(len, texts), default=0)
    return max(PAGE_CHARACTERS // len(texts), LEAST_SHOWN)


def cut(texts: Iterable[str], shown: int) -> list[str]:
    """Return the texts, each at most `shown` characters."""
    return [text if len(text) <= shown else f"{text[: shown - 1]}…" for text in texts]
