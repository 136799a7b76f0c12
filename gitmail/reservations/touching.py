"""Which changed files of the code lie under somebody else's reservation: the guard's question.

Pure: paths come from git, reservations from the store, the clock from the caller.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from gitmail.reservations.globs import expression, matches
from gitmail.values.names import fold
from gitmail.values.reservation import Reservation


@dataclass(frozen=True, slots=True)
class Touched:
    """A path under a reservation of somebody else; only an exclusive one blocks."""

    path: bytes
    pattern: str
    reservation: Reservation

    @property
    def blocking(self) -> bool:
        """True when a commit that touches the path is to be stopped; a shared one only warns."""
        return self.reservation.exclusive


def check(
    paths: Iterable[str | bytes],
    reservations: Iterable[Reservation],
    me: str | None,
    now: datetime,
) -> list[Touched]:
    """Return which of `paths` others hold now, each with every reservation that covers it.

    Paths are plain names from the project's top (no patterns); one that ends in `/` is a whole
    folder, such as a submodule. `me` is None for somebody without an agent name.
    """
    names = [os.fsencode(path) for path in paths]
    return [
        touched for one in held_by_others(reservations, me, now) for touched in _under(one, names)
    ]


def check_pushed(
    changed: Mapping[bytes, datetime],
    reservations: Iterable[Reservation],
    me: str | None,
    now: datetime,
) -> list[Touched]:
    """Return which paths of a pushed range were changed while somebody else held them.

    `changed` maps each path to the time of its newest commit in the range: what was committed
    before the reservation began is nobody's fault.
    """
    return [
        touched
        for one in held_by_others(reservations, me, now)
        for touched in _under(one, _since(changed, one.date.replace(microsecond=0)))
    ]


def _since(changed: Mapping[bytes, datetime], began: datetime) -> list[bytes]:
    """Return the paths committed at or after a moment; commits know whole seconds only."""
    return [path for path, committed in changed.items() if committed >= began]


def held_by_others(
    reservations: Iterable[Reservation], me: str | None, now: datetime
) -> list[Reservation]:
    """Return the reservations of paths that somebody else than `me` holds now, oldest first."""
    held = [one for one in reservations if one.paths and one.held(now)]
    others = [one for one in held if me is None or fold(one.holder) != fold(me)]
    return sorted(others, key=lambda one: (one.date, one.id))


def _under(one: Reservation, names: Iterable[bytes]) -> list[Touched]:
    """Return which of `names` the reservation covers, each with the first pattern that does."""
    tests = [(pattern, expression(pattern)) for pattern in one.paths]
    found: list[Touched] = []
    for name in names:
        folder = name.endswith(b"/")
        for pattern, test in tests:
            if matches(pattern, name) if folder else test.match(name + b"/"):
                found.append(Touched(name, pattern, one))
                break
    return found
