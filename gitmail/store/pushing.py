"""Letting a push pass: writers hold back for a moment while one is being checked.

Git refuses a push when main moves between its start and its end, and checking takes longer than
the pauses of a busy store. The pre-receive hook leaves a file while it is at work. Its age bounds
the wait, so a hook that died holds nobody up for long.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress

from gitmail.store.private import PrivateState

PUSH = "push"
"""The file's name in the store's private folder."""
LONGEST = 1.5
"""Seconds that a writer holds back at most, and that the file counts."""
_PAUSE = 0.01


def let_push_pass(private: PrivateState) -> None:
    """Wait while a push is being checked, LONGEST at most; one system call when there is none."""
    deadline = time.monotonic() + LONGEST
    while _is_under_way(private) and time.monotonic() < deadline:
        time.sleep(_PAUSE)


def push_is_over(private: PrivateState) -> None:
    """Say that the push was refused, or is in."""
    with suppress(OSError):
        (private.root / PUSH).unlink()


def _is_under_way(private: PrivateState) -> bool:
    try:
        age = time.time() - os.stat(private.root / PUSH).st_mtime
    except OSError:
        return False
    return -LONGEST < age < LONGEST
