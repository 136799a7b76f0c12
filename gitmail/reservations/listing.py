"""Looking at reservations, changing nothing: what is held, who waits, what is in whose way.

Expired ones are left out everywhere, swept or not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from gitmail.index.reservations import all_reservations, reservations_of
from gitmail.reservations.rules import Conflict, conflicts, queue
from gitmail.reservations.touching import Touched, check
from gitmail.store.store import Store
from gitmail.store.view import View
from gitmail.values.reservation import Reservation
from gitmail.values.targets import split_targets


@dataclass(frozen=True, slots=True)
class Listed:
    """A reservation; `turn` is its place in the whole queue from 1, None for one that is held."""

    reservation: Reservation
    turn: int | None = None


@dataclass(frozen=True, slots=True)
class Checked:
    """What stands in the way of reserving `target` for oneself alone; empty when it is free."""

    target: str
    conflicts: tuple[Conflict, ...]


def list_reservations(store: Store, holder: str | None = None) -> tuple[list[Listed], datetime]:
    """Return what is held and then who waits, oldest first, and the time this holds for.

    `holder` keeps to one agent's, in any spelling of case.
    """

    def question(view: View) -> tuple[list[Listed], datetime]:
        known = [row.reservation for row in all_reservations(view.index)]
        waiting = queue(known, view.now)
        found = [Listed(one) for one in known if one.held(view.now)]
        found += [Listed(one, turn) for turn, one in enumerate(waiting, start=1)]
        if holder is not None:
            own = {row.reservation.id for row in reservations_of(view.index, holder)}
            found = [one for one in found if one.reservation.id in own]
        return found, view.now

    return store.read(question)


def check_targets(store: Store, me: str | None, targets: Sequence[str]) -> list[Checked]:
    """Return for each target (pattern or thing) which reservations of others overlap it.

    `me` is None for somebody without an agent name. Raises InvalidInput `invalid_paths`.
    """
    wanted = [(target, split_targets([target])) for target in targets]
    split_targets(targets)

    def question(view: View) -> list[Checked]:
        known = [row.reservation for row in all_reservations(view.index)]
        return [
            Checked(
                target,
                tuple(
                    conflicts(
                        Reservation("", me or "", view.now, view.now, paths, names),
                        known,
                        me or "",
                        view.now,
                    )
                ),
            )
            for target, (paths, names) in wanted
        ]

    return store.read(question)


def check_files(store: Store, me: str | None, paths: Iterable[bytes]) -> list[Touched]:
    """Return which of these files (names from the project's top) others hold; as the guard does."""
    names = list(paths)

    def question(view: View) -> list[Touched]:
        known = [row.reservation for row in all_reservations(view.index)]
        return check(names, known, me, view.now)

    return store.read(question)
