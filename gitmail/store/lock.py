"""One writer at a time: a fair, bounded lock around every change of the store.

filelock decides. Polling alone is unfair (a writer among thirty waited up to 8.7 s), so writers
stand in line first (gitmail.store.line). The kernel frees every lock when its process dies; a lock
that a living process holds is never broken.
"""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gitmail.errors import StoreBusy, StoreUnavailable
from gitmail.git.durable import disk_error
from gitmail.store.line import LineTimeout, in_line
from gitmail.store.private import PrivateState

DEFAULT_WAIT = 10.0
"""Seconds a writer waits before it gives up with `store_busy`."""

_thread_locks: dict[str, threading.Lock] = {}
_thread_locks_guard = threading.Lock()
_held_here = threading.local()


class WriteLock:
    """The store's write lock. Take it with `hold`; it is released in the thread that took it."""

    def __init__(self, private: PrivateState) -> None:
        self._private = private
        self._key = os.path.realpath(private.root)
        with _thread_locks_guard:
            self._threads = _thread_locks.setdefault(self._key, threading.Lock())

    @property
    def held_by_this_thread(self) -> bool:
        """True inside `hold` on the same thread."""
        return self._key in getattr(_held_here, "keys", ())

    @contextmanager
    def hold(self, wait: float = DEFAULT_WAIT) -> Iterator[None]:
        """Hold the lock for the body.

        Raises StoreBusy `store_busy` after `wait` seconds, naming the lock file and the time;
        RuntimeError at once when this thread holds it already; StoreUnavailable where the file
        system cannot lock or the folder cannot be written.
        """
        if self.held_by_this_thread:
            raise RuntimeError("a write inside a write: finish the first one before the next")
        deadline = time.monotonic() + wait
        if not self._threads.acquire(timeout=max(wait, 0)):
            raise self._busy(wait)
        try:
            with self._between_processes(deadline, wait):
                _held_here.keys = {*getattr(_held_here, "keys", ()), self._key}
                try:
                    yield
                finally:
                    _held_here.keys = _held_here.keys - {self._key}
        finally:
            self._threads.release()

    @contextmanager
    def _between_processes(self, deadline: float, wait: float) -> Iterator[None]:
        if wait > 0:
            import filelock  # noqa: F401 - 0.06 s, before it is our turn; readers rarely need it

        with self._in_line(deadline, wait):
            from filelock import FileLock, Timeout

            lock = FileLock(str(self._private.lock), fallback_to_soft=False)
            try:
                lock.acquire(timeout=max(deadline - time.monotonic(), 0), poll_interval=0.005)
            except Timeout:
                raise self._busy(wait) from None
            except NotImplementedError as error:
                raise _cannot_lock(self._private.lock, error) from error
            except OSError as error:
                raise _lock_error(self._private.lock, error) from error
            try:
                yield
            finally:
                lock.release()

    @contextmanager
    def _in_line(self, deadline: float, wait: float) -> Iterator[None]:
        entered = False
        try:
            with in_line(self._private.line, deadline):
                entered = True
                yield
        except LineTimeout:
            raise self._busy(wait) from None
        except OSError as error:
            if entered:
                raise
            raise _lock_error(self._private.line, error) from error

    def _busy(self, wait: float) -> StoreBusy:
        return StoreBusy(
            "store_busy",
            f"another process has been writing for {wait:g} s (lock: {self._private.lock})",
            "Try again; if it lasts, `gitmail doctor` shows who holds the lock.",
            lock=str(self._private.lock),
            waited_seconds=wait,
        )


def _lock_error(path: Path, error: OSError) -> StoreUnavailable:
    if error.errno in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP):
        return _cannot_lock(path, error)
    return disk_error(error, path)


def _cannot_lock(path: Path, error: Exception) -> StoreUnavailable:
    return StoreUnavailable(
        "lock_unsupported",
        f"the file system of {path} has no file locks ({error})",
        "Put the store on a local file system: `gitmail init --store PATH`.",
        lock=str(path),
    )
