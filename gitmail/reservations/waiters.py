"""Waiting in the queue for one's turn; whoever does not stay is told by letter when it comes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from gitmail.board.caller import Caller
from gitmail.errors import NotFound
from gitmail.index.reservations import all_reservations
from gitmail.reservations.reserve import settle_queue
from gitmail.reservations.rules import settle
from gitmail.store.store import Store
from gitmail.store.view import View
from gitmail.values.reservation import Reservation

_LOOK_EVERY = 0.2
"""Seconds between two looks at main, which is one small file."""


@dataclass(frozen=True, slots=True)
class _Standing:
    """How a reservation stands; `due` when only a write is missing for it to be granted."""

    reservation: Reservation
    due: bool
    next_change: datetime
    now: datetime


def wait_for_turn(
    store: Store,
    caller: Caller,
    reservation_id: str,
    seconds: float,
    sleep: Callable[[float], None] = time.sleep,
) -> Reservation:
    """Wait at most `seconds` until a reservation of the queue is held; return it as it is then.

    Still `waiting` when the time is up: its place in the queue is kept. Raises NotFound
    `reservation_not_found` when it was released or ran out meanwhile.
    """
    deadline = time.monotonic() + seconds
    while True:
        main = store.main()
        standing = store.read(lambda view: _standing(view, reservation_id))
        if not standing.reservation.waiting:
            return standing.reservation
        if standing.due:
            settle_queue(store, caller)
            continue
        until = (standing.next_change - standing.now).total_seconds()
        again = time.monotonic() + max(until, _LOOK_EVERY)
        while store.main() == main and time.monotonic() < again:
            left = deadline - time.monotonic()
            if left <= 0:
                return standing.reservation
            sleep(min(left, _LOOK_EVERY))


def _standing(view: View, reservation_id: str) -> _Standing:
    known = [row.reservation for row in all_reservations(view.index)]
    mine = next((one for one in known if one.id == reservation_id and one.live(view.now)), None)
    if mine is None:
        raise NotFound(
            "reservation_not_found",
            f"The reservation {reservation_id[:8]} has left the queue.",
            "It was released or ran out; reserve again.",
        )
    due = any(one.id == reservation_id for one in settle(known, view.now).granted)
    change = min(one.expires for one in known if one.live(view.now))
    return _Standing(mine, due, change, view.now)
