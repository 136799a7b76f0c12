"""What the store says to whoever commits: the guard's only look into it, and a read-only one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gitmail.errors import NotFound
from gitmail.values.reservation import Reservation


@dataclass(frozen=True, slots=True)
class Leases:
    """Reservations as they stand, and who is asking.

    `me` is the caller's agent name, None for a person without one, who is only warned unless
    `stops_people`. `urgent` are the senders of urgent letters that wait and were not yet told.
    """

    reservations: tuple[Reservation, ...] = ()
    me: str | None = None
    stops_people: bool = False
    urgent: tuple[str, ...] = ()


def load_leases(cwd: Path, agent: str | None) -> Leases:
    """Ask the store of the project around `cwd`; a project without a store has no leases.

    `agent` is who the environment says is committing; else the checkout's lasting name. Raises
    StoreUnavailable and the other errors of opening a store.
    """
    from gitmail.index.reservations import all_reservations
    from gitmail.store.location import find_project, open_store

    try:
        place = find_project(cwd, None)
    except NotFound:
        return Leases()
    if not place.exists:
        return Leases()
    store = open_store(place)
    try:
        rows = store.read(lambda view: all_reservations(view.index))
    finally:
        store.close()
    me = agent or place.project.config.get("gitmail.agent")
    return Leases(tuple(row.reservation for row in rows), me)
