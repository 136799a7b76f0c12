"""Named points of a write, at which a crash test may kill the process.

The store promises that a crash at any point loses nothing. That can only be tested by dying at
each point, from inside: an entry point that finds `GITMAIL_TEST_KILL_AT` calls `arm` with it, and
the process ends there as if the machine had lost power. Otherwise a point costs one comparison.
"""

from __future__ import annotations

import os
import signal

_armed: str | None = None


def arm(name: str | None) -> None:
    """Die at the point `name` from now on; `None` disarms."""
    global _armed
    _armed = name


def reached(name: str) -> None:
    """Say that the write got to the point `name`."""
    if _armed == name:
        os.kill(os.getpid(), signal.SIGKILL)
