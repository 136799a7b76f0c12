"""What the store says to whoever commits: the guard's only look into it, and a read-only one.

Reservations and urgent letters are read from the Markdown tree, not from the index: a hook that
runs inside somebody's commit takes no lock on the store, repairs nothing and has a tenth of a
second for everything.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from gitmail.errors import BrokenFile, StoreUnavailable
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


def load_leases(
    cwd: Path, environment: Mapping[str, str], now: datetime, *, urgent: bool = True
) -> Leases:
    """Read the store of the project around `cwd`; a project without a store has no leases.

    `environment` says who is committing (see `whoami`); without `urgent` no letter is told.
    Raises StoreUnavailable when git cannot say which project this is, InvalidInput for a name
    that nobody can have.
    """
    from gitmail_hooks.mailbox_look import find_spot
    from gitmail_hooks.urgent import untold_urgent
    from gitmail_hooks.whoami import whoami

    spot = find_spot(str(cwd), None)
    if spot is None:
        return Leases()
    me = whoami(environment, spot)
    reservations, problems = read_reservations(Path(spot.store))
    stops_people = False
    if me is None and reservations:
        stops_people, trouble = _stops_people(Path(spot.store))
        problems += trouble
    told = untold_urgent(spot, me, now) if urgent and me is not None else ()
    return Leases(tuple(reservations), me, stops_people, told, tuple(problems))


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


def _stops_people(store: Path) -> tuple[bool, list[str]]:
    """Whether gitmail.toml wants people without an agent name stopped as well."""
    from gitmail.format.config import config_from_bytes

    try:
        data = (store / "gitmail.toml").read_bytes()
        return config_from_bytes(data).guard_people == "block", []
    except FileNotFoundError:
        return False, []
    except (BrokenFile, StoreUnavailable) as error:
        return False, [error.message]
