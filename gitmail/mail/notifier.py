"""The notifier: says that something may have changed in one agent's mailbox.

One thread and one watch for any number of listeners. It never says what is new; listeners look at
the index themselves, so an event too many costs a look and an event too few a few seconds.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from typing import NamedTuple

from gitmail.store.folder_watch import FolderWatch
from gitmail.store.store import Store
from gitmail.values.paths import inbox_folder

GLANCE_SECONDS = 1.0
"""How often the folder and main are looked at without an event: two stats."""
RESCAN_SECONDS = 5.0
"""How often listeners look at the index although nothing seems to have changed."""
BREATH_SECONDS = 0.02
"""The least time between two rescans, so that a storm of events becomes a few looks."""


class _Stamp(NamedTuple):
    inbox: tuple[int, int] | None
    main: tuple[int, int] | None
    packed: tuple[int, int] | None


class Notifier:
    """Counts the moments at which the mailbox of `agent` may have changed.

    `polling` does without the system's events. Use as a context manager, or `start` and `close`.
    """

    def __init__(self, store: Store, agent: str, *, polling: bool = False) -> None:
        self.agent = agent
        self._inbox = store.path / inbox_folder(agent)
        self._main = store.git_dir / "refs" / "heads" / "main"
        self._packed = store.git_dir / "packed-refs"
        self._woken = threading.Event()
        self._changed = threading.Condition()
        self._generation = 0
        self._closed = False
        self._watch = FolderWatch(self._inbox, self._woken.set, polling=polling)
        self._thread = threading.Thread(target=self._run, name="gitmail-notifier", daemon=True)
        self._told_trouble = False

    @property
    def generation(self) -> int:
        """The number of moments so far. Take it, look at the index, then `wait` from it."""
        return self._generation

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def wait(self, seen: int, seconds: float) -> int:
        """Return the generation once it is above `seen`, or after `seconds`."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._generation > seen, seconds)
            return self._generation

    def nudge(self) -> None:
        """Count a moment now, for whoever waits."""
        with self._changed:
            self._generation += 1
            self._changed.notify_all()

    def close(self) -> None:
        """Stop watching; everybody who waits returns."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._woken.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(2)
        self._watch.close()

    def take_trouble(self) -> str | None:
        """Return once why there are no events here, if so."""
        trouble = None if self._told_trouble else self._watch.trouble
        self._told_trouble = self._told_trouble or trouble is not None
        return trouble

    def _run(self) -> None:
        stamp, due = None, 0.0
        while not self._closed:
            self._watch.refresh()
            event = self._woken.is_set()
            self._woken.clear()
            now, found = time.monotonic(), self._stamp()
            if event or found != stamp or now >= due:
                stamp, due = found, now + RESCAN_SECONDS
                self.nudge()
                time.sleep(BREATH_SECONDS)
            self._woken.wait(GLANCE_SECONDS)

    def _stamp(self) -> _Stamp:
        return _Stamp(*(_stat(path) for path in (self._inbox, self._main, self._packed)))

    def __enter__(self) -> Notifier:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _stat(path: os.PathLike[str]) -> tuple[int, int] | None:
    with suppress(OSError):
        found = os.stat(path)
        return found.st_mtime_ns, found.st_ino
    return None
