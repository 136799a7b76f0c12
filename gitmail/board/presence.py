"""Presence: who has a living process right now, who listens, and when each last acted.

Private state, never committed, no heartbeats. A process holds a flock on a file of its own below
`presence/NAME/`; the kernel frees it the moment the process dies, however it dies. Whoever wants
to know probes with a shared lock. The time of an agent's last own action is the modification time
of `presence/NAME/last`. (flock, never lockf: lockf would be dropped by any close of the file.)
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from gitmail.store.private import PrivateState
from gitmail.values.names import fold

ATTACHED = "attached"
"""The prefix of files held by processes that speak for an agent."""
LISTENING = "listening"
"""The prefix of files held while something waits for an agent's mail."""
_LAST = "last"


class Seen(NamedTuple):
    """What is known of an agent's presence: alive now, listening now, last own action (UTC)."""

    attached: bool
    listening: bool
    last_action: datetime | None


class Presence:
    """The presence files of one store."""

    def __init__(self, private: PrivateState) -> None:
        self._root = private.presence

    @contextmanager
    def attached(self, name: str) -> Iterator[None]:
        """Count as a living process of `name` for the body."""
        with self._held(name, ATTACHED):
            yield

    @contextmanager
    def listening(self, name: str) -> Iterator[None]:
        """Count as a listener for the mail of `name` for the body."""
        with self._held(name, LISTENING):
            yield

    def acted(self, name: str, when: datetime) -> None:
        """Record an own action of `name` at `when` (aware UTC)."""
        folder = self._folder(name)
        with suppress(OSError):  # a read-only store has no presence; nothing depends on it
            os.makedirs(folder, mode=0o700, exist_ok=True)
            stamp = when.timestamp()
            file = folder / _LAST
            with open(file, "ab"):
                os.utime(file, (stamp, stamp))

    def seen(self, name: str) -> Seen:
        """Probe the presence of one agent: a directory listing and a lock probe per process."""
        folder = self._folder(name)
        attached = listening = False
        last: datetime | None = None
        try:
            names = os.listdir(folder)
        except FileNotFoundError:
            return Seen(False, False, None)
        for file in names:
            if file == _LAST:
                last = datetime.fromtimestamp(os.stat(folder / file).st_mtime, UTC)
            elif file.startswith(ATTACHED):
                attached = _alive(folder / file) or attached
            elif file.startswith(LISTENING):
                listening = _alive(folder / file) or listening
        return Seen(attached, listening, last)

    def living(self, name: str) -> bool:
        """True while any process speaks for `name`."""
        return self.seen(name).attached

    def _folder(self, name: str) -> Path:
        return self._root / fold(name)

    @contextmanager
    def _held(self, name: str, what: str) -> Iterator[None]:
        folder = self._folder(name)
        path = folder / f"{what}-{os.getpid()}-{os.urandom(4).hex()}"
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except OSError:
            yield  # no presence on a read-only store: the agent counts as detached
            return
        try:
            with suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
        finally:
            with suppress(OSError):
                os.unlink(path)
            os.close(descriptor)


def _alive(path: Path) -> bool:
    """True when some process holds the file's lock; a dead one's file is removed."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    else:
        # just made and not locked yet, or left by a dead process: only the latter is old
        with suppress(OSError):
            if os.fstat(descriptor).st_mtime < datetime.now(UTC).timestamp() - 60:
                os.unlink(path)
        return False
    finally:
        os.close(descriptor)
