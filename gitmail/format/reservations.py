"""Reservations as files: reservations/7c1e90ab-src-auth.md (docs/format.md).

Everything is in the header; the text below it is free for notes and kept by every change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitmail.errors import InvalidInput
from gitmail.format.fields import FieldReader
from gitmail.format.header import load
from gitmail.format.problem import HeaderValue
from gitmail.values.paths import Kind, classify
from gitmail.values.reservation import (
    DEFAULT_TTL_SECONDS,
    REASON_LIMIT,
    TTL_LIMIT,
    Reservation,
)
from gitmail.values.targets import split_targets

if TYPE_CHECKING:
    from gitmail.format.writing import Writable

RESERVATION_KEYS = (
    "id", "holder", "paths", "names", "exclusive", "reason", "thread", "date", "expires",
    "ttl_seconds", "waiting",
)  # fmt: skip
"""The header's keys in the order of the file."""

REQUIRED_KEYS = ("id", "holder", "date", "expires")
CHANGING_KEYS = ("date", "expires", "ttl_seconds", "waiting")
"""What a grant or a renewal may change; everything else stays as the holder wrote it."""

LINE_LIMIT = 1000
_LEFT_OUT = {"paths": (), "names": (), "reason": None, "thread": None, "waiting": False}


def reservation_to_bytes(reservation: Reservation) -> bytes:
    """Return the file of a reservation; keys that are not set are left out.

    Raises BrokenFile (file `<reservation>`) for a value that could not be read back.
    """
    from gitmail.format.writing import dump  # the guard only reads

    pairs: list[tuple[str, Writable]] = [
        (key, getattr(reservation, key))
        for key in RESERVATION_KEYS
        if key not in _LEFT_OUT or getattr(reservation, key) != _LEFT_OUT[key]
    ]
    data = dump(pairs, "")
    reservation_from_bytes(data, "<reservation>")
    return data


def reservation_from_bytes(data: bytes, file: str) -> Reservation:
    """Read the reservation at the path `file`.

    Raises BrokenFile naming file, line and key: also for a pattern or name that nobody could have
    reserved, and for an id that is not the one in the file's name.
    """
    header = load(data, file)
    read = FieldReader(header.values, data, file)
    read.require(REQUIRED_KEYS)
    reservation = Reservation(
        id=read.id("id"),
        holder=read.name("holder"),
        date=read.needed_time("date"),
        expires=read.needed_time("expires"),
        paths=_targets(read, header.values, "paths"),
        names=_targets(read, header.values, "names"),
        exclusive="exclusive" not in header.values or read.boolean("exclusive"),
        reason=read.line("reason", REASON_LIMIT),
        thread=read.line("thread", LINE_LIMIT),
        ttl_seconds=_ttl(read),
        waiting=read.boolean("waiting"),
    )
    _check_whole(read, reservation, file)
    return reservation


def update_reservation(data: bytes, file: str, changed: Reservation) -> bytes:
    """Return the file after a grant or renewal: only CHANGING_KEYS are written anew.

    Comments, unknown keys and notes stay byte for byte. Raises BrokenFile.
    """
    from gitmail.format.edit import set_keys

    values: dict[str, Writable | None] = {
        key: getattr(changed, key) for key in CHANGING_KEYS if key != "waiting"
    }
    values["waiting"] = True if changed.waiting else None
    updated = set_keys(data, values, file, RESERVATION_KEYS)
    reservation_from_bytes(updated, file)
    return updated


def narrow_reservation(data: bytes, file: str, narrowed: Reservation) -> bytes:
    """Return the file of a reservation that is about fewer paths and names than before.

    Everything else stays byte for byte. Raises BrokenFile.
    """
    from gitmail.format.edit import set_keys

    values: dict[str, Writable | None] = {
        key: getattr(narrowed, key) or None for key in ("paths", "names")
    }
    updated = set_keys(data, values, file, RESERVATION_KEYS)
    reservation_from_bytes(updated, file)
    return updated


def _targets(read: FieldReader, values: dict[str, HeaderValue], key: str) -> tuple[str, ...]:
    """Return a list of one-line texts; one text without a list counts as a list of one."""
    value = values.get(key, "")
    if isinstance(value, dict):
        read.fail(key, "must be a list")
    items = value if isinstance(value, list) else [value] if value else []
    return tuple(items)


def _ttl(read: FieldReader) -> int:
    seconds = read.integer("ttl_seconds")
    if seconds is None:
        return DEFAULT_TTL_SECONDS
    if not 1 <= seconds <= TTL_LIMIT:
        read.fail("ttl_seconds", f"must be 1 to {TTL_LIMIT}")
    return seconds


def _check_whole(read: FieldReader, reservation: Reservation, file: str) -> None:
    """Refuse targets that cannot be reserved, and a file that is named after another id."""
    try:
        targets = split_targets(reservation.targets)
    except InvalidInput as error:
        read.fail("paths" if reservation.paths else "names", f"cannot be reserved: {error.message}")
    if targets != (reservation.paths, reservation.names):
        read.fail("paths", "and 'names' hold something twice, or in the wrong list")
    place = classify(file)
    if place.kind is Kind.RESERVATION and not reservation.id.startswith(place.prefix or ""):
        read.fail("id", f"is {reservation.id!r}, but the file is named {place.file!r}")
