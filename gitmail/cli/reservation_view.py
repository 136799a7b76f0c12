"""Reservations as the command line shows them: lines for people, shapes for --json."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from gitmail.cli.shapes import SHORT_ID, short_time, time_shape
from gitmail.values.reservation import Reservation


def reservation_shape(one: Reservation, turn: int | None = None) -> dict[str, Any]:
    """Return a reservation for --json; `turn` is its place in the queue."""
    return {
        "id": one.id,
        "holder": one.holder,
        "paths": list(one.targets),
        "exclusive": one.exclusive,
        "reason": one.reason,
        "thread": one.thread,
        "date": time_shape(one.date),
        "expires": time_shape(one.expires),
        "waiting": one.waiting,
        "turn": turn,
    }


def sentence(one: Reservation) -> str:
    """Say who holds, or waits for, what until when."""
    verb = "waits for" if one.waiting else "holds" if one.exclusive else "shares"
    reason = f": {one.reason}" if one.reason else ""
    return (
        f"{one.id[:SHORT_ID]} {one.holder} {verb} {', '.join(one.targets)} "
        f"until {short_time(one.expires)}{reason}"
    )


def row(one: Reservation, turn: int | None, now: datetime) -> tuple[str, ...]:
    """Return a line of the list: id, holder, how, until when, what, why."""
    how = f"waits, {turn}." if turn else "exclusive" if one.exclusive else "shared"
    minutes = max(1, round((one.expires - now).total_seconds() / 60))
    left = f"{minutes} min" if minutes < 120 else f"{minutes // 60} h"
    reason = f" ({one.reason})" if one.reason else ""
    return (one.id[:SHORT_ID], one.holder, how, f"{left} left", ", ".join(one.targets) + reason)
