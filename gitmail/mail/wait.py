"""Waiting for mail: blocks until something comes for an agent; while it does, a listener is armed.

Nothing is marked and nothing returned but who wrote. What was told once is not told again to the
same listener, and what was already received never is (contract: wait_for_mail).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from gitmail.board.presence import Presence
from gitmail.index.mailbox import pending, waiting_count
from gitmail.index.rows import DeliveryRow
from gitmail.store.store import Store
from gitmail.store.view import View
from gitmail.values.receipt import from_header

_LOOK_EVERY = 0.2
"""Seconds between two looks at main, which is one small file."""
_LOOK_CLOSER = 1.0
"""Seconds after which the mailbox is asked even if main stands still: a ring may fall due."""


@dataclass(frozen=True, slots=True)
class Woken:
    """What ended the wait: `reason` is mail, ring, timeout or closing.

    `letters` are the new ones (without texts), `waiting` all that wait for the agent.
    """

    reason: str
    letters: tuple[DeliveryRow, ...]
    waiting: int

    @property
    def woke(self) -> bool:
        """True when something came."""
        return bool(self.letters)


def wait_for(
    store: Store,
    name: str,
    seconds: float,
    *,
    rings_only: bool = False,
    told: set[str] | None = None,
    stop: Callable[[float], bool] | None = None,
) -> Woken:
    """Wait at most `seconds` until a letter comes for `name` that nobody was told of.

    `rings_only` waits for letters that ring and whose time to ring has come. `told` holds the ids
    this listener was told of and is added to. `stop(seconds)` sleeps that long, or less and
    returns True when the wait shall end early.
    """
    told = set() if told is None else told
    stop = _sleep if stop is None else stop
    deadline = time.monotonic() + seconds
    with Presence(store.private).listening(name):
        while True:
            looked, main = time.monotonic(), store.main()
            letters, waiting = store.read(lambda view: _news(view, name, rings_only, told))
            if letters:
                told.update(row.letter.id for row in letters)
                return Woken("ring" if rings_only else "mail", letters, waiting)
            while store.main() == main and time.monotonic() < looked + _LOOK_CLOSER:
                left = deadline - time.monotonic()
                if left <= 0:
                    return Woken("timeout", (), waiting)
                if stop(min(left, _LOOK_EVERY)):
                    return Woken("closing", (), waiting)


def _sleep(seconds: float) -> bool:
    time.sleep(seconds)
    return False


def _news(
    view: View, name: str, rings_only: bool, told: set[str]
) -> tuple[tuple[DeliveryRow, ...], int]:
    rows = pending(view.index, name, view.now, limit=-1, rings_only=rings_only)
    new = [row for row in rows if _new(row, told)]
    if rings_only:
        new = [row for row in new if _due(view, row)]
    return tuple(new), waiting_count(view.index, name, view.now)


def _new(row: DeliveryRow, told: set[str]) -> bool:
    return row.delivery.marks.first_read_at is None and row.letter.id not in told


def _due(view: View, row: DeliveryRow) -> bool:
    wake = from_header(row.letter.wake)
    return wake is not None and (wake.ring_at is None or wake.ring_at <= view.now)
