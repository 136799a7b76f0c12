"""Releasing one's own reservations, and taking away those of somebody who has gone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gitmail.board.caller import Caller
from gitmail.board.presence import Presence
from gitmail.errors import NotFound
from gitmail.reservations import telling
from gitmail.reservations.ledger import Ledger
from gitmail.reservations.meant import by_id, own
from gitmail.reservations.news import News, Teller
from gitmail.reservations.rules import require_force, require_holder, same_agent
from gitmail.store.change import Change, NoChange
from gitmail.store.store import Store
from gitmail.store.view import View
from gitmail.values.names import fold
from gitmail.values.reservation import Reservation
from gitmail.values.secrets import refuse_secrets
from gitmail.values.targets import split_targets
from gitmail.values.text import check_line

NOTE_LIMIT = 200


@dataclass(frozen=True, slots=True)
class Released:
    """What is free now: reservations with the targets that were given up.

    `granted` are those of the queue whose turn it became; they were told by letter, except
    `untold`, whose mailboxes took none.
    """

    reservations: tuple[Reservation, ...]
    granted: tuple[Reservation, ...] = ()
    untold: tuple[str, ...] = ()


def release(store: Store, caller: Caller, wanted: Sequence[str] = ()) -> Released:
    """Release reservations of the caller's, or leave the queue; one commit, or none.

    `wanted` are targets or ids, empty for everything. A target of a reservation of several is
    released alone. Raises NotFound `reservation_not_found`, Refused `reservation_not_yours`.
    """
    teller = Teller(store, caller)

    def decide(view: View) -> Change[Released] | NoChange[Released]:
        acting = caller.acting(view)
        ledger = Ledger(view)
        me = acting.agent.name
        meant = own(ledger.all, me, wanted)
        given_up = tuple(_give_up(ledger, me, one, targets) for one, targets in meant.values())
        if not given_up:
            return NoChange(Released(()))
        ledger.settle()
        message = telling.released(me, given_up)
        answer = Released(given_up, tuple(ledger.granted))
        change = Change({**acting.files, **ledger.files}, message, answer, acting.author)
        return teller.with_letter(view, acting, change, News(ledger.granted))

    done = store.write(caller.author, decide).result
    return replace(done, untold=teller.untold)


def force_release(
    store: Store, caller: Caller, reference: str, note: str | None = None
) -> Released:
    """Take somebody's reservation away; the holder is told by letter, in the same commit.

    `reference` is an id, or a target that is held as it is written. Allowed for a maintainer at a
    person's own interface, for the holder, and for anybody once the holder has not acted for 30
    minutes. Raises Refused `holder_active`, NotFound `reservation_not_found`, InvalidInput.
    """
    if note is not None:
        check_line(note, "note", NOTE_LIMIT)
        refuse_secrets({"note": note})
    teller = Teller(store, caller)
    presence = Presence(store.private)
    maintainers = [caller.name] if caller.origin == "maintainer" else []

    def decide(view: View) -> Change[Released]:
        acting = caller.acting(view)
        ledger = Ledger(view)
        one = _anybodys(ledger.current, reference)
        me = acting.agent.name
        last = presence.seen(one.holder).last_action
        require_force(one, me, maintainers, last, view.now)
        ledger.remove(one)
        ledger.settle()
        message = telling.forced(me, one)
        answer = Released((one,), tuple(ledger.granted))
        change = Change({**acting.files, **ledger.files}, message, answer, acting.author)
        taken = None if same_agent(one.holder, me) else one
        return teller.with_letter(view, acting, change, News(ledger.granted, taken, note))

    done = store.write(caller.author, decide).result
    return replace(done, untold=teller.untold)


def _give_up(ledger: Ledger, me: str, one: Reservation, targets: set[str]) -> Reservation:
    """Take targets out of a reservation, and with the last one itself; return what was given up."""
    require_holder(one, me)
    left = [target for target in one.targets if target not in targets]
    gone = _about(one, [target for target in one.targets if target in targets])
    if one.id not in {known.id for known in ledger.current}:
        return gone  # it had run out and was swept by this write
    if left:
        ledger.narrow(_about(one, left))
    else:
        ledger.remove(one)
    return gone


def _about(one: Reservation, targets: Sequence[str]) -> Reservation:
    """Return the reservation with some of its targets."""
    paths, names = split_targets(targets)
    return replace(one, paths=paths, names=names)


def _anybodys(current: Sequence[Reservation], reference: str) -> Reservation:
    """Return the reservation that is held under this very target, else the one of this id."""
    held = [one for one in current if reference in one.targets and not one.waiting]
    if len(held) == 1:
        return held[0]
    if len(held) > 1:
        raise NotFound(
            "reservation_not_found",
            f"{reference[:80]!r} is reserved by several: "
            f"{', '.join(sorted({one.holder for one in held}, key=fold))}.",
            f"Name one by its id: {', '.join(one.id[:8] for one in held)}.",
        )
    return by_id(current, reference)
