"""All reservations in the middle of one write: what has run out goes, whose turn it is gets it.

Every write begins with that (`rules.settle`), so an expired reservation hinders nobody even where
nothing ever runs in the background, and the queue moves with whoever writes next.
"""

from __future__ import annotations

from gitmail.format.reservations import (
    narrow_reservation,
    reservation_to_bytes,
    update_reservation,
)
from gitmail.index.reservations import all_reservations
from gitmail.index.rows import ReservationRow
from gitmail.reservations.rules import same_agent, settle
from gitmail.store.view import View
from gitmail.values.paths import reservation_path
from gitmail.values.reservation import Reservation


class Ledger:
    """The reservations as a decision sees and changes them.

    `files` is what the commit has to write so far, `granted` are those of the queue whose turn
    came in this write. `now` is the view's time.
    """

    def __init__(self, view: View) -> None:
        self.now = view.now
        self.files: dict[str, bytes | None] = {}
        self.granted: list[Reservation] = []
        self._view = view
        self._rows = {row.reservation.id: row for row in all_reservations(view.index)}
        self._current = {one: row.reservation for one, row in self._rows.items()}
        self.settle()

    @property
    def current(self) -> list[Reservation]:
        """Return what is held or waits now, the changes of this write included."""
        return list(self._current.values())

    @property
    def all(self) -> list[Reservation]:
        """Return the same and what this write sweeps or removes, as it was."""
        before = {one: row.reservation for one, row in self._rows.items()}
        return list((before | self._current).values())

    def of(self, holder: str) -> list[Reservation]:
        """Return what `holder` holds or waits for now, oldest first."""
        return [one for one in self._current.values() if same_agent(one.holder, holder)]

    def add(self, one: Reservation) -> None:
        """Take a new reservation in."""
        self._current[one.id] = one
        self.files[reservation_path(one.id, one.targets[0])] = reservation_to_bytes(one)

    def change(self, one: Reservation) -> None:
        """Take in what a grant or a renewal changed of a known one; the rest of its file stays."""
        row = self._rows[one.id]
        self._current[one.id] = one
        self.files[row.path] = update_reservation(self._content(row), row.path, one)

    def narrow(self, one: Reservation) -> None:
        """Take in a known one that is about fewer targets than before."""
        row = self._rows[one.id]
        self._current[one.id] = one
        self.files[row.path] = narrow_reservation(self._content(row), row.path, one)

    def remove(self, one: Reservation) -> None:
        """Take a known one out."""
        self._current.pop(one.id, None)
        self.files[self._rows[one.id].path] = None

    def settle(self) -> None:
        """Sweep what has run out and grant what has become free; again after each removal."""
        settled = settle(self._current.values(), self.now)
        for one in settled.expired:
            self.remove(one)
        for one in settled.granted:
            self.change(one)
            self.granted.append(one)

    def _content(self, row: ReservationRow) -> bytes:
        """Return the file as this write has changed it so far."""
        changed = self.files.get(row.path)
        return self._view.content(row.path, row.blob) if changed is None else changed
