"""How every question about letters reads its rows: the select, and the values it becomes.

Lists are ordered by date, id and recipient, never by row: the same after a rebuild.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from gitmail.index.index import Index, Row
from gitmail.index.rows import (
    DeliveryRow,
    LetterRow,
    from_list,
    from_map,
    from_micros,
    maybe_moment,
    to_json,
)
from gitmail.index.schema import column_list
from gitmail.values.letter import Delivery, Letter, Marks

_LETTER = (
    "id",
    "sender",
    "to",
    "subject",
    "date",
    "cc",
    "kind",
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
_MARKS = ("first_read_at", "read_at", "acknowledged_at")
_FILE = ("recipient", "path", "blob", "archived")

_SELECT = f"""
    SELECT {column_list(_LETTER, "d")}, {column_list(_MARKS, "d")}, {column_list(_FILE, "d")},
        a."commit", a.author,
        EXISTS (SELECT 1 FROM deliveries AS twin WHERE twin.id = d.id
            AND twin.recipient_fold = d.recipient_fold AND twin.row <> d.row)
    FROM {{source}}
    LEFT JOIN arrivals AS a ON a.id = d.id AND a.recipient_fold = d.recipient_fold
"""  # noqa: S608
IN_ORDER = "d.date, d.id, d.recipient_fold, d.path"
NEWEST_FIRST = "d.date DESC, d.id DESC, d.recipient_fold DESC, d.path DESC"


def select(condition: str, order: str = IN_ORDER, source: str = "deliveries AS d") -> str:
    """Return the query for deliveries under a condition; the table is called `d` in it."""
    return f"{_SELECT.format(source=source)} WHERE {condition} ORDER BY {order}"


def load(row: Row) -> DeliveryRow:
    """Return the value of one row of `select`."""
    marks = row[len(_LETTER) : len(_LETTER) + len(_MARKS)]
    recipient, path, blob, archived, commit, author, duplicate = row[-7:]
    delivery = Delivery(_letter(row), recipient, Marks(*map(maybe_moment, marks)), path)
    return DeliveryRow(delivery, blob, commit or "", author or "", bool(archived), bool(duplicate))


def _letter(row: Row) -> Letter:
    return Letter(
        id=row[0],
        sender=row[1],
        to=from_list(row[2]),
        subject=row[3],
        date=from_micros(row[4]),
        text="",
        cc=from_list(row[5]),
        kind=row[6],
        thread=row[7],
        topic=row[8],
        reply_to=row[9],
        importance=row[10],
        ack_required=bool(row[11]),
        expires=maybe_moment(row[12]),
        clears=row[13],
        origin=row[14],
        request_id=row[15],
        request=row[16],
        wake=from_map(row[17]),
    )


def load_all(index: Index, sql: str, values: Sequence[object]) -> list[DeliveryRow]:
    """Return the deliveries that a `select` finds."""
    return [load(row) for row in index.rows(sql, values)]


def letters_by_id(index: Index, ids: Iterable[str]) -> list[LetterRow]:
    """Return whole letters with all their copies, oldest first; unknown ids are left out."""
    sql = select(
        "TRUE",
        "d.id, d.recipient_fold, d.path",
        "json_each(?) AS wanted CROSS JOIN deliveries AS d ON d.id = wanted.value",
    )
    found = load_all(index, sql, (to_json(sorted(set(ids))),))
    grouped = groupby(found, key=lambda row: row.letter.id)
    letters = [_letter_row(tuple(copies)) for _, copies in grouped]
    return sorted(letters, key=lambda one: one.place)


def _letter_row(copies: tuple[DeliveryRow, ...]) -> LetterRow:
    """The letter is told from a copy that everybody may see, where there is one."""
    shown = min(copies, key=lambda copy: (copy.letter.kind == "bcc", copy.letter.date))
    return LetterRow(shown.letter, copies)
