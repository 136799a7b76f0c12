"""Reservations in the words of the tools, and what both vocabularies do with their arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gitmail.reservations.listing import Checked
from gitmail.reservations.places import from_top
from gitmail.values.reservation import Reservation
from gitmail.values.times import format_time
from gitmail_server.session import Session

LISTED = 500
"""Most reservations of one answer."""

RESERVATION: dict[str, Any] = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "agent": {"type": "string"},
        "paths": {"type": "array", "items": {"type": "string"}},
        "exclusive": {"type": "boolean"},
        "created_ts": {"type": "string"},
        "expires_ts": {"type": "string"},
        "reason": {"type": "string"},
        "waiting": {"type": "boolean"},
    },
    "required": ["id", "agent", "paths", "exclusive", "created_ts", "expires_ts"],
}
RESERVATIONS: dict[str, Any] = {"type": "array", "items": RESERVATION}
CHECKED: dict[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "free": {"type": "boolean"},
            "holders": RESERVATIONS,
        },
        "required": ["path", "free", "holders"],
    },
}


def reservation(one: Reservation) -> dict[str, Any]:
    """Return a reservation; `waiting` is there only while it waits in the queue."""
    shown: dict[str, Any] = {
        "id": one.id,
        "agent": one.holder,
        "paths": list(one.targets),
        "exclusive": one.exclusive,
        "created_ts": format_time(one.date),
        "expires_ts": format_time(one.expires),
    }
    if one.reason is not None:
        shown["reason"] = one.reason
    if one.waiting:
        shown["waiting"] = True
    return shown


def reservations(some: Sequence[Reservation]) -> list[dict[str, Any]]:
    """Return several."""
    return [reservation(one) for one in some]


def checked(some: Sequence[Checked]) -> list[dict[str, Any]]:
    """Return what stands in the way of each path; `free` when an exclusive one could be had."""
    return [
        {
            "path": one.target,
            "free": not one.conflicts,
            "holders": [reservation(conflict.reservation) for conflict in one.conflicts],
        }
        for one in some
    ]


def targets(session: Session, paths: Sequence[str]) -> tuple[str, ...]:
    """Return the paths from the project's top; absolute ones of any checkout are understood."""
    return tuple(from_top(session.store, path) for path in paths)
