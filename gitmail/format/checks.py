"""What may change in the store's files: the rules of pre-receive, check-store and doctor.

Each function returns problem sentences, `path: what is wrong`; an empty list allows the change.
`exempt` is for undo, sync merges and redaction, which may take away what nobody else may.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from gitmail.errors import BrokenFile, StoreUnavailable
from gitmail.format.agents import agent_from_bytes
from gitmail.format.config import config_from_bytes
from gitmail.format.letters import letter_from_bytes, remove_marks
from gitmail.format.memories import memory_from_bytes
from gitmail.format.reservations import reservation_from_bytes
from gitmail.values.letter import Delivery
from gitmail.values.limits import LETTER_TEXT_LIMIT
from gitmail.values.memory import TEXT_LIMIT as MEMORY_TEXT_LIMIT
from gitmail.values.names import fold
from gitmail.values.paths import (
    ATTRIBUTES,
    ATTRIBUTES_TEXT,
    CONFIG,
    Kind,
    PathKind,
    classify,
    is_letter_name,
)
from gitmail.values.rules import letter_changes, mark_changes, marks_added, may_mark, place_problems
from gitmail.values.times import format_time

LETTER_LIMIT = 512 * 1024
"""Most bytes of any file of the store: the largest text, its header, and room to spare."""


def check_new_file(
    path: str, data: bytes, author: str | None = None, latest: datetime | None = None
) -> list[str]:
    """Return what is wrong with a file that appears at `path`.

    With `author` (the commit's), a new letter must come from that author and bring no marks; with
    `latest` it must not be dated later, because every later letter of the store would be too.
    """
    place = classify(path)
    problems = _content_problems(path, place, data)
    if problems or not place.is_letter or place.owner is None:
        return problems
    if not is_letter_name(place.file):
        problems.append(f"{path}: not named like 20261130T200102Z-3f9a1c22-subject.md")
    delivery = letter_from_bytes(data, path, place.owner)
    problems += _named(path, place_problems(delivery, place))
    if author is not None:
        problems += _named(path, _forged(delivery, place, author))
    if latest is not None and delivery.letter.date > latest:
        problems.append(f"{path}: its date, {format_time(delivery.letter.date)}, lies ahead")
    return problems


def check_changed_file(
    path: str, old: bytes, new: bytes, author: str | None = None, exempt: bool = False
) -> list[str]:
    """Return what is wrong with a file whose bytes change in place.

    A letter may only gain marks, by `author` where one is given; everything else must follow its
    format.
    """
    place = classify(path)
    if place.is_letter:
        return check_letter_change(path, old, path, new, author, exempt)
    return _content_problems(path, place, new)


def check_letter_change(
    old_path: str,
    old: bytes,
    new_path: str,
    new: bytes,
    author: str | None = None,
    exempt: bool = False,
) -> list[str]:
    """Return what is wrong with a delivered letter that changes, moves, or both.

    Allowed: marks added, each once, by the mailbox's owner; a move between inbox/ and archive/
    (or with a retiring mailbox) under the same file name. With `exempt` marks may go away.
    """
    before, after = classify(old_path), classify(new_path)
    if not (before.is_letter and after.is_letter):
        return [f"{new_path}: a delivered letter left the mailboxes (it was {old_path})"]
    if before.file != after.file:
        return [f"{new_path}: a delivered letter was renamed (it was {before.file})"]
    owner = after.owner or ""
    if fold(before.owner or "") != fold(owner):
        return [f"{new_path}: a delivered letter went to another mailbox (it was in {old_path})"]
    try:
        was = letter_from_bytes(old, old_path, owner)
        now = letter_from_bytes(new, new_path, owner)
    except BrokenFile as problem:
        return [] if old == new and old_path != new_path else [problem.message]
    problems = [
        *letter_changes(was.letter, now.letter),
        *mark_changes(was.marks, now.marks, exempt),
        *place_problems(now, after),
    ]
    if not problems and remove_marks(old, old_path) != remove_marks(new, new_path):
        problems.append("its bytes changed beyond the owner's marks")
    marked = marks_added(was.marks, now.marks) and not exempt
    if marked and author is not None and not may_mark(author, owner):
        problems.append(f"{author} set a mark in the mailbox of {owner}")
    waits = not now.handled and now.letter.expires is None
    put_away = waits and before.kind is Kind.INBOX and after.kind is Kind.ARCHIVE
    if put_away and not exempt and author is not None and not may_mark(author, owner):
        problems.append(f"{author} put away a letter that waits for {owner}")
    return _named(new_path, problems)


def check_removed_file(path: str, exempt: bool = False) -> list[str]:
    """Return what is wrong with taking `path` away without putting it elsewhere."""
    place = classify(path)
    if exempt or place.kind in (Kind.MEMORY, Kind.SUPERSEDED, Kind.RESERVATION, Kind.UNKNOWN):
        return []
    what = "a delivered letter" if place.is_letter else f"this {place.kind.value} file"
    return [f"{path}: {what} may not be removed"]


def settings_changes(old: bytes, new: bytes) -> list[str]:
    """Return what a push may not change in gitmail.toml: the program that runs on this machine.

    Both files follow the format.
    """
    if config_from_bytes(old).wake_command == config_from_bytes(new).wake_command:
        return []
    return [
        f"{CONFIG}: [wake] command names a program that runs on this machine, so it cannot come "
        "by a push; edit the file in the store itself"
    ]


def _content_problems(path: str, place: PathKind, data: bytes) -> list[str]:
    if place.kind is Kind.UNKNOWN:
        return [f"{path}: a store has no such path (docs/format.md)"]
    if len(data) > LETTER_LIMIT:
        return [f"{path}: {len(data)} bytes, more than a file of the store may have"]
    try:
        _READERS[place.kind](path, place, data)
    except (BrokenFile, StoreUnavailable) as problem:
        return [problem.message]
    return []


def _read_letter(path: str, place: PathKind, data: bytes) -> None:
    _within(path, letter_from_bytes(data, path, place.owner or "").letter.text, LETTER_TEXT_LIMIT)


def _read_agent(path: str, _place: PathKind, data: bytes) -> None:
    agent_from_bytes(data, path)


def _read_memory(path: str, _place: PathKind, data: bytes) -> None:
    _within(path, memory_from_bytes(data, path).text, MEMORY_TEXT_LIMIT)


def _within(path: str, text: str, limit: int) -> None:
    size = len(text.encode("utf-8", "replace"))
    if size > limit:
        raise BrokenFile(path, f"has a text of {size} bytes, and {limit} are the most")


def _read_reservation(path: str, _place: PathKind, data: bytes) -> None:
    reservation_from_bytes(data, path)


def _read_fixed(path: str, _place: PathKind, data: bytes) -> None:
    if path == CONFIG:
        config_from_bytes(data, path)
    if path == ATTRIBUTES and data.decode(errors="replace") != ATTRIBUTES_TEXT:
        raise BrokenFile(path, f"must hold exactly {ATTRIBUTES_TEXT!r}")


def _read_keep(path: str, _place: PathKind, data: bytes) -> None:
    if data:
        raise BrokenFile(path, "must be empty")


_READERS: dict[Kind, Callable[[str, PathKind, bytes], None]] = {
    Kind.INBOX: _read_letter,
    Kind.ARCHIVE: _read_letter,
    Kind.AGENT: _read_agent,
    Kind.MEMORY: _read_memory,
    Kind.SUPERSEDED: _read_memory,
    Kind.RESERVATION: _read_reservation,
    Kind.FIXED: _read_fixed,
    Kind.KEEP: _read_keep,
}


def _forged(delivery: Delivery, place: PathKind, author: str) -> list[str]:
    problems = []
    if place.kind is Kind.ARCHIVE:
        problems.append("a new letter lies in archive/, where nobody would see it")
    if fold(delivery.letter.sender) != fold(author):
        problems.append(f"'from' is {delivery.letter.sender!r}, but the author is {author}")
    marks = delivery.marks
    if marks.first_read_at or marks.read_at or marks.acknowledged_at:
        problems.append("a new letter brings marks that only its recipient may set")
    return problems


def _named(path: str, problems: list[str]) -> list[str]:
    return [f"{path}: {problem}" for problem in problems]
