"""Files of main by path: what blob each holds, which are broken, and what the disk said of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gitmail.index.files import storable
from gitmail.index.index import Index
from gitmail.index.rows import BrokenRow

_LAST = "\U0010ffff"


class Stamp(NamedTuple):
    """What `stat` said of a file when its content was known to be its blob's."""

    size: int
    mtime_ns: int
    inode: int


class TrackedFile(NamedTuple):
    """A file of main; `stamp` is None until somebody compared the file on disk with it."""

    path: str
    blob: str
    stamp: Stamp | None


def files_below(index: Index, prefix: str = "") -> list[TrackedFile]:
    """Return the files whose path begins with `prefix`, by path."""
    sql = """SELECT path, blob, size, mtime_ns, inode FROM files
        WHERE path >= ? AND path < ? ORDER BY path"""
    rows = index.rows(sql, (prefix, prefix + _LAST))
    return [
        TrackedFile(row[0], row[1], Stamp(*row[2:]) if row[2] is not None else None) for row in rows
    ]


def set_stamps(index: Index, stamps: Iterable[tuple[str, str, Stamp]]) -> None:
    """Keep what the disk said of files, each (path, blob, stamp); void once the blob changes."""
    index.execute_each(
        "UPDATE files SET size = ?, mtime_ns = ?, inode = ? WHERE path = ? AND blob = ?",
        [(s.size, s.mtime_ns, s.inode, storable(path), blob) for path, blob, s in stamps],
    )


def broken_files(index: Index, prefix: str = "") -> list[BrokenRow]:
    """Return the files of main that do not follow the format, below `prefix`, by path."""
    sql = "SELECT path, blob, problem, line FROM broken WHERE path >= ? AND path < ? ORDER BY path"
    return [BrokenRow(*row) for row in index.rows(sql, (prefix, prefix + _LAST))]
