"""Git's loose objects: one zlib-compressed file for each object, named by its SHA-1."""

from __future__ import annotations

import errno
import os
import zlib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from gitmail.errors import StoreUnavailable
from gitmail.git import steps
from gitmail.git.durable import disk_error, sync_together, write_all

NO_LINKS = frozenset(
    {errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EXDEV, errno.ENOSYS, errno.EMLINK}
)
"""What `link` says where a file system has no (more) hard links."""

_TEMPORARY = "tmp_obj_"  # the prefix that `git prune` clears away


def object_name(kind: str, data: bytes) -> tuple[str, bytes]:
    """Return an object's SHA-1 and the bytes that are hashed and stored (header and content)."""
    whole = f"{kind} {len(data)}\0".encode() + data
    return _sha1(whole), whole


def _sha1(data: bytes) -> str:
    from hashlib import sha1  # 4 ms to import, and the usual look reads no object

    return sha1(data, usedforsecurity=False).hexdigest()


def loose_path(git_dir: Path, sha: str) -> str:
    """Return where the object `sha` lies when it is loose."""
    return f"{git_dir}/objects/{sha[:2]}/{sha[2:]}"


def damaged(sha: str, why: str) -> StoreUnavailable:
    """Return the failure for an object that cannot be what its name says."""
    return StoreUnavailable(
        "damaged_object",
        f"Object {sha} of the store is damaged: {why}.",
        "Run `gitmail doctor`; `git fsck` in the store names everything that is damaged.",
        object=sha,
    )


def read_loose(git_dir: Path, sha: str) -> tuple[str, bytes] | None:
    """Return (type, content) of a loose object, or None if it is not loose.

    Header, length and hash are verified. Raises StoreUnavailable `damaged_object`.
    """
    try:
        with open(loose_path(git_dir, sha), "rb") as file:
            packed = file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise damaged(sha, f"it cannot be read ({error.strerror})") from error
    inflater = zlib.decompressobj()
    try:
        whole = inflater.decompress(packed)
    except zlib.error as error:
        raise damaged(sha, "it cannot be decompressed") from error
    if not inflater.eof:
        raise damaged(sha, "it is cut short")
    if _sha1(whole) != sha:
        raise damaged(sha, "its content does not match its name")
    head, _, data = whole.partition(b"\0")
    return head.split(b" ")[0].decode("ascii"), data


class LooseWriter:
    """Writes a batch of loose objects so that they appear together, whole and durable.

    `add` writes temporary files, `flush` syncs them all, then gives them their names and syncs
    the folders. An object is visible to git only once it is safe. `syncs` counts the fsync calls,
    `batches` the flushes that had something to write. `fsync=False` is for benchmarks only.
    Leaving the `with` block discards what was not flushed.
    """

    def __init__(self, git_dir: Path, *, fsync: bool = True) -> None:
        self._git_dir = git_dir
        self._objects = f"{git_dir}/objects"
        self._fsync = fsync
        self._pending: dict[str, str] = {}
        self._damaged: set[str] = set()
        self.syncs = 0
        self.batches = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.discard()

    def add(self, kind: str, data: bytes) -> str:
        """Write the object to a temporary file and return its SHA-1.

        One that is loose and sound already is only touched, so that no prune takes it for old.
        Raises StoreUnavailable `disk_full`, `read_only` or `io_error`; nothing is left behind.
        """
        sha, whole = object_name(kind, data)
        if sha in self._pending or self._is_there(sha):
            return sha
        temporary = f"{self._objects}/{_TEMPORARY}{os.getpid()}_{os.urandom(8).hex()}"
        self._pending[sha] = temporary
        try:
            _write_new(temporary, zlib.compress(whole, 1))
        except OSError as error:
            self.discard()
            raise disk_error(error, self._objects) from error
        return sha

    def flush(self, beside: Iterable[str] = ()) -> None:
        """Make everything added durable and visible; raises as `add` does.

        The files `beside` are synced together with the objects, which costs no more.
        """
        if not self._pending:
            self._sync(files=beside)
            return
        steps.reached("objects-written")
        try:
            self._sync(files=[*self._pending.values(), *beside])
            steps.reached("objects-synced")
            folders = self._name_all()
            steps.reached("objects-renamed")
            self._sync(folders=sorted(folders))
        except OSError as error:
            raise disk_error(error, self._objects) from error
        finally:
            self.discard()
        self.batches += 1

    def discard(self) -> None:
        """Remove the temporary files of everything that was not flushed."""
        for temporary in self._pending.values():
            with suppress(OSError):
                os.unlink(temporary)
        self._pending.clear()
        self._damaged.clear()

    def _is_there(self, sha: str) -> bool:
        try:
            if read_loose(self._git_dir, sha) is None:
                return False
            os.utime(loose_path(self._git_dir, sha))
        except StoreUnavailable:
            self._damaged.add(sha)  # what a power cut truncated is written anew
            return False
        except FileNotFoundError:
            return False  # packed and pruned this moment
        except PermissionError:
            return True  # somebody else's object: as good as ours, only not ours to touch
        return True

    def _name_all(self) -> set[str]:
        folders = set()
        for sha, temporary in self._pending.items():
            folder = f"{self._objects}/{sha[:2]}"
            if not os.path.isdir(folder):
                with suppress(FileExistsError):
                    os.mkdir(folder)
                folders.add(self._objects)
            folders.add(folder)
            self._name(sha, temporary)
        return folders

    def _name(self, sha: str, temporary: str) -> None:
        path = loose_path(self._git_dir, sha)
        if sha in self._damaged:
            os.rename(temporary, path)
            return
        try:
            os.link(temporary, path)
        except FileExistsError:
            pass  # the same object, written by somebody else this moment
        except OSError as error:
            if error.errno not in NO_LINKS:
                raise
            os.rename(temporary, path)

    def _sync(self, files: Iterable[str] = (), folders: Iterable[str] = ()) -> None:
        if self._fsync:
            self.syncs += sync_together(files, folders)


def _write_new(path: str, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o444)
    try:
        write_all(descriptor, data)
    finally:
        os.close(descriptor)
