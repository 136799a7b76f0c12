"""Memory files: a note to bytes and back, and retiring one by splicing two keys.

The number stands in the file's name and in its header, and whether a note is live both in its
folder and its header; a file in which the two disagree is broken (docs/format.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from gitmail.errors import BrokenFile, InvalidInput
from gitmail.format.edit import key_line, set_keys, splice
from gitmail.format.frame import FENCE
from gitmail.format.header import Header, load
from gitmail.format.problem import HeaderValue
from gitmail.format.writing import header_line
from gitmail.values.memory import (
    NUMBER_LIMIT,
    SOURCE_NOTE,
    Memory,
    normal_tags,
    title_from_text,
)
from gitmail.values.paths import Kind, classify
from gitmail.values.times import read_time

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
    reader = _Reader(load(data, file), data, file)
    text = reader.header.text
    if not text.strip():
        raise BrokenFile(file, "the note has no text")
    memory = Memory(
        number=reader.number("number"),
        uid=reader.required("uid"),
        title=reader.scalar("title") or title_from_text(text),
        text=text,
        author=reader.required("author"),
        created_at=reader.required_time("created_at"),
        source=reader.scalar("source") or SOURCE_NOTE,
        tags=reader.tags(),
        supersedes=reader.numbers("supersedes"),
        superseded_by=reader.optional_number("superseded_by"),
        superseded_at=reader.time("superseded_at"),
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


class _Reader:
    """The typed values of one header; every complaint names the key and its line."""

    __slots__ = ("_data", "_file", "header")

    def __init__(self, header: Header, data: bytes, file: str) -> None:
        self.header = header
        self._data = data
        self._file = file
        for key in REQUIRED_KEYS:
            if key not in header.values:
                raise BrokenFile(file, f"the key {key!r} is missing")

    def required(self, key: str) -> str:
        value = self.scalar(key)
        if not value:
            raise self._broken(key, "is empty")
        return value

    def scalar(self, key: str) -> str | None:
        value = self.header.values.get(key)
        if value is not None and not isinstance(value, str):
            raise self._broken(key, "must be one value, not a list or map")
        return value

    def number(self, key: str) -> int:
        return self._number(key, self.required(key))

    def optional_number(self, key: str) -> int | None:
        value = self.scalar(key)
        return None if not value else self._number(key, value)

    def numbers(self, key: str) -> tuple[int, ...]:
        return tuple(dict.fromkeys(self._number(key, item) for item in self._list(key)))

    def required_time(self, key: str) -> datetime:
        return self._time(key, self.required(key))

    def time(self, key: str) -> datetime | None:
        value = self.scalar(key)
        return None if not value else self._time(key, value)

    def tags(self) -> tuple[str, ...]:
        try:
            return normal_tags(self._list("tags"))
        except InvalidInput as error:
            raise self._broken("tags", f"is not valid: {error.message}") from None

    def _list(self, key: str) -> list[str]:
        value: HeaderValue = self.header.values.get(key, [])
        if isinstance(value, dict):
            raise self._broken(key, "must be a list, not a map")
        if isinstance(value, str):
            return [value] if value else []
        return value

    def _number(self, key: str, text: str) -> int:
        if text.isascii() and text.isdigit() and len(text) <= 19:
            number = int(text)
            if 1 <= number <= NUMBER_LIMIT:
                return number
        raise self._broken(key, f"must be a positive integer, not {text[:40]!r}")

    def _time(self, key: str, text: str) -> datetime:
        try:
            return read_time(text)
        except ValueError:
            raise self._broken(key, f"must be a time in ISO 8601, not {text[:40]!r}") from None

    def _broken(self, key: str, problem: str) -> BrokenFile:
        return BrokenFile(self._file, f"{key} {problem}", key_line(self._data, self._file, key))
