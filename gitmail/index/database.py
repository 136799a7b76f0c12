"""SQLite itself: a connection's statements, and what its failures mean to everybody above."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from gitmail.errors import StoreBusy, StoreUnavailable

BUSY_TIMEOUT = 2.0
"""Seconds a call waits for another process's transaction before `IndexBusy`."""

Row = tuple[Any, ...]

_UNUSABLE = frozenset(
    {
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_FORMAT,
        sqlite3.SQLITE_CONSTRAINT,  # what we insert agrees with an index that is as it should be
    }
)
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})


class IndexUnusable(StoreUnavailable):
    """The index is missing, damaged, of another version, or was replaced: rebuild it."""

    def __init__(self, problem: str) -> None:
        super().__init__(
            "index_unusable", f"the index cannot be used: {problem}", "Run `gitmail doctor`."
        )


class IndexBusy(StoreBusy):
    """Another process kept the index's write lock for longer than BUSY_TIMEOUT."""

    def __init__(self) -> None:
        super().__init__("store_busy", "the index is busy", "Try again.")


class Database:
    """The statements of one connection, with its failures as `translated` tells them."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.statements = 0

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """Return all rows of a query."""
        try:
            return self._connection.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise translated(error) from error

    def each(self, sql: str, values: Sequence[object] = ()) -> Iterator[Row]:
        """Yield the rows of a query one by one, for answers that may be large."""
        try:
            yield from self._connection.execute(sql, values)
        except sqlite3.Error as error:
            raise translated(error) from error

    def row(self, sql: str, values: Sequence[object] = ()) -> Row | None:
        """Return the first row of a query, or None."""
        found = self.rows(sql, values)
        return found[0] if found else None

    def value(self, sql: str, values: Sequence[object] = ()) -> Any:
        """Return the first column of the first row, or None without one."""
        found = self.row(sql, values)
        return found[0] if found else None

    def execute(self, sql: str, values: Sequence[object] = ()) -> None:
        """Run a statement that returns nothing."""
        try:
            self._connection.execute(sql, values)
        except sqlite3.Error as error:
            raise translated(error) from error

    def execute_each(self, sql: str, values: Iterable[Sequence[object]]) -> None:
        """Run one statement for each of `values`."""
        try:
            self._connection.executemany(sql, values)
        except sqlite3.Error as error:
            raise translated(error) from error

    def count_statements(self) -> None:
        """Begin to count the statements that run, in `statements` (for tests)."""

        def count(_sql: str) -> None:
            self.statements += 1

        self._connection.set_trace_callback(count)


def connect(path: Path, mode: str) -> sqlite3.Connection:
    """Open the database file `path` in a mode of SQLite's URIs: rw, rwc, `ro&immutable=1`.

    Raises IndexUnusable; OSError where a new file cannot be made.
    """
    try:
        return sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={mode}",
            timeout=BUSY_TIMEOUT,
            isolation_level=None,
            cached_statements=256,
            uri=True,
        )
    except sqlite3.Error as error:
        if mode == "rwc":
            raise OSError(errno.EROFS, f"the index cannot be created ({error})") from error
        raise translated(error) from error


def translated(error: sqlite3.Error) -> Exception:
    """Return what a failure of SQLite means to callers; a mistake in our SQL stays what it is."""
    extended = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    code = extended & 0xFF
    if code in _BUSY:
        return IndexBusy()
    if code in _UNUSABLE or extended == sqlite3.SQLITE_READONLY_DBMOVED:
        return IndexUnusable(str(error))
    if str(error).startswith(("no such table", "unsupported file format")):
        return IndexUnusable(str(error))
    if code == sqlite3.SQLITE_FULL:
        return OSError(errno.ENOSPC, "the disk is full")
    if code == sqlite3.SQLITE_READONLY:
        return OSError(errno.EROFS, "the index cannot be written")
    return error
