"""The rules of reservations, pure: who is in whose way, who may do what, whose turn it is.

The clock is an argument everywhere. Agents' names are compared as the store does (`names.fold`).
An expired reservation is no hindrance from that moment on, whether it has been swept or not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from gitmail.errors import Refused
from gitmail.reservations.globs import witness
from gitmail.values.names import fold
from gitmail.values.reservation import Reservation, check_ttl, target_of_name
from gitmail.values.targets import name_key
from gitmail.values.times import format_time

INACTIVE = timedelta(minutes=30)
"""A holder without an own action for this long may be relieved by anybody."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two targets that cannot both be taken; `example` is a path that both cover."""

    requested: str
    held: str
    example: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """A reservation of somebody else in the way, and where it is in the way."""

    reservation: Reservation
    meetings: tuple[Meeting, ...]


def conflicts(
    requested: Reservation, existing: Iterable[Reservation], me: str, now: datetime
) -> list[Conflict]:
    """Return what keeps `me` from taking `requested`, the oldest first; empty when nothing does.

    Overlap counts unless both sides are shared. Those who joined the queue before `requested`
    count like holders, except who waits for `me`: two agents never wait for each other.
    """
    known = [one for one in existing if one.live(now) and one.id != requested.id]
    mine = [one for one in known if same_agent(one.holder, me)]
    others = [one for one in known if not same_agent(one.holder, me)]
    return [
        Conflict(one, meetings)
        for one in sorted(others, key=_turn)
        if (one.exclusive or requested.exclusive)
        and _counts(one, requested, mine)
        and (meetings := _meetings(requested, one))
    ]


def _counts(one: Reservation, requested: Reservation, mine: Sequence[Reservation]) -> bool:
    """Whether `one` is held, or waits ahead of `requested` and not for one of `mine`."""
    if not one.waiting:
        return True
    if _turn(one) > _turn(requested):
        return False
    return not any(
        not own.waiting and (own.exclusive or one.exclusive) and _meetings(one, own) for own in mine
    )


def _meetings(requested: Reservation, other: Reservation) -> tuple[Meeting, ...]:
    """Return every pair of targets of the two that meet."""
    paths = [
        Meeting(wanted, held, path.decode("utf-8", "replace"))
        for wanted in requested.paths
        for held in other.paths
        if (path := witness(wanted, held)) is not None
    ]
    taken = {name_key(name) for name in other.names}
    names = [target_of_name(name) for name in requested.names if name_key(name) in taken]
    return tuple(paths + [Meeting(name, name, name) for name in names])


def _turn(one: Reservation) -> tuple[datetime, str]:
    """Order in the queue, and of age: by date; the id decides between equal dates."""
    return one.date, one.id


@dataclass(frozen=True, slots=True)
class Settled:
    """What the next write does first: files to sweep, and who gets what they waited for."""

    expired: tuple[Reservation, ...]
    granted: tuple[Reservation, ...]


def settle(existing: Iterable[Reservation], now: datetime) -> Settled:
    """Return the reservations that have run out, and those of the queue whose turn has come.

    The queue is served in order of joining. A granted one is given as it is from now on: held,
    dated now, lasting its `ttl_seconds`; its holder is to be told by letter.
    """
    known = sorted(existing, key=_turn)
    current = {one.id: one for one in known if one.live(now)}
    granted: list[Reservation] = []
    for one in list(current.values()):
        if one.waiting and not conflicts(one, current.values(), one.holder, now):
            current[one.id] = grant(one, now)
            granted.append(current[one.id])
    return Settled(tuple(one for one in known if not one.live(now)), tuple(granted))


def grant(waiting: Reservation, now: datetime) -> Reservation:
    """Return a reservation of the queue as held from now on."""
    lasts = timedelta(seconds=waiting.ttl_seconds)
    return replace(waiting, waiting=False, date=now, expires=now + lasts)


def queue(existing: Iterable[Reservation], now: datetime) -> list[Reservation]:
    """Return those who wait, the next in line first."""
    return sorted((one for one in existing if one.waiting and one.live(now)), key=_turn)


def same_agent(one: str, other: str) -> bool:
    """Whether two names are one agent's, as the store compares them."""
    return fold(one) == fold(other)


def require_holder(reservation: Reservation, me: str) -> None:
    """Let only the holder release or renew.

    Raises Refused `reservation_not_yours` naming the holder and the way to force it.
    """
    if not same_agent(reservation.holder, me):
        raise Refused(
            "reservation_not_yours",
            f"{', '.join(reservation.targets)} is reserved by {reservation.holder}, not by {me}.",
            "Write to the holder, or force it once the holder has been inactive for 30 minutes.",
            id=reservation.id,
            holder=reservation.holder,
        )


def renew(
    reservation: Reservation, me: str, now: datetime, ttl_seconds: int | None = None
) -> Reservation:
    """Return the reservation lasting `ttl_seconds` (else its own) from now; never shortened.

    Raises Refused `reservation_not_yours` or `reservation_expired`, InvalidInput
    `invalid_ttl_seconds`. One that waits stays in the queue for longer.
    """
    require_holder(reservation, me)
    lasts = check_ttl(reservation.ttl_seconds if ttl_seconds is None else ttl_seconds)
    if not reservation.live(now):
        raise Refused(
            "reservation_expired",
            f"The reservation {reservation.id[:8]} expired at {format_time(reservation.expires)}.",
            "Reserve again; somebody else may have taken it meanwhile.",
            id=reservation.id,
            expires=format_time(reservation.expires),
        )
    seconds = int(lasts.total_seconds())
    expires = max(reservation.expires, now + lasts)
    return replace(reservation, expires=expires, ttl_seconds=seconds)


def require_force(
    reservation: Reservation,
    me: str,
    maintainers: Iterable[str],
    last_active: datetime | None,
    now: datetime,
) -> None:
    """Let `me` take a reservation away: its holder, a maintainer, or anybody after 30 minutes.

    `last_active` is the holder's last own action; without one, the reservation itself counts as
    the last. Raises Refused `holder_active` saying since when and from when on it is possible.
    """
    allowed = [reservation.holder, *maintainers]
    last = max(last_active or reservation.date, reservation.date)
    if any(same_agent(name, me) for name in allowed) or now - last >= INACTIVE:
        return
    if not reservation.live(now):
        return
    raise Refused(
        "holder_active",
        f"{reservation.holder} was active {_minutes(now - last)} ago and holds "
        f"{', '.join(reservation.targets)}.",
        "Write to the holder; after 30 minutes without an action anybody may force it.",
        id=reservation.id,
        holder=reservation.holder,
        last_active=format_time(last),
        possible_at=format_time(last + INACTIVE),
    )


def _minutes(age: timedelta) -> str:
    minutes = max(int(age.total_seconds() // 60), 0)
    return f"{minutes} minute" + ("" if minutes == 1 else "s")
