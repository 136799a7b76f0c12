"""How a refused reservation is told: who holds it, until when and why, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gitmail.errors import Refused
from gitmail.reservations.rules import Conflict
from gitmail.values.reservation import Reservation
from gitmail.values.text import visible
from gitmail.values.times import format_time


def refusal(conflicts: Sequence[Conflict]) -> Refused:
    """Return the error for a reservation that others are in the way of (one or more conflicts).

    Refused `reservation_conflict`; the fact `holders` has one entry for each of their
    reservations: id, holder, paths, exclusive, reason, expires, waiting and `overlaps`.
    """
    first = conflicts[0]
    meeting = first.meetings[0]
    one = first.reservation
    more = f" ({len(conflicts) - 1} more are in the way)" if len(conflicts) > 1 else ""
    reason = f": {visible(one.reason)}" if one.reason else ""
    verb = "is" if meeting.requested == meeting.held else f"overlaps {meeting.held},"
    return Refused(
        "reservation_conflict",
        f"{meeting.requested} {verb} {_claimed(one)}{reason}{more}.",
        _hint(conflicts),
        holders=[_holder(conflict) for conflict in conflicts],
    )


def _claimed(one: Reservation) -> str:
    if one.waiting:
        return f"awaited by {one.holder}, who is ahead in the queue"
    return f"reserved by {one.holder} until {one.expires:%Y-%m-%d %H:%M} UTC"


def _hint(conflicts: Sequence[Conflict]) -> str:
    """Name the next step; first how to keep apart what meets only deep down in some folder."""
    steps = "Work elsewhere, write to the holder, or join the queue (`gitmail reserve --wait`)."
    for conflict in conflicts:
        for meeting in conflict.meetings:
            loose = [text for text in (meeting.requested, meeting.held) if _any_depth(text)]
            if loose and meeting.requested != meeting.held:
                return f"`{loose[0]}` means any depth, `/{loose[0]}` only the top one. {steps}"
    return steps


def _any_depth(pattern: str) -> bool:
    """Whether a pattern without a slash, which counts in every folder."""
    return "/" not in pattern.rstrip("/") and ":" not in pattern


def _holder(conflict: Conflict) -> dict[str, Any]:
    one = conflict.reservation
    return {
        "id": one.id,
        "holder": one.holder,
        "paths": list(one.targets),
        "exclusive": one.exclusive,
        "reason": one.reason,
        "expires": format_time(one.expires),
        "waiting": one.waiting,
        "overlaps": [
            {"requested": meeting.requested, "held": meeting.held, "example": meeting.example}
            for meeting in conflict.meetings
        ],
    }
