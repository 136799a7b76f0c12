"""Which letters each listener was told of: private state, so that none is announced twice.

A listener is an agent's host session, or whatever else asks under a name of its own. Its memory is
a file of ids below `announced/`; losing it announces letters once more and never loses one. Light
enough for a host's hook: nothing but the standard library's smallest modules.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress

from gitmail.values.hints import WaitingLetter, to_announce
from gitmail.values.names import fold

FOLDER = "announced"
KEPT_SECONDS = 30 * 86_400
"""How long the memory of a listener that never came back is kept."""


class Announced:
    """The memory of one listener for one agent's mailbox.

    `private_root` is the store's private folder; `listener` must be usable as a file name (see
    gitmail.board.sessions for keys of host sessions).
    """

    def __init__(self, private_root: str, agent: str, listener: str) -> None:
        self._folder = os.path.join(private_root, FOLDER, fold(agent))
        self._path = os.path.join(self._folder, listener)

    def known(self) -> tuple[str, ...] | None:
        """Return the ids this listener was told of; None for a listener that is new."""
        try:
            with open(self._path, encoding="ascii") as file:
                return tuple(file.read().split())
        except (OSError, ValueError):
            return None

    def take(
        self, waiting: Iterable[WaitingLetter], seen: Iterable[str] = ()
    ) -> tuple[WaitingLetter, ...]:
        """Return the letters of `waiting` that are news to this listener, which now knows them.

        Two callers at once never both get a letter. Letters whose id is in `seen` were looked at
        by their owner already: they are known from now on, and no news. On a store that cannot be
        written nothing is remembered, so nothing is announced either.
        """
        skipped = frozenset(seen)
        try:
            with self._locked():
                announcement = to_announce(self.known() or (), waiting)
                self._write(announcement.announced)
        except OSError:
            return ()
        return tuple(letter for letter in announcement.fresh if letter.id not in skipped)

    def remember(self, waiting: Iterable[WaitingLetter]) -> None:
        """Count all of `waiting` as told."""
        self.take(waiting)

    def note(self, ids: Iterable[str]) -> None:
        """Count the letters with these ids as told, whether or not they wait now."""
        self.remember(WaitingLetter(one, "", "") for one in ids)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        descriptor = os.open(os.path.join(self._folder, ".lock"), flags, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _write(self, ids: Sequence[str]) -> None:
        """Replace the memory as a whole (lock held); a new one is the time to drop old ones."""
        if not os.path.exists(self._path):
            self._drop_old()
        elif self.known() == tuple(ids):
            return
        draft = os.path.join(self._folder, f".{os.getpid()}-{os.urandom(4).hex()}")
        with open(draft, "w", encoding="ascii") as file:
            file.write("\n".join(ids) + "\n")
        os.replace(draft, self._path)

    def _drop_old(self) -> None:
        oldest = time.time() - KEPT_SECONDS
        with os.scandir(self._folder) as entries:
            for entry in entries:
                with suppress(OSError):
                    if entry.name != ".lock" and entry.stat().st_mtime < oldest:
                        os.unlink(entry.path)
