"""Letters as files: the sender's keys and text, then the owner's marks (docs/format.md).

What is written here can always be read back as the same value: both directions apply the same
rules, so no letter is delivered that nobody could read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from datetime import datetime

from gitmail.format.edit import set_keys, splice
from gitmail.format.fields import FieldReader
from gitmail.format.header import load
from gitmail.format.writing import Writable, dump
from gitmail.values.letter import IMPORTANCES, KINDS, ORIGINS, Delivery, Letter, Marks
from gitmail.values.text import SUBJECT_LIMIT

REQUIRED_KEYS = ("id", "from", "to", "subject", "date")
LETTER_KEYS = (
    "id",
    "from",
    "to",
    "cc",
    "kind",
    "subject",
    "date",
    "thread",
    "topic",
    "reply_to",
    "importance",
    "ack_required",
    "expires",
    "clears",
    "origin",
    "request_id",
    "request",
    "wake",
)
"""What the sender wrote, in the order of the file."""

MARK_KEYS = ("first_read_at", "read_at", "acknowledged_at")
"""What the mailbox's owner adds, in the order of the file."""

LINE_LIMIT = 1000
"""Most characters of a one-line value whose own limit the caller has checked."""


def letter_to_bytes(letter: Letter, marks: Marks | None = None) -> bytes:
    """Return the file of one delivery of `letter`.

    Keys that hold their default are left out. Raises BrokenFile (file `<letter>`) for a value
    that could not be read back, ValueError for a text that is not valid Unicode.
    """
    pairs = [*_letter_pairs(letter), *_mark_pairs(marks or Marks())]
    data = dump(pairs, letter.text)
    letter_from_bytes(data, "<letter>", letter.sender)
    return data


def letter_from_bytes(data: bytes, file: str, recipient: str) -> Delivery:
    """Read the letter at the path `file`, which lies in the mailbox of `recipient`.

    Raises BrokenFile naming file, line and key.
    """
    header = load(data, file)
    read = FieldReader(header.values, data, file)
    read.require(REQUIRED_KEYS)
    kind = read.choice("kind", KINDS, "to")
    letter = Letter(
        id=read.id("id"),
        sender=read.name("from"),
        to=read.names("to", may_be_empty=kind == "bcc"),
        subject=read.needed_line("subject", SUBJECT_LIMIT),
        date=read.needed_time("date"),
        text=header.text,
        cc=read.names("cc", may_be_empty=True),
        kind=kind,
        thread=read.line("thread", LINE_LIMIT),
        topic=read.line("topic", LINE_LIMIT),
        reply_to=read.optional_id("reply_to"),
        importance=read.choice("importance", IMPORTANCES, "normal"),
        ack_required=read.boolean("ack_required"),
        expires=read.time("expires"),
        clears=read.line("clears", LINE_LIMIT),
        origin=read.choice("origin", ORIGINS, "agent"),
        request_id=read.line("request_id", LINE_LIMIT),
        request=read.line("request", LINE_LIMIT),
        wake=read.flat_map("wake"),
    )
    return Delivery(letter, recipient, _marks(read), file)


def add_marks(data: bytes, file: str, marks: Mapping[str, datetime]) -> bytes:
    """Return `data` with the owner's marks spliced in before the closing fence; rest untouched.

    Keys of `marks` are those of MARK_KEYS. Raises BrokenFile when one is there already.
    """
    return splice(data, [(key, marks[key]) for key in _known(marks)], file)


def remove_marks(data: bytes, file: str, keys: tuple[str, ...] = MARK_KEYS) -> bytes:
    """Return `data` as it was before the marks `keys` were added. Raises BrokenFile."""
    if not any(key.encode() in data for key in keys):
        return data
    return set_keys(data, dict.fromkeys(keys), file)


def _known(marks: Mapping[str, datetime]) -> list[str]:
    unknown = set(marks) - set(MARK_KEYS)
    if unknown:
        raise ValueError(f"no marks of a letter: {', '.join(sorted(unknown))}")
    return [key for key in MARK_KEYS if key in marks]


def _marks(read: FieldReader) -> Marks:
    return Marks(read.time("first_read_at"), read.time("read_at"), read.time("acknowledged_at"))


def _letter_pairs(letter: Letter) -> Iterator[tuple[str, Writable]]:
    defaults = {field.name: field.default for field in fields(Letter)}
    for key in LETTER_KEYS:
        name = "sender" if key == "from" else key
        value = getattr(letter, name)
        empty = value is None or value in ((), {})
        if key in REQUIRED_KEYS or not (empty or value == defaults[name]):
            yield key, value


def _mark_pairs(marks: Marks) -> Iterator[tuple[str, Writable]]:
    for key in MARK_KEYS:
        value = getattr(marks, key)
        if value is not None:
            yield key, value
