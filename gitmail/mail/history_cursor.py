"""Where a reader is in its history: a place in the order of (date, id, recipient)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from gitmail.index.rows import Place
from gitmail.values.cursors import Cursor, decode_cursor, encode_cursor, invalid_cursor

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def write_place(place: Place, mailbox: str, main: str, peer: str | None = None) -> str:
    """Return the history cursor behind `place`; `mailbox` and `peer` are ids of agents."""
    micros = (place.date - _EPOCH) // _MICROSECOND
    key = f"{micros} {place.id} {place.recipient}"
    return encode_cursor(Cursor("history", mailbox, main, key, peer))


def read_place(text: str, mailbox: str, peer: str | None = None) -> Place:
    """Return the place a history cursor names; raises InvalidInput `invalid_cursor`."""
    cursor = decode_cursor(text, "history", mailbox, peer)
    try:
        micros, letter_id, recipient = cursor.key.split(" ")
        return Place(_EPOCH + int(micros) * _MICROSECOND, letter_id, recipient)
    except (ValueError, OverflowError):
        raise invalid_cursor("malformed", "This is not a cursor of gitmail.") from None


def just_before(place: Place, mailbox: str, main: str) -> str:
    """Return the history cursor just before the letter at `place`."""
    return write_place(Place(place.date - _MICROSECOND, "g", ""), mailbox, main)
