"""The index's file as an object: opened, checked, written in transactions, thrown away.

One `Index` is one SQLite connection and belongs to the thread that opened it. Everything in it can
be rebuilt from git, so no fault of it is repaired: it is discarded (`IndexUnusable`).
"""

from __future__ import annotations

import os
import sqlite3
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from gitmail.index import files
from gitmail.index.database import Database, IndexBusy, IndexUnusable, Row, connect
from gitmail.index.schema import (
    APPLICATION_ID,
    INDEX_STATEMENTS,
    SCHEMA_VERSION,
    TABLE_STATEMENTS,
    TABLES,
)

__all__ = ["Index", "IndexBusy", "IndexUnusable", "Row"]

CACHE_KIB = 8_000
BUILD_CACHE_KIB = 64_000
"""Memory for pages: little for a process that answers, enough for one that fills all indexes."""

_WAL_FILES = ("-wal", "-shm")


class Index(Database):
    """One open connection to the index; see `open`, `create` and `open_read_only`."""

    def __init__(self, connection: sqlite3.Connection, path: Path, generation: Path) -> None:
        super().__init__(connection)
        self._path = path
        self._generation = generation
        self._is_same: Callable[[], bool] = lambda: True
        self._retire: weakref.finalize[Any, Any] | None = None
        self.read_only = False
        self.journal_mode = ""

    # -- life ----------------------------------------------------------------------------------

    @classmethod
    def open(cls, path: Path) -> Index:
        """Open the index at `path`; never creates one.

        Raises IndexUnusable where it is missing, damaged, incomplete or of another schema version.
        """
        for _ in range(2):  # a second look, for the moment in which a rebuilt one takes its place
            index = cls._connect(path)
            if index is not None:
                return index
        raise IndexUnusable("it was replaced while being opened")

    @classmethod
    def _connect(cls, path: Path) -> Index | None:
        try:
            generation = files.current_generation(path)
            before = files.identity(path, generation, ())
            if before is None:
                raise FileNotFoundError(path)
        except (OSError, ValueError) as error:
            raise IndexUnusable(f"{error}") from None
        index = cls(connect(generation, "rw"), path, generation)
        try:
            index.journal_mode = index._journal()
            if generation == path and index.journal_mode == "wal":
                raise IndexUnusable("it is a copy")  # its log may belong to another file
            index._check_schema()
        except BaseException:
            index._connection.close()
            raise
        return index if index._watch(before) else None

    @classmethod
    def create(cls, path: Path, fill: Callable[[Index], None] | None = None) -> Index:
        """Build a new index, filled by `fill` in one transaction, and put it at `path`.

        Nobody sees it before it is whole. The caller holds the store's lock. Raises OSError when
        the disk refuses, IndexUnusable when somebody deletes the new file meanwhile.
        """
        generation = files.new_generation(path)
        try:
            linked = files.prepare_pointer(path, generation)
            journal = "WAL" if linked and _wal_works(path) else "TRUNCATE"
            cls._build(path, generation, fill, journal)
            files.publish(path, generation, linked)
        except FileNotFoundError:
            raise IndexUnusable("it was deleted while being built") from None
        except BaseException:
            files.remove(path, generation)
            files.drop_pointer(path)
            raise
        return cls.open(path)

    @classmethod
    def _build(
        cls, path: Path, generation: Path, fill: Callable[[Index], None] | None, journal: str
    ) -> None:
        index = cls(connect(generation, "rwc"), path, generation)
        try:
            index.execute("PRAGMA journal_mode = OFF")
            index.execute("PRAGMA synchronous = OFF")
            index.execute(f"PRAGMA cache_size = -{BUILD_CACHE_KIB}")
            index.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            index.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            with index.writing():
                for statement in TABLE_STATEMENTS:
                    index.execute(statement)
                if fill is not None:
                    fill(index)
                for statement in INDEX_STATEMENTS:
                    index.execute(statement)
            index.execute(f"PRAGMA journal_mode = {journal}")
        finally:
            index._connection.close()
        _sync(generation)

    @classmethod
    def open_read_only(cls, path: Path) -> Index:
        """Open the index of a store that this process cannot write.

        Reads the file in place where it holds everything, else a private copy of it and its log.
        Raises IndexUnusable as `open` does.
        """
        from gitmail.index import snapshot  # only here: it loads more than all the rest

        try:
            generation = files.current_generation(path)
            taken = snapshot.take(path, generation)
        except (OSError, ValueError) as error:
            raise IndexUnusable(f"{error}") from None
        if taken is None:
            stamp = files.content_stamp(path, generation)
            index = cls(connect(generation, "ro&immutable=1"), path, generation)
            index._is_same = lambda: files.content_stamp(path, generation) == stamp
        else:
            index = cls(connect(taken, "rw"), path, taken)
            index._retire = weakref.finalize(index, snapshot.drop, taken)
        index.read_only = True
        try:
            index.journal_mode = str(index.value("PRAGMA journal_mode"))
            index._check_schema()
        except BaseException:
            index.close()
            raise
        return index

    def same_files(self) -> bool:
        """Tell whether the files on disk are still the ones this connection opened.

        Check before and after computing an answer: one computed across a change has to be redone.
        """
        return self._is_same()

    def close(self) -> None:
        """Close the connection. Files that were swapped under it are removed first."""
        if self._retire is not None:
            self._retire()
        self._connection.close()

    def discard(self) -> None:
        """Remove the files this connection opened, then close it; others notice and rebuild.

        In this order, because closing would first copy the log into the database, which another
        process may have open with a log of its own.
        """
        if not self.read_only:
            files.remove(self._path, self._generation)
        self.close()

    def _journal(self) -> str:
        mode = str(self.value("PRAGMA journal_mode"))
        if mode != "wal":
            mode = str(self.value("PRAGMA journal_mode = TRUNCATE"))
        self.execute("PRAGMA synchronous = NORMAL")
        self.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        return mode

    def _check_schema(self) -> None:
        versions = (self.value("PRAGMA application_id"), self.value("PRAGMA user_version"))
        if versions != (APPLICATION_ID, SCHEMA_VERSION):
            raise IndexUnusable(f"its schema is {versions[1]}, not {SCHEMA_VERSION}")
        missing = TABLES - {name for (name,) in self.rows("SELECT name FROM sqlite_schema")}
        if missing:
            raise IndexUnusable(f"it has no table {', '.join(sorted(missing))}")
        self.marker()

    def _watch(self, database: files.Identity) -> bool:
        """Begin to compare the files with what they are now; false if `database` is gone."""
        path, generation = self._path, self._generation
        suffixes = _WAL_FILES if self.journal_mode == "wal" else ()
        opened = files.identity(path, generation, suffixes)
        if opened is None or opened[:1] != database:
            self._connection.close()
            return False
        self._is_same = lambda: files.identity(path, generation, suffixes) == opened
        # also when nobody calls close: the connection's end must not touch a log it did not open
        self._retire = weakref.finalize(
            self, _remove_if_swapped, path, generation, suffixes, opened
        )
        return True

    # -- transactions --------------------------------------------------------------------------

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold SQLite's write lock for the body; commit at its end, undo all of it on an error.

        Raises IndexBusy when the lock does not come free in BUSY_TIMEOUT, IndexUnusable when the
        files were replaced.
        """
        self.execute("BEGIN IMMEDIATE")
        try:
            if not self.same_files():
                raise IndexUnusable("its files were replaced")
            yield
            self.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                self._connection.rollback()
            raise

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Let every query in the body see the same state, whatever is written meanwhile."""
        if self._connection.in_transaction:
            yield
            return
        self.execute("BEGIN")
        try:
            yield
        finally:
            with suppress(sqlite3.Error):
                self._connection.rollback()

    # -- the marker ----------------------------------------------------------------------------

    def marker(self) -> str | None:
        """Return the commit this index shows; None in one that was never filled."""
        value = self.value("SELECT value FROM meta WHERE key = 'marker'")
        return None if value is None else str(value)

    def set_marker(self, commit: str) -> None:
        """Say which commit this index shows; in the transaction that made it so."""
        self.execute("INSERT OR REPLACE INTO meta VALUES ('marker', ?)", (commit,))

    def blobs(self, paths: Iterable[str]) -> dict[str, str]:
        """Return the blob id of each of `paths` that main has a file at."""
        found = {}
        for path in paths:
            blob = self.value("SELECT blob FROM files WHERE path = ?", (files.storable(path),))
            if blob is not None:
                found[path] = str(blob)
        return found


def _wal_works(path: Path) -> bool:
    """Try on an empty database beside `path` whether processes can share a log here."""
    probe = files.new_generation(path)
    connection = connect(probe, "rwc")
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE probe (one)")
        return tuple(connection.execute("PRAGMA journal_mode").fetchone()) == ("wal",)
    except sqlite3.OperationalError:
        return False
    finally:
        connection.close()
        files.remove(path, probe)


def _remove_if_swapped(
    path: Path, generation: Path, suffixes: tuple[str, ...], opened: files.Identity
) -> None:
    if files.identity(path, generation, suffixes) != opened:
        files.remove(path, generation)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
