"""Letters by id, thread, topic, sender and request; what an agent sent and received.

`agent`, `sender` and `recipient` are names in any spelling of case. Texts are in the files, not
in here. Copies of blind recipients are among the results; who may see them is the caller's rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from gitmail.index.deliveries import letters_by_id, load_all, select
from gitmail.index.index import Index
from gitmail.index.rows import DeliveryRow, LetterRow, Place, from_micros, maybe_moment, to_micros
from gitmail.values.names import fold


@dataclass(frozen=True, slots=True)
class Requests:
    """How many letters a sender sent in a window, and when the first of them was."""

    count: int
    oldest: datetime | None


def letter_ids(
    index: Index,
    prefix: str,
    *,
    recipient: str | None = None,
    sender: str | None = None,
    limit: int = 20,
) -> list[str]:
    """Return the ids that begin with `prefix`, in order; of one mailbox or sender where given."""
    condition, values = "id >= ? AND id < ?", [prefix, prefix + "g"]  # g follows every hex digit
    for column, name in (("recipient_fold", recipient), ("sender_fold", sender)):
        if name is not None:
            condition += f" AND +{column} = ?"
            values.append(fold(name))
    sql = f"SELECT DISTINCT id FROM deliveries WHERE {condition} ORDER BY id LIMIT ?"  # noqa: S608
    return [row[0] for row in index.rows(sql, [*values, limit])]


def letter(index: Index, letter_id: str) -> LetterRow | None:
    """Return one letter with all its copies, by its whole id."""
    found = letters_by_id(index, [letter_id])
    return found[0] if found else None


def deliveries_of(index: Index, letter_id: str) -> list[DeliveryRow]:
    """Return all copies of a letter, by recipient."""
    sql = select("d.id = ?", "d.recipient_fold, d.path")
    return load_all(index, sql, (letter_id,))


def delivery(index: Index, letter_id: str, recipient: str) -> DeliveryRow | None:
    """Return one recipient's copy; of two files of one letter the one in archive/ counts."""
    sql = select("d.id = ? AND d.recipient_fold = ?", "d.path")
    found = load_all(index, f"{sql} LIMIT 1", (letter_id, fold(recipient)))
    return found[0] if found else None


def is_known(index: Index, letter_id: str, recipient: str | None = None) -> bool:
    """Tell whether some commit, ever, brought this letter: to this mailbox, or to any."""
    if recipient is None:
        sql, values = "SELECT 1 FROM arrivals WHERE id = ? LIMIT 1", [letter_id]
    else:
        sql = "SELECT 1 FROM arrivals WHERE id = ? AND recipient_fold = ?"
        values = [letter_id, fold(recipient)]
    return index.value(sql, values) is not None


def sent(
    index: Index, agent: str, *, before: Place | None = None, limit: int = 20
) -> list[LetterRow]:
    """Return what `agent` sent, newest first, each with all its copies and their marks."""
    condition = "sender_fold = ?"
    values: list[object] = [fold(agent)]
    if before is not None:
        condition += " AND (date, id) < (?, ?)"
        values += [to_micros(before.date), before.id]
    return _letters(index, condition, values, "date DESC, id DESC", limit)


def thread(
    index: Index, thread_id: str, *, after: Place | None = None, limit: int = 1000
) -> list[LetterRow]:
    """Return a thread, oldest first: its letters, and the letter it is named after."""
    later, more = _later(after)
    sql = f"""SELECT date, id FROM deliveries WHERE thread = ?{later}
        UNION SELECT date, id FROM deliveries WHERE id = ?{later}
        ORDER BY date, id LIMIT ?"""  # noqa: S608
    keys = index.rows(sql, [thread_id, *more, thread_id, *more, limit])
    return letters_by_id(index, [key[1] for key in keys])


def thread_of(index: Index, letter_id: str) -> str | None:
    """Return the thread that a reply to this letter belongs to; None for an unknown letter."""
    sql = "SELECT thread, id FROM deliveries WHERE id = ? ORDER BY path LIMIT 1"
    found = index.row(sql, (letter_id,))
    return None if found is None else str(found[0] or found[1])


def topic(
    index: Index, name: str, *, after: Place | None = None, limit: int = 100
) -> list[LetterRow]:
    """Return the letters of a topic, compared without regard to case, oldest first."""
    later, more = _later(after)
    return _letters(index, f"topic_fold = ?{later}", [fold(name), *more], "date, id", limit)


def replies(index: Index, letter_id: str, limit: int = 100) -> list[LetterRow]:
    """Return the direct replies to a letter, oldest first."""
    return _letters(index, "reply_to = ?", [letter_id], "date, id", limit)


def history(
    index: Index,
    agent: str,
    *,
    peer: str | None = None,
    after: Place | None = None,
    before: Place | None = None,
    limit: int = 50,
    newest: bool = False,
) -> list[DeliveryRow]:
    """Return what `agent` sent and received, one row per copy, oldest first.

    `after` and `before` bound the list by place; `newest` takes the last `limit` instead of the
    first (still in order); `peer` keeps to letters between the two.
    """
    bounds, more = "", []
    for place, sign in ((after, ">"), (before, "<")):
        if place is not None:
            bounds += f" AND (date, id, recipient_fold) {sign} (?, ?, ?)"
            more += [to_micros(place.date), place.id, place.recipient]
    me, other = fold(agent), None if peer is None else fold(peer)
    order = "date DESC, id DESC, recipient_fold DESC, path DESC" if newest else _PLACE
    sides, values = [], []
    for mine, theirs in (("sender_fold", "recipient_fold"), ("recipient_fold", "sender_fold")):
        with_peer = "" if other is None else f" AND {theirs} = ?"
        sides.append(
            "SELECT * FROM (SELECT row, date, id, recipient_fold, path FROM deliveries"  # noqa: S608
            f" WHERE {mine} = ?{with_peer}{bounds} ORDER BY {order} LIMIT ?)"
        )
        values += [me, *([] if other is None else [other]), *more, limit]
    union = f"SELECT row FROM ({' UNION '.join(sides)} ORDER BY {order} LIMIT ?)"  # noqa: S608
    sql = select("TRUE", source=f"({union}) AS one CROSS JOIN deliveries AS d ON d.row = one.row")
    return load_all(index, sql, [*values, limit])


def place_of(row: DeliveryRow) -> Place:
    """Return where a row of `history` or `pending` stands, to continue after it."""
    return Place(row.letter.date, row.letter.id, fold(row.delivery.recipient))


def request(index: Index, sender: str, request_id: str) -> LetterRow | None:
    """Return the letter that answered this request of `sender`, while it is in the tree."""
    # named, because without statistics SQLite prefers an index that is sorted by date
    sql = """SELECT id FROM deliveries INDEXED BY deliveries_request
        WHERE sender_fold = ? AND request_id = ? ORDER BY date, id LIMIT 1"""
    letter_id = index.value(sql, (fold(sender), request_id))
    return None if letter_id is None else letter(index, letter_id)


def requests_since(index: Index, sender: str, since: datetime) -> Requests:
    """Count the letters that `sender` sent later than `since`; a fan-out is one."""
    sql = "SELECT count(DISTINCT id), min(date) FROM deliveries WHERE sender_fold = ? AND date > ?"
    count, oldest = index.rows(sql, (fold(sender), to_micros(since)))[0]
    return Requests(count, maybe_moment(oldest))


def rings(
    index: Index,
    since: datetime,
    *,
    sender: str | None = None,
    recipient: str | None = None,
    origin: str | None = None,
    importance: str | None = None,
) -> int:
    """Count the rings decided later than `since`, whether someone listened or not.

    Of one sender, recipient, origin (agent or maintainer) or importance where given.
    """
    condition = "rings = 1 AND date > ?"
    values: list[object] = [to_micros(since)]
    tests = {
        "+sender_fold": None if sender is None else fold(sender),
        "+recipient_fold": None if recipient is None else fold(recipient),
        "origin": origin,
        "importance": importance,
    }
    for column, value in tests.items():
        if value is not None:
            condition += f" AND {column} = ?"
            values.append(value)
    sql = f"SELECT count(*) FROM deliveries WHERE {condition}"  # noqa: S608
    return int(index.value(sql, values))


def newest_date(index: Index) -> datetime | None:
    """Return the latest date of any letter that ever arrived; None before the first."""
    found = index.value("SELECT max(date) FROM arrivals")
    return None if found is None else from_micros(found)


_PLACE = "date, id, recipient_fold, path"


def _later(after: Place | None) -> tuple[str, list[object]]:
    if after is None:
        return "", []
    return " AND (date, id) > (?, ?)", [to_micros(after.date), after.id]


def _letters(
    index: Index, condition: str, values: Sequence[object], order: str, limit: int
) -> list[LetterRow]:
    """Return whole letters in the order of the copies that meet `condition`."""
    sql = f"""SELECT DISTINCT date, id FROM deliveries
        WHERE {condition} ORDER BY {order} LIMIT ?"""  # noqa: S608
    ids = [row[1] for row in index.rows(sql, [*values, limit])]
    found = {one.letter.id: one for one in letters_by_id(index, ids)}
    return [found[one] for one in dict.fromkeys(ids)]
