"""The Markdown tree on disk: a view of main that people, editors and grep read.

It is brought from its marker to main by `place`, which can be repeated: a file that already holds
the new content is accepted, a file that holds something nobody committed is never overwritten.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from gitmail.errors import StoreUnavailable
from gitmail.git.durable import sync_together
from gitmail.git.steps import reached
from gitmail.store.aside import AsideFolder
from gitmail.store.blobs import blob_id
from gitmail.store.private import PrivateState

_REFS = ("ref-", "intent-")
"""Private files of gitmail.git.refs, which removes them itself."""
_FOREIGN_SECONDS = 3600.0
_NO_READABLE_FILE = frozenset(
    (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EACCES, errno.EPERM, errno.ENXIO)
)

TreeFiles = dict[str, str]
"""Temporary files with the new content of paths, by path."""


class TreeChange(NamedTuple):
    """One path between two states: the blob it had, the content it gets; None = no file."""

    path: str
    old_blob: str | None
    data: bytes | None


class Tree:
    """The files of one store on disk. Callers of every changing method hold the write lock."""

    def __init__(self, store: Path, private: PrivateState) -> None:
        self.top = store
        self._top = str(store)
        self._private = private
        self._aside = AsideFolder(private)
        self._device = os.stat(self._top).st_dev

    def full(self, path: str) -> str:
        """Return the absolute name of a path of the tree."""
        return os.path.join(self._top, path)

    def read(self, path: str) -> bytes | None:
        """Return the content on disk, or None when there is no readable file of that name."""
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK  # a FIFO would hang
        try:
            descriptor = os.open(self.full(path), flags)
        except OSError as error:
            if error.errno in _NO_READABLE_FILE:
                return None
            raise
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return None
            with open(descriptor, "rb", closefd=False) as file:
                return file.read()
        finally:
            os.close(descriptor)

    def marker(self) -> str | None:
        """Return the commit that the tree shows, or None when that is not known."""
        try:
            with open(self._private.tree_marker, encoding="ascii") as file:
                return file.read().strip() or None
        except FileNotFoundError:
            return None

    def set_marker(self, commit: str) -> None:
        """Record that the tree shows `commit`."""
        temporary = self._temporary("marker")
        with open(temporary, "w", encoding="ascii") as file:
            file.write(commit + "\n")
        os.replace(temporary, self._private.tree_marker)
        reached("tree-marked")

    def write(self, changes: Iterable[TreeChange]) -> TreeFiles:
        """Write the new content of changes to temporary files, by path; not synced yet.

        A writer does this before main moves, so that they are synced together with its objects.
        """
        written: TreeFiles = {}
        try:
            for change in changes:
                if change.data is not None:
                    written[change.path] = self._write_temporary(change.data)
        except BaseException:
            self.drop(written)
            raise
        reached("tree-written")
        return written

    def drop(self, written: TreeFiles) -> None:
        """Remove temporary files that will not be placed."""
        for temporary in written.values():
            _unlink(temporary)

    def place(
        self,
        changes: Iterable[TreeChange],
        written: TreeFiles | None = None,
        beside: Iterable[str] = (),
    ) -> None:
        """Bring the changed paths to their new content, durably.

        `written` holds synced files of the same changes; folders `beside` are synced with the
        tree's. Additions come before removals, so that a letter on its way to the archive is never
        in neither folder. Whatever was replaced goes to `aside/`, where a person may still be
        saving to it. Raises OSError (disk full, read-only) with everything not yet placed left as
        it was; calling again with the same changes finishes the work.
        """
        changes = list(changes)
        if written is None:
            written = self.write(changes)
            sync_together(files=written.values())
        folders = set(beside)
        try:
            for change in changes:
                if change.data is not None:
                    self._check_way(change.path)
                    folders |= self._make_folder(os.path.dirname(change.path))
                    self._put(change, written.pop(change.path))
            reached("tree-placed")
            for change in changes:
                if change.data is None:
                    self._check_way(change.path)
                    self._remove(change)
                    folders.add(self._prune(os.path.dirname(self.full(change.path))))
        finally:
            self.drop(written)
        sync_together(folders=sorted(folder for folder in folders if os.path.isdir(folder)))

    def clear_leftovers(self, known: Callable[[str], bool]) -> None:
        """Remove what dead writers left behind (the caller holds the write lock).

        `known` tells whether git has a blob. A file that was being swapped with one that nobody
        committed may hold a person's only copy: it is kept aside.
        """
        with os.scandir(self._private.tmp) as entries:
            leftovers = [entry.name for entry in entries if is_leftover(entry)]
        for name in leftovers:
            full = os.path.join(self._private.tmp, name)
            if name.startswith(("tree-swap-", "tree-old-")) and os.path.isfile(full):
                with open(full, "rb") as file:
                    data = file.read()
                if not known(blob_id(data)):
                    self._aside.keep(full, name, "a save found while repairing after a crash")
            if not name.startswith(_REFS):
                _unlink(full)

    def _write_temporary(self, data: bytes) -> str:
        temporary = self._temporary("file")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        return temporary

    def _temporary(self, what: str) -> str:
        return os.path.join(self._private.tmp, f"tree-{what}-{os.getpid()}-{os.urandom(6).hex()}")

    def _put(self, change: TreeChange, temporary: str) -> None:
        """Put `temporary` in place; nothing that was there is overwritten unseen."""
        target = self.full(change.path)
        new = blob_id(change.data or b"")
        if change.old_blob is None and _link_new(temporary, target):
            return
        from gitmail.store.exchange import exchange  # only where a file is replaced

        swap = self._temporary("swap")
        os.rename(temporary, swap)
        while True:
            try:
                exchanged = exchange(swap, target)
            except FileNotFoundError:  # deleted, or an editor renamed it away to write it anew
                if _link_new(swap, target):
                    return
                continue
            if not exchanged:
                self._put_by_moving(change, swap, target, new)
                return
            reached("tree-exchanged")
            self._look_at_old(change, swap, new)
            return

    def _put_by_moving(self, change: TreeChange, temporary: str, target: str, new: str) -> None:
        """Without an atomic exchange: move the old file aside, then link the new one in."""
        placed = False
        while not placed:
            old = self._temporary("old")
            with suppress(FileNotFoundError):
                os.rename(target, old)
            placed = _link_new(temporary, target)  # False: an editor put its own there meanwhile
            if os.path.lexists(old):
                self._look_at_old(change, old, new)

    def _look_at_old(self, change: TreeChange, old: str, new: str) -> None:
        """Decide about the inode that was replaced; it is at `old` now.

        A letter is never edited, so one that holds what was expected can go. A note may be open
        in an editor: it goes to `aside/`, where AsideFolder.changed looks at it again.
        """
        if not os.path.isfile(old) or os.path.islink(old):
            self._aside.keep(old, change.path, f"{change.path} was not a plain file")
            return
        with open(old, "rb") as file:
            found = blob_id(file.read())
        if not change.path.startswith("mail/"):
            self._aside.displace(old, change.path, new if found == new else change.old_blob or "")
        elif found in (change.old_blob, new):
            _unlink(old)
        else:
            self._aside.keep(
                old, change.path, f"{change.path} was edited; a delivered letter stays as sent"
            )

    def _remove(self, change: TreeChange) -> None:
        old = self._temporary("old")
        with suppress(FileNotFoundError, NotADirectoryError):
            os.rename(self.full(change.path), old)
            self._look_at_old(change, old, change.old_blob or "")

    def _check_way(self, path: str) -> None:
        """Refuse a symbolic link or a mount point on the way to `path`."""
        folder = self._top
        for part in path.split("/")[:-1]:
            folder = os.path.join(folder, part)
            try:
                found = os.lstat(folder)
            except FileNotFoundError:
                return
            if stat.S_ISLNK(found.st_mode) or found.st_dev != self._device:
                raise StoreUnavailable(
                    "unsafe_link",
                    f"{folder} is a symbolic link or a mount point; nothing is written through it",
                    "Remove it and run `gitmail doctor --fix`.",
                    path=folder,
                )

    def _make_folder(self, folder: str) -> set[str]:
        """Create a folder of the tree; returns the folders whose entries change with a new file."""
        full = self.full(folder)
        changed = {full}
        missing = full
        while not os.path.isdir(missing):
            missing = os.path.dirname(missing)
            changed.add(missing)
        if missing != full:
            os.makedirs(full, exist_ok=True)
        return changed

    def _prune(self, folder: str) -> str:
        """Remove folders that became empty, as git does; returns the lowest one that remains."""
        while folder != self._top:
            try:
                os.rmdir(folder)
            except FileNotFoundError:
                pass
            except OSError:
                return folder
            folder = os.path.dirname(folder)
        return folder


def is_leftover(entry: os.DirEntry[str]) -> bool:
    """Tell whether a file in tmp/ is a writer's, or some other that nobody has touched for long.

    Others are of a program that may be at work without the lock, such as doctor's scratch index.
    """
    if entry.name.startswith(("tree-", *_REFS)):
        return True
    try:
        return time.time() - entry.stat(follow_symlinks=False).st_mtime > _FOREIGN_SECONDS
    except FileNotFoundError:
        return False


def _link_new(temporary: str, target: str) -> bool:
    """Give `temporary` its final name if nothing has that name yet."""
    try:
        os.link(temporary, target, follow_symlinks=False)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS):
            raise
        if os.path.lexists(target):
            return False
        os.rename(temporary, target)
        return True
    os.unlink(temporary)
    return True


def _unlink(path: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(path)
