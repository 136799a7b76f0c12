"""Counting the calls that a server is working on, so that it can end between two of them."""

from __future__ import annotations

import threading
import time
from types import TracebackType


class InFlight:
    """A count of running calls; `with` counts one. Safe to ask from any thread."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._running = 0

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
            self._changed.notify_all()

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
