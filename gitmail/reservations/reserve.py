"""Reserving and renewing: paths and things for one agent, for some time, all or nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from gitmail.board.caller import Acting, Caller
from gitmail.errors import NotFound, Refused
from gitmail.reservations import rules, telling
from gitmail.reservations.ledger import Ledger
from gitmail.reservations.meant import own
from gitmail.reservations.news import News, Teller
from gitmail.reservations.refusing import refusal
from gitmail.reservations.rules import Conflict, conflicts
from gitmail.store.change import Change, NoChange
from gitmail.store.store import Store
from gitmail.store.view import View
from gitmail.values.ids import new_id
from gitmail.values.reservation import (
    DEFAULT_TTL_SECONDS,
    HELD_LIMIT,
    QUEUE_SECONDS,
    REASON_LIMIT,
    TTL_LIMIT,
    Reservation,
    check_ttl,
)
from gitmail.values.secrets import refuse_secrets
from gitmail.values.sentences import Message
from gitmail.values.targets import split_targets
from gitmail.values.text import check_line

THREAD_LIMIT = 120


@dataclass(frozen=True, slots=True)
class Request:
    """What somebody asks to reserve: gitignore patterns from the project's top, and things.

    `wait` joins the queue where others are in the way, instead of being refused.
    """

    targets: tuple[str, ...]
    ttl_seconds: int = DEFAULT_TTL_SECONDS
    exclusive: bool = True
    reason: str | None = None
    thread: str | None = None
    wait: bool = False


@dataclass(frozen=True, slots=True)
class Reserved:
    """The reservation as it is now: held, or in the queue behind `behind`.

    `created` is false where the caller had the very same one already; it was renewed then.
    """

    reservation: Reservation
    created: bool
    behind: tuple[Conflict, ...] = ()


def reserve(store: Store, caller: Caller, request: Request) -> Reserved:
    """Reserve everything that is asked for, or nothing; one commit.

    An exclusive reservation excludes every other one, shared ones stand beside each other; the
    caller's own are never in the way. Raises Refused `reservation_conflict` with the holders,
    `too_many_reservations`; InvalidInput `invalid_paths`, `invalid_ttl_seconds`,
    `invalid_reason`, `invalid_thread`; `secret_like`; and what Store.write raises.
    """
    claim = _checked(request)
    teller = Teller(store, caller)

    def decide(view: View) -> Change[Reserved | Refused] | NoChange[Reserved | Refused]:
        ledger = Ledger(view)
        acting = caller.acting(view)
        wanted = claim.held(acting.agent.name, view.now)
        try:
            answer, message = _take(ledger, wanted, request.wait)
        except Refused as refused:
            return _refused(view, ledger, acting, teller, refused)
        change: Change[Reserved | Refused] = Change(
            {**acting.files, **ledger.files}, message, answer, acting.author
        )
        return teller.with_letter(view, acting, change, News(ledger.granted))

    answer = store.write(caller.author, decide).result
    if isinstance(answer, Refused):
        raise answer
    return answer


def renew(
    store: Store,
    caller: Caller,
    wanted: Sequence[str] = (),
    *,
    ttl_seconds: int | None = None,
    extend_seconds: int | None = None,
) -> tuple[Reservation, ...]:
    """Let reservations of the caller's last longer; one commit.

    `wanted` are targets or ids, empty for all. They last `ttl_seconds` (else as long as when they
    were made) from now, or `extend_seconds` longer than they do; never shorter. Raises NotFound
    `reservation_not_found`, Refused `reservation_not_yours`, `reservation_expired`, InvalidInput.
    """

    def decide(view: View) -> Change[tuple[Reservation, ...]]:
        acting = caller.acting(view)
        ledger = Ledger(view)
        me = acting.agent.name
        meant = own(ledger.all if wanted else ledger.current, me, wanted)
        if not meant:
            raise NotFound("reservation_not_found", f"{me} holds nothing.", "Reserve first.")
        renewed = tuple(
            rules.renew(one, me, view.now, _lasting(one, ledger, ttl_seconds, extend_seconds))
            for one, _ in meant.values()
        )
        for one in renewed:
            ledger.change(one)
        message = telling.renewed(me, renewed)
        change = Change({**acting.files, **ledger.files}, message, renewed, acting.author)
        return teller.with_letter(view, acting, change, News(ledger.granted))

    teller = Teller(store, caller)
    return store.write(caller.author, decide).result


def settle_queue(store: Store, caller: Caller) -> tuple[Reservation, ...]:
    """Give those whose turn has come what they wait for; returns what was given, often nothing."""
    teller = Teller(store, caller)

    def decide(view: View) -> Change[tuple[Reservation, ...]] | NoChange[tuple[Reservation, ...]]:
        ledger = Ledger(view)
        granted = tuple(ledger.granted)
        if not granted:
            return NoChange(granted)
        acting = caller.acting(view)
        files = {**acting.files, **ledger.files}
        change = Change(files, telling.granted(granted), granted, acting.author)
        return teller.with_letter(view, acting, change, News(granted))

    return store.write(caller.author, decide).result


@dataclass(frozen=True, slots=True)
class _Claim:
    """A checked request and the id it gets."""

    id: str
    request: Request
    paths: tuple[str, ...]
    names: tuple[str, ...]

    def held(self, holder: str, now: datetime) -> Reservation:
        """Return it as a reservation that begins now."""
        seconds = self.request.ttl_seconds
        return Reservation(
            id=self.id,
            holder=holder,
            date=now,
            expires=now + timedelta(seconds=seconds),
            paths=self.paths,
            names=self.names,
            exclusive=self.request.exclusive,
            reason=self.request.reason,
            thread=self.request.thread,
            ttl_seconds=seconds,
        )


def _checked(request: Request) -> _Claim:
    paths, names = split_targets(request.targets)
    check_ttl(request.ttl_seconds)
    if request.reason is not None:
        check_line(request.reason, "reason", REASON_LIMIT)
    if request.thread is not None:
        check_line(request.thread, "thread", THREAD_LIMIT)
    refuse_secrets({"reason": request.reason, "paths": "\n".join((*paths, *names))})
    return _Claim(new_id(), request, paths, names)


def _take(ledger: Ledger, wanted: Reservation, wait: bool) -> tuple[Reserved, Message]:
    """Put what is wanted into the ledger. Raises Refused when it cannot be had."""
    mine = ledger.of(wanted.holder)
    same = next((one for one in mine if _same(one, wanted)), None)
    if same is not None:
        renewed = rules.renew(same, wanted.holder, ledger.now, wanted.ttl_seconds)
        ledger.change(renewed)
        behind = tuple(conflicts(renewed, ledger.current, wanted.holder, ledger.now))
        answer = Reserved(renewed, False, behind if renewed.waiting else ())
        return answer, telling.renewed(wanted.holder, [renewed])
    if len(mine) >= HELD_LIMIT:
        raise Refused(
            "too_many_reservations",
            f"{wanted.holder} has {len(mine)} reservations; more than {HELD_LIMIT} are too many.",
            "Release some, or reserve a folder instead of its files.",
            limit=HELD_LIMIT,
        )
    behind = tuple(conflicts(wanted, ledger.current, wanted.holder, ledger.now))
    if behind and not wait:
        raise refusal(behind)
    if behind:
        until = ledger.now + timedelta(seconds=QUEUE_SECONDS)
        wanted = replace(wanted, waiting=True, expires=until)
    ledger.add(wanted)
    return Reserved(wanted, True, behind), telling.reserved(wanted)


def _refused(
    view: View, ledger: Ledger, acting: Acting, teller: Teller, refused: Refused
) -> Change[Reserved | Refused]:
    """Let the queue move although the caller gets nothing; raise where nothing moved."""
    if not ledger.granted:
        raise refused
    files = {**acting.files, **ledger.files}
    message = telling.granted(ledger.granted)
    change: Change[Reserved | Refused] = Change(files, message, refused, acting.author)
    return teller.with_letter(view, acting, change, News(ledger.granted))


def _lasting(
    one: Reservation, ledger: Ledger, ttl_seconds: int | None, extend_seconds: int | None
) -> int | None:
    """Return for how many seconds from now a reservation shall last; None as when it was made."""
    if extend_seconds is None:
        return ttl_seconds
    check_ttl(extend_seconds, "extend_seconds")
    left = max(0.0, (one.expires - ledger.now).total_seconds())
    return min(math.ceil(left) + extend_seconds, TTL_LIMIT)


def _same(one: Reservation, wanted: Reservation) -> bool:
    """Whether two reservations of one agent are about the same, in the same way."""
    return set(one.targets) == set(wanted.targets) and one.exclusive == wanted.exclusive
