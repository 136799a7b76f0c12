"""What the store says to whoever commits: the guard's only look into it, and a read-only one.

The reservations are read from the Markdown tree, not from the index: a hook that runs inside
somebody's commit takes no lock, repairs nothing and has a tenth of a second for everything.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from gitmail.errors import BrokenFile, NotFound
from gitmail.values.reservation import Reservation

_FOLDER = "reservations"


@dataclass(frozen=True, slots=True)
class Leases:
    """Reservations as they stand, and who is asking.

    `me` is the caller's agent name, None for a person without one, who is only warned unless
    `stops_people`. `urgent` are the senders of urgent letters that wait and were not yet told.
    `problems` are sentences about files that could not be read; the others count all the same.
    """

    reservations: tuple[Reservation, ...] = ()
    me: str | None = None
    stops_people: bool = False
    urgent: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def load_leases(cwd: Path, agent: str | None) -> Leases:
    """Read the store of the project around `cwd`; a project without a store has no leases.

    `agent` is who the environment says is committing; else the checkout's lasting name counts.
    Raises StoreUnavailable when git cannot say which project this is.
    """
    from gitmail.store.location import find_project

    try:
        place = find_project(cwd, None)
    except NotFound:
        return Leases()
    reservations, problems = read_reservations(place.store)
    me = agent or place.project.config.get("gitmail.agent")
    return Leases(tuple(reservations), me, problems=tuple(problems))


def read_reservations(store: Path) -> tuple[list[Reservation], list[str]]:
    """Return the reservations in the tree of a store, and what is wrong with the broken ones."""
    try:
        names = sorted(os.listdir(store / _FOLDER))
    except (FileNotFoundError, NotADirectoryError):
        return [], []
    if not any(name.endswith(".md") for name in names):
        return [], []
    from gitmail.format.reservations import reservation_from_bytes

    found: list[Reservation] = []
    problems: list[str] = []
    for name in names:
        if not name.endswith(".md"):
            continue
        try:
            data = (store / _FOLDER / name).read_bytes()
            found.append(reservation_from_bytes(data, f"{_FOLDER}/{name}"))
        except FileNotFoundError:
            continue  # released or swept while we looked
        except BrokenFile as error:
            problems.append(error.message)
    return found, problems
