"""Memory files: a note to bytes and back, and retiring one by splicing two keys.

The number stands in the file's name and in its header, and whether a note is live both in its
folder and its header; a file in which the two disagree is broken (docs/format.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from gitmail.errors import BrokenFile, InvalidInput
from gitmail.format.edit import set_keys, splice
from gitmail.format.fields import FieldReader
from gitmail.format.frame import FENCE
from gitmail.format.header import load
from gitmail.format.writing import header_line
from gitmail.values.memory import (
    SOURCE_LIMIT,
    SOURCE_NOTE,
    TITLE_LIMIT,
    Memory,
    normal_tags,
    title_from_text,
)
from gitmail.values.paths import Kind, classify

AUTHOR_LIMIT = 200

_POSITIVE = re.compile(r"0*[1-9][0-9]{0,17}")

MEMORY_KEYS = (
    "number",
    "uid",
    "title",
    "author",
    "source",
    "tags",
    "created_at",
    "supersedes",
    "superseded_by",
    "superseded_at",
)
"""The keys gitmail writes, in the order it writes them."""

REQUIRED_KEYS = ("number", "uid", "author", "created_at")


def memory_to_bytes(memory: Memory) -> bytes:
    """Return the file of `memory`, live or retired, as gitmail writes it new."""
    head = "".join(_head_lines(memory))
    return f"{FENCE}\n{head}{FENCE}\n\n{memory.text}\n".encode()


def memory_from_bytes(data: bytes, file: str) -> Memory:
    """Read a note; `file` is its path in the store.

    A missing title is made from the text, a missing source is `note`, unknown keys are left alone.
    Raises BrokenFile naming file and line, also where header and path disagree.
    """
    header = load(data, file)
    fields = _MemoryFields(header.values, data, file)
    fields.require(REQUIRED_KEYS)
    if not header.text.strip():
        raise BrokenFile(file, "the note has no text")
    memory = Memory(
        number=fields.number("number"),
        uid=fields.id("uid"),
        title=fields.line("title", TITLE_LIMIT) or title_from_text(header.text),
        text=header.text,
        author=fields.needed_line("author", AUTHOR_LIMIT),
        created_at=fields.needed_time("created_at"),
        source=fields.line("source", SOURCE_LIMIT) or SOURCE_NOTE,
        tags=fields.tags("tags"),
        supersedes=fields.numbers("supersedes"),
        superseded_by=fields.optional_number("superseded_by"),
        superseded_at=fields.time("superseded_at"),
    )
    _check_place(memory, file)
    return memory


def retire(data: bytes, file: str, superseded_by: int | None, superseded_at: datetime) -> bytes:
    """Return the live note `data` marked as superseded; every other byte stays.

    Raises BrokenFile when it carries such a mark already.
    """
    marks: list[tuple[str, int | datetime]] = [("superseded_at", superseded_at)]
    if superseded_by is not None:
        marks.insert(0, ("superseded_by", superseded_by))
    return splice(data, marks, file)


def reinstate(data: bytes, file: str) -> bytes:
    """Return the retired note `data` without its marks; every other byte stays."""
    return set_keys(data, {"superseded_by": None, "superseded_at": None}, file, MEMORY_KEYS)


def _head_lines(memory: Memory) -> Iterator[str]:
    yield header_line("number", memory.number)
    yield header_line("uid", memory.uid)
    yield header_line("title", memory.title)
    yield header_line("author", memory.author)
    yield header_line("source", memory.source)
    if memory.tags:
        yield header_line("tags", memory.tags)
    yield header_line("created_at", memory.created_at)
    if memory.supersedes:
        # Plain integers for every YAML reader; header_line knows lists of texts, and quotes them.
        yield f"supersedes: [{', '.join(str(number) for number in memory.supersedes)}]\n"
    if memory.superseded_by is not None:
        yield header_line("superseded_by", memory.superseded_by)
    if memory.superseded_at is not None:
        yield header_line("superseded_at", memory.superseded_at)


def _check_place(memory: Memory, file: str) -> None:
    place = classify(file)
    if place.number is not None and place.number != memory.number:
        raise BrokenFile(
            file, f"the header says number {memory.number}, the file's name {place.number}"
        )
    if place.kind is Kind.MEMORY and memory.retired:
        raise BrokenFile(file, "a superseded note must lie below memories/superseded/")
    if place.kind is Kind.SUPERSEDED and memory.superseded_at is None:
        raise BrokenFile(file, "a note below memories/superseded/ must have superseded_at")


class _MemoryFields(FieldReader):
    """The fields of a memory: positive integers, lists of them, and tags."""

    def number(self, key: str) -> int:
        """Return a positive integer that must not be missing."""
        number = self.optional_number(key)
        if number is None:
            self.fail(key, "is empty")
        return number

    def optional_number(self, key: str) -> int | None:
        """Return a positive integer."""
        number = self.integer(key)
        if number == 0:
            self.fail(key, "must be a positive integer, not 0")
        return number

    def numbers(self, key: str) -> tuple[int, ...]:
        """Return a list of positive integers, each once; one without a list is a list of one."""
        items = self._list(key)
        for item in items:
            if not _POSITIVE.fullmatch(item):
                self.fail(key, f"must be a list of positive integers, not {item[:40]!r}")
        return tuple(dict.fromkeys(int(item) for item in items))

    def tags(self, key: str) -> tuple[str, ...]:
        """Return tags as they are compared; a person may write them in any case."""
        try:
            return normal_tags(self._list(key))
        except InvalidInput as error:
            self.fail(key, f"cannot be used: {error.message}")

    def _list(self, key: str) -> list[str]:
        value = self._values.get(key, "")
        if isinstance(value, dict):
            self.fail(key, "must be a list, not a map")
        if isinstance(value, list):
            return value
        return [value] if value else []
