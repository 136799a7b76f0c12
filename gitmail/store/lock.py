"""One writer at a time: a fair, bounded lock around every change of the store.

filelock decides. Polling alone is unfair (a writer among thirty waited up to 8.7 s), so writers
first queue in the kernel: `lock.turn` is held by whoever is next, `lock.queue` by whoever writes.
A writer that has just finished has to take `lock.turn` like everyone else, so it cannot overtake
the one that is already next in line. The kernel frees all three when a process dies; a lock that
a living process holds is never broken.
"""

from __future__ import annotations

import errno
import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gitmail.errors import StoreBusy, StoreUnavailable
from gitmail.git.durable import disk_error
from gitmail.store.private import PrivateState

DEFAULT_WAIT = 10.0
"""Seconds a writer waits before it gives up with `store_busy`."""

_thread_locks: dict[str, threading.Lock] = {}
_thread_locks_guard = threading.Lock()
_held_here = threading.local()


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
            fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        except OSError as error:
            self._error = error
        with self._guard:
            self._done.set()
            if self._given_up:
                os.close(self._descriptor)


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

        turn = self._queue_up(self._private.turn, deadline, wait)
        try:
            queue = self._queue_up(self._private.queue, deadline, wait)
        finally:
            os.close(turn)
        try:
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
        finally:
            os.close(queue)

    def _queue_up(self, path: Path, deadline: float, wait: float) -> int:
        """Return a descriptor that holds the flock of `path`; closing it lets go."""
        descriptor = _open_lock_file(path)
        try:
            with suppress(BlockingIOError):
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return descriptor
            seconds = deadline - time.monotonic()
            if seconds > 0 and _BoundedFlock(descriptor).wait(seconds):
                return descriptor
        except OSError as error:
            os.close(descriptor)
            raise _lock_error(path, error) from error
        if seconds <= 0:
            os.close(descriptor)
        raise self._busy(wait)

    def _busy(self, wait: float) -> StoreBusy:
        return StoreBusy(
            "store_busy",
            f"another process has been writing for {wait:g} s (lock: {self._private.lock})",
            "Try again; if it lasts, `gitmail doctor` shows who holds the lock.",
            lock=str(self._private.lock),
            waited_seconds=wait,
        )


def _open_lock_file(path: Path) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        return os.open(path, flags, 0o600)
    except OSError as error:
        raise _lock_error(path, error) from error


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
