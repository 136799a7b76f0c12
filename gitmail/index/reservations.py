"""Reservations as main holds them, expired ones too: whether one still counts is a rule of time."""

from __future__ import annotations

from gitmail.index.index import Index, Row
from gitmail.index.rows import ReservationRow, from_list, from_micros
from gitmail.index.schema import RESERVATION_COLUMNS, column_list
from gitmail.values.names import fold
from gitmail.values.reservation import Reservation

_SELECT = f"SELECT {column_list(RESERVATION_COLUMNS)} FROM reservations"  # noqa: S608
_ORDER = "ORDER BY date, id, path"


def all_reservations(index: Index) -> list[ReservationRow]:
    """Return every reservation, oldest first."""
    return [_row(row) for row in index.rows(f"{_SELECT} {_ORDER}")]


def reservations_of(index: Index, holder: str) -> list[ReservationRow]:
    """Return what `holder`, in any spelling of case, holds or waits for, oldest first."""
    sql = f"{_SELECT} WHERE holder_fold = ? {_ORDER}"
    return [_row(row) for row in index.rows(sql, (fold(holder),))]


def reservations_by_id_prefix(index: Index, prefix: str, limit: int = 20) -> list[ReservationRow]:
    """Return the reservations whose id begins with `prefix`, by id."""
    sql = f"{_SELECT} WHERE id >= ? AND id < ? ORDER BY id, path LIMIT ?"
    return [_row(row) for row in index.rows(sql, (prefix, prefix + "g", limit))]


def _row(row: Row) -> ReservationRow:
    path, blob, one, holder, _, date, expires, paths, names, *rest = row
    exclusive, reason, thread, ttl_seconds, waiting = rest
    reservation = Reservation(
        id=one,
        holder=holder,
        date=from_micros(date),
        expires=from_micros(expires),
        paths=from_list(paths),
        names=from_list(names),
        exclusive=bool(exclusive),
        reason=reason,
        thread=thread,
        ttl_seconds=ttl_seconds,
        waiting=bool(waiting),
    )
    return ReservationRow(reservation, path, blob)
