"""The values of a reservation: who holds which paths and things, how, why and until when.

Names follow the header of the file reservations/*.md (docs/format.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from gitmail.errors import InvalidInput

DEFAULT_TTL_SECONDS = 3600
TTL_LIMIT = 7 * 24 * 3600
REASON_LIMIT = 200
TARGETS_LIMIT = 50
"""Most paths and things of one reservation: each is compared with every one of the others."""

HELD_LIMIT = 100
"""Most reservations of one agent at a time, those it waits for included."""
QUEUE_SECONDS = 24 * 3600
"""How long a place in the queue is kept."""

PLAIN_NAME = "name:"
"""Written before a thing whose own name has no colon, to tell `name:build` from a path."""


@dataclass(frozen=True, slots=True)
class Reservation:
    """One claim. `paths` are gitignore patterns, `names` things such as `port:8080` or `build`.

    A `waiting` one holds nothing yet: `date` is when it joined the queue and `expires` when it
    gives up; once granted, `date` is the grant and it lasts `ttl_seconds`. All times are aware
    UTC datetimes. `thread` is the conversation the work belongs to.
    """

    id: str
    holder: str
    date: datetime
    expires: datetime
    paths: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    exclusive: bool = True
    reason: str | None = None
    thread: str | None = None
    ttl_seconds: int = DEFAULT_TTL_SECONDS
    waiting: bool = False

    @property
    def targets(self) -> tuple[str, ...]:
        """Return everything it is about, written as an argument: patterns, then things."""
        return self.paths + tuple(target_of_name(name) for name in self.names)

    def live(self, now: datetime) -> bool:
        """True until it expires; from then on it hinders nobody, swept or not."""
        return self.expires > now

    def held(self, now: datetime) -> bool:
        """True while it keeps others out (or, shared, tells them): live and not just waiting."""
        return self.live(now) and not self.waiting


def target_of_name(name: str) -> str:
    """Return a thing's name as an argument: `port:8080` as it is, `build` as `name:build`."""
    return name if ":" in name else PLAIN_NAME + name


def check_ttl(seconds: int, argument: str = "ttl_seconds") -> timedelta:
    """Return how long a reservation lasts: 1 s to 7 days.

    Raises InvalidInput `invalid_<argument>` otherwise, also for a bool.
    """
    if type(seconds) is not int or not 1 <= seconds <= TTL_LIMIT:
        raise InvalidInput(
            f"invalid_{argument}",
            f"{argument} {seconds!r} is not a whole number of seconds from 1 to {TTL_LIMIT}.",
            "An hour is 3600; renew it as long as the work goes on.",
            argument=argument,
            limit=TTL_LIMIT,
        )
    return timedelta(seconds=seconds)
