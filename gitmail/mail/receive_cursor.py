"""Where a receiver is in its mailbox's arrivals (contract: receive, the cursor).

A page is taken from the letters that came after the commit `base` (None: all) and are in `main`,
in the order of (date, id), behind `last`. When that list is exhausted, `main` becomes the next
base. So nothing is skipped: not a letter whose sender committed meanwhile, not one that a merge
brought with an older date, and not after a rebuild, because only commits and keys are named.
`reached` is the latest place ever returned, for counting what lapsed behind it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from gitmail.index.rows import Place
from gitmail.values.cursors import Cursor, decode_cursor, encode_cursor, invalid_cursor

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Position:
    """A decoded receive cursor; the default is the beginning."""

    base: str | None = None
    main: str | None = None
    last: Place | None = None
    reached: Place | None = None


def read_position(text: str | None, mailbox: str) -> Position:
    """Return the position that a cursor of `mailbox` (an agent's id) names.

    Raises InvalidInput `invalid_cursor`.
    """
    if text is None:
        return Position()
    cursor = decode_cursor(text, "receive", mailbox)
    try:
        base, last, reached = json.loads(cursor.key)
        return Position(base, cursor.main, _place(last), _place(reached))
    except (ValueError, TypeError, OverflowError):
        raise invalid_cursor("malformed", "This is not a cursor of gitmail.") from None


def write_position(position: Position, mailbox: str) -> str:
    """Return the cursor text of a position whose `main` is set."""
    key = json.dumps(
        [position.base, _pair(position.last), _pair(position.reached)], separators=(",", ":")
    )
    return encode_cursor(Cursor("receive", mailbox, position.main or "", key))


def _place(pair: list[object] | None) -> Place | None:
    if pair is None:
        return None
    micros, letter_id = pair
    return Place(_EPOCH + timedelta(microseconds=int(str(micros))), str(letter_id))


def _pair(place: Place | None) -> list[object] | None:
    if place is None:
        return None
    return [(place.date - _EPOCH) // timedelta(microseconds=1), place.id]
