"""The index's files: a short-lived generation, and the name everybody finds it by.

    index.sqlite                    a symlink to the generation in use
    index-3f9a1c22.sqlite           that generation, with SQLite's -wal and -shm beside it

SQLite removes `NAME-wal` by its name when the last connection to a file closes. Were a rebuilt
index to take over the name of a lost one, every process that still has the lost one open would
delete the new one's log when it ends. A generation's name is used once, so it cannot.

Where symlinks do not exist, index.sqlite is the file itself and keeps no -wal.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

SIDE_FILES = ("-wal", "-shm", "-journal")

_GENERATION = re.compile(r"index-[0-9a-f]{8}\.sqlite")
_SWEPT = re.compile(r"index(-[0-9a-f]{8})?\.sqlite(-wal|-shm|-journal|\.new)?")

Identity = tuple[object, ...]
"""What names a set of files: compared for equality only."""


def new_generation(path: Path) -> Path:
    """Return a name beside `path` that no index has had."""
    return path.with_name(f"index-{os.urandom(4).hex()}.sqlite")


def current_generation(path: Path) -> Path:
    """Return the database file that `path` stands for now.

    Raises FileNotFoundError where there is none, ValueError where `path` points elsewhere.
    """
    try:
        target = os.readlink(path)
    except FileNotFoundError:
        raise
    except OSError:  # a file, not a symlink
        return path
    if not _GENERATION.fullmatch(target):
        raise ValueError(f"{path} points to {target!r}")
    return path.with_name(target)


def prepare_pointer(path: Path, generation: Path) -> bool:
    """Make the symlink that `publish` puts at `path`; false where there are no symlinks."""
    drop_pointer(path)
    try:
        _pointer(path).symlink_to(generation.name)
    except (OSError, NotImplementedError):
        return False
    return True


def publish(path: Path, generation: Path, linked: bool) -> None:
    """Make `generation` the index that `path` stands for, and remove every other one."""
    if linked:
        _pointer(path).replace(path)
        sweep(path, keep=generation)
    else:
        for suffix in SIDE_FILES:
            unlink(side_file(path, suffix))
        generation.replace(path)
        sweep(path, keep=path)


def drop_pointer(path: Path) -> None:
    """Remove a symlink that was prepared and not published."""
    unlink(_pointer(path))


def _pointer(path: Path) -> Path:
    return path.with_name(f"{path.name}.new")


def sweep(path: Path, keep: Path) -> None:
    """Remove the files of all generations but `keep`."""
    kept = {path.name, *(f"{keep.name}{suffix}" for suffix in ("", *SIDE_FILES))}
    for name in os.listdir(path.parent):
        if _SWEPT.fullmatch(name) and name not in kept:
            unlink(path.with_name(name))


def remove(path: Path, generation: Path) -> None:
    """Remove `generation` and, where it points there, the name `path`."""
    with suppress(OSError, ValueError):
        if current_generation(path) == generation:
            unlink(path)
    for suffix in ("", *SIDE_FILES):
        unlink(side_file(generation, suffix))


def unlink(path: Path) -> None:
    """Remove a file that may be gone already."""
    with suppress(FileNotFoundError):
        path.unlink()


def side_file(generation: Path, suffix: str) -> Path:
    """Return the path of SQLite's own file beside `generation`."""
    return generation.with_name(f"{generation.name}{suffix}")


def identity(path: Path, generation: Path, suffixes: tuple[str, ...]) -> Identity | None:
    """Return device and inode of the database and its side files; None when one is missing.

    Also None once `path` stands for another generation.
    """
    try:
        if current_generation(path) != generation:
            return None
        found = [os.stat(f"{generation}{suffix}") for suffix in ("", *suffixes)]
    except (OSError, ValueError):
        return None
    return tuple((one.st_dev, one.st_ino) for one in found)


def content_stamp(path: Path, generation: Path) -> Identity | None:
    """Return what changes with the content of the database or of its log; None when missing."""
    try:
        if current_generation(path) != generation:
            return None
        found = os.stat(generation)
    except (OSError, ValueError):
        return None
    log: Identity = ()
    with suppress(OSError):
        side = os.stat(side_file(generation, "-wal"))
        log = (side.st_ino, side.st_size, side.st_mtime_ns)
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, *log)


def storable(path: str) -> str:
    """Return a path of the tree as SQLite can hold it: a name that is not UTF-8 is escaped."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return path
