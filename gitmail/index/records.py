"""Files as the rows they become: read by the format, flattened into the schema's columns.

A value that SQLite could not hold (half a surrogate pair, an integer past 64 bits) makes a file
broken like any other fault; it must not stop the index from following main.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gitmail.errors import BrokenFile, GitmailError
from gitmail.format.agents import agent_from_bytes
from gitmail.format.letters import letter_from_bytes
from gitmail.index.rows import maybe_micros, to_json, to_micros
from gitmail.index.schema import AGENT_COLUMNS
from gitmail.values.letter import Delivery, Letter
from gitmail.values.names import fold
from gitmail.values.paths import Kind, PathKind

if TYPE_CHECKING:
    from gitmail.values.memory import Memory

RING_DECISIONS = frozenset({"rung", "no_path"})
"""Wake decisions that spent one of the rings a sender or recipient is allowed."""

Values = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class LetterFile:
    """A letter's file: `values` are all columns of deliveries but the last, `text_row`."""

    letter: Letter
    recipient_fold: str
    values: Values


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """A note's file: `values` are all columns of memories."""

    memory: Memory
    values: Values


@dataclass(frozen=True, slots=True)
class PlainFile:
    """A profile's or reservation's file: its table and all of that table's columns."""

    table: str
    values: Values


Record = LetterFile | MemoryFile | PlainFile

_READ = frozenset(
    {Kind.INBOX, Kind.ARCHIVE, Kind.AGENT, Kind.MEMORY, Kind.SUPERSEDED, Kind.RESERVATION}
)


def has_record(place: PathKind) -> bool:
    """Tell whether files at `place` are read at all; of the others only the blob id is kept."""
    return place.kind in _READ


def read_record(path: str, blob: str, place: PathKind, data: bytes) -> Record:
    """Return the record of the file `path`. Raises BrokenFile."""
    try:
        record = _read(path, blob, place, data)
    except BrokenFile:
        raise
    except GitmailError as error:
        raise BrokenFile(path, error.message) from None
    _check_storable(path, record.values)
    return record


def _read(path: str, blob: str, place: PathKind, data: bytes) -> Record:
    if place.is_letter:
        delivery = letter_from_bytes(data, path, place.owner or "")
        return _letter_file(delivery, blob, archived=place.kind is Kind.ARCHIVE)
    if place.kind is Kind.AGENT:
        return _agent_file(path, blob, data)
    if place.kind is Kind.RESERVATION:
        return _reservation_file(path, blob, data)
    from gitmail.format.memories import memory_from_bytes  # a letter needs none of it

    memory = memory_from_bytes(data, path)
    return _memory_file(memory, path, blob, live=place.kind is Kind.MEMORY)


def _letter_file(delivery: Delivery, blob: str, archived: bool) -> LetterFile:
    letter, marks = delivery.letter, delivery.marks
    recipient_fold = fold(delivery.recipient)
    values = (
        delivery.path,
        blob,
        delivery.recipient,
        recipient_fold,
        letter.id,
        letter.sender,
        fold(letter.sender),
        to_json(letter.to),
        to_json(letter.cc),
        letter.kind,
        letter.subject,
        to_micros(letter.date),
        letter.thread,
        letter.topic,
        None if letter.topic is None else fold(letter.topic),
        letter.reply_to,
        letter.importance,
        letter.ack_required,
        maybe_micros(letter.expires),
        letter.clears,
        letter.origin,
        letter.request_id,
        letter.request,
        to_json(letter.wake),
        letter.wake.get("decision") in RING_DECISIONS,
        maybe_micros(marks.first_read_at),
        maybe_micros(marks.read_at),
        maybe_micros(marks.acknowledged_at),
        delivery.handled,
        archived,
    )
    return LetterFile(letter, recipient_fold, values)


def _agent_file(path: str, blob: str, data: bytes) -> PlainFile:
    agent = agent_from_bytes(data, path)
    values: list[object] = [path, blob, fold(agent.name)]
    for column in AGENT_COLUMNS[3:]:
        value = getattr(agent, column)
        if column.endswith(("_at", "expires")):
            value = maybe_micros(value)
        elif column == "contacts":
            value = to_json(value)
        values.append(value)
    return PlainFile("agents", tuple(values))


def _memory_file(memory: Memory, path: str, blob: str, live: bool) -> MemoryFile:
    values = (
        path,
        blob,
        live,
        memory.number,
        memory.uid,
        memory.title,
        to_json(memory.tags),
        memory.source,
        memory.author,
        to_micros(memory.created_at),
        to_json(memory.supersedes),
        memory.superseded_by,
        maybe_micros(memory.superseded_at),
        memory.text,
        text_digest(memory.text),
    )
    return MemoryFile(memory, values)


def _reservation_file(path: str, blob: str, data: bytes) -> PlainFile:
    from gitmail.format.reservations import reservation_from_bytes

    reservation = reservation_from_bytes(data, path)
    values = (
        path,
        blob,
        reservation.id,
        reservation.holder,
        fold(reservation.holder),
        to_micros(reservation.date),
        to_micros(reservation.expires),
        to_json(reservation.paths),
        to_json(reservation.names),
        reservation.exclusive,
        reservation.reason,
        reservation.thread,
        reservation.ttl_seconds,
        reservation.waiting,
    )
    return PlainFile("reservations", values)


def text_digest(text: str) -> bytes:
    """Return what notes of exactly the same text share."""
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def _check_storable(path: str, values: Values) -> None:
    try:
        "".join([value for value in values if type(value) is str]).encode()
    except UnicodeEncodeError:
        raise BrokenFile(path, "a value is not valid Unicode") from None
    for value in values:
        if type(value) is int and not -(2**63) <= value < 2**63:
            raise BrokenFile(path, f"the number {value} is too large")
