"""Noticing that the process which started this one is gone."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

LOOK_SECONDS = 2.0


@contextmanager
def when_orphaned() -> Iterator[threading.Event]:
    """Give the body an event that is set when the parent process has ended.

    A host that is killed cannot end the hook it waits for, and nobody would read the answer.
    """
    parent = os.getppid()
    orphaned = threading.Event()
    done = threading.Event()

    def look() -> None:
        while not done.wait(LOOK_SECONDS):
            if os.getppid() != parent:
                orphaned.set()
                return

    threading.Thread(target=look, name="gitmail-orphan", daemon=True).start()
    try:
        yield orphaned
    finally:
        done.set()
