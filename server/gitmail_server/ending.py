"""How a server process ends: calls at hand first, then detached, then gone whatever still runs."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable

from gitmail_server.in_flight import InFlight

PATIENCE = 1.2
"""Seconds that calls at hand may take once the process shall end."""
SETTLE = 0.1
"""Seconds for what was read but not started, and for what was answered but not written."""
PARTING = 0.2
"""Seconds for the SDK to see the end of its input, and for detaching; then the process is gone."""


class Ending:
    """The end of one process: `stop_all` ends the calls that wait, `close` detaches."""

    def __init__(
        self, in_flight: InFlight, stop_all: Callable[[], None], close: Callable[[], None]
    ) -> None:
        self._in_flight = in_flight
        self._stop_all = stop_all
        self._close = close

    def on_signals(self) -> None:
        """End on SIGTERM, SIGINT and SIGHUP."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._told)

    def _told(self, _number: int, _frame: object) -> None:
        threading.Thread(target=self._finish_and_end, name="gitmail-end", daemon=True).start()

    def _finish_and_end(self) -> None:
        self.finish_calls()
        self.end()

    def finish_calls(self) -> None:
        """Wait, but not long, until every call that was read has been answered."""
        self._stop_all()
        self._in_flight.wait_idle(PATIENCE, SETTLE)

    def end(self) -> None:
        """Detach and leave at once: no thread that still waits for something is waited for."""
        closing = threading.Thread(target=self._close, daemon=True)
        closing.start()
        closing.join(PARTING)
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.flush()
        os._exit(0)
