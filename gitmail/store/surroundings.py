"""What the file system below a store can do: its kind, and whether its locks really exclude."""

from __future__ import annotations

import fcntl
import os
from dataclasses import dataclass
from pathlib import Path

from gitmail.store.private import PrivateState

_SHARED = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "fuse.sshfs", "drvfs", "virtiofs", "vboxsf"}
)
_MOUNTS = "/proc/self/mounts"


@dataclass(frozen=True, slots=True)
class FileSystem:
    """The kind of file system, and whether other machines may see it too."""

    name: str
    shared: bool


def file_system(path: Path, mounts: str = _MOUNTS) -> FileSystem:
    """Return the kind of file system that holds `path`, as the mount table `mounts` names it."""
    wanted = os.path.realpath(path)
    best, kind = "", "unknown"
    try:
        with open(mounts, encoding="utf-8", errors="surrogateescape") as table:
            for line in table:
                fields = line.split(" ")
                point = fields[1].replace("\\040", " ")
                inside = wanted == point or wanted.startswith(point.rstrip("/") + "/")
                if inside and len(point) >= len(best):
                    best, kind = point, fields[2]
    except OSError:
        return FileSystem("unknown", False)
    return FileSystem(kind, kind in _SHARED)


def lock_excludes(private: PrivateState) -> bool:
    """Test with two open files whether a lock held by one is refused to the other."""
    path = private.tmp / f"lock-test-{os.getpid()}"
    first = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    second = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        fcntl.flock(first, fcntl.LOCK_EX)
        try:
            fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False
    except OSError:
        return False
    finally:
        os.close(first)
        os.close(second)
        os.unlink(path)
