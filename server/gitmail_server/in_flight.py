"""The calls that a server is working on: counted, so that it can end between two of them, and
those that only wait for something stopped, when their caller gives up or the server ends.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType


class InFlight:
    """A count of running calls; `with` counts one. Safe to ask from any thread."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._running = 0
        self._last_end = time.monotonic()

    def __enter__(self) -> None:
        with self._changed:
            self._running += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._changed:
            self._running -= 1
            self._last_end = time.monotonic()
            self._changed.notify_all()

    def idle_for(self, seconds: float) -> bool:
        """Tell whether no call runs and none has ended within `seconds`."""
        with self._changed:
            return not self._running and time.monotonic() - self._last_end >= seconds

    def wait_idle(self, seconds: float, settle: float) -> bool:
        """Wait until no call runs, at most `seconds`; tell whether that was reached.

        `settle` seconds are given to calls that were read but not started, and then again to the
        answers of those that ended.
        """
        deadline = time.monotonic() + seconds
        time.sleep(settle)
        with self._changed:
            while self._running:
                left = deadline - time.monotonic()
                if left <= 0:
                    return False
                self._changed.wait(left)
        time.sleep(settle)
        return True


class Stops:
    """Lets a handler sleep so that the end of its call, or of the server, wakes it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[threading.Event] = set()
        self._all = False
        self._mine: ContextVar[threading.Event | None] = ContextVar("stop", default=None)

    @contextmanager
    def stoppable(self) -> Iterator[None]:
        """Count as one call for the body, which starts its handler; on leaving, it is stopped."""
        event = threading.Event()
        with self._lock:
            self._running.add(event)
            if self._all:
                event.set()
        token = self._mine.set(event)
        try:
            yield
        finally:
            self._mine.reset(token)
            event.set()
            with self._lock:
                self._running.discard(event)

    def pause(self, seconds: float) -> bool:
        """Sleep in a handler; True when it shall stop waiting (at once, then)."""
        event = self._mine.get()
        if event is None:
            time.sleep(seconds)
            return self._all
        return event.wait(seconds)

    def stop_all(self) -> None:
        """Stop every call that waits, and those that come."""
        with self._lock:
            self._all = True
            for event in self._running:
                event.set()
