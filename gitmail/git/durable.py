"""Making what was written survive a power cut, and naming what the disk refuses."""

from __future__ import annotations

import errno
import fcntl
import os
import threading
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gitmail.errors import StoreUnavailable

if TYPE_CHECKING:
    from queue import SimpleQueue

_FULL_SYNC: int | None = getattr(fcntl, "F_FULLFSYNC", None)
_CODES = {
    errno.ENOSPC: ("disk_full", "the disk is full", "Free some space and try again."),
    errno.EDQUOT: ("disk_full", "the disk quota is used up", "Free some space and try again."),
    errno.EROFS: ("read_only", "the file system is read-only", ""),
    errno.EACCES: ("read_only", "permission is denied", ""),
    errno.EPERM: ("read_only", "the operation is not permitted", ""),
}
_HELPERS = 3
_queues: dict[int, SimpleQueue[_Batch]] = {}
_starting = threading.Lock()
_ELSEWHERE = "Make it writable, or put the store elsewhere with `gitmail init --store PATH`."


def sync_descriptor(descriptor: int) -> None:
    """Flush one open file to the medium; on macOS past the drive's own cache as well."""
    if _FULL_SYNC is not None:
        try:
            fcntl.fcntl(descriptor, _FULL_SYNC)
            return
        except OSError:
            pass  # not every file system there knows it; fsync is then the best there is
    os.fsync(descriptor)


def sync_file(path: str | Path) -> None:
    """Flush the file at `path`."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        sync_descriptor(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(path: str | Path) -> None:
    """Flush the names in the folder `path`; a file system that cannot is left to its ways."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)


def sync_together(files: Iterable[str] = (), folders: Iterable[str] = ()) -> int:
    """Flush files and folders at the same time; returns how many there were.

    A journalling file system commits them as one: on a busy disk twelve syncs in a row took 34 ms,
    the same ones side by side 2. Raises the first OSError, after all have ended.
    """
    wanted: list[Callable[[], None]] = [partial(sync_file, path) for path in files]
    wanted += [partial(sync_folder, path) for path in folders]
    batch = _Batch(wanted)
    helpers = min(len(wanted) - 1, _HELPERS)
    for _ in range(helpers):
        _tasks().put(batch)
    batch.work()
    for _ in range(helpers):
        batch.ended.acquire()
    if batch.failures:
        raise batch.failures[0]
    return len(wanted)


class _Batch:
    """Syncs that several threads take from until none is left."""

    def __init__(self, wanted: list[Callable[[], None]]) -> None:
        self._remaining = iter(wanted)
        self._guard = threading.Lock()
        self.failures: list[OSError] = []
        self.ended = threading.Semaphore(0)

    def work(self) -> None:
        """Do one after the other; an error does not keep the others from being done."""
        while True:
            with self._guard:
                act = next(self._remaining, None)
            if act is None:
                return
            try:
                act()
            except OSError as error:
                self.failures.append(error)


def _tasks() -> SimpleQueue[_Batch]:
    """Return this process's queue to the helping threads, which are started with the first batch.

    They stay: starting three threads for each batch took longer than the syncs. A fork has none.
    """
    from queue import SimpleQueue  # readers never sync

    process = os.getpid()
    with _starting:
        if process not in _queues:
            _queues.clear()
            queue: SimpleQueue[_Batch] = SimpleQueue()
            _queues[process] = queue
            for _ in range(_HELPERS):
                threading.Thread(
                    target=_help, args=(queue,), name="gitmail-sync", daemon=True
                ).start()
        return _queues[process]


def _help(queue: SimpleQueue[_Batch]) -> None:
    while True:
        batch = queue.get()
        batch.work()
        batch.ended.release()


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of `data`, however many calls that takes."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def disk_error(error: OSError, path: str | Path) -> StoreUnavailable:
    """Return the failure to raise for `error` at `path`: disk_full, read_only or io_error."""
    code, words, hint = _CODES.get(
        error.errno or 0, ("io_error", (error.strerror or "it failed").lower(), "")
    )
    return StoreUnavailable(
        code,
        f"Cannot write {path}: {words}.",
        hint or _ELSEWHERE,
        path=str(path),
    )
