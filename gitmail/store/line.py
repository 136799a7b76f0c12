"""A line of writers, first come first served, in which nobody polls.

Each writer holds a lock on a ticket file of its own in `line/`, named by when it came, and sleeps
in the kernel on the lock of the ticket just before its own. One lock for all to wait on is unfair:
the kernel wakes everybody at each release, and of thirty writers the unluckiest waited through
nearly the whole run. The kernel frees a dead writer's lock; whoever finds its ticket removes it.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


class LineTimeout(Exception):
    """The deadline passed before it was this writer's turn."""


@contextmanager
def in_line(folder: Path, deadline: float) -> Iterator[None]:
    """Be in the line of `folder`; the body runs when nobody is before us any more.

    `deadline` is a time.monotonic() value; LineTimeout when it passes first. Raises OSError where
    the folder cannot be written or the file system has no locks.
    """
    ticket, descriptor = _take_ticket(folder)
    try:
        while (before := _just_before(folder, ticket)) is not None:
            _await(f"{folder}/{before}", deadline)
        yield
    finally:
        with suppress(OSError):
            os.unlink(f"{folder}/{ticket}")
        os.close(descriptor)


def _take_ticket(folder: Path) -> tuple[str, int]:
    """Return the name and the descriptor of a ticket that is locked before anybody sees it."""
    unseen = f"{folder}/.{os.getpid()}-{os.urandom(6).hex()}"
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        descriptor = os.open(unseen, flags, 0o600)
    except FileNotFoundError:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        descriptor = os.open(unseen, flags, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        ticket = f"{time.monotonic_ns():020d}-{os.getpid()}-{os.urandom(3).hex()}"
        os.rename(unseen, f"{folder}/{ticket}")
    except BaseException:
        os.close(descriptor)
        with suppress(OSError):
            os.unlink(unseen)
        raise
    return ticket, descriptor


def _just_before(folder: Path, ticket: str) -> str | None:
    names = (name for name in os.listdir(folder) if not name.startswith("."))
    return max((name for name in names if name < ticket), default=None)


def _await(path: str, deadline: float) -> None:
    """Return when the ticket at `path` is given back, or its holder dead (then it is removed)."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        seconds = deadline - time.monotonic()
        if seconds <= 0:
            os.close(descriptor)
            raise LineTimeout from None
        if not _BoundedFlock(descriptor).wait(seconds):
            raise LineTimeout from None  # the helper closes the descriptor when it wakes
    except OSError:
        os.close(descriptor)
        raise
    with suppress(OSError):
        os.unlink(path)
    os.close(descriptor)


class _BoundedFlock:
    """A blocking flock in a helper thread that lets go by itself when it comes too late."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._guard = threading.Lock()
        self._done = threading.Event()
        self._given_up = False
        self._error: OSError | None = None

    def wait(self, seconds: float) -> bool:
        """Return True when the lock was taken in time; the descriptor is the caller's again."""
        threading.Thread(target=self._take, name="gitmail-lock", daemon=True).start()
        self._done.wait(seconds)
        with self._guard:
            if self._error is not None:
                raise self._error
            if self._done.is_set():
                return True
            self._given_up = True
            return False

    def _take(self) -> None:
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_SH)
        except OSError as error:
            self._error = error
        with self._guard:
            self._done.set()
            if self._given_up:
                os.close(self._descriptor)
